"""Which elements of several inputs are which columns of numbers, if the inputs follow a table's lines.

What is here: `straight`, by which an element is a column if it lies on a straight line over it in all inputs,
`as_doubles`, inputs whose bytes are such numbers of another type, and `matched`, how many fit at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .sheet import Sheet

FEWEST, DIFFERENT = 5, 4
"""Inputs, and different values of an element and of a column: fewer lie straight by chance."""
EXACT = 3e-6
"""What rounding to f32 leaves of a straight line, as a part of the largest element, and of their range."""
MOST = 1e9
"""Numbers in tables are smaller."""
NEARLY = 1e-6
"""What rounding to f32 leaves of equal numbers."""


class Straight(Frozen):
    """Of each element and column whether it is that, and by which slope and height."""

    fits: Any
    slopes: Any
    heights: Any

    def plain(self) -> Any:
        """Whether an element is a column as it is."""
        return self.fits & (abs(self.slopes - 1) < 1e-4) & (abs(self.heights) < 1e-4)


def straight(rows: Any, numbers: Any) -> Straight:
    """How elements, [inputs, elements], depend on columns, [inputs, columns] with NaN where there is no
    number."""
    shape = rows.shape[1], numbers.shape[1]
    fits, slopes, heights = numpy.zeros(shape, bool), numpy.zeros(shape), numpy.zeros(shape)
    for column in range(shape[1]):
        known = numpy.isfinite(numbers[:, column])
        if known.sum() < FEWEST or len(numpy.unique(numbers[known, column])) < DIFFERENT:
            continue
        there, own = numbers[known, column], rows[known]
        level, levels = there - there.mean(), own - own.mean(axis=0)
        slope = level @ levels / (level @ level)
        off = abs(levels - level[:, None] * slope).max(axis=0)
        allowed = EXACT * (abs(own).max(axis=0) + 10 * numpy.ptp(own, axis=0))
        several = numpy.array([len(numpy.unique(one)) >= DIFFERENT for one in own.T])
        fits[:, column] = (off <= allowed) & several & (slope != 0)
        slopes[:, column], heights[:, column] = slope, own.mean(axis=0) - slope * there.mean()
    return Straight(fits, slopes, heights)


def as_doubles(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns a hint about inputs whose bytes, read as f64, are all columns of a table, which they are in no
    way as they were sent, or "" if they aren't."""
    width = rows.shape[1]
    if width % 2 or not (rows == rows.astype("<f4")).all():
        return ""
    read = rows.astype("<f4").view("<f8")
    if not numpy.isfinite(read).all() or abs(read).max() > MOST:
        return ""
    found = straight(read, sheet.numbers[list(lines)])
    if not found.fits.any(axis=1).all():
        return ""
    columns = [sheet.named(int(one)) for one in found.fits.argmax(axis=1)]
    return (
        f"its bytes are f64 (double): read so, number 0 is {columns[0]}, {read[0, 0]:.4g} in the first "
        f"input; as f32 its {width} elements hold {width // 2} numbers, and what follows is not sent"
    )


def matched(fits: dict[int, list[int]]) -> int:
    """How many elements can have a mean of their own, of those that fit them."""
    taken: dict[int, int] = {}

    def place(element: int, tried: set[int]) -> bool:
        for to in fits[element]:
            if to in tried:
                continue
            tried.add(to)
            if to not in taken or place(taken[to], tried):
                taken[to] = element
                return True
        return False

    return sum(place(element, set()) for element in fits)
