"""Asks a model about a few numbers as shares of their sum, where they were sent as they are, as percents or
as decibels.

What is here: `as_shares`. What is not: shares by an input's name (`hints.prompts`). A model of shares is
unsure of numbers that are far too small, and far too sure of large ones. As shares the answer must come from
which element is which: in random orders it is another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import FEWEST_CLASSES, MOST, SURE, Change, Runs
from .sureness import HALF, OVERSURE, Answer, is_as_sure

FEWEST, MOST_ELEMENTS = 5, 512
UNSURE = 0.3
"""An answer that is at most so sure is unsure."""
APART = 0.02
"""Sums nearer to 1 are of shares."""
LOWEST, HIGHEST = -200.0, 20.0
"""The range of decibels below the loudest sound."""
SPREAD = 10.0
CONTROLS = 3


def as_shares(
    graph: Graph, inputs: Sequence[Tensor], sent: Answer | None, seconds: float, most: float = MOST
) -> str | None:
    """A sentence if the model is rightly sure of shares. Raises NNError."""
    if sent is None or sent.classes < FEWEST_CLASSES or len(inputs) != 1:
        return None
    if sent.sure > UNSURE and sent.margin < OVERSURE:
        return None
    array = inputs[0].numpy()
    made = [*ways(array)] if array is not None else []
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        for said, shares in made:
            change = Change(said, 0, shares.astype(array.dtype))
            other = runs.changed(0, change.array)
            if other is None or other.sure < SURE or other.margin >= OVERSURE:
                continue
            mixed = runs.shuffled(change, range(CONTROLS))
            if len(mixed) == CONTROLS and not any(is_as_sure(one, other) for one in mixed):
                over = f", e^{sent.margin:.0f} times as probable as the next one"
                return (
                    f'input 0 "{graph.inputs[0].name}": {said} the answer is {other}; as sent it is {sent}'
                    f"{over if sent.margin >= OVERSURE else ''}"
                )
    return None


def ways(array: Any) -> Iterator[tuple[str, Any]]:
    """How a few numbers may have been meant as shares, and these."""
    if array.dtype.kind != "f" or not FEWEST <= array.size <= MOST_ELEMENTS or array.size != max(array.shape):
        return
    own = array.astype("f8")
    total, low, high = float(own.sum()), float(own.min()), float(own.max())
    if not numpy.isfinite(own).all() or low == high:
        return
    if low >= 0 and abs(total - 1) > APART:
        what = "shares, divided by 100" if abs(total - 100) <= APART else "shares, divided by their sum"
        yield f"as {what} (as sent they add up to {total:.3g})", own / total
    elif LOWEST <= low < high <= HIGHEST and high - low >= SPREAD and (own < 0).mean() > HALF:
        power = 10 ** (own / 10)
        yield f"as shares of their sum, and not in decibels ({low:.3g} to {high:.3g})", power / power.sum()
