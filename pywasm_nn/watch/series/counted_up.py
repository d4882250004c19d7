"""Windows of the column that only says when or which each line is, in place of the one that was measured.

What is here: `counted_up`. What is not: times among other columns (`origin.clocks`), and batches, of which a
time may be the only number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.clocks import TIMES
from ..origin.tables import COUNTED
from .gaps import known_line
from .lines import Column, columns_of
from .rings import FEWEST

NAMES = TIMES | COUNTED | {
    "hour", "hours", "h", "day", "days", "week", "month", "year", "minute", "minutes", "min", "step", "steps",
    "sample", "frame", "n", "i",
}  # fmt: skip
WORD = re.compile(r"[a-z]+")
EVEN = 1e-3


def counted_up(name: str, array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window that is a column of it, under the input's `name`, or
    "" for both if nothing is known to be wrong."""
    lengths = [length for length in array.shape if length != 1]
    own = array.reshape(-1).astype("f8")
    if len(lengths) != 1 or array.shape[0] != 1 or own.size < FEWEST or is_time(name):
        return "", ""
    steps = numpy.diff(own)
    if not steps[0] or (abs(steps - steps[0]) > EVEN * abs(steps[0])).any():
        return "", ""
    for columns in columns_of(files):
        counting = [one for one in columns if is_counting(one)]
        others = [one for one in columns if one not in counting and is_measured(one)]
        for column in counting if others else ():
            if len(column.numbers) >= len(own) and known_line(column.numbers[: len(own)], own) is not None:
                return column.file, (
                    f"{column.named} was sent, which only counts its lines up; was {others[0].named} meant?"
                )
    return "", ""


def is_time(name: str) -> bool:
    return bool({*WORD.findall(name.lower())} & NAMES)


def is_counting(column: Column) -> bool:
    """Whether a column goes up in equal steps, and is a time or a number of a line by its heading."""
    steps = numpy.diff(column.numbers)
    even = len(steps) >= FEWEST - 1 and steps[0] > 0 and bool((steps == steps[0]).all())
    return even and (not column.heading or is_time(column.heading))


def is_measured(column: Column) -> bool:
    """Whether a column has numbers that go up and down."""
    steps = numpy.diff(column.numbers[numpy.isfinite(column.numbers)])
    return bool((steps > 0).any() and (steps < 0).any())
