"""Asks a model about words whose letters were sent from the last element on, backwards, or counted from 0
where 0 also fills the rest of the input.

What is here: `Spelling`, how a word was sent, and `Spellings`, which keeps some of them until the model is
asked. What is not: finding the words (`sent.spelt`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, Runs
from .sureness import Answer, mean

ROWS = 3
"""So many words are asked about, in both ways."""
SURE, UNSURE = 0.75, 0.9
"""How sure each other answer must be, and the most that answers as sent are on average."""
DOUBTS = 4
"""The doubts of answers as sent are so many times as large, on average."""


class Spelling(Frozen):
    """A word whose letters fill `count` elements from `start` on, counted from `first` on; the rest is
    `filled` with a number."""

    word: str
    start: int
    count: int
    filled: int
    first: int
    is_backwards: bool = False

    @property
    def way(self) -> str:
        """What may be wrong with it, or "" if the word lies in order at the beginning, with the rest of
        another number."""
        if self.is_backwards:
            return "from the last one to the first"
        if self.start:
            return "at the end of the input, behind the number that fills it"
        return "counted from the number that fills the rest" if self.first == self.filled else ""

    def is_first_of(self, rows: int, letters: int) -> bool:
        """Whether letters are counted from 0, which fills the rest, of a table with a row more than them."""
        return self.first == self.filled == 0 and rows == letters + 1

    def usual(self, array: Any) -> Any:
        """The input with the word in order, at its beginning, counted from a number that nothing else has."""
        flat = numpy.array(array).reshape(-1)
        letters = flat[self.start : self.start + self.count].copy()
        if self.is_backwards:
            letters = letters[::-1]
        flat[:] = self.filled
        flat[: self.count] = letters + (self.first == self.filled)
        return flat.reshape(array.shape)


class Spellings:
    """By graph, the words that may be asked about, all sent in the same way."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[tuple[int, Any, Spelling]]] = {}

    def take(self, graph: Any, index: int, tensor: Tensor, spelling: Spelling) -> None:
        """An input spells a word."""
        kept, array = self._kept.setdefault(graph, []), tensor.numpy()
        if array is None or len(kept) >= ROWS or not spelling.way:
            return
        if any(one[2].word == spelling.word or one[2].way != spelling.way for one in kept):
            return
        kept.append((index, array.copy(), spelling))

    def due(self, graph: Any) -> list[tuple[int, Any, Spelling]]:
        """The words to ask about, once there are enough of them; each time []."""
        kept = self._kept.get(graph, [])
        if len(kept) != ROWS:
            return []
        self._kept[graph] = [*kept, kept[0]]  # asked once
        return kept


def spelt_otherwise(
    graph: Graph,
    inputs: Sequence[Tensor],
    words: Sequence[tuple[int, Any, Spelling]],
    seconds: float,
    most: float = MOST,
) -> str:
    """Returns a sentence if the model is far surer of the words as most programs send them, or "" otherwise.
    Raises NNError."""
    with Runs(graph, inputs, most, seconds=seconds) as runs:
        sent = [runs.changed(index, array) for index, array, _ in words]
        other = [
            runs.changed(index, spelling.usual(array).astype(array.dtype)) for index, array, spelling in words
        ]
    pairs = [(one, two) for one, two in zip(sent, other, strict=True) if one is not None and two is not None]
    if len(pairs) < len(words) or not are_far_surer(pairs):
        return ""
    index, _, spelling = words[0]
    counted = f" and counted from {spelling.first + 1}" if spelling.first == spelling.filled else ""
    was, then = (mean([pair[at] for pair in pairs]) for at in (0, 1))
    return (
        f'input {index} "{graph.inputs[index].name}": the letters of "{spelling.word}" and of others were '
        f"sent {spelling.way}; from the first element on, in their order{counted}, the answers are "
        f"{then:.2f} sure on average; as sent {was:.2f}"
    )


def are_far_surer(pairs: Sequence[tuple[Answer, Answer]]) -> bool:
    """Whether the second of each two answers is sure, and the first ones are far less so."""
    if not are_as_varied(pairs):
        return False
    was, then = (mean([pair[at] for pair in pairs]) for at in (0, 1))
    are_all = all(two.sure >= max(SURE, one.sure) for one, two in pairs)
    are_others = any(one.place != two.place for one, two in pairs)
    return are_all and are_others and was <= UNSURE and 1 - was >= DOUBTS * (1 - then)


def are_as_varied(pairs: Sequence[tuple[Answer, Answer]]) -> bool:
    """Whether the second of each two answers differ, and no fewer than the first ones do: a network that
    reads from one end to the other says one thing of all that ends in padding that it doesn't know."""
    few, many = (len({pair[at].place for pair in pairs}) for at in (0, 1))
    return many >= max(2, few)
