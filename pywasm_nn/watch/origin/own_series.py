"""Series of numbers that a guest has in itself: arrays among its data that go on smoothly, as what was
measured one after the other does, and of which it sends windows.

What is here: `series_in`. What is not: tables in texts (`constants.py`), and single numbers
(`own_numbers.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ..depicted import at_of

KINDS = ("<f4", "<f8", "<i4", "<i2", "<u2")
MOST_DATA, MOST_NUMBERS = 1 << 18, 1 << 12
FEWEST, DIFFERENT = 32, 12
"""Numbers of a series, and different ones among them."""
LEAST, LARGEST, PLACES = 1e-3, 1e6, 4
"""What people write down is in this range, or 0, with so many places after the point."""
SMOOTH, AWAY = 0.6, 20.0
"""From one number to the next a series changes, on average, by at most this part of its deviation; numbers
that are so many times as far from the middle as the middle one of them are no part of it."""
LETTERS = range(0x20, 0x7F)


def series_in(module: Module) -> Iterator[Any]:
    """The series among a module's data, as f64."""
    left = MOST_DATA
    for data in module.datas:
        init, start = data.init[:left], at_of(data) or 0
        for kind in KINDS:
            width = numpy.dtype(kind).itemsize
            first = min(-start % width, len(init))
            numbers = numpy.frombuffer(init, kind, max(0, len(init) - first) // width, first)
            yield from (run for run in runs(numbers) if is_series(run))
        left -= min(left, len(data.init))


def runs(numbers: Any) -> Iterator[Any]:
    """The parts in which all numbers are such as people write down, as f64, and no zeros at the ends."""
    with numpy.errstate(invalid="ignore"):
        plain = numpy.nan_to_num(numbers.astype("f8"), nan=numpy.inf)
    sizes = abs(plain)
    may_be = (sizes == 0) | ((sizes >= LEAST) & (sizes <= LARGEST))
    known = numpy.where(may_be, plain, 0.5)
    may_be &= known.round(PLACES).astype(numbers.dtype) == numbers
    is_zero = numpy.pad(known == 0, 1)
    may_be &= ~(is_zero[:-2] & is_zero[1:-1] & is_zero[2:])
    if numbers.itemsize == 2:
        may_be &= ~are_letters(numbers)
    for begin, end in parts(may_be):
        own = plain[begin:end]
        away = abs(own - numpy.median(own))
        for first, last in parts(away <= AWAY * numpy.median(away)):
            yield numpy.trim_zeros(own[first:last])[:MOST_NUMBERS]


def parts(wanted: Any) -> Iterator[tuple[int, int]]:
    """Where enough numbers that are wanted follow each other."""
    ends = numpy.flatnonzero(numpy.diff(wanted, prepend=False, append=False)).tolist()
    pairs = zip(ends[::2], ends[1::2], strict=True)
    yield from (pair for pair in pairs if pair[1] - pair[0] >= FEWEST)


def are_letters(numbers: Any) -> Any:
    """Which numbers of two bytes are two letters."""
    halves = numbers.view("u1").reshape(-1, 2)
    return ((halves >= LETTERS.start) & (halves < LETTERS.stop)).all(axis=1)


def is_series(run: Any) -> bool:
    """Whether numbers go on smoothly, and are no counter."""
    if len(run) < FEWEST or len(numpy.unique(run)) < DIFFERENT:
        return False
    steps = numpy.diff(run)
    is_counter = (steps >= 0).all() or (steps <= 0).all()
    return bool(not is_counter and abs(steps).mean() <= SMOOTH * run.std())
