"""Few elements in which no rule about elements can find anything, known without numpy.

What is here: `is_ordinary`, which is quick and errs on the safe side. What is not: the rules (`values.py`,
`foreign.py`, `words.py`), which see all elements that aren't ordinary.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from ...interpreter.runtime.memory import Memory
from ...nn.tensor import DType, Tensor
from ..facts import OF_SHARES, Input
from ..few import Numbers
from .foreign import SHORT

FLOATS = frozenset({DType.F32, DType.F64})
WHOLE = frozenset({DType.U8, DType.I32, DType.I64})
USUAL = 1e-8, 1e8
"""Sizes between which no element is one of a text, of memory that was filled, or half of a larger number."""
MOST_MEMORY = 1 << 29
"""The addresses of a memory of so many bytes aren't the bits of a usual f32."""
MOST_WHOLE = 1 << 16
"""Whole numbers below this are none of a float's bits, and no four letters."""
WORDS = ("mask", "segment", "token", "id", "word")
"""Parts of names of inputs whose whole numbers rules compare with each other."""
MASK = "mask"
"""That part of a name whose floats are compared with such, too."""


def is_ordinary(
    given: Input, tensor: Tensor, numbers: Numbers, names: Iterable[str], memory: Memory | None
) -> bool:
    """Whether no rule about the elements of this input has anything to say, whatever the others are. `names`
    are those of all inputs."""
    picture = given.picture
    if given.tensor.not_finite or OF_SHARES.search(given.spec.name):
        return False
    if picture is not None and picture.channels > 1:
        return False
    if tensor.dtype in FLOATS:
        if MASK in given.spec.name.lower():
            return False
        small = memory is None or memory.size <= MOST_MEMORY
        return small and are_usual(numbers) and not SHORT.search(tensor.view())
    if tensor.dtype not in WHOLE or any(word in name.lower() for name in names for word in WORDS):
        return False
    return min(numbers) >= 0 and max(numbers) < MOST_WHOLE


def are_usual(numbers: Numbers) -> bool:
    """Whether all elements are 0 or of a usual size."""
    smallest, largest = USUAL
    return all(smallest < abs(one) < largest or one == 0 for one in numbers)


def apart(numbers: Numbers, distance: int) -> float:
    """The mean difference between elements at a distance."""
    differences = [abs(other - one) for one, other in zip(numbers, numbers[distance:], strict=False)]
    return sum(differences) / len(differences)


def is_ramp(numbers: Numbers) -> bool:
    """Does what `values.is_ramp` does, without numpy."""
    return len(numbers) > 1 and len({other - one for one, other in pairwise(numbers)}) == 1
