"""Readings of a counter that only goes up, sent as they stand or as parts of their sum, where a file has one
reading more than the input has elements: the differences of the readings are as many.

What is here: `Counters`. What is not: series in a table that were accumulated by the guest
(`ran_over.py`, `sent/running_totals.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
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
"""What the headings of readings differ by."""


class Readings(Frozen):
    """The readings of a counter, one line each, and where they stand."""

    where: str
    numbers: Any


class Counters(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._found: dict[Any, list[str]] = {}
        """Where the readings stand that inputs are, "" where one is none."""
        self._rows: dict[Any, set[bytes]] = {}

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        for index, spec, tensor in inputs_of(event) if event.error is None else ():
            key, found = (event.graph_id, index, spec.name), None
            found = self._found.setdefault(key, [])
            is_one = len(tensor.shape) > 0 and FEWEST <= prod(tensor.shape) == max(tensor.shape) <= MOST
            numbers = tensor.numbers() if is_one and len(found) < MOST_INPUTS and "" not in found else None
            if numbers is None or numbers.dtype.kind != "f":
                found += [] if len(found) >= MOST_INPUTS else [""]
                continue
            row = numbers.reshape(-1).astype("f8")
            places = (one for name, data in self._files() for one in readings_in(name, data, len(row)))
            found.append(next((one.where for one in places if is_of(row, one.numbers)), ""))
            self._rows.setdefault(key, set()).add(row.tobytes())

    def finish(self) -> Iterator[tuple[str, str]]:
        """The guest has ended."""
        for (graph, index, name), found in self._found.items():
            if not found or "" in found or len(self._rows.get((graph, index, name), ())) < 2:
                continue
            yield (
                "origin",
                f'input {index} "{name}": compared with {found[0]}, which never fall, as those of a counter: '
                "there is one reading more than the input has elements, so that their differences are as "
                "many: is what was used from one reading to the next to be sent (x[i + 1] - x[i])?",
            )


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
