"""Whole numbers of 32 bits, and floats, that were given as elements of another type: each element is then a
number that no model takes for the row of a table.

What is here: `taken_for_others`, which explains a compute that failed, and `as_halves`. What is not: inputs
that a model refuses by their declared type or shape (`inputs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import iter_unpack

from .tensor import DType, Tensor, TensorSpec

MOST = 4096
"""Elements that are looked at."""
SMALL = 1 << 21
"""Numbers of words, users and the like are smaller."""
HALF = 32
KINDS = {DType.I32: ("i", "f", "f32"), DType.I64: ("q", "d", "f64")}
"""By a type of whole numbers, its code, that of floats as wide, and their name."""


def taken_for_others(specs: Sequence[TensorSpec], tensors: Sequence[Tensor | None]) -> str:
    """What may be wrong with the type of inputs that a model could not compute; "" if nothing is known to
    be."""
    for index, (spec, tensor) in enumerate(zip(specs, tensors, strict=False)):
        if tensor is not None and tensor.dtype in KINDS and (said := as_halves(tensor) or as_floats(tensor)):
            return f'input {index} "{spec.name}": {said}'
    return ""


def elements(tensor: Tensor, code: str) -> list[int | float]:
    """The first elements of a tensor, read as another type."""
    view = tensor.view().cast("B")
    width = tensor.dtype.size
    part = view[: min(MOST * width, len(view) // width * width)]
    return [number for (number,) in iter_unpack(f"<{code}", part)]


def as_halves(tensor: Tensor) -> str:
    """What is wrong with elements of 64 bits that are two small whole numbers each; "" for others."""
    if tensor.dtype is not DType.I64:
        return ""
    whole = [int(one) for one in elements(tensor, "q")]
    pairs = [halves(one) for one in whole]
    both = [at for at, (low, high) in enumerate(pairs) if low and high > 0]
    if not both or any(not -SMALL < one < SMALL for pair in pairs for one in pair):
        return ""
    at = both[0]
    low, high = pairs[at]
    return (
        f"element {at} is {whole[at]}, which is {low} and {high} in one (two whole numbers of 32 bits): the "
        "guest's array has elements of 32 bits, and was given as i64"
    )


def halves(number: int) -> tuple[int, int]:
    """The lower and the upper half of 64 bits, with their signs."""
    low = number & ((1 << HALF) - 1)
    return low - (1 << HALF) * (low >> (HALF - 1)), number >> HALF


def as_floats(tensor: Tensor) -> str:
    """What is wrong with whole numbers that are the bits of floats; "" for others."""
    code, other, name = KINDS[tensor.dtype]
    whole = elements(tensor, code)
    read = [*shown(zip(whole, elements(tensor, other), strict=True))]
    if not read or len(read) < sum(map(bool, whole)):
        return ""
    number, meant = read[0]
    return (
        f"{number} is how {meant:g} looks as {name}: the guest's array has floats, and was given as "
        f"{tensor.dtype}"
    )


def shown(pairs: Iterator[tuple[int | float, int | float]]) -> Iterator[tuple[int | float, int | float]]:
    """Elements with what they are as floats, if that is a small whole number and they are none."""
    for number, meant in pairs:
        if abs(number) > SMALL and 0 < abs(meant) < SMALL and meant == int(meant):
            yield number, meant
