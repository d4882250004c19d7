"""Lines that were made whole numbers after they were scaled: `as_whole`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from .sheet import Sheet

FEWEST_ROWS, FEWEST_COLUMNS, LARGEST = 4, 3, 20.0
STEPS = 10
"""Steps up from element to element that follow the table's numbers: fewer follow by chance."""
FINER = 1.5
"""The table has so many times as many different numbers, at least."""


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
