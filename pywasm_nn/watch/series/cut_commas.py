"""Windows of a table's columns that have decimal commas, of which the whole numbers before the commas are all
that is left, perhaps scaled: so few different ones that no straight line shows which column they are.

What is here: `cut_commas`. What is not: windows and lines of which more is left (`origin/tables.py`,
`sheets/misread.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..sheets.misread import as_atof, has_commas
from ..sheets.sheet import Sheet
from .rings import laid_out

FEWEST, MOST, MOST_COLUMNS = 12, 1 << 12, 16
"""Samples of a window, and of a table, and columns."""
RARE = 4
"""So many numbers of a window differ from the most frequent one of their column, or stay alone as others
do."""
EXACT = 1e-5


def cut_commas(array: Any, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window of its columns, or "" for both if nothing is."""
    if array.dtype.kind != "f" or not numpy.isfinite(array).all():
        return "", ""
    for sheet in reversed(sheets):
        lines = range(len(sheet.rows))
        if sheet.delimiter == "," or not FEWEST <= len(lines) <= MOST or len(sheet.rows[0]) > MOST_COLUMNS:
            continue
        commas = [at for at in range(len(sheet.rows[0])) if has_commas(sheet, lines, at)]
        for samples in laid_out(array) if commas else ():
            if (said := of_columns(samples.astype("f8"), sheet, commas)) is not None:
                return sheet.name, said
    return "", ""


def of_columns(samples: Any, sheet: Sheet, commas: Sequence[int]) -> str | None:
    """Returns a hint if samples, [samples, channels], are columns behind one another that were cut off at
    their commas, or None if they aren't."""
    count, channels = samples.shape
    if count < FEWEST:
        return None
    for column in commas:
        places = range(column, column + channels)
        if not {*places} <= {*commas} or count > len(sheet.rows):
            continue
        cut = numpy.array([[as_atof(row[at]) for at in places] for row in sheet.rows])
        if (cut == sheet.numbers[:, places]).all():
            continue
        for start in starts(samples, cut):
            window, own = cut[start : start + count], sheet.numbers[start : start + count, places]
            if are_made_of(samples, window) and not are_made_of(samples, own):
                line = start + int((window != own).any(axis=1).argmax())
                at = column + int((cut[line] != sheet.numbers[line, places]).argmax())
                return (
                    f"the decimals were cut off: {sheet.named(at)} is {sheet.rows[line][at]} in line "
                    f"{line + 1 + bool(sheet.headings) + len(sheet.comments)}, and was read as "
                    f"{as_atof(sheet.rows[line][at]):g}: the file has decimal commas, at which atof, strtof "
                    "and parseFloat stop"
                )
    return None


def starts(samples: Any, numbers: Any) -> list[int]:
    """The lines from which on all columns change where the channels do."""
    changes = numpy.diff(samples, axis=0) != 0
    there = numpy.diff(numbers, axis=0) != 0
    windows = numpy.lib.stride_tricks.sliding_window_view(there, len(changes), axis=0)
    return numpy.flatnonzero((windows == changes.T).all(axis=(1, 2))).tolist()


def are_made_of(samples: Any, numbers: Any) -> bool:
    """Whether each channel is its column, but for a scale and a shift, and enough of its numbers say so."""
    rare = 0
    for own, there in zip(samples.T, numbers.T, strict=True):
        low, high = int(there.argmin()), int(there.argmax())
        by = (own[high] - own[low]) / (there[high] - there[low]) if there[high] > there[low] else 0.0
        off = abs(own - own[low] - by * (there - there[low])).max()
        if off > EXACT * max(1.0, float(abs(own).max())) or (there[high] > there[low] and by == 0):
            return False
        rare += len(there) - int(numpy.unique(there, return_counts=True)[1].max())
    return rare >= RARE
