"""Asks a model about features of a sound with another hop, with which the frames take up the whole sound.

What is here: `retimed`. What is not: how the features were made (`origin.features`).

That the frames end at half of a sound, and would end with it if they were twice as far apart, may be chance
or a window. So the model has to be unsure as they are, and sure of something else with the others: half of a
sound often says nearly what all of it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, Runs
from .sureness import Answer

SURE, UNSURE = 0.95, 0.75
"""The least sureness with another hop, of another answer, and the most as sent."""


def retimed(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    otherwise: Any,
    answer: Answer | None,
    seconds: float,
    most: float = MOST,
) -> str | None:
    """A sentence if the frames should be as far apart as they fit. Raises NNError."""
    if answer is None or answer.sure > UNSURE:
        return None
    kind = inputs[index].numpy().dtype
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        for said, array in otherwise.fitting():
            found = runs.changed(index, array.astype(kind))
            if found is not None and found.sure >= SURE and found.place != answer.place:
                name = f'input {index} "{graph.inputs[index].name}"'
                return f"{name}: {said} the answer is {found}; as sent it is {answer}"
    return None
