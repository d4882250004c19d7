"""Lines of a file that goes back in time, sent one after the other as they stand to a model that carries a
state on: it gets the newest first.

What is here: `back_in_time`. What is not: windows of such a file (`origin/tables.py`, `series/backwards.py`).
That the state of each line is sent with the next one says that the lines are one series, and the file's times
say which way it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ..origin.tables import Table, table_in
from ..origin.time_order import NEWEST
from .files import Files
from .round import Round

FEWEST, DIFFERENT, MOST = 5, 4, 64
"""Lines that are compared, different numbers of an element among them, and elements of a line at most."""
SAME = 1e-4
"""What rounding to f32 leaves of a line's numbers, in deviations of these."""
BACK = "newest", "latest", "backward", "bwd", "revers"
"""Words in the names of inputs that go back in time."""


def back_in_time(
    rounds: Sequence[Round], pairs: Sequence[tuple[int, int]], files: Callable[[], Files]
) -> str:
    """Returns what is wrong with the order of the lines that the last rounds sent, or "" if nothing is.
    `pairs` are an input and the output that is its next value."""
    last = rounds[-FEWEST:]
    if len(last) < FEWEST or not any(is_carried_on(last, *pair) for pair in pairs):
        return ""
    for index in [one for one in last[0].inputs if all(one != state for state, _ in pairs)]:
        kept = [one.inputs[index] for one in last if index in one.inputs]
        what, width = kept[0].what, kept[0].array.shape[-1]
        if len(kept) < FEWEST or width > MOST or any(one.flat.size != width for one in kept):
            continue
        rows = numpy.stack([one.flat.astype("f8") for one in kept])
        if not numpy.isfinite(rows).all() or any(word in what.lower() for word in BACK):
            continue
        for name, data in files():
            table = table_of(data)
            if table is None or not (table.direction < 0 or (not table.direction and NEWEST.search(name))):
                continue
            if (at := place_of(table, rows)) >= 0:
                return (
                    f"{what} gets the lines of {name} as they stand (lines {table.lines[at]} to "
                    f"{table.lines[at + len(rows) - 1]} in its last {len(rows)} computes), which go back in "
                    "time, and the state goes on from each to the one before it in time: does the model want "
                    "the oldest line first?"
                )
    return ""


def is_carried_on(rounds: Sequence[Round], index: int, output: int) -> bool:
    """Whether each round begins with the state that the one before ended with."""
    for before, now in pairwise(rounds):
        mine = now.inputs.get(index)
        if mine is None or not mine.flat.any() or not mine.equals(before.outputs.get(output)):
            return False
    return True


@lru_cache(8)
def table_of(data: bytes) -> Table | None:
    return table_in(data)


def place_of(table: Table, rows: Any) -> int:
    """The line at which a run of lines begins that rows are, each element as it stands or scaled; -1 if there
    is none, or more than one."""
    count = len(rows)
    elements = [own for own in rows.T if own.min() < own.max()]
    if len(table.lines) < count or not any(len(numpy.unique(own)) >= DIFFERENT for own in elements):
        return -1
    fits = numpy.ones(len(table.lines) - count + 1, bool)
    for own in elements:
        found = numpy.zeros(len(fits), bool)
        for column in table.numbers.T:
            if not is_even(column):  # what counts is like any other run of it
                runs = levels(numpy.lib.stride_tricks.sliding_window_view(column, count))
                found |= (abs(runs - levels(own[None])) < SAME).all(axis=1)
        fits &= found
    return int(fits.argmax()) if fits.sum() == 1 else -1


def is_even(column: Any) -> bool:
    steps = numpy.diff(column)
    return not numpy.isfinite(steps).all() or bool(numpy.ptp(steps) <= SAME * abs(steps).max())


def levels(runs: Any) -> Any:
    """The numbers of each run in its own deviations; NaN if they are all alike."""
    wide = runs.std(axis=1, keepdims=True)
    return (runs - runs.mean(axis=1, keepdims=True)) / numpy.where(wide > 0, wide, numpy.nan)
