"""What a local is after many rounds that each combine it with values.

What is not here: which locals these are (`compile/analysis/reductions.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .numeric import DTYPES, Array, has_nan, signed
from .plan import Result

ORDERLESS: dict[str, Any] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "mul": np.multiply,
}
BETTER: dict[str, Any] = {"gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}
BITS = {"i32": 32, "i64": 64}


class Stop(Exception):
    """A round in the piece can't be done at once."""


class Reducer:
    """The locals of a plan in one piece of rounds. Raises Stop where a local can't be said to the bit."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.found: list[int] = []
        """For each result where its extreme is, among the values of all rounds in order; -1 if none is
        better than the value before."""

    def reduced(self, result: Result, before: Any, parts: list[Array]) -> Any:
        """A local after these rounds."""
        kind = result.kind
        self.found.append(-1)
        if kind == "step":
            return before
        if result.type in BITS:
            before &= (1 << BITS[result.type]) - 1
        if kind == "sum":
            total = int(np.add.reduce(parts[0], axis=None, dtype=np.uint64))
            return before + total * (self.rounds // parts[0].size)
        if kind == "horner":
            return self.powered(before, *parts)
        if kind in ORDERLESS:
            return self.combined(ORDERLESS[kind], before, parts)
        if kind == "add":
            return self.added(result, before, parts)
        if kind in ("min", "max"):
            return self.bound(np.minimum if kind == "min" else np.maximum, before, parts)
        if kind == "last":
            return self.value(parts[0], self.rounds - 1)
        if kind == "keep":
            return self.last(before, *parts)
        if kind == "at":
            place = self.found[result.line[0]]
            return before if place < 0 else self.value(parts[place % len(parts)], place // len(parts))
        return self.extreme(kind, result, before, parts)

    def spread(self, part: Array) -> Array:
        """A value for each round."""
        return part if part.size == self.rounds else np.broadcast_to(part, (self.rounds,))

    def in_order(self, parts: list[Array]) -> Array:
        """All values in the order of the rounds, and in a round as they are listed."""
        if len(parts) == 1:
            return self.spread(parts[0])
        made = np.empty((self.rounds, len(parts)), parts[0].dtype)
        for column, part in enumerate(parts):
            made[:, column] = part
        return made.reshape(-1)

    def value(self, part: Array, number: int) -> Any:
        return a_number(part[number if part.size > 1 else 0].item())

    def combined(self, function: Any, before: int, parts: list[Array]) -> int:
        for part in parts:
            before = int(
                function(part.dtype.type(before), function.reduce(self.spread(part), dtype=part.dtype))
            )
        return before

    def powered(self, before: int, term: Array, factor: Array) -> int:
        """Each round multiplies by the factor and adds the term: as a sum of terms times powers."""
        powers = np.full(self.rounds + 1, factor[0], factor.dtype)
        powers[0] = 1
        np.multiply.accumulate(powers, out=powers, dtype=powers.dtype)
        total = np.add.reduce(powers[-2::-1] * term, dtype=np.uint64)
        return before * int(powers[-1]) + int(total)

    def added(self, result: Result, before: float, parts: list[Array]) -> Any:
        values = np.empty(self.rounds * len(parts) + 1, DTYPES[result.type])
        values[0] = before
        values[1:] = self.in_order(parts)
        return a_number(np.add.accumulate(values)[-1].item())

    def bound(self, function: Any, before: float, parts: list[Array]) -> Any:
        """The least or greatest of floats, of which -0 is less than 0."""
        values = np.concatenate([np.array([before], parts[0].dtype), *parts])
        found = a_number(function.reduce(values).item())
        if found:
            return found
        signs = np.signbit(values)  # the others are on the far side of 0
        return -0.0 if (signs.any() if function is np.minimum else signs.all()) else 0.0

    def last(self, before: Any, condition: Array, part: Array) -> Any:
        places = np.flatnonzero(condition)
        if not places.size:
            return before
        return self.value(part, int(places[-1]) if condition.size > 1 else self.rounds - 1)

    def extreme(self, kind: str, result: Result, before: Any, parts: list[Array]) -> Any:
        """The first of the best values, or the last one where an equal value takes the place, too."""
        values = self.in_order(parts)
        start = np.array([before], values.dtype)
        if kind.endswith("_s"):
            values, start = signed(values), signed(start)
        elif result.type[0] == "f" and (has_nan(start) or has_nan(values)):
            raise Stop
        choose = np.argmax if kind[0] == "g" else np.argmin
        place = int(choose(values)) if kind[1] == "t" else values.size - 1 - int(choose(values[::-1]))
        if not BETTER[kind[:2]](values[place], start[0]):
            return before
        self.found[-1] = place
        return values[place].item()


def a_number(value: Any) -> Any:
    """A value whose bits are observed: a NaN is left to the loop as it stands."""
    if value != value:
        raise Stop
    return value
