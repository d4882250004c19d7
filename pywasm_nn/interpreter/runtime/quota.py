"""Amounts that one instance, or several together, may still use.

What is here: `Quota`, an amount, and `Purse`, the fuel of running instances. What is not: their owners
(`group.py`), and counting (`meter.py`, `memory.py`, `table.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...errors import FuelError


class Quota:
    """A remaining amount."""

    __slots__ = ("left", "refused")

    def __init__(self, amount: int) -> None:
        self.left = amount
        self.refused = ""
        """A sentence about the last request that was refused and its limit; "" for none. The guest got a
        number for an answer."""

    def take(self, amount: int) -> bool:
        """Take `amount`; returns False and takes nothing if less is left."""
        if amount > self.left:
            return False
        self.left -= amount
        return True

    def refuse(self, what: str, limit: str, most: int, wanted: int, text: Callable[[int], str] = str) -> None:
        """Leave word for the user that a guest was refused something: `wanted` in all is more than `most`, or
        more than is left of the total. `text` writes an amount."""
        more = wanted > most
        why = f'"{limit}" is {text(most)}' if more else f'"{limit}_total" has {text(self.left)} left'
        self.refused = f"the guest asked for {what}, which the host refused: its limit {why}"


class Holder(Protocol):
    """A holder counts down a slice of a purse: the meter of an instance."""

    held: int
    """The rest of the slice; below zero for a moment when it is used up."""


SLICE = 1 << 29
"""The size of a fuel slice: Python's integers are fastest below this size."""
SHARED = 100_000
"""The size of slices if several instances count."""


class Purse:
    """The fuel of a group's instances. A running instance holds a slice of it; when the rest is used up, the
    slices of the other instances are taken back."""

    __slots__ = ("_holders", "_most", "_rest")

    def __init__(self, amount: int) -> None:
        self._rest = amount
        self._most = SLICE
        self._holders: set[Holder] = set()

    @property
    def left(self) -> int:
        return self._rest + sum(max(holder.held, 0) for holder in self._holders)

    @left.setter
    def left(self, amount: int) -> None:
        self.collect()
        self._rest = amount

    def slice(self, holder: Holder, owed: int, most: int = SLICE) -> int:
        """A new slice of at most `most` for a holder that has used up its last one and owes `owed`. Raises
        FuelError, after which nothing is left."""
        if self._rest < owed and self._holders - {holder}:
            self.collect()
            self._most = SHARED
        if self._rest < owed:
            self._rest = 0
            raise FuelError
        self._rest -= owed
        taken = min(self._rest, self._most, most)
        self._rest -= taken
        self._holders.add(holder)
        return taken

    def lend(self, holder: Holder) -> None:
        """Give a holder all that is left, until `collect`."""
        self.collect()
        holder.held, self._rest = self._rest, 0
        self._holders.add(holder)

    def collect(self) -> None:
        """Take back the unused rest of all slices."""
        self._rest = self.left
        for holder in self._holders:
            holder.held = 0
        self._holders.clear()
