"""Asks a model about sequences that are padded with zeros at one end, in an input of a fixed length: is it
far surer of them padded at the other end?

What is here: `Ends`, which keeps some sequences until the model is asked, and `padded_otherwise`. What is
not: letters of words (`spelt.py`), and masks (`masks.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, Runs
from .spelt import are_as_varied, are_far_surer
from .sureness import OVERSURE, Answer, answer_or_share, mean

ROWS, LENGTHS = 5, 2
"""So many sequences are asked about, of so many different lengths at least."""
SHORTEST, MOST_ELEMENTS, MOST_LOOKS = 4, 1 << 12, 16
DOUBT, SOME, TIMES = 0.01, 0.04, 20
"""The doubt of answers as a model gives them to what it knows, some doubt, and how many times as much."""
ALIKE = 6.0
"""Elements are of one kind if the largest of a place is at most so many times that of another place."""


class Padded(Frozen):
    """A sequence in an input [1, length, ...]: how many places of it are zeros, and at which end."""

    array: Any
    zeros: int
    is_first: bool

    def turned(self) -> Any:
        """The same sequence with its zeros at the other end."""
        return numpy.roll(self.array, -self.zeros if self.is_first else self.zeros, axis=1)


class Ends:
    """By graph, sequences that may be asked about, all padded at the same end."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[Padded]] = {}
        self._looked: dict[Any, int] = {}

    def take(self, graph: Any, tensor: Tensor) -> None:
        """An input was set."""
        self._looked[graph] = self._looked.get(graph, 0) + 1
        kept = self._kept.setdefault(graph, [])
        numbers = tensor.numbers() if tensor.size <= MOST_ELEMENTS and len(kept) < ROWS else None
        if (
            numbers is None
            or not numbers.size
            or not 2 <= len(tensor.shape) <= 3
            or self._looked[graph] > MOST_LOOKS
        ):
            return
        rows = numbers.reshape(tensor.shape)
        if rows.shape[1] < SHORTEST or not is_of_one_kind(rows):
            self._looked[graph] = MOST_LOOKS
            return
        for at in range(len(rows)):
            found = padded(rows[at : at + 1].copy())
            if found is None or (kept and not goes_with(found, kept[0])):
                kept.clear()
                self._looked[graph] = MOST_LOOKS
                return
            if found.zeros and all((found.array != one.array).any() for one in kept) and len(kept) < ROWS:
                kept.append(found)

    def due(self, graph: Any) -> list[Padded]:
        """The sequences to ask about, once there are enough; each time []."""
        kept = self._kept.get(graph, [])
        if len(kept) < ROWS or len({one.zeros for one in kept}) < LENGTHS:
            return []
        self._kept[graph] = []
        self._looked[graph] = MOST_LOOKS
        return kept


def goes_with(one: Padded, other: Padded) -> bool:
    """Whether two sequences have one length with their padding, at the same end if both have any."""
    return one.array.shape == other.array.shape and (not one.zeros or one.is_first == other.is_first)


def padded(array: Any) -> Padded | None:
    """How a sequence is padded at one end; None if it has zeros elsewhere, or nothing else."""
    filled = (array[0] != 0).reshape(array.shape[1], -1).any(axis=1)
    places = numpy.flatnonzero(filled)
    if not len(places) or places[-1] - places[0] + 1 != len(places):
        return None
    before, behind = int(places[0]), len(filled) - 1 - int(places[-1])
    return None if before and behind else Padded(array, max(before, behind), bool(before))


def is_of_one_kind(rows: Any) -> bool:
    """Whether numbers are of one kind at all places, and no columns of a table; whole ones may be words."""
    if rows.dtype.kind in "iu":
        return True
    if rows.dtype.kind != "f" or not numpy.isfinite(rows).all():
        return False
    largest = numpy.abs(rows).reshape(rows.shape[0], rows.shape[1], -1).max(axis=(0, 2))
    filled = largest[largest > 0]
    return len(filled) > 1 and bool(filled.max() <= ALIKE * filled.min())


def padded_otherwise(graph: Graph, rows: Sequence[Padded], seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input is far surer of sequences that are padded at the other end, or "".
    Raises NNError."""
    sent = [Tensor.from_numpy(rows[0].array)]
    with Runs(graph, sent, most, judge=answer_or_share, seconds=seconds) as runs:
        pairs = [(runs.changed(0, one.array), runs.changed(0, one.turned())) for one in rows]
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    if len(known) < len(rows) or not (are_far_surer(known) or are_without_doubt(known)):
        return ""
    own, other = ("before", "behind") if rows[0].is_first else ("behind", "before")
    was, then = (mean([pair[at] for pair in known]) for at in (0, 1))
    return (
        f'input 0 "{graph.inputs[0].name}": sequences that don\'t fill it have zeros {own} them; '
        f"with the zeros {other} them the answers are {then:.2f} sure on average, as sent {was:.2f}: does "
        "the model want them padded at the other end?"
    )


def are_without_doubt(pairs: Sequence[tuple[Answer, Answer]]) -> bool:
    """Whether the second of each two answers, most of which are other ones, has hardly any doubt, and the
    first ones have some."""
    was, then = (1 - mean([pair[at] for pair in pairs]) for at in (0, 1))
    others = sum(one.place != two.place for one, two in pairs)
    are_all = all(two.sure >= one.sure - DOUBT and two.margin < OVERSURE for one, two in pairs)
    are_all = are_all and are_as_varied(pairs)
    return are_all and 2 * others > len(pairs) and then <= DOUBT and was >= max(SOME, TIMES * then)
