"""Forecasts that are scaled back, of a window that was sent as it is in the file: it was to be scaled first.

What is here: `unscaled`. The guest's own factor and summand are found by answers at even distances; they are
those of the column that the window is from. Where the forecast is hardly beyond the column, the model is
asked about the window scaled so: its forecast then has to be near to the number that comes next. What is not:
lines of a table (`whatif/scaling.py`), and windows of which a root or logarithm was sent (`unbent.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.runs_of_columns import room_of, run_of
from ..origin.tables import named, tables_in
from ..spoken import Word
from ..whatif.views import Rescaled
from .asked import Asked, Given
from .formulas import said_of
from .unbent import MOST_ANSWER, MOST_COLUMNS, PLAIN, window_of

LEVELS = (-1.0, 0.5, 2.0)
"""Answers that a model of scaled numbers may give."""
SAME = 1e-4
"""How far a window may be from the numbers of the file, in parts of their deviation."""
LEAST, LARGEST = 0.5, 1.5
"""A factor that scales back is at least so many deviations of the column, and at most so many times its
range."""
BELOW = 0.5
"""A summand that is the least of all numbers is at most so many ranges of the column below its own."""
BY_LARGEST, PERCENT = (0.9, 1.5), (100.0, 1000.0)
"""A factor without a summand is so many times the column's largest number, and none of shares."""
BEYOND = 1.0
"""The number that is written lies so many ranges of the column beyond it."""
FAR, NEAR, BETTER = 1.0, 0.5, 4.0
"""By so many deviations of the window a forecast of it as sent is off, and by at most so many, and so many
times less, one of it scaled."""


def unscaled(asked: Asked) -> str:
    """Returns a hint about a window that was sent as it is, and whose forecast is scaled back and far beyond
    all numbers of the column, or "" if there is none."""
    window = window_of(asked)
    if window is None:
        return ""
    for index, output in asked.fetched():
        if output.array.dtype.kind != "f" or output.array.size > MOST_ANSWER:
            continue
        lines = [*brought_back(asked, index, output)]
        for column in columns(asked, window) if lines else ():
            known = column.known
            for factor, summand, own in lines:
                if not is_of(known, factor, summand, own.unit):
                    continue
                is_far = is_beyond(known, own.value)
                more = "" if is_far else nearer(asked, index, column, (factor, summand, own))
                if is_far or more:
                    return (
                        f"{output.what}: the guest writes {own.text} of what follows a window of "
                        f"{column.name}, which is from {known.min():g} to {known.max():g}: the answer is "
                        f"scaled back (times {factor:.4g}, plus {summand:.4g}), and the window was sent as "
                        f"it is in the file: is it to be scaled first?{more}"
                    )
    return ""


def nearer(asked: Asked, index: int, column: Column, back: tuple[float, float, Word]) -> str:
    """Returns what the model forecasts of the window if it is scaled as the answer is scaled `back`, if that
    is near to the next number (or the last one, if none comes), and what the guest writes is beyond all, or
    "" if it isn't so."""
    factor, summand, own = back
    window, known = column.window, column.known
    deviation, then = float(window.std()), column.then
    off = abs(own.value - then)
    if known.min() <= own.value <= known.max() or off < FAR * deviation:
        return ""
    given = asked.answer_to(Rescaled(summand, factor)).get(index)
    if given is None or given.size != 1:
        return ""
    made = float(given.reshape(-1)[0]) * factor + summand
    if abs(made - then) > min(NEAR * deviation, off / BETTER):
        return ""
    what = "the next number is" if column.has_next else "the last number is"
    return f" the forecast is {made:.4g} then, and {what} {then:g}"


class Column(Frozen):
    """A column of a table, and where in it a window is numbers that follow each other, as they are."""

    name: str
    numbers: Any
    start: int
    window: Any

    @property
    def known(self) -> Any:
        return self.numbers[numpy.isfinite(self.numbers)]

    @property
    def has_next(self) -> bool:
        """Whether a number is known that comes behind the window."""
        end = self.start + len(self.window)
        return end < len(self.numbers) and bool(numpy.isfinite(self.numbers[end]))

    @property
    def then(self) -> float:
        """The number behind the window, or the window's last one."""
        end = self.start + len(self.window)
        return float(self.numbers[end] if self.has_next else self.window[-1])


def columns(asked: Asked, window: Any) -> Iterator[Column]:
    """The columns of which a window is numbers that follow each other, as they are."""
    flat = window.astype("f8")
    for file, table in tables_in(asked.files()):
        for place in range(min(table.numbers.shape[1], MOST_COLUMNS)):
            column = table.numbers[:, place]
            start = run_of(column, flat, room_of(window))
            apart = abs(column[start : start + len(flat)] - flat) if start >= 0 else flat
            if start >= 0 and apart.max() <= SAME * flat.std():
                yield Column(f"{named(table, place)} of {file}", column, start, flat)


def brought_back(asked: Asked, index: int, output: Given) -> Iterator[tuple[float, float, Word]]:
    """By which factor and summand answers become numbers that are written, and what is of the model's own."""
    arrays = [numpy.full(output.array.shape, level, output.array.dtype) for level in LEVELS]
    said = said_of(asked, index, [*arrays, output.array])
    if not said or len({*map(len, said)}) != 1:
        return
    for *words, own in zip(*said, strict=True):
        factor = (words[2].value - words[0].value) / (LEVELS[2] - LEVELS[0])
        if factor > 0 and is_even(words) and abs(factor - 1) > PLAIN:
            yield factor, words[0].value - factor * LEVELS[0], own


def is_even(words: Sequence[Word]) -> bool:
    """Whether three numbers are at even distances, but for how they were rounded."""
    one, two, three = (word.value for word in words)
    return abs(three - 2 * two + one) <= 2 * max(word.unit for word in words)


def is_of(column: Any, factor: float, summand: float, unit: float) -> bool:
    """Whether numbers that scale back, rounded to a unit, may be those of a column: its mean or least number,
    and its deviation or range; or its largest number alone."""
    size = numpy.ptp(column)
    if abs(summand) <= unit:
        least, most = (part * column.max() for part in BY_LARGEST)
        is_share = any(abs(factor - one) <= unit for one in PERCENT)
        if least <= factor <= most and not is_share:
            return True
    is_inside = column.min() - BELOW * size - unit <= summand <= column.max() + unit
    return bool(is_inside and LEAST * column.std() <= factor <= LARGEST * size)


def is_beyond(column: Any, number: float) -> bool:
    """Whether a number is far beyond all of a column."""
    room = BEYOND * float(numpy.ptp(column))
    return not column.min() - room <= number <= column.max() + room
