"""Asks a model about the bytes of a file that begin with the file's end: is it far surer with the beginning
first? And about those that are just a half of the input, with padding in the other: what does it say with the
file's end there?

What is here: `beginning_first` and `with_the_end`. What is not: finding the two parts (`origin/bytewise.py`),
their padding (`padding.py`), and keeping inputs (`of_bytes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import MOST, SURE, Runs
from .sureness import Answer, is_far_surer

FAR = 0.7
"""The answer as sent is at most so sure, as a part of how sure the other one is. That isn't far, but where
the two parts lie is a sign, too, and so is half the doubt: nobody trains a model with the end first."""
HALF = 0.5
"""How sure a model is at least with the other half filled, and how much of its doubt is left then, or with
the beginning first."""
LESS = 0.7
"""How much is left at the most if the answer becomes another one, which it may by chance."""


def with_the_end(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    made: Any,
    sent: Answer,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if a model says another class, with clearly less doubt, or the same with half the
    doubt, of an input with the end of a file in its second half, or "" if it doesn't. Raises NNError."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        other = runs.changed(index, made)
    if other is None or other.sure < HALF:
        return ""
    if 1 - other.sure > (HALF if other.place == sent.place else LESS) * (1 - sent.sure):
        return ""
    flat = inputs[index].numpy().reshape(-1)
    return (
        f'input {index} "{graph.inputs[index].name}": its first half is {flat.size // 2:,} bytes of '
        f"a longer file, and all elements behind them are {flat[-1]}; with the file's last bytes there the "
        f"answer is {other}; as sent it is {sent}: was the second half not filled?"
    )


def beginning_first(
    graph: Graph,
    inputs: Sequence[Tensor],
    index: int,
    place: int,
    sent: Answer,
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if a model is far surer, or has half the doubt, of an input with what lies from an
    element on before the others, or "" if it isn't. Raises NNError."""
    array = inputs[index].numpy()
    flat = array.reshape(-1)
    made = numpy.concatenate([flat[place:], flat[:place]]).reshape(array.shape)
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        other = runs.changed(index, made)
    if other is None or other.sure < SURE:
        return ""
    is_less_doubtful = 1 - other.sure <= HALF * (1 - sent.sure)
    if sent.sure > FAR * other.sure and not (is_less_doubtful or is_far_surer(other, sent)):
        return ""
    return (
        f'input {index} "{graph.inputs[index].name}": it begins with the end of a file, and from element '
        f"{place:,} on is the file's beginning; with that first the answer is {other}; as sent it is {sent}: "
        "are the two exchanged?"
    )
