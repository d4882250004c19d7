"""What a local is after many rounds that each combine it with values.

What is not here: which locals these are (`compile/analysis/reductions.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .numeric import DTYPES, Array, signed
from .plan import Result

ORDERLESS: dict[str, Any] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "mul": np.multiply,
}
BETTER: dict[str, Any] = {"gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}


class Reducer:
    """The locals of a plan in one piece of rounds."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.found: list[int] = []
        """For each result where its extreme is, among the values of all rounds in order; -1 if none is
        better than the value before."""

    def reduced(self, result: Result, before: Any, parts: list[Array]) -> Any:
        """A local after these rounds; None if that can't be said."""
        kind = result.kind
        self.found.append(-1)
        if kind == "step":
            return before
        if kind == "sum":
            total = int(np.add.reduce(parts[0], axis=None, dtype=np.uint64))
            return before + total * (self.rounds // parts[0].size)
        if kind in ORDERLESS:
            return self.combined(ORDERLESS[kind], before, parts)
        if kind == "add":
            return self.added(result, before, parts)
        if kind == "keep":
            return self.last(before, *parts)
        if kind == "at":
            place = self.found[result.line[0]]
            return before if place < 0 else self.value(parts[place % len(parts)], place // len(parts))
        return self.extreme(kind, result, before, parts)

    def in_order(self, parts: list[Array]) -> Array:
        """All values in the order of the rounds, and in a round as they are listed."""
        made = np.empty((self.rounds, len(parts)), parts[0].dtype)
        for column, part in enumerate(parts):
            made[:, column] = part
        return made.reshape(-1)

    def value(self, part: Array, number: int) -> Any:
        return part[number if part.size > 1 else 0].item()

    def combined(self, function: Any, before: int, parts: list[Array]) -> int:
        for part in parts:
            whole = part if part.size == self.rounds else np.broadcast_to(part, (self.rounds,))
            before = int(function(part.dtype.type(before), function.reduce(whole, dtype=part.dtype)))
        return before

    def added(self, result: Result, before: float, parts: list[Array]) -> Any:
        values = np.empty(self.rounds * len(parts) + 1, DTYPES[result.type])
        values[0] = before
        values[1:] = self.in_order(parts)
        total = np.add.accumulate(values)[-1].item()
        return total if total == total else None

    def last(self, before: Any, condition: Array, part: Array) -> Any:
        places = np.flatnonzero(condition)
        if not places.size:
            return before
        return self.value(part, int(places[-1]) if condition.size > 1 else self.rounds - 1)

    def extreme(self, kind: str, result: Result, before: Any, parts: list[Array]) -> Any:
        """The first of the best values, or the last one where an equal value takes the place, too."""
        values = self.in_order(parts)
        better = BETTER[kind[:2]]
        if result.type[0] == "i":
            before &= (1 << values.dtype.itemsize * 8) - 1
        start = values.dtype.type(before)
        if kind.endswith("_s"):
            values, start = signed(values), start.astype(np.int32 if values.itemsize == 4 else np.int64)
        elif result.type[0] == "f" and (start != start or np.isnan(values).any()):
            return None
        choose = np.argmax if kind[0] == "g" else np.argmin
        place = int(choose(values)) if kind[1] == "t" else values.size - 1 - int(choose(values[::-1]))
        if not better(values[place], start):
            return before
        self.found[-1] = place
        return values[place].item()
