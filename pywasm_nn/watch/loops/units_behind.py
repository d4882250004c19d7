"""One input in all computes, though the numbers that it was made of go on with as many more of its size.

What is here: `first_of_several`, which looks for an input's numbers in files and in the program's data,
whatever type they have there and however they were scaled. What is not: what makes inputs the same
(`standing.py`), windows of tables (`series`) and of sounds (`sent/steps.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ..depicted import at_of
from ..origin.tables import table_in

FEWEST, FEWEST_SCALED, DIFFERENT = 3, 12, 3
"""Elements of an input, of one that was scaled, and different ones."""
MOST_BYTES, MOST_TEXT, MOST_ELEMENTS, MOST_PLACES = 1 << 19, 1 << 18, 1 << 15, 8
KINDS = ("<f4", "<f8", "<i2", "u1", "i1", "<i4", ">i2")
EXACT, TAPS = 2e-4, 6
"""How far elements are from a line over numbers, in parts of their range; and how many are compared first."""
HEADER = 512
BEYOND, LEAST = 1.0, 0.02
"""What follows in a program's data is alike if it goes beyond an input's range by so many times that at most,
and is as wide as this part of it at least."""


def first_of_several(array: Any, count: int, files: Sequence[tuple[str, bytes]], module: Module) -> str:
    """Returns where the numbers of an input stand as the first of exactly so many of its size, or "" if they
    don't anywhere."""
    flat = array.reshape(-1)
    if not FEWEST <= flat.size <= MOST_ELEMENTS or len({*flat.tolist()}) < DIFFERENT:
        return ""
    for own in orders(array.astype("f8")):
        for name, data in files:
            for numbers, room in numbers_of(data):
                if any(
                    start <= room and count in units(len(numbers) - start, own.size)
                    for start in places(own, numbers)
                ):
                    return name
        for numbers in of_program(module):
            for start in places(own, numbers):
                if count in units(alike(numbers[start:], own.size), own.size):
                    return "the program's data"
    return ""


def orders(array: Any) -> Iterator[Any]:
    """The elements as they lie, and with the channels of each place together."""
    yield array.reshape(-1)
    sides = [length for length in array.shape if length != 1]
    if len(sides) > 1:
        yield numpy.moveaxis(array.reshape(sides), 0, -1).reshape(-1)


def units(length: int, size: int) -> set[int]:
    """How many inputs so many numbers are, one behind the other or each half over the one before."""
    half = size // 2
    return {length // size} | ({(length - size) // half + 1} if half and length >= size else set())


def numbers_of(data: bytes) -> Iterator[tuple[Any, int]]:
    """The numbers of a file, and before which of them its first input begins."""
    table = table_in(data) if len(data) <= MOST_TEXT else None
    if table is not None:
        known = table.numbers[:, numpy.isfinite(table.numbers).all(axis=0)]
        for first in range(known.shape[1]):
            yield known[:, first:].reshape(-1), 0
        if known.shape[1] > 1:
            yield from ((column, 0) for column in known.T)
        return
    for kind in KINDS if len(data) <= MOST_BYTES else ():
        width = numpy.dtype(kind).itemsize
        for first in range(width):
            yield as_numbers(data[first:], kind), HEADER // width


def of_program(module: Module) -> Iterator[Any]:
    left = MOST_BYTES
    for data in module.datas:
        init, start = data.init[:left], at_of(data) or 0
        for kind in KINDS:
            yield as_numbers(init[-start % numpy.dtype(kind).itemsize :], kind)
        left -= len(init)


def as_numbers(data: bytes, kind: str) -> Any:
    with numpy.errstate(invalid="ignore"):
        return numpy.frombuffer(data, kind, len(data) // numpy.dtype(kind).itemsize).astype("f8")


def is_among(own: Any, numbers: Any) -> bool:
    """Whether numbers are an input anywhere, as they are or scaled and moved."""
    return any(True for _ in places(own, numbers))


def places(own: Any, numbers: Any, fewest: int = FEWEST_SCALED) -> Iterable[int]:
    """Yields the places at which an input begins among numbers. They are its elements as they stand, or
    these scaled and moved, if there are `fewest` or more."""
    count = len(numbers) - own.size + 1
    low, high = int(own.argmin()), int(own.argmax())
    span = own[high] - own[low]
    if count < 1 or not span:
        return
    with numpy.errstate(all="ignore"):
        slope = (numbers[high : high + count] - numbers[low : low + count]) / span
        height = numbers[low : low + count] - slope * own[low]
        may_be = (slope != 0) & numpy.isfinite(slope)
        if own.size < fewest:
            may_be &= (abs(slope - 1) < EXACT) & (abs(height) < EXACT * (1 + abs(own).max()))
        room = EXACT * abs(slope * span)
        may_be &= room > numpy.spacing(abs(height))  # in what is all the same all elements are alike
        for at in numpy.linspace(0, own.size - 1, min(TAPS, own.size)).astype(int).tolist():
            may_be &= abs(slope * own[at] + height - numbers[at : at + count]) <= room
        for start in numpy.flatnonzero(may_be)[:MOST_PLACES].tolist():
            there = numbers[start : start + own.size]
            if (abs(slope[start] * own + height[start] - there) <= room[start]).all():
                yield start


def alike(numbers: Any, size: int) -> int:
    """How many numbers are like the first ones: in their range or not far from it, and as different."""
    first = numbers[:size]
    span = float(numpy.ptp(first))
    with numpy.errstate(invalid="ignore"):
        is_far = ~((numbers >= first.min() - BEYOND * span) & (numbers <= first.max() + BEYOND * span))
    end = int(is_far.argmax()) if is_far.any() else len(numbers)
    whole = numbers[: end // size * size].reshape(-1, size)
    is_flat = numpy.ptp(whole, axis=1) < LEAST * span
    return size * int(is_flat.argmax()) if is_flat.any() else end
