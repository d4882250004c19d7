"""Asks a model about characters or words that are counted from another number: it knows one more than there
are, and the first one has the number that also fills the rest of the input.

What is here: `counted_otherwise`. What is not: how they are counted (`origin.counted`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..origin.counted import Counted
from .asking import MOST, Runs
from .sureness import Answer

SURE, DOUBTS = 0.5, 2.0
"""How sure the other answer must be, and how many times as large the doubt of the one as sent is. The doubt
of a control, which should tell the model even less, is larger, too."""
TINY = 1e-3
"""By how much doubts differ at least."""
MOST_BY = 4


def counted_otherwise(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    how: Counted,
    rows: int,
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if the model is surer of the same characters or words counted from as many on as it knows
    more. Raises NNError."""
    given = inputs[index].numpy()
    if given is not None and how.is_backwards:
        return from_the_end(graph, inputs, index, how, seconds, most)
    by = rows - how.count - how.first
    if given is None or not 1 <= by <= MOST_BY or how.first or how.filled != how.first:
        return None
    moved = numpy.array(given).reshape(-1)
    moved[: how.end] += by
    further = moved.copy()
    further[: how.end] = (further[: how.end] + by) % rows
    made = [one.reshape(given.shape).astype(given.dtype) for one in (moved, further)]
    asked = surer(graph, inputs, index, made, seconds, most)
    if asked is None:
        return None
    sent, other = asked
    return (
        f'input {index} "{graph.inputs[index].name}": the first of the {how.count} {how.what} of {how.where} '
        f"has the number {how.first}, which also fills the rest of the input, and the model knows {rows}; "
        f"counted from {how.first + by} the answer is {other}; as sent it is {sent}"
    )


def from_the_end(
    graph: Graph, inputs: Sequence[Tensor], index: int, how: Counted, seconds: float, most: float
) -> str | None:
    """A sentence if the model is surer of a text from the first element on than from the last one on. Raises
    NNError."""
    given = numpy.array(inputs[index].numpy())
    turned = given.reshape(-1)[::-1].copy()  # padding comes last, too
    mixed = turned.copy()
    mixed[: how.end] = numpy.random.default_rng(0).permutation(mixed[: how.end])
    made = [one.reshape(given.shape) for one in (turned, mixed)]
    asked = surer(graph, inputs, index, made, seconds, most)
    if asked is None:
        return None
    sent, other = asked
    return (
        f'input {index} "{graph.inputs[index].name}": the {how.what} of the text lie backwards, the first '
        f"one in the last element; from the first element on the answer is {other}; as sent it is {sent}"
    )


def surer(
    graph: Graph, inputs: Sequence[Tensor], index: int, arrays: Sequence[Any], seconds: float, most: float
) -> tuple[Answer, Answer] | None:
    """Returns the answer as sent, and that to another input, if the model is surer of it than of both what
    was sent and a control. `arrays` are the other input and the control."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        sent, other, control = (runs.changed(index, one) for one in (inputs[index].numpy(), *arrays))
    if sent is None or other is None or other.sure < SURE:
        return None
    doubts = [1 - one.sure for one in (sent, control) if one is not None]
    return (sent, other) if min(doubts) >= DOUBTS * (1 - other.sure) + TINY else None
