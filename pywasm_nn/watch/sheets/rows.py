"""Which elements of several inputs are which columns of numbers, if the inputs follow a table's lines.

What is here: `straight`. An element is a column if it lies on a straight line over it in all inputs.
"""

from __future__ import annotations

from typing import Any

from ...records import Frozen

FEWEST, DIFFERENT = 5, 4
"""Inputs, and different values of an element and of a column: fewer lie straight by chance."""
EXACT = 3e-6
"""What rounding to f32 leaves of a straight line, as a part of the largest element, and of their range."""
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
    import numpy

    shape = rows.shape[1], numbers.shape[1]
    fits, slopes, heights = numpy.zeros(shape, bool), numpy.zeros(shape), numpy.zeros(shape)
    for column in range(shape[1]):
        known = numpy.isfinite(numbers[:, column])
        if known.sum() < FEWEST or len(numpy.unique(numbers[known, column])) < DIFFERENT:
            continue
        there, own = numbers[known, column], rows[known]
        level, levels = there - there.mean(), own - own.mean(axis=0)
        slope = level @ levels / (level @ level)
        off = numpy.abs(levels - level[:, None] * slope).max(axis=0)
        allowed = EXACT * (numpy.abs(own).max(axis=0) + 10 * numpy.ptp(own, axis=0))
        several = numpy.array([len(numpy.unique(one)) >= DIFFERENT for one in own.T])
        fits[:, column] = (off <= allowed) & several & (slope != 0)
        slopes[:, column], heights[:, column] = slope, own.mean(axis=0) - slope * there.mean()
    return Straight(fits, slopes, heights)
