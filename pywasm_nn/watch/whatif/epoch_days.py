"""Weekdays that were counted from the wrong day: the first of January 1970 was a Thursday, so that days since
then, modulo 7, are no weekdays in a week that begins with Monday or Sunday.

What is here: `EpochDays`. The times or dates of a file say which day an input is about: each of its lines, or
the last one, or what comes next. The model says where its week has two days that are unlike the other five.
What is not: a week that begins with Sunday for one that begins with Monday (`weekdays.py`), and models that
count from a Thursday themselves, whose two days are at other places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import takewhile
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..origin.straight import line_of
from ..sheets.periods import DATE, WEEKDAYS
from ..sheets.sheet import Sheet, sheet_of
from ..surroundings import Files
from .asking import MOST, Runs
from .between_texts import Asking
from .weekdays import DAYS, ENDS, MONDAY, QUICK, by_day, weekend_by

MOST_WIDTH, MOST_ROUNDS, MOST_BYTES, MOST_ASKED = 256, 64, 1 << 16, 3
"""Elements of a row; computes that are kept, the bytes of their inputs, and those that the model is asked
about."""
TWICE = 2.0
"""Opening the model again may take so many times as long as it took the guest."""
FEWEST = 3
"""Different weekdays, of which any other beginning of the week is told."""
DAY = 86_400
SECONDS = (5 * 10**8, 4 * 10**9)
"""The range of whole numbers that are seconds since 1970; a thousand times as large they are milliseconds."""
OF_EPOCH, FIRST_DAY = date(1970, 1, 1).toordinal(), 3
"""The first of January 1970, and its place in a week that begins with Monday."""
EXACT, NEARLY = 1e-5, 1e-4
SHORTEST = 4
"""Elements of a window, and different ones of these."""
STARTS = {MONDAY: 0, "Sunday": 1}
"""For each day with which a week may begin, the number to add to places in a week from Monday on."""
Given = Mapping[int, Tensor]


class Way(Frozen):
    """How elements of a row may say a weekday: `codes` has their numbers for each."""

    index: int
    places: tuple[int, ...]
    codes: Any
    said: str
    is_clear: bool
    """Whether one row is enough: no other numbers are like that by chance."""

    def days(self, rows: Any) -> Any:
        """The weekdays of rows, or None if one is none."""
        apart = abs(rows[:, None, [*self.places]] - self.codes).max(axis=2)
        return apart.argmin(axis=1) if (apart.min(axis=1) <= EXACT).all() else None


class Found(Frozen):
    """Elements that say weekdays: the number of places by which they are behind a week from Monday on, the
    column that says the days, and the first day and its place."""

    way: Way
    by: int
    column: str
    day: int
    place: int


class EpochDays(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(
        self, files: Files, ask: Asking[str], reserve: Callable[[float], None] = lambda _: None
    ) -> None:
        """`reserve` makes copies of the guest leave so many seconds for a question."""
        self._files, self._ask, self._reserve = files, ask, reserve
        self._set: dict[int, Tensor] = {}
        self._kept: list[Given] = []
        self._event: NNEvent | None = None
        self._done = False

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if self._done or event.error is not None:
            return
        for index, _, tensor in inputs_of(event):
            self._set[index] = Tensor(tensor.dtype, tensor.shape, bytes(tensor.view()[:MOST_BYTES]))
            self._done |= tensor.nbytes > MOST_BYTES
        if event.operation == "compute":
            is_other = self._event is not None and event.graph_id != self._event.graph_id
            self._done |= event.graph is None or is_other or len(self._set) != len(event.graph.inputs)
            self._event = event
            if len(self._kept) < MOST_ROUNDS:
                self._kept.append({**self._set})
            if event.graph and len(self._kept) == 1 and not self._done and any(self._found()):
                self._reserve(TWICE * event.graph.worked)

    def _found(self) -> Iterator[Found]:
        sheets = [one for name, data in self._files() if (one := sheet_of(name, data)) is not None]
        yield from found_in(self._kept, sheets) if sheets else ()

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event = self._event
        if self._done or event is None or event.graph is None:
            return
        for found in self._found():
            way = found.way
            own = self._ask(event, partial(begins_with, self._kept[:MOST_ASKED], way))
            if not own or STARTS[own] == found.by:
                continue
            right = (found.day + STARTS[own]) % DAYS
            first, last = way.places[0], way.places[-1]
            where = f"elements {first} to {last} are" if last > first else f"element {first} is"
            yield (
                "whatif",
                f'input {way.index} "{event.graph.inputs[way.index].name}": {where} a weekday {way.said}, '
                f"{found.place} for a {WEEKDAYS[found.day].capitalize()} by {found.column}; the model takes "
                f"places {ENDS[own][0]} and {ENDS[own][1]} alike and unlike the other five, as a weekend in "
                f"a week that begins with {own}, in which that day is {right}: is the day from which is "
                "counted taken for another one (1970-01-01 was a Thursday)?",
            )
            return


def found_in(kept: Sequence[Given], sheets: Sequence[Sheet]) -> Iterator[Found]:
    """The elements of inputs that are weekdays by a table, from another day on than Monday or Sunday."""
    for index in kept[0] if kept else ():
        width = kept[0][index].shape[-1] if kept[0][index].shape else 0
        arrays = [array for one in kept if (array := one[index].numbers()) is not None]
        if not 0 < width <= MOST_WIDTH or len(arrays) < len(kept) or any(one.size % width for one in arrays):
            continue
        rows = numpy.concatenate([one.reshape(-1, width) for one in arrays])[:MOST_ROUNDS].astype("f8")
        for way in ways_of(index, width):
            days = way.days(rows)
            if days is None:
                continue
            told = [one for sheet in sheets for one in days_of(sheet, kept, len(rows))]
            found = [(column, said, {int(one) for one in (days - said) % DAYS}) for column, said in told]
            if any(by <= {0, 1} and len(by) == 1 for _, _, by in found):
                continue
            for column, said, by in found:
                is_told = way.is_clear and len(rows) == 1 and by == {DAYS - FIRST_DAY}
                if len(by) == 1 and (is_told or len({*said.tolist()}) >= FEWEST):
                    yield Found(way, by.pop(), column, int(said[0]), int(days[0]))


def ways_of(index: int, width: int) -> Iterator[Way]:
    """The ways in which elements of a row may say a weekday."""
    for first in range(width - DAYS + 1):
        places = (*range(first, first + DAYS),)
        yield Way(index, places, numpy.eye(DAYS), "as zeros and a one", is_clear=True)
    turns = 2 * numpy.pi * numpy.arange(DAYS) / DAYS
    for first in range(width - 1):
        circle = numpy.stack([numpy.sin(turns), numpy.cos(turns)], axis=1)
        yield Way(index, (first, first + 1), circle, "as a sine and a cosine", is_clear=True)
    for first in range(width):
        for whole in (1, DAYS - 1, DAYS):
            codes = numpy.arange(DAYS)[:, None] / whole
            yield Way(index, (first,), codes, "by its number", is_clear=False)


def days_of(sheet: Sheet, kept: Sequence[Given], count: int) -> Iterator[tuple[str, Any]]:
    """The weekdays, from 0 for Monday, that a table may say of so many inputs: of its first lines, of its
    last ones, and of what comes next. A single one may be about any day, unless a window ends where the table
    does."""
    for column in range(len(sheet.rows[0])):
        times = times_of(sheet, column)
        if times is None or len(times) < max(2, count) or (count == 1 and not ends_there(sheet, kept[0])):
            continue
        step, name = times[-1] - times[-2], f"{sheet.named(column)} of {sheet.name}"
        for part in (times[:count], times[-count:], times[-count:] + step)[count == 1 :]:
            yield name, (part // DAY + FIRST_DAY) % DAYS


def ends_there(sheet: Sheet, given: Given) -> bool:
    """Whether an input is the end of a column of a table, scaled in any way."""
    for tensor in given.values():
        own = tensor.numbers()
        if own is None or own.dtype.kind != "f" or not SHORTEST <= own.size <= len(sheet.rows):
            continue
        for column in sheet.numbers[-own.size :].T:
            is_known = numpy.isfinite(column).all() and len(numpy.unique(column)) >= SHORTEST
            if is_known and line_of(own.astype("f8"), column, NEARLY) is not None:
                return True
    return False


def times_of(sheet: Sheet, column: int) -> Any:
    """The seconds since 1970 in a column that never goes back, or None if it has others."""
    numbers = sheet.numbers[:, column]
    for each in (1, 1000):
        if ((numbers >= SECONDS[0] * each) & (numbers <= SECONDS[1] * each)).all():
            times = (numbers // each).astype("i8")
            return times if (numpy.diff(times) >= 0).all() else None
    days = []
    for row in sheet.rows:
        found = DATE.search(row[column])
        try:
            days.append(date(*map(int, found.groups())).toordinal() - OF_EPOCH if found else -1)
        except ValueError:  # such as the 31st of February
            return None
    return numpy.array(days, "i8") * DAY if min(days) >= 0 and days == sorted(days) else None


def begins_with(kept: Sequence[Given], way: Way, graph: Graph, seconds: float, most: float = MOST) -> str:
    """The day with which the model's week begins, or "" if it doesn't say so. Raises NNError."""
    effects = []
    for given in kept:
        inputs = [given[index] for index in range(len(graph.inputs))]
        with Runs(graph, inputs, most, once_open=max(seconds, QUICK)) as runs:
            every = by_day(runs, way.index, given[way.index].numpy(), way.places, way.codes)
            answers = [*takewhile(has_floats, every)]
        effects += [answers] if len(answers) == DAYS else []
    return weekend_by(effects)


def has_floats(answer: Any) -> bool:
    return bool(answer.dtype.kind == "f")
