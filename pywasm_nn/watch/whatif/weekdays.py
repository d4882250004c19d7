"""Weekdays as zeros and a one whose week begins with Sunday, where the model's begins with Monday, or the
other way round.

What is here: `Weekdays`. The dates of a file say which day each row is about, and so from which day on the
guest counts. The model says from which one it counts itself: in most of what goes on by weeks two days that
follow each other are unlike the other five. Where these are the last two places, the week begins with Monday,
and where they are the first and the last one, with Sunday. What is not: the sines and cosines of weekdays
(`sheets/periods.py`), and models to which all days are alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from itertools import takewhile
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, inputs_of, only_answer
from ..sheets.periods import DATE, WEEKDAYS
from ..sheets.sheet import Sheet, sheet_of
from ..surroundings import Files
from .asking import MOST, Runs
from .between_texts import Asking

DAYS, MOST_WIDTH, MOST_ROWS, MOST_BYTES = 7, 64, 64, 1 << 14
"""Places of a block; elements of a row, rows that are kept, and bytes of an input."""
FEWEST, MOST_ASKED = 3, 3
"""The fewest rows of different weekdays, and the inputs that the model is asked about."""
APART = 2.5
"""The two days are so many times as far from the others as days of one kind are from each other."""
QUICK = 0.002
"""Seconds of a run that are allowed to the quickest models."""
MONDAY, SUNDAY = "Monday", "Sunday"
ENDS = {MONDAY: (5, 6), SUNDAY: (0, 6)}
"""The places of Saturday and Sunday in a week that begins with either day."""


class Block(Frozen):
    """The element of rows at which the zeros and the one of a weekday begin, the day from which on the guest
    counts, and the column that says the days."""

    first: int
    begins: str
    said: str


class Weekdays(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[str]) -> None:
        self._files, self._ask = files, ask
        self._given: list[Tensor] = []
        self._rows: list[Any] = []
        self._event: NNEvent | None = None
        self._done = False

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if self._done or event.error is not None:
            return
        for index, _, tensor in inputs_of(event):
            numbers = tensor.numbers() if not index and tensor.shape and tensor.nbytes <= MOST_BYTES else None
            width = tensor.shape[-1] if tensor.shape else 0
            self._done |= numbers is None or numbers.dtype.kind != "f" or width > MOST_WIDTH
            self._done |= bool(self._rows) and width != len(self._rows[0])
            if numbers is None or self._done or len(self._rows) >= MOST_ROWS:
                continue
            self._rows += [*numbers.reshape(-1, width).astype("f8")]
            if len(self._given) < MOST_ASKED:
                self._given.append(Tensor(tensor.dtype, tensor.shape, bytes(tensor.view())))
        if event.operation == "compute" and not self._done:
            is_other = self._event is not None and event.graph_id != self._event.graph_id
            self._done = event.graph is None or len(event.graph.inputs) != 1 or is_other
            self._event = event

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event, rows = self._event, self._rows[:MOST_ROWS]
        if self._done or event is None or event.graph is None or len(rows) < FEWEST:
            return
        sheets = [one for name, data in self._files() if (one := sheet_of(name, data)) is not None]
        block = next(filter(None, (block_in(numpy.stack(rows), sheet) for sheet in sheets)), None)
        if block is None:
            return
        own = self._ask(event, lambda twin, *left: begins_with(twin, self._given, block.first, *left))
        if own and own != block.begins:
            place, last = ENDS[own]
            yield (
                "whatif",
                f'input 0 "{event.graph.inputs[0].name}": elements {block.first} to {block.first + DAYS - 1} '
                f"are the weekday of {block.said} as zeros and a one, in a week that begins with "
                f"{block.begins}; the model takes places {place} and {last} alike and unlike the other five, "
                f"as a weekend in a week that begins with {own}: is it to be counted from {own}?",
            )


def block_in(rows: Any, sheet: Sheet) -> Block | None:
    """Returns the zeros and ones that are the weekdays of the first dates of a table, or None if there are
    none."""
    for column in range(len(sheet.rows[0])) if len(sheet.rows) >= len(rows) else ():
        days = [day_of(row[column]) for row in sheet.rows[: len(rows)]]
        if -1 in days or len({*days}) < FEWEST:
            continue
        for first in range(rows.shape[1] - DAYS + 1):
            part = rows[:, first : first + DAYS]
            for begins, by in ((MONDAY, 0), (SUNDAY, 1)):
                if (part == numpy.eye(DAYS)[(numpy.array(days) + by) % DAYS]).all():
                    return Block(first, begins, sheet.named(column))
    return None


def day_of(text: str) -> int:
    """The weekday of a date, or the one that a word names, from 0 for Monday, or -1 if there is none."""
    found = DATE.search(text)
    if found is None:
        word = text.strip().strip('"').lower()
        return next((at for at, one in enumerate(WEEKDAYS) if word in (one, one[:3])), -1)
    try:
        return date(*map(int, found.groups())).weekday()
    except ValueError:  # such as the 31st of February
        return -1


def begins_with(
    graph: Graph, inputs: Sequence[Tensor], first: int, seconds: float, most: float = MOST
) -> str:
    """The day with which the model's week begins, or "" if it doesn't say so. Raises NNError."""
    effects = []
    with Runs(graph, inputs[:1], most, once_open=max(seconds, QUICK)) as runs:
        for given in inputs:
            array = given.numpy()
            rows, places = array.size // array.shape[-1], range(first, first + DAYS)
            every = by_day(runs, 0, array, places, numpy.eye(DAYS))
            answers = [*takewhile(partial(is_one_each, rows), every)]
            effects += [answers] if len(answers) == DAYS else []
    return weekend_by(effects)


def is_one_each(rows: int, answer: Any) -> bool:
    """Whether an answer has a number for each of so many rows."""
    return bool(answer.size == rows)


def by_day(runs: Runs, index: int, array: Any, places: Sequence[int], codes: Any) -> Iterator[Any]:
    """The answers to an input with each weekday in turn at some places, flat, until there is none. `codes`
    are the numbers of each weekday at these places."""
    for code in codes:
        made = array.copy()
        made[..., [*places]] = code
        answer = only_answer(runs.outputs_of(index, made) if runs.left() else [])
        if answer is None:
            return
        yield answer.reshape(-1)


def weekend_by(effects: Sequence[Sequence[Any]]) -> str:
    """The day with which a week begins, by the answers to inputs with each of its days, or "" if these don't
    say so."""
    if not effects:
        return ""
    every = numpy.concatenate([numpy.stack(one).astype("f8") for one in effects], axis=1)
    return weekend_of((every - every.mean(axis=0)).mean(axis=1))


def weekend_of(days: Any) -> str:
    """The day with which a week begins, by what its seven days say, or "" if no two are unlike the others."""
    for begins, ends in ENDS.items():
        two, five = days[[*ends]], numpy.delete(days, ends)
        between = max(two.min() - five.max(), five.min() - two.max())
        if between > APART * max(numpy.ptp(two), numpy.ptp(five)):
            return begins
    return ""
