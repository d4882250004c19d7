"""Asks a model about points in space as most models want them, where a guest sent them otherwise: with the
axes in another order, each axis scaled by itself, not centred, or at other distances. And about a sound at
the rate at which it fits into the input.

What is here: `Points`. What is not: how points were made of a file (`series.axes`), and sounds at another
rate (`sent.other_rate`). A model may want them so, and its author may have chosen so: a change is named only
if the model then sees what the file is named after, and does not as sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from ..depicted import Depicted
from .asking import MOST, Runs
from .sureness import Answer, answer_of

SURE = 0.75
"""How sure the answer must be that the file is named after."""
MOST_ASKED = 3
"""So many inputs of a graph are asked about."""


class Usual(Frozen):
    """Points as most models want them, in the shape of those that were sent: in the order of the file, with
    the mean at 0 and the farthest at a distance of 1; or samples of a sound. `said`: how that differs from
    what was sent."""

    file: str
    said: str
    array: Any


class Kept(Frozen):
    """The index of an input of points, how these would be as usual, and what a file shows, by the number of
    classes. `by_number`: also if its name says that by a digit."""

    index: int
    usual: Usual
    shows: Callable[[str, int], Depicted | None]
    by_number: bool = False


class Meant(Frozen):
    """What a model answers to points as usual: how they differ, the outputs by their index, and the file
    whose name says what they show."""

    said: str
    outputs: Mapping[int, Any]
    file: str


class Points:
    """Keeps inputs of points by context until they are computed."""

    def __init__(self) -> None:
        self._kept: dict[Any, Kept] = {}
        self._asked: Counter[Any] = Counter()
        self._meant: dict[Any, Meant] = {}
        """By context, the last answer whose name only the guest knows."""

    def take(self, context: Any, kept: Kept) -> None:
        """Points were sent otherwise than usual."""
        self._kept[context] = kept

    def due(self, context: Any, graph: Any, answer: Answer | None) -> Kept | None:
        """Returns what a graph is to be asked about: points whose file isn't known to be named after the
        answer, or None if there is nothing."""
        self._meant.pop(context, None)
        kept = self._kept.pop(context, None)
        if kept is None or answer is None or self._asked[graph] >= MOST_ASKED:
            return None
        shown = kept.shows(kept.usual.file, answer.classes)
        is_count = shown is not None and shown.is_number and (shown.is_counted or not kept.by_number)
        if is_count or (shown is not None and answer.place in shown.places):
            return None
        self._asked[graph] += 1
        return kept

    def leave(self, graph: Any) -> None:
        """Ask nothing more of a graph: what is wrong with its inputs was said."""
        self._asked[graph] = MOST_ASKED

    def suppose(self, context: Any, meant: Meant) -> None:
        """The model gives points as usual another answer, and sure. What it is called is not known."""
        self._meant[context] = meant

    def meant(self, context: Any) -> Meant | None:
        """The answer that the guest would write if it had sent points as usual."""
        return self._meant.pop(context, None)


def asked_as_usual(
    graph: Graph, inputs: Sequence[Tensor], kept: Kept, sent: Answer, seconds: float, most: float = MOST
) -> str | Meant | None:
    """Returns a sentence if the model sees in points as usual what their file is named after, the answer
    itself if it is another one whose name isn't known, or else None. Raises NNError."""
    index, usual = kept.index, kept.usual
    shown = kept.shows(usual.file, sent.classes)
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        outputs = runs.outputs_of(index, usual.array.astype(inputs[index].numpy().dtype))
    other = answer_of(graph.outputs, outputs) if outputs else None
    if other is None or other.sure < SURE or other.place == sent.place:
        return None
    said = (
        f'input {index} "{graph.inputs[index].name}": with {usual.said} the answer is {other}, which is what '
        f"{usual.file} is named after; as sent it is {sent}"
    )
    if shown is not None:
        return said if other.place in shown.places else None
    arrays = {at: tensor.numpy() for at, tensor in enumerate(outputs)}
    return Meant(said, arrays, usual.file)
