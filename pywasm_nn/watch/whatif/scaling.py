"""Asks a model about lines of a table, as they are and scaled: was a scaler forgotten?

What is here: `unscaled`. What is not: finding the table (`origin.tables`).

One answer says nothing about the scale of an input, but several do. A network whose inputs are far too large
gives every line the same answer and is sure of it; the same lines, scaled by the table's own mean and
deviation, get different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import FEWEST, MOST, RUNS, Runs
from .sureness import Answer

LINES = RUNS // 2
"""So many lines are asked about, in both ways."""
SATURATED = 0.98
"""The least mean probability of answers that are always the same because the input is too large."""
SURE = 0.75
"""The least mean probability of the answers to scaled lines."""


def unscaled(
    graph: Graph, inputs: Sequence[Tensor], index: int, lines: Any, seconds: float, most: float = MOST
) -> str | None:
    """A sentence if the lines that an input comes from should have been scaled. `lines` are the numbers of
    all lines, [lines, elements of the input]; `seconds` is the duration of one run. Raises NNError."""
    import numpy

    given = inputs[index]
    array = given.numpy()
    if array is None or array.dtype.kind != "f" or array.size >= FEWEST or array.size != lines.shape[1]:
        return None
    whole = lines[numpy.isfinite(lines).all(axis=1)]
    if len(whole) < LINES:
        return None
    deviation = whole.std(axis=0)
    scaled = (whole - whole.mean(axis=0)) / numpy.where(deviation > 0, deviation, 1)
    chosen = numpy.linspace(0, len(whole) - 1, LINES).astype(int)
    with Runs(graph, inputs, most) as runs:
        runs.limit(seconds)

        def answers(rows: Any) -> list[Answer]:
            shaped = [row.reshape(array.shape).astype(array.dtype) for row in rows[chosen]]
            found = [runs.changed(index, row) for row in shaped if runs.left()]
            return [answer for answer in found if answer is not None]

        sent = answers(whole)
        if len(sent) < LINES or len({one.place for one in sent}) > 1 or mean(sent) < SATURATED:
            return None
        other = answers(scaled)
    places = {one.place for one in other}
    if len(other) < LINES or len(places) < 2 or mean(other) < SURE:
        return None
    return (
        f'input {index} "{graph.inputs[index].name}": {LINES} lines of the table all get the answer '
        f"{sent[0].place} as they were sent; with each column's mean taken away and divided by its deviation "
        f"they get {len(places)} answers, at {mean(other):.2f} on average: was a scaler forgotten?"
    )


def mean(answers: Sequence[Answer]) -> float:
    return sum(one.sure for one in answers) / len(answers)
