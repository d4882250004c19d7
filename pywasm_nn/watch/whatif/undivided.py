"""Asks a model that hears nothing in a sound about its samples divided by 32768, if they were sent as 16 bits
have them.

What is here: `Undivided`, which keeps such inputs until they are computed, and `heard_divided`. What is not:
models that choose one of several classes (`asking.py`), and features of sounds (`sent/other_rate.py`).

A model that says for each class whether it hears it may well hear none. Samples of 16 bits that it wants as
they are become silence when they are divided; what it then hears all the same is in the sound: also in a
softer one, and not in the samples in a random order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.quantized import dequantized
from ...nn.tensor import Tensor, TensorSpec
from ..origin import Origin
from .asking import MOST, Change, Runs
from .detections import is_shares
from .finding import STEADY, SURE
from .sureness import MOST_CLASSES, NEAR_ONE, Answer, is_as_sure

FEWEST, MOST_BYTES = 400, 1 << 22
FULL, LEAST = 32768.0, 2.0
"""The range of samples of 16 bits, and what those from -1 to 1 never reach."""
SOFTER = 0.7
MOST_ASKED = 3
"""So many windows of a sound are asked about: some are silent."""
CONTROLS = 2


class Undivided:
    """Keeps the inputs of samples of 16 bits by context until they are computed."""

    def __init__(self) -> None:
        self._kept: dict[Any, int] = {}
        self._asked: Counter[Any] = Counter()

    def take(self, context: Any, index: int, tensor: Tensor, found: Origin) -> None:
        """An input has this origin."""
        array = tensor.numpy() if found.source.rate and not found.wrong else None
        if array is None or array.dtype.kind != "f" or not FEWEST <= array.size == max(array.shape):
            return
        if tensor.nbytes <= MOST_BYTES and LEAST < abs(array).max() <= FULL:
            self._kept[context] = index

    def due(self, context: Any, graph: Any) -> int | None:
        """Returns the index of the input of a context to ask a graph about, or None if there is none."""
        index = self._kept.pop(context, None)
        if index is None or self._asked[graph] >= MOST_ASKED:
            return None
        self._asked[graph] += 1
        return index


def heard(specs: Sequence[TensorSpec], tensors: Sequence[Tensor]) -> Answer | None:
    """Returns the surest class of a model that says for each class whether it is there, or None for any
    other model."""
    for spec, tensor in zip(specs, tensors, strict=True):
        numbers = dequantized(tensor, spec).numbers()
        if numbers is None or not 0 < numbers.size == max(tensor.shape, default=0) <= MOST_CLASSES:
            continue
        with numpy.errstate(all="ignore"):
            if is_shares(numbers) and (numbers.size == 1 or abs(float(numbers.sum()) - 1) > NEAR_ONE):
                place = int(numbers.argmax())
                return Answer(place, float(numbers.reshape(-1)[place]), numbers.size)
    return None


def heard_divided(
    graph: Graph, inputs: Sequence[Tensor], index: int, sent: Answer, seconds: float, most: float = MOST
) -> str:
    """A sentence if the model hears something in the samples divided by 32768, and nothing as `sent`, or "".
    Raises NNError."""
    array = inputs[index].numpy()
    divided = (array / FULL).astype(array.dtype)
    with Runs(graph, inputs, most, judge=heard, seconds=seconds) as runs:
        answer = runs.changed(index, divided)
        if answer is None or answer.sure < SURE:
            return ""
        softer = runs.changed(index, (SOFTER * divided).astype(array.dtype))
        if softer is None or softer.place != answer.place or softer.sure < STEADY * answer.sure:
            return ""
        mixed = runs.shuffled(Change("", index, divided), range(CONTROLS))
    if len(mixed) < CONTROLS or any(is_as_sure(one, answer) for one in mixed):
        return ""
    kind = f"of class {answer.place} " if answer.classes > 1 else ""
    return (
        f'input {index} "{graph.inputs[index].name}": with samples from -1 to 1 (divided by 32768) the model '
        f"is sure {kind}at {answer.sure:.2f}; as sent, from {array.min():.0f} to {array.max():.0f}, it hears "
        f"nothing: its surest class is at {sent.sure:.2f}"
    )
