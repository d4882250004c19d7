"""Asks a model about characters or words that are counted from another number: it knows one more than there
are, and the first one has the number that also fills the rest of the input.

What is here: `counted_otherwise`. What is not: how they are counted (`origin.counted`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ..origin.counted import Counted
from .asking import MOST, Runs

SURE, SURER = 0.5, 0.05
"""How sure the other answer must be, and by how much surer than that as sent."""
DOUBTS = 10
"""Or the doubt of the answer as sent is so many times as large."""
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
    import numpy

    given = inputs[index].numpy()
    by = rows - how.count - how.first
    if given is None or not 1 <= by <= MOST_BY or how.first or how.filled != how.first:
        return None
    moved = numpy.array(given).reshape(-1)
    moved[: how.end] += by
    with Runs(graph, inputs, most) as runs:
        runs.limit(seconds)
        sent = runs.changed(index, given)
        other = runs.changed(index, moved.reshape(given.shape).astype(given.dtype))
    if sent is None or other is None or other.sure < SURE:
        return None
    if other.sure < sent.sure + SURER and (1 - sent.sure) < DOUBTS * (1 - other.sure) + 1e-3:
        return None
    return (
        f'input {index} "{graph.inputs[index].name}": the first of the {how.count} {how.what} of {how.where} '
        f"has the number {how.first}, which also fills the rest of the input, and the model knows {rows}; "
        f"counted from {how.first + by} the answer is {other}; as sent it is {sent}"
    )
