"""Asks a model about windows of an accelerometer's axes that are whole numbers, as the sensor counts them,
and in g and m/s2: was the division forgotten?

What is here: `Counts`, which keeps some windows with the answers to them, and `in_units`. What is not:
windows of files that are named after a class (`motions.py`).

Gravity says by what counts are to be divided: on average over a window, an accelerometer measures 1 g. A
network whose inputs are far too large doesn't see how large they are, so that a part of them gets the same
answer, and it knows few answers; in the right unit it gives more of them, and is sure. A network that learned
from counts gives all windows in g the same answer: they are nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, Runs
from .motions import GRAVITY, MILLI, SPACE, steps_and_axes
from .sureness import Answer, mean

ROWS, FEWEST, LOOKS = 4, 3, 16
"""So many windows are asked about, as many different answers are the fewest in the right unit, and so many
windows are looked at."""
DIFFERENT, LARGE = 16, 256
"""A window of counts has so many different ones at least, and one of that size."""
ONE_G = (MILLI, *(2.0**power for power in range(8, 15)))
"""Numbers that stand for 1 g: in mg, and as counts of usual ranges."""
NEAR = 0.2
"""Gravity is so near to one of them: people move."""
A_DEGREE, DEGREES = 131.0, 57.29578
"""The counts of most gyroscopes for a degree a second, and the degrees of a radian."""
SMALLER, STILL, CONTROLS, ALIKE = 16, 64, 2, 0.12
"""Windows that are smaller by that, or in which 1 g is still so much, get the same answer, hardly surer or
less sure."""
SURE = 0.8
"""How sure the answers in the right unit are on average."""


class Window(Frozen):
    """A window of counts, the answer to it, and the size of gravity in it."""

    array: Any
    answer: Answer
    gravity: float


class Counts:
    """By graph, windows of counts."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[Window]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor, answer: Answer | None) -> list[Window]:
        """A window was computed. Returns those to ask about, once there are enough; else []."""
        looked = self._looked[graph] = self._looked.get(graph, 0) + 1
        kept = self._kept.setdefault(graph, [])
        known = steps_and_axes(tensor.shape) if looked <= LOOKS else None
        numbers = tensor.numbers() if known is not None and answer is not None else None
        if numbers is None or answer is None or numbers.dtype.kind != "f" or not are_counts(numbers):
            return []
        array = numbers.reshape(tensor.shape).copy()
        if any((one.array.shape != array.shape) or (one.array == array).all() for one in kept):
            return []
        kept.append(Window(array, answer, gravity_in(array)))
        return kept if len(kept) == ROWS else []


def are_counts(numbers: Any) -> bool:
    """Whether numbers are whole, differ, and are larger than g and m/s2 are."""
    if not numpy.isfinite(numbers).all() or abs(numbers).max() < LARGE:
        return False
    return bool((numbers == numpy.rint(numbers)).all()) and len(numpy.unique(numbers)) >= DIFFERENT


def in_steps(array: Any) -> Any:
    """A view of a window as [steps, axes]."""
    steps, axes, are_together = steps_and_axes(array.shape) or (array.size, 1, True)
    return array.reshape(steps, axes) if are_together else array.reshape(axes, steps).T


def gravity_in(array: Any) -> float:
    return hypot(*in_steps(array)[:, :SPACE].mean(axis=0).tolist())


def units(one: float) -> Iterator[tuple[str, float, float]]:
    """By what is said, by what an accelerometer's and a gyroscope's counts are divided, if 1 g is so many."""
    yield f"in g (divided by {one:g})", one, A_DEGREE
    yield f"in m/s2 (divided by {one:g} and times 9.80665)", one / GRAVITY, A_DEGREE * DEGREES


def divided(array: Any, by: float, turning: float) -> Any:
    """A window whose accelerometer's axes, and those of what else there is, are divided."""
    made = array.copy()
    rows = in_steps(made)  # a view of it
    rows[:, :SPACE] /= by
    rows[:, SPACE:] /= turning
    return made


def in_units(graph: Graph, windows: Sequence[Window], seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input wants windows in g or m/s2, or "". Raises NNError."""
    gravity = float(numpy.median([one.gravity for one in windows]))
    one_g = min(ONE_G, key=lambda one: abs(gravity / one - 1))
    sent = [one.answer for one in windows]
    few = len({one.place for one in sent})
    if abs(gravity / one_g - 1) > NEAR:
        return ""
    with Runs(graph, [Tensor.from_numpy(windows[0].array)], most, seconds=seconds) as runs:
        smaller = min(SMALLER, one_g / STILL)
        for one in windows[:CONTROLS]:
            less = runs.changed(0, one.array / smaller) if runs.left() else None
            if less is None or less.place != one.answer.place or abs(less.sure - one.answer.sure) > ALIKE:
                return ""
        for said, by, turning in units(one_g):
            made = [divided(one.array, by, turning) for one in windows]
            found = [answer for array in made if runs.left() and (answer := runs.changed(0, array))]
            many = len({one.place for one in found})
            if len(found) == len(windows) and many >= max(FEWEST, few + 1) and mean(found) >= SURE:
                return (
                    f'input 0 "{graph.inputs[0].name}": its elements are whole numbers, in which gravity is '
                    f"about {gravity:,.0f}: a sensor's counts; {len(found)} windows as sent get {few} "
                    f"answer{'s' if few > 1 else ''}, and {said} {many}, at {mean(found):.2f} on average: "
                    "was the division forgotten?"
                )
    return ""
