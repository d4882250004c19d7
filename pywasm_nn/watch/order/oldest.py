"""A forecast from the oldest lines of a table, where the newest ones are meant.

What is here: `Oldest`, for a guest that reads a file to its end, computes once, and writes of a time to come.
One that stops where its window is full may not be given newer lines. What is not: several windows of a table
(`series`), and steps of which each is put into the window (`loops`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ..follower import Follower
from ..origin.clocks import is_clock
from ..origin.tables import MOST_TEXT, table_in
from ..regex import regex
from ..series.rings import FEWEST, laid_out, window_of
from ..sheets.sheet import Sheet, sheet_of
from ..spoken import DIGITS, Heard, Spoken
from ..surroundings import Files

MOST_ELEMENTS = 1 << 14
FEWEST_LEFT = 2
"""So many lines behind the window were left out."""
NEAR = 1e-5
TO_END = 2
"""`whence.end` of WASI."""
NEXT = 3
"""So many lines behind a window are compared with what is written: someone may know them."""
AHEAD = regex(
    r"\b(?:in|after) \d+ (?:day|hour|week|month|minute|step|quarter)s?\b|\btomorrow\b|\bforecasts?\b"
    r"|\bahead\b|\bt ?\+ ?\d"
    r"|\bnext\b|\bcoming\b|\bpredict(?:ed|ion)? for\b|\+ ?\d+ ?(?:h|d|min|days?|hours?)\b|\bday \+?\d",
    re.IGNORECASE,
)
"""What is written of a time to come."""
KNOWN = regex(
    r"\b(?:actual(?:ly)?|observed|truth|back-?test\w*|hindcast\w*|held[ -]?out|hold-?out|mae|rmse|mape|mse"
    r"|bias|(?:abs(?:olute)? )?errors?)\b",
    re.IGNORECASE,
)
"""A guest with one of these words compares its forecasts with what is known, to see how good they are."""
LAST = regex(
    r"(?:^|[^a-z])(?:last|latest|recent|newest|past|history|previous|prev)(?:[^a-z]|$)", re.IGNORECASE
)
"""Names of inputs that hold the newest numbers of a series."""
COUNTED = frozenset({"day", "hour", "week", "year", "month", "quarter", "minute", "step"})
"""Headings of columns that count times."""
DATE = regex(r"(\d{1,4})[-./](\d{1,2})[-./](\d{1,4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
YEAR_DIGITS = 4
YEAR = r"(?P<year>(?:1[6-9]|20)\d\d)"
PARTS = (
    regex(YEAR + r"(?:[-/]|[-/ ]?[MQWmqw])(?P<part>\d{1,2})"),
    regex(r"(?P<part>\d{1,2})[-/]" + YEAR),
    regex(YEAR + r"[-/ ]?(?P<name>[A-Za-z]{3})[a-z]*"),
    regex(r"(?P<name>[A-Za-z]{3})[a-z]*[-/ ]?" + YEAR),
)
"""A month, quarter or week of a year."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class Oldest(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files = tuple, arguments: Sequence[str] = ()) -> None:
        """`files` are those that the guest read; with its `arguments` it may be told where to begin."""
        self._files = files
        self._arguments = arguments
        self._given: dict[tuple[Any, int], tuple[str, Any]] = {}
        """By context and index, the name and the elements of an input."""
        self._computes = 0
        self._opened: dict[Any, str] = {}
        self._ended: set[str] = set()
        """Paths by descriptors, and those of files that were read to their end, or whose length was asked
        for."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or self._computes > 1:
            return
        if event.operation.startswith("set_input") and event.index is not None and event.tensors:
            tensor = event.tensors[0]
            numbers = tensor.numbers() if tensor.nbytes <= 8 * MOST_ELEMENTS else None
            if numbers is not None and numbers.dtype.kind == "f":
                key = event.context_id, event.index
                self._given[key] = event.specs[0].name, numbers.reshape(tensor.shape).copy()
        elif event.operation == "compute":
            self._computes += 1

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        arguments = dict(event.arguments)
        if self._computes == 1:
            self._heard.add(event)
        elif event.error is None and event.name == "path_open":
            self._opened[event.arguments[-1][1]] = str(arguments.get("path"))
        elif event.error is None and knows_end(event.name, arguments):
            self._ended.add(self._opened.get(arguments.get("fd"), ""))

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        text = self._heard.text
        if self._computes != 1 or not AHEAD.search(text) or KNOWN.search(text):
            return
        files = [(name, data) for name, data in self._files() if name in self._ended]
        sheets = [sheet for name, data in files if (sheet := sheet_of(name, data)) is not None]
        for (_, index), (name, array) in self._given.items():
            if LAST.search(name) and (said := self._first_numbers(array, text, files)):
                yield "stale", f'input {index} "{name}": a time to come is written, and {said}'
                return
            for sheet in sheets:
                count = lines_sent(array, sheet)
                if count and is_in_order(sheet) and not self._knows(sheet, count, text):
                    rest = len(sheet.rows) - count
                    yield (
                        "stale",
                        f'input {index} "{name}": a time to come is written, and of the {len(sheet.rows)} '
                        f"lines of {sheet.name}, the oldest of which is the first, lines 1 to {count} were "
                        f"sent, and the newest {rest} never: are the last {count} meant?",
                    )
                    return

    def _first_numbers(self, array: Any, text: Spoken, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with the first numbers of a file that has no times, in an input that is named
        after the last ones, or "" if it has others, or the guest knows those behind them."""
        if any(one.lstrip("-").isdecimal() for one in self._arguments[1:]):
            return ""
        for name, data in files:
            rest = numbers_behind(array, data)
            if len(rest) < FEWEST_LEFT:
                continue
            words = [word for word in text.words if word.digits >= DIGITS]
            if not any(bool(word.fits(rest[:NEXT]).any()) for word in words):
                return (
                    f"of the {array.size + len(rest)} numbers of {name} the first {array.size} were sent, "
                    f"and the other {len(rest)} never: are the last {array.size} meant, as its name says?"
                )
        return ""

    def _knows(self, sheet: Sheet, count: int, text: Spoken) -> bool:
        """Whether the guest was told where to begin, or writes of the lines behind the window, with which a
        forecast may be compared."""
        cells = {cell for row in sheet.rows for cell in row}
        if any(one in cells or one.lstrip("-").isdecimal() for one in self._arguments[1:]):
            return True
        later = [cell for row in sheet.rows[count : count + NEXT] for cell in row if len(cell) > NEXT]
        return any(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w]|\.\d)", text) for one in later)


def knows_end(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a host call tells a guest where a file ends: a read that finds nothing more, or what tells its
    length."""
    if name == "fd_read":
        return arguments.get("nread") == 0
    return name == "fd_filestat_get" or (name == "fd_seek" and arguments.get("whence") == TO_END)


def numbers_behind(array: Any, data: bytes) -> Any:
    """Returns the numbers behind those of a window with which a file begins, as floats or one in each line;
    none of other files."""
    own, none = array.reshape(-1), numpy.zeros(0)
    if own.size < FEWEST or len({*own.tolist()}) < FEWEST:
        return none
    if data.startswith(own.tobytes()):
        return numpy.frombuffer(data, own.dtype)[own.size :] if len(data) % own.itemsize == 0 else none
    table = table_in(data) if len(data) <= MOST_TEXT else None
    if table is None or table.numbers.shape[1] != 1 or len(table.numbers) < own.size:
        return none
    column = table.numbers[:, 0]
    return column[own.size :] if numpy.allclose(column[: own.size], own, rtol=NEAR, atol=0) else none


def lines_sent(array: Any, sheet: Sheet) -> int:
    """Returns how many lines a window has that begins with a table's first one and leaves others out, or 0
    for any other."""
    numbers = sheet.numbers[:, numpy.isfinite(sheet.numbers).all(axis=0)]
    for samples in laid_out(array) if numbers.shape[1] else ():
        found = window_of(samples, numbers)
        if found is not None:
            is_first = not found.start and not found.turned
            return len(samples) if is_first and len(samples) + FEWEST_LEFT <= len(sheet.rows) else 0
    return 0


def is_in_order(sheet: Sheet) -> bool:
    """Whether a column says that each line is later than the one before."""
    for column, cells in enumerate(zip(*sheet.rows, strict=True)):
        name = sheet.headings[column].lower() if sheet.headings else ""
        numbers = sheet.numbers[:, column]
        if is_clock(numbers, name) or (name in COUNTED and bool((numbers[1:] > numbers[:-1]).all())):
            return True
        dates = [DATE.search(cell) for cell in cells]
        if all(dates) and is_rising([one.groups() for one in dates if one is not None]):
            return True
        if any(is_rising_by_parts([one.fullmatch(cell.strip()) for cell in cells]) for one in PARTS):
            return True
    return has_rising_years(sheet)


def is_rising_by_parts(found: Sequence[re.Match[str] | None]) -> bool:
    """Whether months, quarters or weeks with their years go up."""
    times = [(int(one["year"]), part_of(one.groupdict())) for one in found if one is not None]
    return len(times) == len(found) and all(one < other for one, other in pairwise(times))


def part_of(groups: dict[str, str]) -> int:
    """Returns the number of a month, quarter or week, and 0 for the name of none."""
    name = groups.get("name", "").lower()
    return int(groups["part"]) if "part" in groups else 1 + MONTHS.index(name) if name in MONTHS else 0


def has_rising_years(sheet: Sheet) -> bool:
    """Whether a column of years and one of their months, quarters or weeks go up together."""
    headings = [one.lower() for one in sheet.headings]
    if "year" not in headings:
        return False
    years = sheet.numbers[:, headings.index("year")]
    parts = [sheet.numbers[:, at] for at, one in enumerate(headings) if one in COUNTED - {"year"}]
    return any(all(a < b for a, b in pairwise(zip(years, one, strict=True))) for one in parts)


def is_rising(dates: Sequence[Sequence[str | None]]) -> bool:
    """Whether dates go up, with their years first or last, and the day before the month or behind it."""
    numbers = [[int(one or 0) for one in date] for date in dates]
    is_year_first = len(dates[0][0] or "") == YEAR_DIGITS
    orders = [(0, 1, 2, 3, 4, 5)] if is_year_first else [(2, 1, 0, 3, 4, 5), (2, 0, 1, 3, 4, 5)]
    ways: list[list[list[int]]] = [[[date[at] for at in order] for date in numbers] for order in orders]
    return any(all(one < other for one, other in pairwise(way)) for way in ways)
