"""What instances that run as one have together: what `Limits` allow, turns, time, and whether they may run.

A module's instance is a group of its own; the core instances of a component are one. What is here: `Group`.
What is not: which instances can reach each other, whatever group they are of (`store.py`), and who counts
(`meter.py`).
"""

from __future__ import annotations

from typing import Protocol

from ...checks import check_whole
from ...errors import TrapKind
from ...limits import Limits
from .heap import Alive
from .quota import Purse, Quota
from .store import Member, Store


class Running(Member, Protocol):
    """The meter of an instance."""

    def begin_anew(self) -> None:
        """Let functions that are called from now on be made again."""


class Group:
    """The limits of some instances, and what is left of them for all together."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seconds = limits.seconds
        self.store = Store(limits.seconds, limits.fuel is not None)
        """The store that it began with; others may have become one with it."""
        self.purse = None if limits.fuel is None else Purse(limits.fuel)
        self.host_calls = None if limits.host_calls is None else Quota(limits.host_calls)
        self.memories = Quota(limits.memory_total)
        self.tables = Quota(limits.table_total)
        self.alive = Alive(limits.heap, self.store)
        self.running = 0
        """Calls from outside that are open."""
        self.refusal: TrapKind | None = None
        """Why none of them can be called any more."""
        self._members: list[Running] = []

    @property
    def fuel(self) -> int | None:
        """Instructions that are left of `Limits.fuel`, None without a limit. May be set between calls; raises
        ValueError where there is no limit."""
        return None if self.purse is None else self.purse.left

    @fuel.setter
    def fuel(self, amount: int) -> None:
        check_whole("fuel", amount)
        if self.purse is None:
            raise ValueError("the instance was made without a limit on fuel")
        self.purse.left = amount

    def add(self, member: Running) -> None:
        """Let one more run with the others."""
        self._members.append(member)
        self.store.add(member)

    def poison(self) -> None:
        """Refuse calls from now on: a guest was stopped at a point where its state may be half changed."""
        if self.refusal is None:
            self.refuse(TrapKind.POISONED)

    def refuse(self, kind: TrapKind) -> None:
        """Let all that is called from now on trap, also what others call directly."""
        if self.refusal is kind:
            return
        self.refusal = kind
        for member in self._members:
            member.begin_anew()
