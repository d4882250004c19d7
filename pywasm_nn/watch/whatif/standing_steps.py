"""A forecast of several steps from a window that stays, while the clock beside it goes on.

What is here: `StandingSteps`. What is not: inputs that stay as a whole (`loops/standing.py`).

A model may forecast any hour to come from one window, so the file's own numbers are forecast, too: with the
window moved on to each, the model must be near them, and far off from the window that stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...interpreter.runtime.observe import HostEvent
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..follower import Follower, inputs_of
from ..loops.going_on import is_even, times_in
from ..loops.standing import are_in_line
from ..origin.raw_places import columns_in
from ..origin.straight import line_through
from ..spoken import Heard, filled_lines
from ..surroundings import Files
from .asking import MOST as MOST_TIME
from .asking import Runs
from .between_texts import Asking
from .steps_ahead import on_circle

FEWEST, MOST, MOST_BYTES = 4, 64, 1 << 12
"""A forecast has `FEWEST` to `MOST` steps, and an input at most `MOST_BYTES` bytes."""
FEWEST_OF_A_WINDOW, MOST_OF_A_CLOCK = 6, 8
FEWEST_KNOWN, MOST_KNOWN = 6, 12
"""The rule needs `FEWEST_KNOWN` numbers of the file before the last window, and forecasts fewer than
`MOST_KNOWN`."""
EVEN = 1e-2
"""The steps of a clock differ by at most this part of the largest."""
NEAR, FARTHER = 0.4, 2.0
"""A forecast of the next number is off by less than `NEAR` of the numbers' deviation, and one from the window
that stays by more than `FARTHER` times as much."""


class Steps(Frozen):
    """Holds the inputs of all steps, the places of the window that stays and of the elements that move, and
    the readings of these: angles of each pair, or numbers, [steps, clocks]."""

    array: Any
    stays: Sequence[int]
    moves: Sequence[int]
    clocks: Any

    @property
    def window(self) -> Any:
        return self.array[0][[*self.stays]].astype("f8")

    def at(self, step: int, window: Any) -> Any:
        """Returns the input at a step, before the first one if that is below 0, with another window."""
        made = self.array[0].copy()
        made[[*self.stays]] = window
        pace = self.clocks[1] - self.clocks[0]
        reading = self.clocks[0] + step * pace
        if len(self.moves) == 1:
            made[self.moves[0]] = reading[0]
        for at, angle in enumerate(reading) if len(self.moves) > 1 else ():
            made[[*self.moves[2 * at : 2 * at + 2]]] = numpy.sin(angle), numpy.cos(angle)
        return made


class StandingSteps(Follower):
    """Gives a hint at the end, as a pair of a rule's name and a sentence."""

    def __init__(self, files: Files, ask: Asking[tuple[float, float]]) -> None:
        self._files, self._ask = files, ask
        self._sent: list[Any] = []
        self._name, self._shape = "", tuple[int, ...]()
        self._computed: NNEvent | None = None
        self._is_plain = True
        """Tells whether each compute has one input of its own, and answers with one number."""
        self._computes = 0
        self._heard = Heard()

    def nn_event(self, event: NNEvent) -> None:
        """An operation ended."""
        if event.error is not None or not self._is_plain:
            return
        for index, spec, tensor in inputs_of(event):
            numbers = tensor.numbers() if tensor.size <= MOST_BYTES else None
            is_kept = index == 0 and numbers is not None and numbers.dtype.kind == "f"
            self._is_plain = is_kept and len(self._sent) == self._computes < MOST
            self._name, self._shape = f'input {index} "{spec.name}"', tensor.shape
            self._sent.append(numbers.copy() if numbers is not None else None)
        if event.operation == "compute":
            self._computes += 1
            self._computed = event
            is_number = [one.size == one.dtype.size for one in event.tensors] == [True]
            self._is_plain &= is_number and self._computes == len(self._sent)

    def host_call(self, event: HostEvent) -> None:
        """A host function returned."""
        if self._computes and self._is_plain:
            self._heard.add(event)

    def finish(self) -> Iterator[tuple[str, str]]:
        """A hint when the guest has ended."""
        event = self._computed
        if not self._is_plain or event is None or self._computes < FEWEST:
            return
        steps = steps_of(self._sent)
        if steps is None or not are_of_times(filled_lines(self._heard.text), self._computes):
            return
        for name, data in self._files():
            for column in columns_in(data):
                if (known := known_in(column, steps.window)) is None:
                    continue
                off = self._ask(
                    event, lambda twin, *left, own=known: errors(twin, steps, own, self._shape, *left)
                )
                if off is not None and off[0] < NEAR * known.std() and off[1] > FARTHER * off[0]:
                    yield (
                        "fed_back",
                        f"{self._name}: {len(steps.stays)} of its elements, the last numbers of {name}, were "
                        f"the same in {self._computes} computes, and only the clock beside them went on; of "
                        "the file's own numbers the model's forecasts are off by "
                        f"{off[1] / off[0]:.1f} times as much from a window that stays as from one that "
                        "moves on: is each answer to be put into the window before the next compute?",
                    )
                    return


def steps_of(sent: Sequence[Any]) -> Steps | None:
    """Returns the window that stays in all inputs, and the clock beside it, or None if there aren't both."""
    if len({one.shape for one in sent}) != 1:
        return None
    array = numpy.stack(sent)
    same = (array == array[0]).all(axis=0)
    stays, moves = numpy.flatnonzero(same).tolist(), numpy.flatnonzero(~same).tolist()
    is_run = bool(stays) and stays[-1] - stays[0] == len(stays) - 1
    if not is_run or len(stays) < FEWEST_OF_A_WINDOW or not 0 < len(moves) <= MOST_OF_A_CLOCK:
        return None
    clocks = clocks_in(array[:, moves].astype("f8"))
    return None if clocks is None else Steps(array, stays, moves, clocks)


def clocks_in(moving: Any) -> Any:
    """Returns the angles of pairs of a sine and a cosine, or a single number, that go on in equal steps, or
    None if others don't."""
    count = moving.shape[1]
    if count % 2 and count > 1:
        return None
    clocks = moving
    if count > 1:
        sines, cosines = moving[:, ::2], moving[:, 1::2]
        if not on_circle(sines, cosines).all():
            return None
        clocks = numpy.unwrap(numpy.arctan2(sines, cosines), axis=0)
    paces = numpy.diff(clocks, axis=0)
    is_steady = (numpy.ptp(paces, axis=0) <= EVEN * abs(paces).max(axis=0)).all()
    return clocks if is_steady and paces.all() else None


def are_of_times(lines: Sequence[str], count: int) -> bool:
    """Tells whether the guest writes a line for each step with a number or time that goes on."""
    told = [times_in(line)[1] for line in lines]
    for begin in range(max(0, len(told) - count) + 1):
        own = told[begin : begin + count]
        if len(own) == count and any(is_even(column) for column in zip(*own, strict=False)):
            return True
    return False


def known_in(column: Any, window: Any) -> Any:
    """Returns the last numbers of a column in the scale of a window that has the very last of them, or
    None."""
    count = len(window)
    if len(column) < count + FEWEST_KNOWN or not are_in_line(column[-count:], window):
        return None
    slope, height = line_through(column[-count:], window)
    return slope * column[-count - MOST_KNOWN :] + height


def errors(
    graph: Graph, steps: Steps, known: Any, shape: Sequence[int], seconds: float, most: float = MOST_TIME
) -> tuple[float, float]:
    """Returns by how much forecasts of a file's last numbers are off on average, each from the window before
    it, and all from one window that stays. Raises NNError."""
    size = len(steps.window)
    ahead = len(known) - size
    off: tuple[list[float], list[float]] = [], []
    with Runs(graph, [Tensor.from_numpy(steps.array[0].reshape(shape))], most, seconds=seconds) as runs:
        for at in range(1, ahead):
            for kept, begin in zip(off, (at, 0), strict=True):
                made = steps.at(at - ahead, known[begin : begin + size])
                outputs = runs.outputs({0: Tensor.from_numpy(made.reshape(shape))})
                kept.append(abs(float(outputs[0].numpy().reshape(-1)[0]) - known[at + size]))
    return float(numpy.mean(off[0])), float(numpy.mean(off[1]))
