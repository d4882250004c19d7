"""Inputs that are the bytes of files, about which a model is asked when it doubts one of them, or else once
the guest has ended.

What is here: `ByteFiles`, which keeps a few inputs of each graph, those first that the model doubts most: of
one file it says the right thing whatever was padded or exchanged, of the next one it doesn't, and opening the
model again takes longer than all questions. What is not: the questions (`padding.py`, `both_ends.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...nn.backend import Graph
from ...nn.operation import NNEvent
from ...nn.tensor import Tensor
from ...records import Frozen, changed
from ..origin.bytewise import begins_in, begun_alone, begun_half, begun_whole, end_first, padding_in
from ..surroundings import Files
from .both_ends import Begun, beginning_first, with_its_end, with_the_end, with_their_ends
from .padding import OfBytes, classes_begun, classes_of, other_padding
from .sureness import Answer

MOST_KEPT, MOST_LOOKS, MOST_BYTES = 4, 16, 1 << 18
"""Inputs of a graph that are asked about, those that are compared with files, and the bytes of one."""
FEWEST_BEGUN, MOST_BEGUN = 2, 8
"""Inputs that are just the first bytes of longer files: how many are asked about together."""
MOST_CERTAIN = 0.999
"""An answer that is surer is right, or so wrong that nothing makes it surer."""
DOUBTED = 0.75
"""An answer that is less sure is worth opening the model again."""


class Kept(Frozen):
    """A compute of bytes of a file, the index of the input, its answer, and what may be wrong with it: the
    byte with which it is filled up, if that may be one of the file (else -1), the element at which the file's
    beginning lies behind its end (else 0), and the elements with the file's end in their second half, of a
    longer file or of one that all lies in the first half (else None)."""

    event: NNEvent
    inputs: tuple[Tensor, ...]
    index: int
    sent: Answer
    padding: int
    known: OfBytes
    place: int
    filled: Any
    alone: Any = None

    def said(self, graph: Graph, seconds: float, most: float) -> str:
        """What the model says of it otherwise, or "" if nothing is. Raises NNError."""
        given = graph, self.inputs, self.index
        if self.place:
            return beginning_first(*given, self.place, self.sent, seconds, most)
        if self.padding >= 0 and (text := other_padding(*given, seconds, most, self.known)):
            return text
        if self.alone is not None:
            return with_its_end(*given, self.alone, self.sent, seconds, most)
        return "" if self.filled is None else with_the_end(*given, self.filled, self.sent, seconds, most)


class Beginnings(Frozen):
    """Computes of the first bytes of longer files alone, of one graph."""

    event: NNEvent
    index: int
    several: tuple[Begun, ...]

    def said(self, graph: Graph, seconds: float, most: float) -> str:
        """Returns a sentence if the model wants the ends of the files, too, or "". Raises NNError."""
        return with_their_ends(graph, self.several, self.index, seconds, most)


class ByteFiles:
    """By graph, the inputs that a model is asked about."""

    def __init__(self, files: Files = tuple) -> None:
        self._files = files
        self._kept: dict[int | None, list[Kept]] = {}
        self._looked: dict[int | None, int] = {}
        self._begun: dict[int | None, Beginnings] = {}
        """By graph, inputs that are full of the first bytes of files, about which it is asked together."""

    def close(self, graph: int | None) -> None:
        """What is wrong with the inputs of a graph is known."""
        self._kept.pop(graph, None)
        self._begun.pop(graph, None)
        self._looked[graph] = MOST_LOOKS

    def take(self, event: NNEvent, inputs: Sequence[Tensor], index: int, sent: Answer, rows: int) -> bool:
        """An input that may be the bytes of a file was computed, of a model that knows so many numbers (0: it
        isn't known). Whether it is asked about later, if there is time."""
        looked = self._looked[event.graph_id] = self._looked.get(event.graph_id, 0) + 1
        array = inputs[index].numpy() if inputs[index].size <= MOST_BYTES else None
        if looked > MOST_LOOKS or array is None or array.dtype.kind not in "iu" or array.dtype.itemsize == 1:
            return False
        found = next(self._questions(event, inputs, index, sent, rows), None)
        if found is None:
            self._begin(event, inputs, index, sent)
            return False
        kept = self._kept.setdefault(event.graph_id, [])
        kept.append(found)
        kept.sort(key=lambda one: one.sent.sure)
        del kept[MOST_KEPT:]
        return True

    def _begin(self, event: NNEvent, inputs: Sequence[Tensor], index: int, sent: Answer) -> None:
        """Keep an input that is nothing but the first bytes of a file."""
        before = self._begun.get(event.graph_id)
        several = () if before is None else before.several
        if len(inputs) > 1 or len(several) >= MOST_BEGUN:
            return
        array = inputs[index].numpy()
        for name, data in reversed(self._files()):
            made = begun_whole(data, array)
            if made is not None:
                one = Begun(tuple(inputs), sent, made, name)
                self._begun[event.graph_id] = Beginnings(event, index, (*several, one))
                return

    def _questions(
        self, event: NNEvent, inputs: Sequence[Tensor], index: int, sent: Answer, rows: int
    ) -> Iterator[Kept]:
        """What may be asked about an input, by the file that was read last of all whose bytes it has."""
        array, files = inputs[index].numpy(), self._files()
        if sent.sure > MOST_CERTAIN:
            return
        for name, data in reversed(files):
            place, filled = end_first(data, array), begun_half(data, array)
            padding = padding_in(data, array) if place or begins_in(data, array) else -1
            alone = begun_alone(data, array)
            if not place and filled is None and alone is None and padding < 0:
                continue
            known = OfBytes.of(rows, name, files, sent.classes, padding)
            yield Kept(event, tuple(inputs), index, sent, padding, known, place, filled, alone)

    def are_short(self, graph: int | None) -> bool:
        """Whether a model is to be asked about the end of a short file, which no other hint explains."""
        return any(one.alone is not None for one in self._kept.get(graph, ()))

    def doubted(self, graph: int | None) -> list[Kept]:
        """Returns the inputs that were kept, the most doubtful first, if one is worth a question, or []."""
        kept = self._kept.get(graph, [])
        return self._kept.pop(graph) if kept and kept[0].sent.sure <= DOUBTED else []

    def rest(self) -> list[Kept | Beginnings]:
        """The inputs that nothing was asked about. Lists of names are often read last."""
        rest: list[Kept | Beginnings] = [one for kept in self._kept.values() for one in kept]
        files = self._files()
        for begun in self._begun.values():
            if len(begun.several) >= FEWEST_BEGUN:
                several = []
                for one in begun.several:
                    known = one.file, files, one.sent.classes
                    several.append(changed(one, named=classes_of(*known) or classes_begun(*known)))
                rest.append(changed(begun, several=(*several,)))
        self._kept.clear()
        self._begun.clear()
        return rest
