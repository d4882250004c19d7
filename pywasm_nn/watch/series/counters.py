"""Readings of a counter that only goes up, sent as they stand or as parts of their sum, where a file has one
reading more than the input has elements: the differences of the readings are as many.

What is here: `Counters`. What is not: series in a table that were accumulated by the guest
(`ran_over.py`, `sent/running_totals.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ...arrays import numpy
from ...nn.operation import NNEvent
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..regex import regex
from ..sheets.sheet import Sheet, sheet_of
from ..surroundings import Files

FEWEST, MOST, MOST_INPUTS = 6, 512, 24
"""Elements of an input, and inputs that are looked at."""
RISES, FLAT = 0.7, 0.5
"""So many readings are above the one before, on average, and the last is above the first by less than this
part of that: a counter that has run for long."""
EXACT = 1e-6
DIGITS = regex(r"[\d:._ -]+")
"""The headings of readings differ by digits and marks alone."""


class Readings(Frozen):
    """The readings of a counter, one line each, and where they stand."""

    where: str
    numbers: Any


class Counters(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._rows: dict[Any, list[Any]] = {}
        """The first ones of each input that is a row of floats whenever it is set."""
        self._others: set[Any] = set()
        """Inputs that are something else."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            key = event.graph_id, index, spec.name
            kept = self._rows.setdefault(key, [])
            if key in self._others or len(kept) >= MOST_INPUTS:
                continue
            is_row = len(tensor.shape) > 0 and FEWEST <= prod(tensor.shape) == max(tensor.shape) <= MOST
            numbers = tensor.numbers() if is_row else None
            if numbers is None or numbers.dtype.kind != "f":
                self._others.add(key)
            else:
                kept.append(numbers.reshape(-1).astype("f8"))

    def finish(self) -> Iterator[tuple[str, str]]:
        """The guest has ended."""
        for (graph, index, name), kept in self._rows.items():
            is_other = (graph, index, name) in self._others or len({one.tobytes() for one in kept}) < 2
            where = "" if is_other else self._where(kept)
            if not where:
                continue
            yield (
                "origin",
                f'input {index} "{name}": compared with {where}, which never fall, as those of a counter: '
                "there is one reading more than the input has elements, so that their differences are as "
                "many: is what was used from one reading to the next to be sent (x[i + 1] - x[i])?",
            )

    def _where(self, rows: Sequence[Any]) -> str:
        """Returns the place of the readings that the first of some rows has, or "" if a row has none."""
        found = []
        for row in rows:
            places = (one for name, data in self._files() for one in readings_in(name, data, len(row)))
            found.append(next((one.where for one in places if is_of(row, one.numbers)), ""))
            if not found[-1]:
                return ""
        return found[0]


def readings_in(name: str, data: bytes, count: int) -> Iterator[Readings]:
    """The readings of one more than so many times in a table: in all of its lines, or in its columns."""
    sheet = sheet_of(name, data)
    if sheet is None:
        return
    width = sheet.numbers.shape[1]
    for start in range(width - count):
        window = sheet.numbers[:, start : start + count + 1]
        if are_counters(window) and are_alike(sheet, start, count + 1) and is_whole(sheet, start, count + 1):
            yield Readings(f"{name}, columns {start + 1} to {start + count + 1} of its lines", window)
    if len(sheet.numbers) == count + 1:
        for column in range(width):
            window = sheet.numbers[:, column][None]
            if are_counters(window):
                yield Readings(f"{name}, {sheet.named(column)}", window)


def are_counters(numbers: Any) -> bool:
    """Whether the numbers of each line never fall, and rise by little."""
    if not numpy.isfinite(numbers).all() or not len(numbers) or (numbers[:, 0] <= 0).any():
        return False
    steps = numpy.diff(numbers, axis=1)
    rise = numbers[:, -1] - numbers[:, 0]
    is_even = numpy.ptp(steps, axis=1).max() <= EXACT * abs(numbers).max()  # as times are
    is_rising = bool((steps >= 0).all() and (rise > 0).all() and (steps > 0).mean() >= RISES)
    return is_rising and not is_even and bool((rise < FLAT * numbers[:, 0]).all())


def are_alike(sheet: Sheet, start: int, count: int) -> bool:
    """Whether the headings of some columns differ by digits alone, or there are none."""
    return len({DIGITS.sub("", one) for one in sheet.headings[start : start + count]}) <= 1


def is_whole(sheet: Sheet, start: int, count: int) -> bool:
    """Whether no column beside these has a heading as theirs."""
    beside = [one for one in (start - 1, start + count) if 0 <= one < len(sheet.headings)]
    own = DIGITS.sub("", sheet.headings[start]) if sheet.headings else ""
    return bool(sheet.headings) and all(DIGITS.sub("", sheet.headings[one]) != own for one in beside)


def is_of(row: Any, numbers: Any) -> bool:
    """Whether elements are the first or last readings of a line, or parts of them."""
    for there in (numbers[:, :-1], numbers[:, 1:]):
        parts = row / there
        if (numpy.ptp(parts, axis=1) <= EXACT * abs(parts).max(axis=1)).any() and numpy.ptp(row) > 0:
            return True
    return False
