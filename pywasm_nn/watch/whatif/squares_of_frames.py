"""Asks a model about frames of a sound with as many bands as frames, so that the shape doesn't say which of
the two come first: exchanged.

What is here: `Squares`, which keeps the first inputs, and `exchanged`. What is not: inputs whose sides differ
(`origin/features.py`), and pictures (`changes/arrangements.py`).

Three things speak together: the first input is exactly such features of a file; the model doubts each input
as sent, also in the mirror and upside down; and exchanged it is sure of each, and tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from .asking import LEAST as LEAST_TIME
from .asking import MOST, Change, Runs
from .sureness import MOST_SURE, Answer, mean

FEWEST, MOST_KEPT, EXACT = 2, 4, 0.999
"""Inputs that are asked about, and that are kept; how like features those of the first one are."""
DOUBTED, SURE, TIMES, FLIPPED, SHUFFLED, SEEDS = 0.75, 0.95, 5.0, 0.9, 0.8, 3
"""How sure each answer as sent is at most, and exchanged at least; how many times as large the doubt as sent
is; how sure answers to what was sent in the mirror or upside down are on average at most, and those to
elements in so many random orders."""
FLIPS = (-1,), (-2,), (-2, -1)
Kept = Sequence[tuple[Tensor, Answer]]


class Squares:
    """By graph, the first inputs."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[tuple[Tensor, Answer]]] = {}
        self._closed: set[Any] = set()

    def take(self, graph: Any, given: Tensor, sent: Answer | None, features: Any) -> Kept:
        """An input was computed, whose `features` are known if it was the first. Returns all inputs so far if
        they are enough to ask about, and each is doubted; else []."""
        kept = self._kept.setdefault(graph, [])
        if graph in self._closed or not (kept or is_square(given, features)):
            self._closed.add(graph)
            return []
        if sent is None or sent.sure > DOUBTED or not self._is_like(kept, given):
            self._closed.add(graph)
            return []
        kept.append((Tensor(given.dtype, given.shape, bytes(given.view())), sent))
        if len(kept) == MOST_KEPT:
            self._closed.add(graph)
        return kept if len(kept) in (FEWEST, MOST_KEPT) else []

    @staticmethod
    def _is_like(kept: Kept, given: Tensor) -> bool:
        return all(one.shape == given.shape for one, _ in kept)

    def close(self, graph: Any) -> None:
        """What is wrong with the inputs of a graph is known."""
        self._closed.add(graph)


def is_square(given: Tensor, features: Any) -> bool:
    """Whether an input is exactly so many frames of as many bands, along its last two dimensions."""
    sides = [length for length in given.shape if length != 1]
    if features is None or len(sides) != 2 or sides[0] != sides[1] or [*given.shape[-2:]] != sides:
        return False
    return bool(features.found.like >= EXACT and features.found.layout.frames.shape == (sides[0], sides[1]))


def exchanged(graph: Graph, kept: Kept, features: Any, seconds: float, most: float = MOST) -> str:
    """A sentence if a model of one input is sure of all inputs with frames and bands exchanged, or "". Raises
    NNError."""
    first, sent = kept[0][0], [answer for _, answer in kept]
    arrays = [one.numpy() for one, _ in kept]
    turned = [numpy.ascontiguousarray(one.swapaxes(-2, -1)) for one in arrays]
    with Runs(graph, [first], max(most, LEAST_TIME), seconds=seconds) as runs:
        found = [answer for one in turned if runs.left() and (answer := runs.changed(0, one)) is not None]
        if len(found) < len(sent) or not is_meant(sent, found):
            return ""
        flips = [numpy.ascontiguousarray(numpy.flip(one, axes)) for one in arrays[:FEWEST] for axes in FLIPS]
        others = [answer for one in flips if runs.left() and (answer := runs.changed(0, one)) is not None]
        mixed = runs.shuffled(Change("", 0, turned[0]), range(SEEDS))
    if not (others and mixed) or mean(others) > FLIPPED or mean(mixed) > SHUFFLED:
        return ""
    count = features.found.layout.frames.shape[0]
    has, wants = ("band by band", "frame by frame")[:: 1 if features.found.layout.is_turned else -1]
    return (
        f'input 0 "{graph.inputs[0].name}": it has {count} frames of {count} bands of a sound, {has}; '
        f"{len(sent)} inputs as sent get answers that are {mean(sent):.2f} sure on average, and {wants} "
        f"{mean(found):.2f}: are frames and bands (time and frequency) to be exchanged?"
    )


def is_meant(sent: Sequence[Answer], found: Sequence[Answer]) -> bool:
    """Whether all answers are sure, as training makes it, not all the same, and not those as sent."""
    are_sure = all(one.sure >= SURE and one.margin <= MOST_SURE for one in found)
    places = [[one.place for one in each] for each in (sent, found)]
    is_surer = 1 - mean(sent) >= TIMES * (1 - mean(found))
    return are_sure and is_surer and places[0] != places[1] and len({*places[1]}) > 1
