"""Asks a model for forecasts of numbers that are known, from windows of a table's column in both orders: the
newest was sent first, and other elements (the hour's sine and cosine) stand beside the window.

What is here: `NewestFirst`, which finds such an input, and `forecast_in_order`. What is not: inputs that are
such a window and nothing else (`origin/tables.py`).

Some models want the newest number first (`lag_1`, `lag_2` ...). So the file has to speak, too: in its own
order the model's forecasts are near to the numbers that come next, and in the order as sent they are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import only_answer
from ..origin.runs_of_columns import run_of
from ..origin.straight import line_through
from ..origin.tables import Table, named, tables_in
from ..regex import regex
from ..surroundings import Files
from .asking import MOST, Runs
from .steps_ahead import CIRCLE, on_circle

FEWEST, MOST_BYTES, MOST_OTHERS, LOOKS = 12, 4096, 6, 3
"""A window has at least `FEWEST` numbers, an input at most `MOST_BYTES`, and `MOST_OTHERS` elements beside
the window. The rule looks at the first `LOOKS` inputs of a model."""
ROUNDS = 4
"""The rule asks the model about this many windows in three ways."""
BETTER, USEFUL = 2.0, 0.8
"""Errors are this many times smaller in the file's order, and at most this part of those of a forecast that
nothing changes."""
ON_PURPOSE = regex(r"lag|newest|latest|recent|revers", re.IGNORECASE)
"""An input or a file with such a name has the newest first on purpose."""
PERIODS = (24, 12, 7)
"""Hours, months and weekdays begin again after this many."""


class Turn(Frozen):
    """Says where a sine and a cosine stand among elements, and of which column they are: the angle at a line
    is that of its number and `behind` more, of `period`."""

    sine: int
    cosine: int
    numbers: Any
    behind: int
    period: int

    def put(self, flat: Any, line: int) -> None:
        angle = 2 * numpy.pi * (self.numbers[line] + self.behind) / self.period
        flat[self.sine], flat[self.cosine] = numpy.sin(angle), numpy.cos(angle)


class Window(Frozen):
    """An input whose `count` elements from `first` on are numbers of a column from the last one on, each
    times a slope and with a height; what goes round beside it, if anything does. `is_forward`: it is known
    that the file goes on in time, by itself or by an hour beside the window that follows its last line."""

    array: Any
    first: int
    count: int
    numbers: Any
    slope: float
    height: float
    turn: Turn | None
    said: str
    is_forward: bool

    def made(self, start: int, line: int, *, is_turned: bool) -> Any:
        """Returns the input with the window that begins at a line of the column, and the time of another
        line."""
        made = self.array.copy()
        flat = made.reshape(-1)
        part = self.numbers[start : start + self.count] * self.slope + self.height
        flat[self.first : self.first + self.count] = part[::-1] if is_turned else part
        if self.turn is not None:
            self.turn.put(flat, line)
        return made


class NewestFirst:
    """Looks at the first inputs of each model."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, forecast: Tensor, called: str) -> Window | None:
        """Returns the window in an input to which a model answered one number, or None if there is none."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        numbers = tensor.numbers() if looked <= LOOKS and tensor.nbytes <= MOST_BYTES else None
        if numbers is None or numbers.dtype.kind != "f" or numbers.dtype.itemsize < 4:
            return None
        if forecast.size != forecast.dtype.size or ON_PURPOSE.search(called):
            return None
        array = numbers.reshape(tensor.shape).copy()
        for name, table in tables_in(self._files()):
            if table.direction >= 0 and not ON_PURPOSE.search(name):
                found = next(windows(table, name, array), None)
                if found is not None:
                    return found
        return None


def windows(table: Table, name: str, array: Any) -> Iterator[Window]:
    """Yields the windows of a table's columns that an input has from the last number on."""
    flat = array.reshape(-1).astype("f8")
    for others in range(1, MOST_OTHERS + 1):
        count = len(flat) - others
        for first in (0, others) if count >= max(FEWEST, 2 * others) else ():
            part = flat[first : first + count]
            for column, numbers in enumerate(table.numbers.T):
                at = run_of(numbers, part[::-1])
                if at < 0 or run_of(numbers, part) >= 0 or not numpy.isfinite(numbers).all():
                    continue
                slope, height = line_through(numbers[at : at + count], part[::-1])
                beside = {*range(len(flat))} - {*range(first, first + count)}
                turn = turn_in(table, flat, sorted(beside), at + count - 1)
                lines = f"lines {table.lines[at]} to {table.lines[at + count - 1]}"
                said = f"{named(table, column)} of {name}, {lines}"
                is_forward = table.direction > 0 or (turn is not None and turn.behind > 0)
                yield Window(array, first, count, numbers, slope, height, turn, said, is_forward)


def turn_in(table: Table, flat: Any, beside: Sequence[int], line: int) -> Turn | None:
    """Returns the sine and cosine that go round with a column of a table, at a line or one behind it, or None
    if there are none."""
    for sine, cosine in permutations(beside, 2):
        if abs(sine - cosine) != 1 or not on_circle(flat[sine], flat[cosine]):
            continue
        for numbers, period, behind in product(table.numbers.T, PERIODS, (0, 1)):
            turn = Turn(sine, cosine, numbers, behind, period)
            made = flat.copy()
            turn.put(made, line)
            if abs(made - flat).max() < CIRCLE:
                return turn
    return None


def forecast_in_order(graph: Graph, window: Window, seconds: float, most: float = MOST) -> str:
    """Returns a sentence if a model's forecasts are near to the numbers that come next in a file's own order,
    and not in the order as sent, or "". Raises NNError."""
    numbers, count = window.numbers, window.count
    ends = [*range(count, len(numbers))][-ROUNDS:]
    if len(ends) < ROUNDS:
        return ""
    with Runs(graph, [Tensor.from_numpy(window.array)], most, seconds=seconds) as runs:

        def off(is_turned: bool, is_before: bool = False) -> float:
            """Returns how far forecasts are from what comes behind windows, or from what stands before
            them."""
            found = []
            for end in ends:
                start, line, then = end - count, end - 1, end
                if is_before:
                    start, line, then = start + 1, start + 1, start
                outputs = (
                    runs.outputs_of(0, window.made(start, line, is_turned=is_turned)) if runs.left() else []
                )
                made = only_answer(outputs)
                if made is None or made.size != 1:
                    return float("nan")
                found.append((float(made.reshape(-1)[0]) - window.height) / window.slope - numbers[then])
            return float(numpy.sqrt(numpy.mean(numpy.square(found))))

        right, sent = off(False), off(True)
        known = float(numpy.sqrt(numpy.mean([(numbers[end] - numbers[end - 1]) ** 2 for end in ends])))
        if not (BETTER * right <= sent and right <= USEFUL * known):
            return ""
        if not window.is_forward and not off(True, True) > USEFUL * known:
            return ""  # the file itself may have the newest first
    return (
        f'input 0 "{graph.inputs[0].name}": {count} elements are {window.said}, from the last one on; of '
        f"{len(ends)} windows there the model's forecasts in the file's own order are off by {right:.3g}, "
        f"and in the order as sent by {sent:.3g}: does the model want the oldest first?"
    )
