"""Windows of the column that only says when or which each line is, in place of the one that was measured.

What is here: `counted_up`, for one column, and `clock_among`, for several that were scaled alike. What is
not: times among other columns as they stand (`origin.clocks`), and batches, of which a time may be the only
number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.clocks import TIMES, is_clock
from ..origin.runs_of_columns import run_of
from ..origin.straight import factor_of
from ..origin.tables import ANSWERS, COUNTED
from ..regex import regex
from ..sheets.sheet import Sheet
from .gaps import known_line
from .lines import Column, columns_of
from .rings import FEWEST, laid_out

NAMES = TIMES | COUNTED | {
    "hour", "hours", "h", "day", "days", "week", "month", "year", "minute", "minutes", "min", "step", "steps",
    "sample", "frame", "n", "i",
}  # fmt: skip
WORD = regex(r"[a-z]+")
EVEN = 1e-3
ALIKE, FEWEST_CHANNELS = 1e-5, 2
"""By which part of the largest number channels may differ from columns times one factor, and the fewest
channels."""


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


def clock_among(array: Any, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window whose channels are columns that follow each other, the
    first of which is a time, all multiplied by the same, while the column behind them is not sent; "" for
    both if nothing is known to be wrong. Nobody divides a time by what measurements are divided by."""
    for sheet in sheets if min((one for one in array.shape if one > 1), default=0) > 1 else ():
        for samples in laid_out(array):
            count = samples.shape[1]
            for first in clocks_of(sheet, count) if count >= FEWEST_CHANNELS else ():
                behind = first + count
                if by := factor_of_all(samples.astype("f8"), sheet.numbers[:, first:behind]):
                    how = "as it stands" if abs(by - 1) < ALIKE else f"times {by:.4g}"
                    return sheet.name, (
                        f"{sheet.named(first)}, which only says when or which each line is, was sent {how}, "
                        f"as the columns behind it were, and {sheet.named(behind)} was not: are the columns "
                        "read one place too early?"
                    )
    return "", ""


def clocks_of(sheet: Sheet, count: int) -> Iterator[int]:
    """Columns of times, or of the numbers of lines, which with those behind them may be so many channels,
    while there is a measured column behind these."""
    names = [one.strip('" ').lower() for one in sheet.headings] or [""] * sheet.numbers.shape[1]
    for first, (name, behind) in enumerate(zip(names, names[count:], strict=False)):
        clock = sheet.numbers[:, first]
        is_time = is_clock(clock, name) or (name in COUNTED and is_clock(clock, ""))
        if is_time and not (behind and behind in ANSWERS | COUNTED):
            yield first


def factor_of_all(samples: Any, numbers: Any) -> float:
    """Returns by what all columns are multiplied to be the channels of a window, from one line on, or 0 if
    they are others."""
    start = run_of(numbers[:, -1], samples[:, -1])
    there = numbers[start : start + len(samples)] if start >= 0 else numbers[:0]
    factors = [factor_of(own, other, ALIKE) for own, other in zip(samples.T, there.T, strict=True)]
    return factors[0] if factors[0] and numpy.ptp(factors) <= ALIKE * abs(factors[0]) else 0.0
