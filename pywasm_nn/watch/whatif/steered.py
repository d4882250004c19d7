"""`Steered`: the first steps of a guest that moves something by a model's answers, as they were sent.

What is not here: what the steps say (`turning.py`, `balancing.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.operation import NNEvent
from ...nn.tensor import Tensor

WAYS = 2
"""The elements of an answer that chooses one of two ways."""


class Steered:
    """By graph, the steps with the answers to them."""

    def __init__(self, elements: Sequence[int], answers: int, due: Sequence[int]) -> None:
        """A step has one of these numbers of `elements`, and an answer has so many at most. Steps are `due`
        when they are so many."""
        self._elements, self._answers, self._due = elements, answers, due
        self._steps: dict[Any, list[tuple[Any, float]]] = {}
        self._done: set[Any] = set()

    def take(self, event: NNEvent, inputs: Sequence[Tensor]) -> list[tuple[Any, float]]:
        """A model was computed. Returns its first steps, f64 [elements], if they are due; else []."""
        number = event.graph_id
        if number in self._done or len(inputs) != 1 or len(event.tensors) != 1:
            return []
        own, answer = inputs[0].numbers(), event.tensors[0].numbers()
        if own is None or answer is None or own.dtype.kind != "f" or answer.dtype.kind != "f":
            self._done.add(number)
            return []
        if own.size not in self._elements or not 0 < answer.size <= self._answers:
            self._done.add(number)
            return []
        kept = self._steps.setdefault(number, [])
        kept.append((own.reshape(-1).astype("f8"), strength(answer)))
        if len(kept) == max(self._due):
            self._done.add(number)
        return kept if len(kept) in self._due else []


def strength(answer: Any) -> float:
    """The answer, or by how much the second of two ways is better than the first."""
    flat = answer.reshape(-1).astype("f8")
    return float(flat[-1] - flat[0] if flat.size == WAYS else flat[0])
