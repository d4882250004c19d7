"""Asks a model about rows of usual scaled numbers: are its answers scaled numbers, too?

What is here: `gives_standard`. A model whose target was brought to mean 0 and deviation 1 for its training
answers around 0 there, as often below as above. One that answers with amounts doesn't: prices are above 0
whatever it is asked. What is not: what a guest does with the answers (`amounts/standardised.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, Runs

PAIRS, FEWEST, SEED = 6, 6, 5
"""Rows that are asked about, each also with all its signs changed; the fewest answers that say something."""
QUICK = 0.002
"""Seconds of a run that are allowed to the quickest models."""
CENTRE, WIDTHS, BELOW = 0.45, (0.3, 2.0), (0.25, 0.75)
"""The mean of standardised answers is nearer to 0 than this part of their deviation; that deviation; and the
part of them that is below 0."""


def gives_standard(graph: Graph, inputs: Sequence[Tensor], seconds: float, most: float = MOST) -> bool:
    """Whether a model of one input and one number gives scaled numbers. Raises NNError."""
    array = inputs[0].numpy()
    half = numpy.random.default_rng(SEED).normal(size=(PAIRS, array.shape[-1]))
    rows = numpy.stack([half, -half], 1).reshape(2 * PAIRS, -1)
    each = max(1, array.size // array.shape[-1])
    found: list[float] = []
    with Runs(graph, inputs, most, once_open=max(seconds, QUICK)) as runs:
        for at in range(0, len(rows), each):
            if not runs.left():
                break
            part = numpy.resize(rows[at : at + each], (each, array.shape[-1]))
            made: Any = part.reshape(array.shape).astype(array.dtype)
            outputs = runs.outputs_of(0, made)
            numbers = outputs[0].numbers() if outputs else None
            if numbers is None:
                return False
            found += numbers.astype("f8").reshape(-1).tolist()
    answers = numpy.array(found[: len(rows)])
    if len(answers) < FEWEST or not numpy.isfinite(answers).all():
        return False
    width = float(answers.std())
    return bool(
        WIDTHS[0] <= width <= WIDTHS[1]
        and abs(answers.mean()) < CENTRE * width
        and BELOW[0] <= (answers < 0).mean() <= BELOW[1]
    )
