"""What instances that can reach each other's functions have in common: one thread at a time, and deadlines.

The specification calls this a store (https://webassembly.github.io/spec/core/exec/runtime.html#store). Here
every instance begins with a store of its own, and so does every table and global that can hold functions;
two become one when something is imported, or when a reference gets from one to the other by way of the host.
What is not here: what a deadline is (`deadline.py`), and who joins when (`link.py`, `instance.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Protocol
from weakref import ref

from ...errors import BusyError

STORES = RLock()
"""Held while stores become one, and while their members are told that time is over."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=STORES.acquire, after_in_parent=STORES.release, after_in_child=STORES.release)


class Member(Protocol):
    """What runs in a store: the meter of an instance."""

    seconds: float | None

    def heed(self) -> None:
        """Look at the time from now on."""

    def count_fuel(self) -> None:
        """Count fuel from now on."""

    def tell(self) -> None:
        """A deadline is over, or one that was over is gone: look which are left."""

    def interrupt(self) -> None:
        """If a deadline is over, end what goes on in models of the host's."""


class Due(Protocol):
    """A deadline (`deadline.Deadline`)."""

    seconds: float
    moment: float
    over: bool
    only: Member | None


class Store:
    """A node of a union-find structure: what is written below is true of the root."""

    __slots__ = (
        "__weakref__", "_joined", "_most", "_turn", "counts", "deadlines", "depth", "least", "members",
    )  # fmt: skip

    def __init__(self, least: float | None = None, counts: bool = False) -> None:
        self._joined: Store | None = None
        """The store that this one has become a part of."""
        self._turn = RLock()
        """Held by the thread that runs an instance of the store, as often as `depth` says."""
        self.depth = 0
        """Calls from outside that are open."""
        self.deadlines: list[Due] = []
        """Of calls that are open, those that members look at."""
        self.members: list[ref[Member]] = []
        """Weak references, so that a store keeps nobody alive."""
        self._most = 16
        """So many members before those that are gone are left out."""
        self.least = least
        """The shortest `Limits.seconds` of a member; None if no member has one."""
        self.counts = counts
        """Whether all members count fuel, because one of them has a limit on it."""

    def add(self, member: Member) -> None:
        """Let one more run here, that looks at the time if those do that are here already."""
        root = self.root()
        root.members.append(ref(member))
        if root.looks:
            member.heed()
        if root.counts:
            member.count_fuel()

    @property
    def looks(self) -> bool:
        """Whether all members look at the time."""
        return self.least is not None or bool(self.deadlines)

    def count_fuel(self) -> None:
        """Let all members count fuel. Called for a root."""
        if self.counts:
            return
        with STORES:
            self.counts = True
            for member in self.everyone():
                member.count_fuel()

    def root(self) -> Store:
        """The store that stands for all that have become one."""
        root = self
        while root._joined is not None:
            root = root._joined
        if root is not self:
            self._joined = root
        return root

    def take(self) -> Store:
        """Begin a call on this thread; the root. Raises BusyError if another thread is running the store."""
        while True:
            root = self if self._joined is None else self.root()
            if root._turn.acquire(blocking=False):
                if root._joined is None:
                    root.depth += 1
                    return root
                root._turn.release()
            elif root._joined is None:
                raise BusyError("the instance, or one that shares functions with it, runs on another thread")

    def give(self) -> None:
        """End a call."""
        root = self if self._joined is None else self.root()
        root.depth -= 1
        root._turn.release()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let no other thread run the store meanwhile. Raises BusyError if one does."""
        self.take()
        try:
            yield
        finally:
            self.give()

    def join(self, other: Store | None) -> None:
        """Become one with another store. Raises BusyError if they are running on two threads."""
        if other is None or self.root() is other.root():
            return
        with STORES:
            one, two = self.root(), other.root()
            if one is two:
                return
            if len(one.members) > len(two.members):
                one, two = two, one
            if not one._turn.acquire(blocking=False):
                one, two = two, one
                if not one._turn.acquire(blocking=False):
                    raise BusyError("what shall be shared belongs to instances that run on two threads")
            # This thread holds the turn of `one`, and never gives it back: `two` takes its place.
            one._move_calls(two)
            one._become(two)

    def _move_calls(self, other: Store) -> None:
        """Hold the other's turn for the calls that this thread has open here."""
        for taken in range(self.depth):
            if not other._turn.acquire(blocking=False):
                for _ in range(taken):
                    other._turn.release()
                self._turn.release()
                raise BusyError("what shall be shared belongs to an instance that runs on another thread")
        if self.depth:
            other.depth += self.depth

    def _become(self, other: Store) -> None:
        """Be a part of the other from now on."""
        for one, two in (self, other), (other, self):
            if one.looks and not two.looks:
                for member in two.everyone():
                    member.heed()
            if one.counts and not two.counts:
                for member in two.everyone():
                    member.count_fuel()
        if self.least is not None:
            other.least = self.least if other.least is None else min(other.least, self.least)
        other.counts = other.counts or self.counts
        other.members += self.members
        if len(other.members) > other._most:
            other.members = [ref(member) for member in other.everyone()]
            other._most = 2 * len(other.members) + 16
        other.deadlines += [due for due in self.deadlines if due not in other.deadlines]
        self._joined = other
        self.deadlines, self.members = [], []
        if any(due.over for due in other.deadlines):
            for member in other.everyone():
                member.tell()

    def everyone(self) -> list[Member]:
        """The members that are alive."""
        return [member for known in self.members if (member := known()) is not None]
