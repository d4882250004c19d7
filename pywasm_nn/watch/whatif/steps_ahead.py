"""Asks a model with a state, which forecasts the next number step by step, about sines and cosines that are
exchanged: hours, months and directions go round the other way then.

What is here: `Steps`, which keeps the first steps of a series, and `forecast_otherwise`. What is not: angles
that go round after another period (`sheets/periods.py`), and states that aren't sent back (`loops`).

The series itself says how good forecasts are: the next number comes with the next step. A model that
forecasts worse than "as now" with the angle as sent, and far better with the other one, learned the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..feedback import states
from .asking import MOST, RUNS, Runs

MOST_ELEMENTS, ROUNDS, SETTLED = 16, RUNS + 1, 6
"""The most elements of a step, the number of steps that are kept, and the steps after which the state has
settled."""
CIRCLE, DIFFERENT = 1e-3, 4
"""By how much the squares of a sine and a cosine may miss 1 when they are added, and the fewest different
angles: fewer may be chance."""
BETTER, GOOD = 4.0, 0.5
"""How many times smaller errors are with both exchanged, and the part that they are at most of the errors of
a forecast that nothing changes."""


class Step(Frozen):
    """The inputs of a step, its number of the answer and the states that it gave, by their inputs."""

    inputs: Sequence[Tensor]
    forecast: float
    states: dict[int, Any]


class Steps:
    """By context, the steps of a series."""

    def __init__(self) -> None:
        self._kept: dict[int | None, list[Step]] = {}
        self._done: set[int | None] = set()
        """Graphs that were asked, or have no such steps."""

    def take(self, event: NNEvent, inputs: Sequence[Tensor]) -> list[Step]:
        """A model was computed. Returns its steps, if they go on from each other; else []."""
        graph, number = event.graph, event.graph_id
        if graph is None or number in self._done:
            return []
        pairs = states(graph.inputs, graph.outputs)
        answers = [at for at in range(len(event.tensors)) if at not in {output for _, output in pairs}]
        step = None
        if pairs and len(inputs) == len(pairs) + 1 and len(answers) == 1:
            step = step_of(event, inputs, pairs, answers[0])
        kept = self._kept.setdefault(event.context_id, [])
        if step is None or (kept and not goes_on(kept[-1], step)):
            self._done.add(number)
            return []
        kept.append(step)
        if len(kept) == ROUNDS:
            self._done.add(number)
        return kept


def step_of(
    event: NNEvent, inputs: Sequence[Tensor], pairs: Sequence[tuple[int, int]], answer: int
) -> Step | None:
    """A step, or None if its data are long, or its answer is no single number."""
    given = event.tensors[answer].numbers()
    data = inputs[data_of(inputs, [index for index, _ in pairs])].numbers()
    if given is None or given.size != 1 or data is None or data.dtype.kind != "f":
        return None
    made = {index: event.tensors[output].numbers() for index, output in pairs}
    kept = {index: one.copy() for index, one in made.items() if one is not None}
    if not 2 < data.size <= MOST_ELEMENTS or len(kept) < len(made):
        return None
    return Step(inputs, float(given[0]), kept)


def data_of(inputs: Sequence[Tensor], states: Sequence[int]) -> int:
    """The index of the input that is no state."""
    return next(index for index in range(len(inputs)) if index not in states)


def goes_on(before: Step, now: Step) -> bool:
    """Whether a step begins with the states of the one before."""
    return all(
        numpy.array_equal(now.inputs[index].numpy().reshape(-1), one) for index, one in before.states.items()
    )


def rows_of(steps: Sequence[Step]) -> Any:
    """The data of steps, [steps, elements]."""
    index = data_of(steps[0].inputs, [*steps[0].states])
    return numpy.stack([one.inputs[index].numpy().reshape(-1) for one in steps]).astype("f8")


def on_circle(sines: Any, cosines: Any) -> Any:
    """Tells of each two numbers whether they may be a sine and a cosine."""
    return abs(sines * sines + cosines * cosines - 1) < CIRCLE


def circle_in(rows: Any) -> tuple[int, int] | None:
    """Returns two elements that are a sine and a cosine of an angle that changes, or None if there are none,
    or several."""
    count = rows.shape[1]
    found = [
        (one, other)
        for one in range(count)
        for other in range(one + 1, count)
        if on_circle(rows[:, one], rows[:, other]).all()
        and len(numpy.unique(rows[:, one].round(4))) >= min(DIFFERENT, len(rows))
    ]
    return found[0] if len(found) == 1 else None


def forecast_otherwise(graph: Graph, steps: Sequence[Step], seconds: float, most: float = MOST) -> str:
    """A sentence if a model forecasts a series far better with a sine and a cosine exchanged, or "". Raises
    NNError."""
    rows, circle = rows_of(steps), circle_in(rows_of(steps))
    if circle is None:
        return ""
    given = numpy.array([one.forecast for one in steps[:-1]])
    made = forecasts(graph, steps, rows, circle, seconds, most)
    if len(made) < len(given):
        return ""
    for element in [at for at in range(rows.shape[1]) if at not in circle]:
        then = rows[1:, element]
        still, sent, other = (
            float(numpy.median(abs(one - then)[SETTLED:])) for one in (rows[:-1, element], given, made)
        )
        if BETTER * other < sent and other < GOOD * still < GOOD * sent:
            index = data_of(steps[0].inputs, [*steps[0].states])
            return (
                f'input {index} "{graph.inputs[index].name}": elements {circle[0]} and {circle[1]} are a '
                f"sine and a cosine; with both exchanged the answer is the next element {element} but for "
                f"{other:.2g}, as sent but for {sent:.2g} (and the last one but for {still:.2g}): which of "
                "them does the model want first?"
            )
    return ""


def forecasts(
    graph: Graph, steps: Sequence[Step], rows: Any, circle: tuple[int, int], seconds: float, most: float
) -> Any:
    """The answers to the steps with two elements exchanged, as far as there is time."""
    index = data_of(steps[0].inputs, [*steps[0].states])
    order = [*range(rows.shape[1])]
    order[circle[0]], order[circle[1]] = circle[1], circle[0]
    pairs = states(graph.inputs, graph.outputs)
    answer = next(at for at in range(len(graph.outputs)) if at not in {output for _, output in pairs})
    found: list[float] = []
    given = dict(enumerate(steps[0].inputs))
    kind, shape = given[index].numpy().dtype, given[index].shape
    with Runs(graph, steps[0].inputs, most, seconds=seconds) as runs:
        for row in rows[:-1, order]:
            if not runs.left():
                break
            given[index] = Tensor.from_numpy(row.astype(kind).reshape(shape))
            outputs = runs.outputs(given)
            found.append(float(outputs[answer].numpy().reshape(-1)[0]))
            given |= {at: outputs[output] for at, output in pairs}
    return numpy.array(found)
