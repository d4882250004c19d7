"""Answers that are written beside the names of other lines of a table than those that were sent: a list was
sorted, or lines were left out, between compute and writing.

What is here: `OtherLines`. What is not: rows of an answer in another order (`probes/alike.py`), which copies
show. A name is a field that only one line has; which answer is written shows the order of the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..regex import regex
from ..sheets.places_of_rows import lines_by_fields
from ..sheets.sheet import Sheet, sheet_of
from ..spoken import NUMBER, Heard
from ..surroundings import Files

MOST_ELEMENTS = 1 << 14
FEWEST, MOST = 6, 256
"""Lines that are written."""
STRAIGHT = 1 - 1e-9
"""The correlation of numbers with what they are scaled to."""
ECHOED = 0.8
"""Numbers that are the line's own in so many lines are no answers."""
WORD = regex(r"[^\s:,;|()\[\]\"']+")


class OtherLines(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._rows: list[Any] = []
        self._answers: list[float] = []
        self._waiting: Any = None
        self._what = ""
        self._heard = Heard()
        self._is_plain = True
        """Whether each compute has one input of rows, and one answer to each of them."""

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not self._is_plain or not event.tensors:
            return
        numbers = event.tensors[0].numbers() if event.tensors[0].size <= MOST_ELEMENTS else None
        shape = event.tensors[0].shape
        if event.operation.startswith("set_input"):
            is_one = (
                numbers is not None and event.index == 0 and len(shape) == 2 and numbers.dtype.kind == "f"
            )
            self._waiting = numbers.reshape(shape).astype("f8") if is_one and numbers is not None else None
            self._is_plain = is_one
        elif event.operation.startswith("get_output") and self._waiting is not None:
            self._fetched(event, numbers)

    def _fetched(self, event: NNEvent, numbers: Any) -> None:
        """An answer to the rows that were sent last."""
        rows = self._waiting
        if numbers is None or numbers.dtype.kind != "f" or not len(rows) or numbers.size % len(rows):
            return
        self._waiting = None
        self._what = f'output {event.index or 0} "{event.specs[0].name}"'
        self._rows += [*rows]
        self._answers += numbers.reshape(len(rows), -1).astype("f8").max(axis=1).tolist()
        self._is_plain = len(self._rows) <= MOST and len({len(row) for row in self._rows}) == 1

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rows:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        if not self._is_plain or len(self._rows) < FEWEST:
            return
        lines = self._heard.text.splitlines()
        for name, data in self._files():
            sheet = sheet_of(name, data)
            wrong = "" if sheet is None else beside_others(sheet, self._rows, self._answers, lines)
            if wrong:
                yield "answer", f"{self._what}: {wrong}"
                return


def beside_others(sheet: Sheet, rows: Sequence[Any], answers: Sequence[float], lines: Sequence[str]) -> str:
    """Returns what is wrong with the names beside answers, or "" if nothing is known to be wrong."""
    sent = lines_by_fields(sheet, rows) or lines_by_order(sheet, rows)
    column, told = named(sheet, lines) if sent else (0, [])
    if len(told) != len(rows) or not {place for place, _ in told} <= {*sent}:
        return ""
    places = [place for place, _ in told]
    if places == sent or len({*places}) < len(places):
        return ""
    numbers = numbers_of(sheet, told)
    own = [answers[sent.index(place)] for place in places]
    if any(follows(one, own) for one in numbers) or not any(follows(one, answers) for one in numbers):
        return ""
    at = next(at for at, (one, other) in enumerate(zip(places, sent, strict=True)) if one != other)
    one, other = (sheet.rows[order[at]][column] for order in (sent, places))
    return (
        f'the answer to row {at} of what was sent, which is "{one}" of {sheet.name}, is written beside '
        f'"{other}", and so are others: was the list sorted between set_input and writing?'
    )


def lines_by_order(sheet: Sheet, rows: Sequence[Any]) -> list[int]:
    """The line of each row, where all lines of a table were sent and columns were scaled: the smallest number
    of a column belongs to the smallest element; [] if two columns don't say the same."""
    if len(rows) != len(sheet.rows):
        return []
    seen: set[tuple[int, ...]] = set()
    for own in numpy.stack(rows).T:
        for there in sheet.numbers.T:
            if len(numpy.unique(own)) < len(own) or len(numpy.unique(there)) < len(own):
                continue
            order = numpy.argsort(there)
            if numpy.corrcoef(there[order], numpy.sort(own))[0, 1] < STRAIGHT:
                continue
            places = tuple(order[numpy.argsort(numpy.argsort(own))].tolist())
            if places in seen:
                return [*places]
            seen.add(places)
    return []


def named(sheet: Sheet, lines: Sequence[str]) -> tuple[int, list[tuple[int, str]]]:
    """A column of names, the lines of the table whose names stand in lines of a text, and what else stands
    there; [] if there are none."""
    for column in range(len(sheet.rows[0])):
        fields = [row[column] for row in sheet.rows]
        if len({*fields}) < len(fields) or is_measured(sheet, column):
            continue
        places = {field: at for at, field in enumerate(fields) if field}
        found = []
        for line in lines:
            there = [word for word in WORD.findall(line) if word in places]
            whole = there or [field for field in places if " " in field and field in line]
            if len({*whole}) == 1:
                found.append((places[whole[0]], line.replace(whole[0], " ", 1)))
        if len(found) >= FEWEST:
            return column, found
    return 0, []


def is_measured(sheet: Sheet, column: int) -> bool:
    """Whether a column has numbers with decimals, which are no names."""
    there = sheet.numbers[:, column]
    known = there[numpy.isfinite(there)]
    return bool((known % 1 != 0).any())


def numbers_of(sheet: Sheet, told: Sequence[tuple[int, str]]) -> list[list[float]]:
    """The numbers at the same place of all lines, without those that are the table's own."""
    found = [[float(one) for one in NUMBER.findall(line)] for _, line in told]
    count = min(map(len, found))
    columns = [[one[at] for one in found] for at in (*range(count), *range(-count, 0))]
    kept = []
    for column in columns:
        own = [
            bool(numpy.isclose(sheet.numbers[place], number).any())
            for (place, _), number in zip(told, column, strict=True)
        ]
        if sum(own) < ECHOED * len(own):
            kept.append(column)
    return kept


def follows(numbers: Sequence[float], answers: Sequence[float]) -> bool:
    """Whether numbers go up with the answers, or down with them."""
    if len({*numbers}) < FEWEST - 1:
        return False
    ordered = [one for _, one in sorted(zip(answers, numbers, strict=True))]
    steps = [other - one for one, other in pairwise(ordered)]
    return all(step >= 0 for step in steps) or all(step <= 0 for step in steps)
