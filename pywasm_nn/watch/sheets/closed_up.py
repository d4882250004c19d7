"""Lines of a table with an empty field, whose fields behind it were read one place too early. They are
compared line by line: where each column is empty in some line, no element is one column in all inputs.

What is here: `closed_up`. What is not: elements that are one column of all lines (`misread.py`), and lines
that a file's lists scaled (`missing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from .sheet import Sheet, number_of

FEWEST, MOVED, FEWEST_WHOLE = 3, 2, 4
"""Elements, those of a line that were moved, and lines without a gap by which it is seen how columns were
scaled: one more than a straight line needs shows that it is one."""
EXACT = 3e-6
"""Rounding to f32 changes a number by at most this part of it and 1."""


def closed_up(sheet: Sheet, rows: Any, lines: Sequence[int]) -> int:
    """Returns the first line with an empty field of which an input has the fields behind it one place too
    early, and lines without one as they are, or scaled; -1 if there is none."""
    width = rows.shape[1]
    gaps = [place for place, line in enumerate(lines) if "" in sheet.rows[line]]
    if not sheet.delimiter or not gaps or len(gaps) == len(lines) or width < FEWEST:
        return -1
    numbers = sheet.numbers[list(lines)]
    for start in range(numbers.shape[1] - width + 1):
        window = numbers[:, start : start + width]
        for by, less in straight_ways(numpy.delete(rows, gaps, axis=0), numpy.delete(window, gaps, axis=0)):
            is_rightly = near(rows, window * by + less) | ~numpy.isfinite(window)
            if is_rightly.all():
                continue
            for place in gaps:
                closed = [one for one in sheet.rows[lines[place]] if one][start : start + width]
                made = numpy.array([number_of(one) for one in closed], "f8") * by[: len(closed)]
                own, made = rows[place, : len(closed)], made + less[: len(closed)]
                moved = numpy.isfinite(made) & ~near(made, (window[place] * by + less)[: len(closed)])
                if near(own, made).all() and moved.sum() >= MOVED and not is_rightly[place].all():
                    return lines[place]
    return -1


def straight_ways(rows: Any, window: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the factors and the shifts by which columns become the elements of lines, if there are any."""
    one = numpy.ones(rows.shape[1])
    if not numpy.isfinite(window).all():
        return
    if near(rows, window).all():
        yield one, 0 * one
    elif len(rows) >= FEWEST_WHOLE:
        level, levels = window - window.mean(axis=0), rows - rows.mean(axis=0)
        with numpy.errstate(all="ignore"):
            by = (level * levels).sum(axis=0) / (level**2).sum(axis=0)
        less = rows.mean(axis=0) - by * window.mean(axis=0)
        if numpy.isfinite(by).all() and by.all() and near(rows, window * by + less).all():
            yield by, less


def near(one: Any, other: Any) -> Any:
    """Says of each number whether it is the same as the other one, up to rounding."""
    return abs(one - other) <= EXACT * (abs(one) + 1)
