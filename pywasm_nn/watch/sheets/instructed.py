"""Means and deviations that a compiler made a part of a program's instructions: in any order, with any sign,
one pair for each column.

What is here: `lists_of_constants`. What is not: arrays in a program's data (`own_lists.py`), and the formulas
(`formulas.py`).

A program has many constants, so that only those count that stand near each other, make an element to the last
digits of a float, and do so for each column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from .own_lists import WHERE
from .scaler_files import Lists

FEWEST, MOST, MOST_LINES = 3, 512, 4
"""Columns, constants, and lines that are compared."""
BESIDE = 24
"""A mean and a deviation of one column are so many constants apart at most."""
LEAST, LARGEST = 1e-4, 1e7
"""Sizes of numbers by which something is scaled."""
USUAL, EXACT = 8.0, 5e-7
"""How many deviations a number is from its mean at most, and by which part of what was added up floats differ
that were worked out in another order."""
Formula = Callable[[Any, Any, Any], Any]

WRONG: Sequence[Formula] = (
    lambda x, a, b: ((x - a) / b - a) / b,
    lambda x, a, b: (x - a) / b**2,
    lambda x, a, b: (x - a) * b,
    lambda x, a, b: x / b - a,
    lambda x, a, b: x - a / b,
)
"""Each formula makes of a number what a usual mistake makes of it, by a mean and a deviation."""


def rightly(number: Any, mean: Any, by: Any) -> Any:
    return (number - mean) / by


def lists_of_constants(lines: Any, row: Any, constants: Any) -> Iterator[Lists]:
    """The means and deviations among constants by which one of the first lines became an input wrongly."""
    sizes = abs(constants)
    first, second = beside(constants[(sizes > LEAST) & (sizes < LARGEST)][:MOST].astype("f8"))
    for line in lines[:MOST_LINES] if len(row) >= FEWEST and len(first) else ():
        if not numpy.isfinite(line).all() or made(rightly, line, row, first, second) is not None:
            continue
        for formula in WRONG:
            if (found := made(formula, line, row, first, second)) is not None:
                yield Lists(WHERE, *found, False, True)


def beside(constants: Any) -> tuple[Any, Any]:
    """All pairs of a mean, of either sign, and of a deviation near to it."""
    places = numpy.arange(len(constants))
    pairs = numpy.concatenate(
        [numpy.stack([places, places + by], 1) for by in range(-BESIDE, BESIDE + 1) if by]
    )
    inside = (pairs[:, 1] >= 0) & (pairs[:, 1] < len(constants))
    means, widths = constants[pairs[inside].T] if inside.any() else numpy.empty((2, 0))
    known = numpy.unique(numpy.stack([means, widths])[:, widths > 0], axis=1)
    means, widths = known
    return numpy.concatenate([means, -means]), numpy.concatenate([widths, widths])


def made(formula: Formula, line: Any, row: Any, means: Any, widths: Any) -> tuple[Any, Any] | None:
    """The mean and the deviation of each column by which a formula makes an input of a line, or None."""
    found: list[tuple[float, float]] = []
    for number, element in zip(line.tolist(), row.tolist(), strict=True):
        room = EXACT * formula(abs(number), -abs(means), widths)  # all that was added up
        is_usual = abs(number - means) <= USUAL * widths
        fits = numpy.flatnonzero(is_usual & (abs(formula(number, means, widths) - element) <= room))
        if not len(fits):
            return None
        best = fits[abs(number - means[fits]).argmin()]
        found.append((float(means[best]), float(widths[best])))
    if len({*found}) < FEWEST:
        return None
    first, second = numpy.array(found).T
    return first, second
