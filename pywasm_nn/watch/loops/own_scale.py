"""A window of a series, into which answers are put in the scale that its numbers had before, or scaled once
more, or always at the same place.

What is here: `OwnScale`, which finds the window's numbers in a file or in the program's data, and so knows
that they are a series, and how they were scaled. What is not: numbers that are far off from any window
(`windows.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...interpreter.module import Module
from ...records import Frozen
from ..origin.scalers import lists_in
from ..origin.tables import table_in
from ..surroundings import text_in
from .files import Files
from .round import Kept, Round
from .units_behind import MOST_TEXT, numbers_of, of_program, places

FEWEST, FEWEST_OF_SERIES, MOST_COLUMNS, MOST_SEARCHES = 6, 12, 8, 2
"""Elements of a column of a window, and of one that is surely no row of features; columns, and how often
their numbers are looked for."""
EXACT, BESIDE = 1e-4, 0.5
"""How far a number may be from what it is said to be, and a forecast from the numbers that it follows, in
parts of a window's range."""
EVEN = 1e-2
"""Steps that differ by less, in parts of the range, are those of a number that counts."""
POWERS = (1.0, 10.0, 100.0, 1000.0, 0.1, 0.01)
"""Files have tenths and hundredths of what is scaled."""
ROUNDS, MOST_BYTES = 2, 1 << 17
"""Answers that were put into a window, and bytes of a file that is searched."""


class Scale(Frozen):
    """An element times `slope` plus `height` is a number of `where`."""

    where: str
    slope: float
    height: float

    def raw(self, element: float) -> float:
        return self.slope * element + self.height

    def scaled(self, number: float) -> float:
        return (number - self.height) / self.slope

    def __str__(self) -> str:
        return f"{self.where} times {1 / self.slope:.4g} plus {-self.height / self.slope:.4g}"


class OwnScale:
    """Says how answers are put into a window that was scaled."""

    def __init__(self, files: Callable[[], Files]) -> None:
        """`files` gives names and bytes of the files that were read."""
        self._files = files
        self._module: Module | None = None
        self._known: dict[tuple[str, int, int], Scale | None] = {}
        """Maps an input and a column to the scale of the first window."""

    def attach(self, module: Module) -> None:
        """A guest begins."""
        self._module = module

    def wrong(self, rounds: Sequence[Round], index: int, now: Kept) -> str:
        """Returns what is wrong with how answers came into a window, or "" if nothing is."""
        inputs = [one.inputs.get(index) for one in (*rounds[:1], *rounds[-ROUNDS:])]
        kept = [one for one in inputs if one is not None and one.array.shape == now.array.shape]
        if len(rounds) < ROUNDS or len(kept) < len(inputs) or now.array.dtype.kind != "f":
            return ""
        for columns in zip(*(columns_of(one.array) for one in (*kept, now)), strict=True):
            first, arrays = columns[0], columns[1:]
            pairs = [*pairwise(arrays)]
            for row_of, said in ((new_row, self._of_column), (end_alone, self._unmoved)):
                rows = [one for before, after in pairs if (one := row_of(before, after)) is not None]
                for place, values in enumerate(zip(*rows, strict=True)) if len(rows) == ROUNDS else ():
                    if wrong := said(rounds, now, first[:, place], place, values):
                        return f"{now.what}: {wrong}"
        return ""

    def _of_column(
        self, rounds: Sequence[Round], now: Kept, window: Any, place: int, values: Sequence[float]
    ) -> str:
        """Returns what is wrong with the new elements of one column, or "" if nothing is."""
        for what, answers in answers_of(rounds[-ROUNDS:]):
            are_put = are_near(answers, values, EXACT * float(numpy.ptp(window)))
            if answers[0] == answers[1] or (are_put and are_usual(window, answers)):
                continue
            scale = self._scale(now.what, window, place)
            if scale is not None and (wrong := misput(scale, window, answers, values)):
                return (
                    f"what is put into the window after each compute is {values[-1]:.4g}, where "
                    f"{what} answered {answers[-1]:.4g}; {wrong}"
                )
        return ""

    def _unmoved(
        self, rounds: Sequence[Round], now: Kept, window: Any, place: int, values: Sequence[float]
    ) -> str:
        """Returns a hint if only the last element of a series changes, each time into an answer, or ""."""
        room = EXACT * float(numpy.ptp(window))
        for what, answers in answers_of(rounds[-ROUNDS:]) if len(window) >= FEWEST_OF_SERIES else ():
            scale = self._scale(now.what, window, place)
            if scale is None:
                return ""
            if are_near(answers, values, room) or are_near([*map(scale.raw, answers)], values, room):
                return (
                    f"its {len(window)} elements follow each other in {scale.where}, and only one at the end "
                    f"changes after each compute, into the answer of {what}: are the others to be moved by "
                    "one place before?"
                )
        return ""

    def _scale(self, what: str, window: Any, place: int) -> Scale | None:
        key = what, place, len(window)
        if key not in self._known and len(self._known) < MOST_SEARCHES * MOST_COLUMNS:
            self._known[key] = next(self._scales(window.astype("f8")), None)
        return self._known.get(key)

    def _scales(self, window: Any) -> Iterator[Scale]:
        if numpy.ptp(numpy.diff(window)) <= EVEN * numpy.ptp(window):
            return  # numbers that count are everywhere
        for order in (window, window[::-1]):
            for where, numbers in self._numbers():
                for start in places(order, numbers, FEWEST):
                    there = numbers[start : start + len(order)]
                    low, high = int(order.argmin()), int(order.argmax())
                    slope = float((there[high] - there[low]) / (order[high] - order[low]))
                    yield Scale(where, slope, float(there[low] - slope * order[low]))

    def _numbers(self) -> Iterator[tuple[str, Any]]:
        for name, data in self._files():
            if len(data) > MOST_BYTES:
                continue
            yield from ((f"{name}'s numbers", numbers) for numbers in series_in(data))
        if self._module is not None:
            yield from (("the program's numbers", numbers) for numbers in of_program(self._module))


def series_in(data: bytes) -> Iterator[Any]:
    """The numbers of a file that may follow each other in time: of a table with headings its columns, of JSON
    its lists."""
    text = text_in(data, MOST_TEXT)
    if text.lstrip().startswith(("{", "[")):
        yield from lists_in(text)
        return
    table = table_in(data) if len(data) <= MOST_TEXT else None
    if table is None or not table.headings:
        yield from (numbers for numbers, _ in numbers_of(data))
    else:
        yield from (column[numpy.isfinite(column)] for column in table.numbers.T)


def columns_of(array: Any) -> list[Any]:
    """An input as rows that follow each other in time, [rows, columns], in each way that it may be."""
    lengths = [length for length in array.shape if length != 1]
    if len(lengths) == 1:
        return [array.reshape(-1, 1)] if lengths[0] >= FEWEST else []
    if len(lengths) != 2:
        return []
    flat = array.reshape(lengths)
    return [one for one in (flat, flat.T) if one.shape[1] <= MOST_COLUMNS and len(one) >= FEWEST]


def new_row(before: Any, now: Any) -> list[float] | None:
    """Returns the row by which a window moved on, at its end or its beginning, or None if it didn't so."""
    for rest, others, row in ((now[:-1], before[1:], now[-1]), (now[1:], before[:-1], now[0])):
        if (rest == others).all() and (now != before).any():
            return [float(one) for one in row]
    return None


def end_alone(before: Any, now: Any) -> list[float] | None:
    """Returns the row at an end of a window that alone became another one, or None if it isn't so."""
    changed = (before != now).any(axis=1).nonzero()[0].tolist()
    return [float(one) for one in now[changed[0]]] if changed in ([0], [len(now) - 1]) else None


def answers_of(rounds: Sequence[Round]) -> Iterator[tuple[str, list[float]]]:
    """The elements of small answers, each in all rounds."""
    for index, output in rounds[0].outputs.items():
        several = [one.outputs.get(index) for one in rounds]
        flats = [one.flat for one in several if one is not None and one.flat.size == output.flat.size]
        if len(flats) == len(rounds) and output.array.dtype.kind == "f" and output.flat.size:
            for place in sorted({0, output.flat.size - 1} | {*range(min(output.flat.size, MOST_COLUMNS))}):
                yield output.what, [float(one[place]) for one in flats]


def are_usual(window: Any, values: Sequence[float]) -> bool:
    """Whether numbers may go on a window: they are in its range or not far from it."""
    room = BESIDE * float(numpy.ptp(window))
    return all(window.min() - room <= one <= window.max() + room for one in values)


def misput(scale: Scale, window: Any, answers: Sequence[float], values: Sequence[float]) -> str:
    """Returns what is wrong with elements that come from answers, or "" if nothing is known to be."""
    raw, room = scale.raw(window.astype("f8")), EXACT * float(numpy.ptp(window))
    own, is_moved = f"the window's elements are {scale}", not are_near(answers, values, room)
    for power in POWERS if is_moved else ():
        back = [scale.raw(one) / power for one in answers]
        if are_near(back, values, room * abs(scale.slope) / power):
            return f"{own}, and what is put is the answer without that: is it put back in the numbers' scale?"
    again = [scale.scaled(one) for one in answers]
    if is_moved and are_near(again, values, room) and not are_usual(raw, answers):
        return f"{own}, and what is put is the answer after that: is it scaled once more?"
    first = answers[:1]  # put in the wrong scale, it may make those behind it far larger
    if not is_moved and are_usual(raw, first) and not are_usual(window, first):
        return f"{own}, and the answer is as large as the numbers: has it to be scaled as they are?"
    return ""


def are_near(one: Sequence[float], other: Sequence[float], room: float) -> bool:
    return all(abs(a - b) <= room for a, b in zip(one, other, strict=True))
