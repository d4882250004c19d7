"""Means and deviations, or the ends of ranges, among a program's own numbers: two arrays by which a line of a
table became an input.

What is here: `runs_in` and `lists_behind`. A program has many numbers: only those count by which a formula
makes exactly the input of the line. What is not: the formulas (`formulas.py`), and lines that were sent as
they stand (`sent/unapplied.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from .scaler_files import Lists

FEWEST, MOST_RUNS, MOST_LINES, MOST_FOUND = 4, 1 << 12, 4, 4
"""Elements, places in a program's data, lines that are compared, and pairs of arrays for each way."""
LEAST, LARGEST = 1e-6, 1e9
"""Sizes of numbers by which something is scaled."""
NEAR = 1e-3
WHERE = "the program"
Inverse = Callable[[Any, Any, Any], Any]

FIRST_BY_SECOND: tuple[Inverse, ...] = (
    lambda x, y, b: x - y * b,
    lambda x, y, b: x - y / b,
    lambda x, y, b: y * b - x,
    lambda x, y, b: x / b - y,
    lambda x, y, b: (x - y) * b,
    lambda x, y, b: x - y * b**2,
    lambda x, y, b: (x - y * b**2) / (1 + b),
    lambda x, y, b: y - x * b,
    lambda x, y, b: b - x / y,
)
"""From a number, what it became, and the second one of the two that it was scaled by, to the first one."""
ALONE: tuple[Callable[[Any, Any], Any], ...] = (lambda x, y: x / y, lambda x, y: x - y)
"""From a number and what it became to the only one by which it was scaled: the other lies beside that."""


def runs_in(arrays: Iterable[Any], width: int) -> list[Any]:
    """The parts of a program's numbers that may be lists of so many, also of lists in turns."""
    if width < FEWEST:
        return []
    both = (one for array in arrays for one in (array, numpy.concatenate([array[::2], array[1::2]])))
    return [runs for array in both if len(runs := runs_of(array, width))]


def lists_behind(lines: Any, row: Any, kept: Sequence[Any]) -> Iterator[Lists]:
    """The pairs of lists among a program's by which one of the first lines may have become an input."""
    for line in lines[:MOST_LINES]:
        if not numpy.isfinite(line).all() or numpy.allclose(line, row, rtol=NEAR):
            continue
        for runs in kept:
            order = runs[:, int(abs(line).argmax())].argsort()
            for inverse in FIRST_BY_SECOND:
                for first, second in pairs(runs, order, inverse(line, row, runs), int(abs(line).argmax())):
                    yield Lists(WHERE, first, second, False, True)
            for alone in ALONE:
                yield from beside(runs, alone(line, row))


def runs_of(array: Any, width: int) -> Any:
    """All parts of so many numbers that may be means, deviations or ends, [parts, width]."""
    if len(array) < 2 * width:
        return numpy.empty((0, width))
    runs = numpy.lib.stride_tricks.sliding_window_view(array.astype("f8"), width)
    sizes = abs(runs)
    may_be = (((sizes > LEAST) & (sizes < LARGEST)) | (runs == 0)).all(axis=1)
    return runs[may_be & (numpy.ptp(runs, axis=1) > 0)][:MOST_RUNS]


def pairs(runs: Any, order: Any, wanted: Any, key: int) -> Iterator[tuple[Any, Any]]:
    """Those of the runs that are what is wanted beside another of them. `order` sorts them by one column."""
    keys = wanted[:, key]
    room = NEAR * (abs(keys) + LEAST)
    sorted_ = runs[order, key]
    begin, end = numpy.searchsorted(sorted_, keys - room), numpy.searchsorted(sorted_, keys + room)
    found = 0
    for at in numpy.flatnonzero((end > begin) & numpy.isfinite(keys)).tolist():
        for place in order[begin[at] : end[at]][:MOST_FOUND].tolist():
            is_it = abs(runs[place] - wanted[at]) <= NEAR * (abs(wanted[at]) + abs(runs[at])) + LEAST
            if is_it.all() and found < MOST_FOUND:
                found += 1
                yield runs[place], runs[at]


def beside(runs: Any, wanted: Any) -> Iterator[Lists]:
    """Pairs of a run that is what is wanted and of the run before or behind it."""
    width = len(wanted)
    for at in numpy.flatnonzero((abs(runs - wanted) <= NEAR * (abs(wanted) + LEAST)).all(axis=1)).tolist():
        for place in (at - width, at + width):
            if 0 <= place < len(runs):
                yield Lists(WHERE, runs[at], runs[place], False, True)
                yield Lists(WHERE, runs[place], runs[at], False, True)
