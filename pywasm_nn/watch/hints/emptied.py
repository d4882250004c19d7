"""Pictures behind the first ones that are all zeros: they are taken from the wrong places of an array, or not
there yet.

What is here: `Emptied`, which counts them. What is not: inputs that are all zeros (`values.zeros`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..facts import Compute, Input
from .values import is_zero

FEWEST, MOST_FIRST = 2, 0.5
"""So many zeros follow, and at most this part of all inputs came before."""


class Emptied:
    """Follows computes, and gives sentences when the guest has ended."""

    def __init__(self) -> None:
        self._computes: Counter[int | None] = Counter()
        self._behind: Counter[int | None] = Counter()
        """By graph, the computes with zeros since the last one without."""
        self._last: dict[int | None, Input] = {}

    def computed(self, graph: int | None, compute: Compute) -> None:
        """A model was run."""
        self._computes[graph] += 1
        empty = [one for one in compute.inputs if is_zero(one) and one.picture is not None]
        if not empty:
            return self.filled(graph)
        self._behind[graph] += 1
        self._last[graph] = empty[0]

    def filled(self, graph: int | None) -> None:
        """An input has other elements than zeros."""
        self._behind[graph] = 0

    def finish(self) -> Iterator[str]:
        """Returns a sentence for each model whose last inputs are all zeros behind others."""
        for graph, count in self._behind.items():
            first = self._computes[graph] - count
            if count >= FEWEST and 0 < first <= MOST_FIRST * self._computes[graph]:
                shown = "the first is" if first == 1 else f"the first {first} are"
                yield (
                    f"{self._last[graph]}: all elements of the last {count} inputs are 0, and {shown} not: "
                    "is each one's place in an array right (an offset in bytes or in elements, an index "
                    "times the size), and was it filled?"
                )
