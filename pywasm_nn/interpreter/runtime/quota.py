"""How much of something one instance, or several together, may still take.

What is here: `Quota`, an amount, and `Purse`, the fuel of those who run. What is not: whose they are
(`group.py`), and what is counted (`meter.py`, `memory.py`, `table.py`).
"""

from __future__ import annotations

from typing import Protocol

from ...errors import FuelError


class Quota:
    """An amount that only becomes less."""

    __slots__ = ("left",)

    def __init__(self, amount: int) -> None:
        self.left = amount

    def take(self, amount: int) -> bool:
        """Take so much; False, taking nothing, if there isn't as much."""
        if amount > self.left:
            return False
        self.left -= amount
        return True


class Holder(Protocol):
    """Who counts down a slice of a purse: the meter of an instance."""

    held: int
    """What is left of the slice, below zero for a moment when it is used up."""


SLICE = 1 << 29
"""Fuel is counted down in slices of at most so much, in which Python's integers are fastest."""
SHARED = 100_000
"""The slices where several count."""


class Purse:
    """Fuel of the instances of a group. Who runs holds a slice of it; when there is nothing but what others
    hold, their slices come back."""

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
        """A new slice, of at most so much, for who has used up the last one and owes so much beyond it.
        Raises FuelError, after which nothing is left."""
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

    def collect(self) -> None:
        """Take back what was not used."""
        self._rest = self.left
        for holder in self._holders:
            holder.held = 0
        self._holders.clear()
