"""Lines that were made whole numbers after they were scaled: `as_whole`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from .sheet import Sheet

FEWEST_ROWS, FEWEST_COLUMNS, LARGEST = 16, 3, 20.0
"""With fewer lines than the first number, bins of any width may seem to have equal steps. An input has at
least so many elements, and none of them is larger than the last."""
STEPS = 10
"""Steps up from element to element that follow the table's numbers: fewer follow by chance."""
FINER = 1.5
"""The table has so many times as many different numbers, at least."""
EXACT = 1e-9
"""A line may miss the end of a strip by this part of the largest numbers."""


def as_whole(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong with small whole numbers that rise as columns with decimals do, or "" if they
    don't."""
    count, width = rows.shape
    if count < FEWEST_ROWS or width < FEWEST_COLUMNS or (rows != numpy.rint(rows)).any():
        return ""
    if not 1 < abs(rows).max() <= LARGEST or not (rows < 0).any():
        return ""
    there = sheet.numbers[list(lines)]
    for start in range(there.shape[1] - width + 1):
        part = there[:, start : start + width]
        if not numpy.isfinite(part).all() or (part == numpy.rint(part)).all():
            continue
        steps, different, finer = 0, 0, 0
        for own, cells in zip(rows.T, part.T, strict=True):
            order = numpy.lexsort((own, cells))
            if (numpy.diff(own[order]) < 0).any():
                break
            if not has_equal_steps(own, cells):
                break
            steps += int((numpy.diff(own[order]) > 0).sum())
            different, finer = different + len({*own.tolist()}), finer + len({*cells.tolist()})
        else:
            if steps >= STEPS and finer >= FINER * different:
                return (
                    f"all elements are whole numbers from {rows.min():g} to {rows.max():g}, which rise with "
                    f"{sheet.named(start)} and those behind it: were they rounded, or made integers, after "
                    "they were scaled?"
                )
    return ""


def has_equal_steps(own: Any, cells: Any) -> bool:
    """Whether whole numbers that rise with a column do so at places that are equally far apart. Rounding
    makes such steps, and cutting off decimals makes them with a 0 that is twice as wide. Bins, such as those
    that have equally many lines each, needn't have them."""
    kinds = sorted({*own.tolist()})
    bounds = [
        (number, float(cells[own == one].max()), float(cells[own == other].min()))
        for one, other in pairwise(kinds)
        for number in numpy.arange(one, other).tolist()
    ]
    cut_off = [(number + (number >= 0), low, high) for number, low, high in bounds]
    return has_line(bounds) or has_line(cut_off)


def has_line(bounds: Sequence[tuple[float, float, float]]) -> bool:
    """Whether a straight line goes through all upright strips. Each of `bounds` has the place of a strip, its
    lower and its upper end. If any line does, a line through ends of two strips does so, too."""
    at, low, high = numpy.array(bounds, "f8").reshape(-1, 3).T
    room = EXACT * float(abs(low).max(initial=0) + abs(high).max(initial=0))
    for one in range(len(at)):
        for other in range(one):
            for start in (low[one], high[one]):
                for end in (low[other], high[other]):
                    line = start + (end - start) / (at[other] - at[one]) * (at - at[one])
                    if (line >= low - room).all() and (line <= high + room).all():
                        return True
    return len(at) < 2
