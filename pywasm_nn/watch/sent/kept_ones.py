"""Boards and the like as zeros and a one for each square (or place), of which the ones of the inputs before
stay.

What is here: `KeptOnes`, which knows by the first input how squares and kinds lie. What is not: ones for the
words of a table's columns (`sheets.kept_ones`), and counts (`uncleared.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.tensor import Tensor
from ...records import Frozen

MOST, MOST_KINDS, FEWEST = 1 << 13, 32, 9
"""Elements of an input, kinds, and squares that have one each."""
ENOUGH = 2
"""So many inputs have all ones of those before, and squares of two kinds."""


class Way(Frozen):
    """So many kinds, `behind` each other for all squares, or side by side for each."""

    kinds: int
    behind: bool

    def counts(self, flat: Any) -> Any:
        """How many ones each square has."""
        planes = flat.reshape(self.kinds, -1) if self.behind else flat.reshape(-1, self.kinds).T
        return planes.sum(axis=0)


class KeptOnes:
    """Keeps the ways in which an input's first tensor has a single one for each square, and its last one."""

    def __init__(self) -> None:
        self._ways: dict[Any, list[Way]] = {}
        self._before: dict[Any, Any] = {}
        self._grown: dict[Any, int] = {}
        """How many tensors in a row had all ones of the one before, and others."""

    def wrong(self, key: Any, tensor: Tensor) -> str:
        """Returns what is wrong with the next input, or "" if nothing is."""
        numbers = tensor.numbers() if 2 * FEWEST <= tensor.size <= MOST else None
        if numbers is None or not ((numbers == 0) | (numbers == 1)).all():
            self._ways[key] = []
            return ""
        own = (numbers == 1).reshape(-1)
        if key not in self._ways:
            self._ways[key] = [*ways_of(own)]
            self._before[key], self._grown[key] = own, 0
            return ""
        before, ways = self._before.get(key), self._ways[key]
        if not ways or before is None or own.size != before.size or (own == before).all():
            return ""
        ways = [one for one in ways if one.counts(own).max() > 1 and one.counts(own).min() > 0]
        self._ways[key] = ways = ways if own[before].all() else []
        self._before[key] = own
        self._grown[key] += 1
        if not ways or self._grown[key] != ENOUGH:
            return ""
        counts = ways[0].counts(own)
        return (
            f"the first one had a 1 for each of {counts.size} squares (or places) of {ways[0].kinds} kinds; "
            f"now {int((counts > 1).sum())} of these are of several kinds at once, and nothing that was 1 in "
            f"the {ENOUGH} inputs before is 0 again: are all elements to be set back to 0 before each?"
        )


def ways_of(own: Any) -> Iterator[Way]:
    """Yields the ways in which ones are one for each square, of several kinds."""
    for kinds in range(2, MOST_KINDS + 1):
        if own.size % kinds or own.sum() != own.size // kinds or own.size // kinds < FEWEST:
            continue
        yield from (one for one in (Way(kinds, True), Way(kinds, False)) if (one.counts(own) == 1).all())
