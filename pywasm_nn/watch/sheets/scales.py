"""Numbers by which columns are scaled, from a file that has a line for each column by its name.

What is here: `of_another`, a column scaled by another's line, and `unused`, a file that was read for nothing.
What is not: scalers whose numbers are in no file (`origin.scalers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from .rows import Straight
from .scaler_files import PAIR, lines_by_name
from .sheet import Sheet

MISTAKEN = 2
"""Columns that show a mistake, so many."""
FEWEST_UNUSED = 3
NEAR = 2e-3
FAR = 4.0
"""Means of the same data differ by fewer deviations."""


def of_another(sheet: Sheet, found: Straight, others: Sequence[Sheet]) -> str:
    """Returns a hint about columns that were scaled by the lines of others, or "" if there are none."""
    scaled = found.fits & ~found.plain()
    for scale in others:
        numbers = lines_by_name(scale, sheet.headings)
        wrong = []
        for element, column in numpy.argwhere(scaled[:, : len(sheet.headings)]).tolist():
            slope, height = found.slopes[element, column], found.heights[element, column]
            taken, divided = -height / slope, 1 / slope
            fitting = [name for name, own in numbers.items() if is_by(own, taken, divided)]
            heading = sheet.headings[column]
            if heading in numbers and fitting and heading not in fitting:
                wrong.append((heading, fitting[0]))
        if len({one for one, _ in wrong}) >= MISTAKEN:
            one, other = wrong[0]
            return (
                f'column "{one}" was scaled by the numbers of "{other}" in {scale.name}, and so are '
                f"{len(wrong) - 1} more by another's: its lines are in another order than the columns; take "
                "each by its name"
            )
    return ""


def is_by(numbers: Any, taken: float, divided: float) -> bool:
    """Whether two different numbers of a line were taken away and divided by."""
    near = [abs(numbers - one) <= NEAR * max(abs(divided), abs(one) * 0.1) for one in (taken, divided)]
    return bool(near[0].any() and near[1].any() and (near[0] | near[1]).sum() >= PAIR)


def unused(sheet: Sheet, rows: Any, lines: Sequence[int], others: Sequence[Sheet]) -> str:
    """Returns a hint about lines that were sent as they are, though a file that was read has each column's
    mean and deviation, or "" if that is not so."""
    count = len(sheet.headings)
    if not FEWEST_UNUSED <= count == rows.shape[1]:
        return ""
    if not numpy.allclose(rows, sheet.numbers[list(lines)], rtol=1e-6, atol=0):
        return ""
    for scale in others:
        numbers = lines_by_name(scale, sheet.headings)
        if len(numbers) < count or not all(len(one) == PAIR for one in numbers.values()):
            continue
        with numpy.errstate(all="ignore"):
            mean, deviation = numpy.array([numbers[name] for name in sheet.headings]).T
            off = abs(numpy.nanmean(sheet.numbers, axis=0) - mean) / deviation
        if (deviation > 0).all() and (off < FAR).all():
            return (
                f"all columns were sent as they stand in the file, though {scale.name}, which was read, has "
                "a mean and a deviation for each: was the scaler's result thrown away (a loop over copies)?"
            )
    return ""
