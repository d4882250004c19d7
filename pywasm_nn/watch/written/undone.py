"""Answers that a guest writes as the model gives them, though they are logarithms, or in the scale in which
its inputs were sent.

What is here: `Undone`, which follows computes with a single number, or a few steps of a forecast, as their
answer, and what is written after each. What is not: classes (`sayings.py`), and elements that are read
wrongly (`misread.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.operation import NNEvent
from ...records import Frozen, changed
from ..follower import Follower
from ..origin.runs_of_columns import nearest
from ..origin.tables import Table, named, tables_in
from ..regex import regex
from ..spoken import Heard, Spoken, fit
from ..surroundings import Files
from .beside_numbers import Made, beside_numbers
from .beyond_all import beyond_all
from .brought_back import Ahead, unadded, wrongly
from .in_window_scale import as_given, in_order

MOST_ROUNDS, FEWEST_ROUNDS = 64, 3
MOST_INPUT, FEWEST_INPUT = 4096, 8
MOST_ANSWER, MOST_AHEAD = 4, 64
"""Elements of an answer of which the first is a number, and of one that is a forecast of several."""
NO_LOG = r"it|ic|is|in(?:gs?)?(?![a-z])|o(?:s|ff|ut)?(?![a-z])|odds|g|s(?![a-z])|book|file"
"""How words go on that begin with "log", and are no logarithm that may be undone."""
LOG = regex(
    rf"(?:^|[^a-z])(?:(?:log|ln)(?P<base>1p|10|2|e)?(?:[^a-z0-9]|$)|log(?P<joined>1p|10|2)?(?!{NO_LOG})[a-z]{{3}})"
)
SAID = regex(r"(?:^|[^a-z])(?:log|ln|exponent|decibel|db)", re.IGNORECASE)
"""The guest itself says that its numbers are logarithms."""
OF_CHANCES = regex(r"prob|soft|lik|logits?$|odds|pdf|densit|score|class|loss")
"""Logarithms that are left as they are."""
FORECAST = regex(r"expect|forecast|predict|estimat|tomorrow|next", re.IGNORECASE)
"""The guest says that its numbers are forecasts."""
POWERS = (numpy.exp, numpy.expm1, numpy.exp2, lambda value: numpy.power(10.0, value))
FEWEST_DIGITS = 2
"""These functions undo a logarithm. A number of fewer digits may be anything else than such a power."""
STRAIGHT = 1e-3
NEAR, FAR, CLEARLY = 0.75, 1.0, 3.0
"""How far, in the deviation of a window, a forecast is from the next number, how far it isn't, and how many
times as far as the first that is."""
PLAIN = 0.02
"""By how much a scale may differ from none."""


class Number(Frozen):
    """A compute with few inputs and one number as its answer."""

    name: str
    window: Any
    value: float


def said_of(rounds: Sequence[Number], text: Spoken) -> list[str]:
    """Returns the numbers in a text that are the answers of all rounds as they are, in their order, or [] if
    one is missing. Guests keep text back, so that it says nothing where it comes between computes."""
    left = iter([word for word in text.words if not word.is_whole])
    found = [next((word.text for word in left if bool(word.fits(one.value))), "") for one in rounds]
    return found if all(found) else []


class Forecast(Frozen):
    """A number that was computed of a window of a column, how the guest says it, the line behind the window,
    and the slope and height by which the window was scaled."""

    number: Number
    said: str
    column: int
    end: int
    slope: float
    height: float

    @property
    def back(self) -> float:
        """The number in the column's scale."""
        return (self.number.value - self.height) / self.slope


def are_undone(rounds: Sequence[Number], text: Spoken) -> bool:
    """Returns whether the powers of all answers are written, too."""
    known = [word for word in text.words if word.digits >= FEWEST_DIGITS]
    with numpy.errstate(all="ignore"):
        ways = [[undo(one.value) for one in rounds] for undo in POWERS]
    return any(all(any(bool(word.fits(one)) for word in known) for one in values) for values in ways)


def are_scaled_back(table: Table, rounds: Sequence[Number], text: Spoken) -> bool:
    """Returns whether the answers to windows of a column, or to windows into which answers are put, are
    written in the column's scale. People also show what the model gives."""
    found = forecasts(table, rounds, [""] * len(rounds))
    if not found:
        return False
    back = [one.back for one in found]
    if len(found) < len(rounds):
        back = [changed(found[0], number=one).back for one in rounds]
    return bool(in_order(text, back))


class Undone(Follower):
    """Gives a hint at the end."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._windows: dict[Any, Any] = {}
        """By context, its only input of numbers."""
        self._rounds: list[Number] = []
        self._every: list[tuple[str, Any, Any]] = []
        """It holds the name, the window and the numbers of each answer that may be a forecast."""
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None:
            return
        if event.operation.startswith("set_input") and event.tensors:
            numbers = event.tensors[0].numbers()
            self._windows[event.context_id] = None
            if numbers is not None and numbers.size <= MOST_INPUT and numbers.dtype.kind == "f":
                self._windows[event.context_id] = numbers.astype("f8")
        elif event.operation.startswith("get_output") and event.tensors:
            self._fetched(event, event.tensors[0].numbers())

    def _fetched(self, event: NNEvent, numbers: Any) -> None:
        if numbers is None or len(self._rounds) + len(self._ahead()) >= MOST_ROUNDS:
            return
        name = f'output {event.index or 0} "{event.specs[0].name}"'
        window = self._windows.get(event.context_id)
        if window is not None and numbers.size <= MOST_AHEAD and numbers.dtype.kind == "f":
            self._every.append((name, window, numbers.astype("f8").reshape(-1)))
        if 1 <= numbers.size <= MOST_ANSWER:
            self._rounds.append(Number(name, window, float(numbers[0])))

    def _ahead(self) -> list[tuple[str, Any, Any]]:
        """Returns the forecasts of several numbers."""
        return [one for one in self._every if len(one[2]) > MOST_ANSWER]

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._rounds or self._every:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        rounds, self._rounds = self._rounds, []
        text = self._heard.text
        said = said_of(rounds, text)
        tables = [table for _, table in tables_in(self._files())]
        is_log = bool(said) and not SAID.search(text) and not are_undone(rounds, text)
        wrong = logarithm(rounds[0], said[0]) if is_log else ""
        if not wrong and rounds and is_logarithm(rounds[0].name):
            answers, windows = [one.value for one in rounds], [one.window for one in rounds]
            found = beyond_all(answers, windows, text, tables)
            wrong = f"{rounds[0].name}: {found}" if found else ""
        ways = (self._wrong(table, rounds, said, text) for table in tables)
        if wrong := wrong or next(filter(None, ways), ""):
            yield "answer", wrong

    def _wrong(self, table: Table, rounds: Sequence[Number], said: Sequence[str], text: Spoken) -> str:
        """What is wrong with answers to windows of a table's columns."""
        return self._of_steps(table, rounds, said, text) or in_its_scale(table, self._every, text)

    def _of_steps(self, table: Table, rounds: Sequence[Number], said: Sequence[str], text: Spoken) -> str:
        if ahead := self._ahead():
            return several_ahead(table, ahead, text)
        if are_scaled_back(table, rounds, text):
            return ""
        if said:
            return scaled(table, rounds, said) or beside_others(table, rounds, text)
        wrong = brought_back(table, rounds, text) or rounded(table, rounds, text)
        return wrong or beside_others(table, rounds, text)


def beside_others(table: Table, rounds: Sequence[Number], text: Spoken) -> str:
    """The answers to windows of columns are written beside numbers that they aren't about."""
    windows = [(one, lies(table, one.window)) for one in rounds if one.window is not None]
    made = [Made(place[0], place[1], (one.value - place[3]) / place[2]) for one, place in windows if place]
    wrong = beside_numbers(table, made, text) if len(made) == len(rounds) else ""
    return f"{rounds[0].name}: {wrong}" if wrong else ""


def brought_back(table: Table, rounds: Sequence[Number], text: Spoken) -> str:
    """The answers to windows of a column were brought back by a wrong formula."""
    windows = [(one, placed(table, one.window)) for one in rounds if one.window is not None]
    known = [(one.value, (-place[3] / place[2], 1 / place[2])) for one, place in windows if place is not None]
    if not known or len(known) < len(rounds):
        return ""
    answers, scales = zip(*known, strict=True)
    wrong = wrongly(answers, scales, text)
    return f"{rounds[0].name}: {wrong}" if wrong else ""


def several_ahead(table: Table, every: Sequence[tuple[str, Any, Any]], text: Spoken) -> str:
    """Forecasts of several numbers were brought back by a wrong formula."""
    found = ahead_of(table, every)
    answers = [float(number) for one in found for number in one.answers]
    scales = [one.scale for one in found for _ in one.answers]
    wrong = wrongly(answers, scales, text) or unadded(found, text)
    return f"{every[0][0]}: {wrong}" if wrong else ""


def ahead_of(table: Table, every: Sequence[tuple[str, Any, Any]]) -> list[Ahead]:
    """Forecasts of windows of columns that were scaled, or [] if one is of something else."""
    found = []
    for _, window, answers in every:
        place = placed(table, window)
        if place is None:
            return []
        column, end, slope, height = place
        heading = table.headings[column] if table.headings else ""
        scale, numbers = (-height / slope, 1 / slope), table.numbers[:, column]
        found.append(Ahead(window, answers, scale, numbers, end, heading))
    return found


def in_its_scale(table: Table, every: Sequence[tuple[str, Any, Any]], text: Spoken) -> str:
    """Forecasts of any number of steps are written in the scale of their windows."""
    wrong = as_given(ahead_of(table, every), text)
    return f"{every[0][0]}: {wrong}" if wrong else ""


def is_logarithm(name: str) -> bool:
    """Returns whether the name of an output says that it is a logarithm of an amount."""
    name = name.lower()
    return bool(LOG.search(name.partition('"')[2].rstrip('"'))) and not OF_CHANCES.search(name)


def logarithm(first: Number, said: str) -> str:
    """The answer's name says that it is a logarithm, and it is written as it is."""
    if not is_logarithm(first.name):
        return ""
    return (
        f"{first.name}: the guest says {said} as the model gives it; by its name it is a logarithm, which "
        "exp (of log1p: expm1) undoes"
    )


def scaled(table: Table, rounds: Sequence[Number], said: Sequence[str]) -> str:
    """Windows of a column were scaled, and what comes next is written in their scale."""
    found = forecasts(table, rounds, said)
    return unlike(table, found) if len(found) >= FEWEST_ROUNDS else continued(table, rounds, said)


def forecasts(table: Table, rounds: Sequence[Number], said: Sequence[str]) -> list[Forecast]:
    """The answers to windows of a column of a table that were scaled."""
    found = []
    for one, word in zip(rounds, said, strict=True):
        place = None if one.window is None else placed(table, one.window)
        if place is not None:
            found.append(Forecast(one, word, *place))
    return found


def unlike(table: Table, found: Sequence[Forecast]) -> str:
    """Returns a hint if forecasts are near to what comes next only where they are scaled back, or "" if they
    aren't."""
    near, far = [], []
    for one in found:
        if one.end >= len(table.lines):
            continue
        spread = float(one.number.window.std()) / abs(one.slope)
        next_ = float(table.numbers[one.end, one.column])
        near.append(abs(one.back - next_) / max(spread, 1e-12))
        far.append(abs(one.number.value - next_) / max(spread, 1e-12))
    if len(near) < FEWEST_ROUNDS or numpy.median(near) > NEAR:
        return ""
    if numpy.median(far) < max(FAR, CLEARLY * float(numpy.median(near))):
        return ""
    first = found[0]
    return (
        f"{first.number.name}: the guest says {first.said} as the model gives it, in the scale of the input; "
        f"scaled back as {named(table, first.column)} was it is {first.back:.4g}, and the next number there "
        f"is {table.numbers[first.end, first.column]:.4g}"
    )


def rounded(table: Table, rounds: Sequence[Number], text: Spoken) -> str:
    """The same of answers that are rounded to whole numbers, each in a line with the number that came next.
    Zeros and ones may say yes and no, unless they are said to be forecasts."""
    found = forecasts(table, rounds, [""] * len(rounds))
    lines = text.lines
    if len(lines) < len(rounds) or len(found) < max(len(rounds), FEWEST_ROUNDS):
        return ""
    if any(one.end >= len(table.lines) for one in found):
        return ""
    next_ = [float(table.numbers[one.end, one.column]) for one in found]
    for own in (lines[: len(found)], lines[-len(found) :]):
        columns = [*zip(*own, strict=False)]
        if not any(fit(words, next_) for words in columns):
            continue
        for words in columns:
            is_flag = {word.text for word in words} <= {"0", "1"} and not FORECAST.search(text)
            if fit(words, [one.number.value for one in found]) and not is_flag:
                said = [
                    changed(one, said=f"{word.text} ({one.number.value:.3g})")
                    for one, word in zip(found, words, strict=True)
                ]
                return unlike(table, said)
    return ""


def continued(table: Table, rounds: Sequence[Number], said: Sequence[str]) -> str:
    """A window of a column was scaled, each answer put into it as it is, and written so, too."""
    first = rounds[0]
    place = None if first.window is None else placed(table, first.window)
    if place is None or len(rounds) < FEWEST_ROUNDS:
        return ""
    for one, next_ in pairwise(rounds):
        expected = numpy.append(one.window[1:], one.value)
        if next_.window is None or next_.window.shape != expected.shape:
            return ""
        if not numpy.allclose(next_.window, expected, rtol=STRAIGHT, atol=0):
            return ""
    column, _, slope, height = place
    back = (first.value - height) / slope
    return (
        f"{first.name}: the guest says {said[0]} as the model gives it, in the scale of the window into "
        f"which it is put; scaled back as {named(table, column)} was it is {back:.4g}"
    )


def placed(table: Table, window: Any) -> tuple[int, int, float, float] | None:
    """Returns the same as `lies`, or None if the window is a part of a column as it is."""
    place = lies(table, window)
    if place is None:
        return None
    column, end, slope, height = place
    there = table.numbers[end - window.size : end, column]
    is_plain = abs(slope - 1) < PLAIN and abs(height) < PLAIN * float(abs(there).max())
    return None if is_plain else place


def lies(table: Table, window: Any) -> tuple[int, int, float, float] | None:
    """Returns the column that a window is a part of, the line behind it, and the slope and height by which it
    was scaled, or None if it is no such part."""
    count = window.size
    if not FEWEST_INPUT <= count <= len(table.lines) or window.std() == 0:
        return None
    for column in range(table.numbers.shape[1]):
        parts = numpy.lib.stride_tricks.sliding_window_view(table.numbers[:, column], count)
        place, apart = nearest(parts, window)
        if apart > STRAIGHT:
            continue
        slope = float(window.std() / parts[place].std())
        height = float(window.mean() - slope * parts[place].mean())
        return column, place + count, slope, height
    return None
