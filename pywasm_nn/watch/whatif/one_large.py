"""Asks a model with several inputs about one of a number or a few that is far larger than all others: was it
sent in a smaller unit, such as milliseconds for seconds?

What is here: `Large`, which keeps inputs and answers, and `in_larger_unit`. What is not: lines of numbers
in one input (`sent/scalers.py`). A large number alone is right for many models. But then no answer is far
surer than training makes it, and not all are the same that become different sure ones in the other unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.backend import Graph
from ...nn.tensor import Tensor
from ...records import Frozen
from .asking import MOST, Runs
from .sureness import MOST_SURE, OVERSURE, Answer, mean

ROUNDS, MOST_ELEMENTS, FEWEST = 5, 4, 2
"""Inputs that are asked about, the most elements of a large one, and the different answers that are needed in
the other unit."""
LARGE, SMALL, TIMES = 50.0, 20.0, 20.0
"""The least of the large number, the most of all others, and how many times as large it is."""
SURE, BY = 0.8, 1000.0
"""The least mean probability in the other unit, and what the number is divided by for it."""


class Round(Frozen):
    """The inputs of a compute and its answer."""

    inputs: Sequence[Tensor]
    answer: Answer


class Large:
    """Inputs of a graph of which one is far larger than all others."""

    def __init__(self) -> None:
        self._rounds: dict[Any, list[Round]] = {}
        self._done: set[Any] = set()

    def take(self, graph: Any, inputs: Sequence[Tensor], answer: Answer | None) -> list[Round]:
        """Returns the rounds to ask about, once, or []: the answers to all of them were the same one, far too
        sure."""
        kept = self._rounds.setdefault(graph, [])
        index = None if graph in self._done else large_of(inputs)
        if answer is None or answer.margin < OVERSURE or index is None:
            self._done.add(graph)
            kept.clear()
            return []
        if not any(are_equal(one.inputs, inputs) for one in kept):
            kept.append(Round(inputs, answer))
        is_one = len({(one.answer.place, large_of(one.inputs)) for one in kept}) == 1
        if not is_one or len(kept) == ROUNDS:
            self._done.add(graph)
        return kept if is_one and len(kept) == ROUNDS else []


def large_of(inputs: Sequence[Tensor]) -> int | None:
    """The index of the input that is far larger than all others, or None if there is none."""
    numbers = [one.numbers() for one in inputs]
    arrays = [one for one in numbers if one is not None and one.dtype.kind == "f" and one.size]
    if len(arrays) < max(2, len(inputs)) or not all(numpy.isfinite(one).all() for one in arrays):
        return None
    sizes = [float(abs(one).max()) for one in arrays]
    index = int(numpy.argmax(sizes))
    others = max(sizes[:index] + sizes[index + 1 :])
    is_small = arrays[index].size <= MOST_ELEMENTS and others <= SMALL
    return index if is_small and float(abs(arrays[index]).min()) >= max(LARGE, TIMES * others) else None


def are_equal(inputs: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    return all(bytes(one.view()) == bytes(other.view()) for one, other in zip(inputs, others, strict=True))


def in_larger_unit(graph: Graph, rounds: Sequence[Round], seconds: float, most: float = MOST) -> str:
    """A sentence if a model is rightly sure of different answers where the large input is divided, or "".
    Raises NNError."""
    index = large_of(rounds[0].inputs)
    found: list[Answer] = []
    for one in rounds if index is not None else ():
        with Runs(graph, one.inputs, most, seconds=seconds) as runs:
            array = one.inputs[index or 0].numpy()
            other = runs.changed(index or 0, (array / BY).astype(array.dtype)) if runs.left() else None
        found += [other] if other is not None else []
    if len(found) < len(rounds) or mean(found) < SURE or max(one.margin for one in found) > MOST_SURE:
        return ""
    many, margin = len({one.place for one in found}), min(one.answer.margin for one in rounds)
    numbers = numpy.concatenate([one.inputs[index or 0].numpy().reshape(-1) for one in rounds])
    if many < FEWEST:
        return ""
    return (
        f'input {index} "{graph.inputs[index or 0].name}" is {numbers.min():.4g} to {numbers.max():.4g}, far '
        f"larger than all other inputs: {len(rounds)} different ones get one answer, e^{margin:.0f} times or "
        f"more as probable as the next; with it divided by {BY:g} they get {many}, at {mean(found):.2f} on "
        "average: was it sent in a smaller unit (milliseconds for seconds)?"
    )
