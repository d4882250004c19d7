"""Windows of a column in which something stands for a number that isn't there: 0 for an empty field, or for
the headings, or the file's own mark (-999), scaled like a number.

What is here: `stood_in`. All other elements are the column's numbers in following lines, scaled by any mean
and deviation. What is not: inputs that are one line each (`origin.columns`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.columns import marks_in
from ..origin.straight import line_of
from ..origin.tables import SENTINELS
from .lines import Column, columns_of
from .rings import FEWEST, laid_out

DIFFERENT = 4
"""Different numbers in a window, which lie on a straight line with the column's by no chance."""
MOST_GAPS = 0.25
"""The part of a window that may be missing."""
FAR = 2.0
"""A mark in the file is so many times the range of all other numbers away from them."""
STANDING_IN = (0.0, -1.0, -99.0, -999.0, -9999.0)
EXACT, NEARLY = 1e-4, 1e-3
MOST, MOST_STARTS, MOST_CHANNELS, MOST_COLUMNS = 1 << 12, 64, 4, 16


def stood_in(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window of it, or "" for both if nothing is known to be
    wrong."""
    if array.size > MOST:
        return "", ""
    samples = [one for rows in laid_out(array) for one in rows.T[:MOST_CHANNELS].astype("f8")]
    samples = [one for one in samples if len(one) >= FEWEST and len(numpy.unique(one)) >= DIFFERENT]
    for columns in columns_of(files) if samples else ():
        for column in columns[:MOST_COLUMNS]:
            for own in samples:
                if said := of_headings(own, column) or of_gaps(own, column, samples) or of_marks(own, column):
                    return column.file, said
    return "", ""


def of_headings(own: Any, column: Column) -> str:
    """A window that begins with the headings as the number 0, and goes on with the first lines."""
    if not column.has_headings or len(column.numbers) < len(own):
        return ""
    line = known_line(column.numbers[: len(own) - 1], own[1:])
    if line is None or not is_near(own[0], line[1], own) or is_usual(0.0, column.numbers):
        return ""  # a window may begin at rest, or at the time 0, and any rise is a line of a column of times
    return (
        f"its first element stands for the headings, read as the number 0, and {column.named} follows from "
        "its first line on: is the first line to be skipped?"
    )


def of_gaps(own: Any, column: Column, samples: Sequence[Any]) -> str:
    """A window that has a number that no line has where the column is empty, and that is no mark of all the
    input's samples."""
    numbers = column.numbers
    known = numbers[numpy.isfinite(numbers)]
    if len(known) in (0, len(numbers)):
        return ""
    marks = marks_in(samples)
    unusual = [number for number in STANDING_IN if not (number in marks or is_usual(number, known))]
    for start in starts(numbers, own) if unusual and len(numbers) >= len(own) else ():
        there = numbers[start : start + len(own)]
        line = known_line(there, own)
        gaps = numpy.flatnonzero(~numpy.isfinite(there))
        for number in unusual if line is not None else ():
            wanted = line[0] * number + line[1] if line else 0.0
            if all(is_near(own[at], wanted, own) for at in gaps.tolist()):
                return (
                    f"{column.named} is empty in line {column.line(start + int(gaps[0]))}, and was sent as "
                    f"{number:g} there, which is far from all its numbers"
                )
    return ""


def of_marks(own: Any, column: Column) -> str:
    """A window in which the file's own mark for a missing number was scaled, as all others were. A model that
    knows the mark gets it as it is."""
    is_mark = numpy.isin(column.numbers, [*SENTINELS])
    known = column.numbers[~is_mark & numpy.isfinite(column.numbers)]
    if not is_mark.any() or len(known) < FEWEST or len(own) > len(column.numbers):
        return ""
    room = FAR * float(numpy.ptp(known))
    if (column.numbers[is_mark] >= known.min() - room).any():
        return ""
    numbers = numpy.where(is_mark, numpy.nan, column.numbers)
    for start in starts(numbers, own):
        there = column.numbers[start : start + len(own)]
        line = known_line(numbers[start : start + len(own)], own)
        marks = numpy.flatnonzero(is_mark[start : start + len(own)]).tolist()
        if line is None or not marks or numpy.allclose(own, there, rtol=EXACT):
            continue
        if all(is_near(own[at], line[0] * there[at] + line[1], own) for at in marks):
            return (
                f"{there[marks[0]]:g} in line {column.line(start + marks[0])} of {column.named} stands for a "
                f"missing number, and was scaled to {own[marks[0]]:.3g} as if it were one (all others there "
                f"are {known.min():g} to {known.max():g})"
            )
    return ""


def is_usual(number: float, numbers: Any) -> bool:
    """Whether a number may be one of a column: it is beyond the known ones by no more than their largest
    step."""
    known = numbers[numpy.isfinite(numbers)]
    far = float(abs(numpy.diff(known)).max(initial=0))
    return bool(known.min() - far <= number <= known.max() + far) if len(known) else True


def starts(numbers: Any, own: Any) -> Sequence[int]:
    """Where windows begin that lack some numbers, and in which three numbers lie as the elements do."""
    count = len(own)
    missing = numpy.concatenate([[0], numpy.cumsum(~numpy.isfinite(numbers))])
    gaps = missing[count:] - missing[:-count]
    places = numpy.argsort(own)[[0, count // 2, -1]]
    low, middle, high = (numbers[place : place + len(gaps)] for place in places.tolist())
    share = (own[places[1]] - own[places[0]]) / (own[places[2]] - own[places[0]])
    with numpy.errstate(all="ignore"):
        off = abs((middle - low) / (high - low) - share) > NEARLY
    is_known = numpy.isfinite(low + middle + high)
    return numpy.flatnonzero((gaps > 0) & (gaps <= MOST_GAPS * count) & ~(off & is_known)).tolist()[
        :MOST_STARTS
    ]


def known_line(there: Any, own: Any) -> tuple[float, float] | None:
    """Returns by which factor and height the elements of a window are the known ones of these numbers, or
    None if they aren't."""
    known = numpy.isfinite(there)
    if known.sum() < FEWEST - 1 or len(numpy.unique(there[known])) < DIFFERENT:
        return None
    return line_of(own[known], there[known], EXACT)


def is_near(number: float, wanted: float, own: Any) -> bool:
    return bool(abs(number - wanted) <= EXACT * (abs(own).max() + abs(wanted)))
