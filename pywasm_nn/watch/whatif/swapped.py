"""Pictures that a guest sent with blue first, of any file: is the model surer of all with red first?

What is here: `Swapped`, which keeps pictures with their answers, and `red_first_of_all`, which asks the model
once the guest has ended. What is not: several views of a few pictures of a BMP (`blue.py`), and pictures
whose files are named after what they show (`several.py`, `beside.py`).

A model is as sure of most things in wrong colours, but not of all: many pictures, each in both orders, show
which one it knows. Who exchanges colours on purpose has a model that is surer of blue first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen
from ..changes.arrangements import as_before, interleaved
from ..facts import picture_of
from .asking import Runs
from .blue import Blue
from .sureness import Answer, every_answer, mean

MOST, MOST_BYTES = 16, 1 << 20
"""So many inputs are asked about, of so many bytes each at most; of more every second one, or fourth."""
FEWEST = 3
"""So many different pictures are needed."""
LEAST_DOUBT = 0.02
"""How much a model doubts pictures as sent on average, at least."""
TIMES, OF_BLUE = 5.0, 2.5
"""So many times it doubts them less with red first; those of a file that begins with blue, of which programs
mostly forget it."""
CHANGED, NO_SURER, ROOM = 0.4, 0.2, 0.02
"""The least part of the pictures that get another answer, and the most of which a model is less sure with red
first by more than that."""
FEWEST_ANSWERS = 2


class Kept(Frozen):
    """The inputs of a compute, and the answers to each picture in it."""

    inputs: tuple[Tensor, ...]
    answers: tuple[Answer, ...]


class Due(Frozen):
    """The last compute of a model, and what it is asked about."""

    event: NNEvent
    order: Blue
    kept: tuple[Kept, ...]


class Swapped:
    """Keeps the pictures that each model got, all of which are prepared like the one of a known order."""

    def __init__(self) -> None:
        self._orders: dict[Any, Blue] = {}
        """By graph, the first picture that was sent so."""
        self._kept: dict[Any, list[Kept]] = {}
        self._last: dict[Any, NNEvent] = {}
        self._count: dict[Any, int] = {}
        self._step: dict[Any, int] = {}
        """By graph, of how many computes one is kept."""

    def take(self, graph: Any, order: Blue | None) -> None:
        """An input has this order, or is no such picture."""
        if order is not None:
            self._orders.setdefault(graph, order)

    def is_open(self, graph: Any) -> bool:
        """Whether pictures of a graph are kept."""
        return graph in self._orders

    def computed(self, event: NNEvent, inputs: Sequence[Tensor] | None) -> None:
        """A model has answered."""
        graph = event.graph_id
        answers = tuple(every_answer(event.specs, event.tensors))
        if inputs is None or len(inputs) != 1 or not answers or inputs[0].nbytes > MOST_BYTES:
            return
        count, step, kept = self._count.get(graph, 0), self._step.get(graph, 1), self._kept.get(graph, [])
        self._count[graph], self._last[graph] = count + 1, event
        if count % step == 0:
            kept = [*kept, Kept((*inputs,), answers)]
        if len(kept) > MOST:
            kept, step = kept[::2], 2 * step
        self._kept[graph], self._step[graph] = kept, step

    def leave(self, graph: Any) -> None:
        """Ask nothing of a graph: what is wrong with its input is known."""
        self._orders.pop(graph, None)
        self._kept.pop(graph, None)

    def due(self) -> Iterator[Due]:
        """What models are to be asked about when the guest has ended."""
        for graph, order in self._orders.items():
            kept = self._kept.get(graph, [])
            different = {one.inputs[0].view().tobytes() for one in kept}
            pictures = [answer for one in kept for answer in one.answers]
            enough = kept and len(different) * len(pictures) >= FEWEST * len(kept)
            if enough and 1 - mean(pictures) >= LEAST_DOUBT:
                yield Due(self._last[graph], order, (*kept,))


def red_first_of_all(graph: Graph, due: Due, most: float) -> str:
    """A sentence if a model is far surer of all pictures with red first, or "". Raises NNError."""
    own: list[Answer] = []
    reds: list[Answer] = []
    order = due.order
    for one in due.kept:
        array = one.inputs[order.index].numpy()
        picture = None if array is None else picture_of(array.shape)
        if picture is None or picture.channels != 3:
            return ""
        turned = as_before(interleaved(array, picture)[..., ::-1], picture, array.shape)
        with Runs(graph, one.inputs, most, seconds=most) as runs:
            outputs = runs.outputs_of(order.index, numpy.ascontiguousarray(turned)) if runs.left() else []
        answers = every_answer(graph.outputs, outputs) if outputs else ()
        if len(answers) != len(one.answers):
            return ""
        own += one.answers
        reds += answers
    if not are_surer(own, reds, OF_BLUE if order.is_own else TIMES):
        return ""
    others = sum(one.place != other.place for one, other in zip(own, reds, strict=True))
    return (
        f'input {order.index} "{graph.inputs[order.index].name}": the pictures were sent with blue first '
        f"(BGR), as {order.name} shows; with red first (RGB) {others} of {len(own)} get another answer, and "
        f"the model's doubt is {1 - mean(reds):.3f} on average, as sent {1 - mean(own):.3f}"
    )


def are_surer(own: Sequence[Answer], reds: Sequence[Answer], times: float) -> bool:
    """Whether a model has so many times less doubt with red first, where many answers are others, and of
    hardly any picture more."""
    pairs = [*zip(own, reds, strict=True)]
    was, then = 1 - mean(own), 1 - mean(reds)
    others = sum(one.place != other.place for one, other in pairs)
    worse = sum(other.sure < one.sure - ROOM for one, other in pairs)
    return (
        was >= max(LEAST_DOUBT, times * then)
        and others >= CHANGED * len(pairs)
        and worse <= NO_SURER * len(pairs)
        and len({one.place for one in reds}) >= FEWEST_ANSWERS
    )
