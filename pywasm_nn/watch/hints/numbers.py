"""Single numbers whose bytes are those of another type: an int where a float is wanted, or a float where an
int is.

What is here: inputs of one to three elements, in which bits that nobody means as a number stand out. What is
not: longer ones (`values.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...nn.tensor import DType
from ..facts import Input

MOST = 3
"""Inputs of more elements are lists of numbers."""
LARGEST_INT = 1 << 20
"""Whole numbers below this are sizes, rates, limits and years; as a float's bits they are almost 0."""
WHOLE_FLOATS = (2.0, 1e6)
"""Floats between which rates, sizes and limits are."""
LOW_BITS = 0xFFF
"""Bits that are 0 in floats which are small whole numbers or simple fractions, and in few other ints."""
FLOAT_OF = {DType.F32.value: ("<u4", "f32"), DType.F64.value: ("<u8", "f64")}
WHOLE = frozenset({DType.I32.value, DType.U32.value, DType.I64.value, DType.U64.value})


def of_another_type(given: Input) -> str | None:
    """Returns what is wrong with a number or a few, or None if nothing is."""
    values, dtype = given.values, given.tensor.dtype
    if values is None or not 1 <= given.tensor.elements <= MOST:
        return None
    if dtype in FLOAT_OF:
        return of_an_int(given, values)
    return of_a_float(given, values) if dtype in WHOLE else None


def of_an_int(given: Input, values: Any) -> str | None:
    """Floats whose bits are small whole numbers. Zeros beside them are the same in both."""
    kind, name = FLOAT_OF[given.tensor.dtype]
    words = [int(one) for one in values.view(kind)]
    known = [word for word in words if word]
    if not known or max(known) >= LARGEST_INT:
        return None
    shown = ", ".join(map(str, words))
    return (
        f"{given}: its bytes are those of an int ({shown}), which as {name} are almost 0: is the number to "
        f"be converted ((float)n, n as f32), before its bytes are sent as {name}?"
    )


def of_a_float(given: Input, values: Any) -> str | None:
    """Ints whose bits are floats that are whole numbers of a usual size. Powers of two are limits of ints,
    too, and the bits of such floats."""
    words = [int(one) for one in values]
    if not all(0 < word < 1 << 31 and word & LOW_BITS == 0 and word & (word - 1) for word in words):
        return None
    floats = numpy.array(words, "<u4").view("<f4").tolist()
    low, high = WHOLE_FLOATS
    if not all(low < one < high and one.is_integer() for one in floats):
        return None
    shown = ", ".join(f"{one:g}" for one in floats)
    return (
        f"{given}: its bytes are those of a float ({shown}), and were sent as {given.tensor.dtype}: is the "
        "number to be an int?"
    )
