"""Asks a model about lines of a table in another unit than their headings name.

What is here: `in_another_unit`. What is not: the units (`sheets.own_units`).

A network whose elements are far too large is surer of its answer than training makes it. Forests are as sure
of much; their answers don't change with the elements but in steps. A linear model is as sure as its elements
are large, however it was trained.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, Runs
from .sureness import MOST_SURE, OVERSURE

SURE, LESS = 0.75, 0.5
"""How sure an answer in another unit must be, and the most that numbers are multiplied by for it."""
NEARLY, STEP = 1.003, 1.0
"""By numbers that are multiplied by so much the margin changes, and by less than this."""


def in_another_unit(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    unit: str,
    others: Sequence[tuple[str, float]],
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if elements are far too large in the unit of their headings, and not in another one. Raises
    NNError."""
    array = inputs[index].numpy()
    if array is None or array.dtype.kind != "f":
        return None
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        sent = runs.changed(index, array)
        if sent is None or sent.margin < OVERSURE:
            return None
        for other, factor in others:
            if factor > LESS or not runs.left(1):
                continue
            made, near = (
                runs.changed(index, (array * by).astype(array.dtype)) for by in (factor, factor * NEARLY)
            )
            if made is None or near is None or made.sure < SURE or made.margin > MOST_SURE:
                continue
            is_even = 0 < abs(near.margin - made.margin) < STEP
            is_same = made.place == sent.place
            if is_even and not (is_same and runs.are_linear(index, (array * factor).astype(array.dtype))):
                return (
                    f'input {index} "{graph.inputs[index].name}": its numbers are in {unit} by their '
                    f"file, and as sent the answer is {sent}, e^{sent.margin:.0f} times as probable as "
                    f"the next one: elements are far too large; in {other} (times {factor:.4g}) it is {made}"
                )
    return None
