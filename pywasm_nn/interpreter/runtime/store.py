"""A store: instances that can reach each other's functions. They share one turn (one thread at a time) and
deadlines.

The specification has the same term (https://webassembly.github.io/spec/core/exec/runtime.html#store). Here
every instance begins with a store of its own, and so does every table and global that can hold functions; two
stores join when something is imported, or when the host passes a reference from one to the other. What is not
here: deadlines themselves (`deadline.py`), and the points where stores join (`link.py`, `instance.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Protocol
from weakref import ref

from ...errors import BusyError

STORES = RLock()
"""Held while stores join, and while members are told that time is over."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=STORES.acquire, after_in_parent=STORES.release, after_in_child=STORES.release)


class Member(Protocol):
    """A member of a store: the meter of an instance."""

    seconds: float | None

    def heed(self) -> None:
        """Check the time from now on."""

    def count_fuel(self) -> None:
        """Count fuel from now on."""

    def tell(self) -> None:
        """A deadline has passed, or a passed deadline has ended: look at the remaining ones."""

    def interrupt(self) -> None:
        """If a deadline has passed, stop the running operations of the host's models."""


class Due(Protocol):
    """A deadline (`deadline.Deadline`)."""

    seconds: float
    moment: float
    over: bool
    only: Member | None

    def error(self) -> BaseException:
        """The error that ends the guest."""

    def end(self, reason: Callable[[], BaseException]) -> None:
        """End the call now, with an error that `reason` makes."""


class Store:
    """A node of a union-find structure: the attributes below are valid for the root."""

    __slots__ = (
        "__weakref__", "_joined", "_most", "_turn", "counts", "deadlines", "depth", "least", "members",
    )  # fmt: skip

    def __init__(self, least: float | None = None, counts: bool = False) -> None:
        self._joined: Store | None = None
        """The store that this one has joined, or None."""
        self._turn = RLock()
        """Held by the thread that runs an instance of the store, `depth` times."""
        self.depth = 0
        """The number of open calls from the host."""
        self.deadlines: list[Due] = []
        """Deadlines of open calls, which members check."""
        self.members: list[ref[Member]] = []
        """Weak references, so that a store keeps no instance alive."""
        self._most = 16
        """The number of members above which dead references are removed."""
        self.least = least
        """The shortest `Limits.seconds` of a member; None if no member has a limit."""
        self.counts = counts
        """Whether all members count fuel, because one of them has a limit on it."""

    def add(self, member: Member) -> None:
        """Add a member; it checks the time and counts fuel if the others do."""
        root = self.root()
        root.members.append(ref(member))
        if root.looks:
            member.heed()
        if root.counts:
            member.count_fuel()

    @property
    def looks(self) -> bool:
        """Whether all members check the time."""
        return self.least is not None or bool(self.deadlines)

    def count_fuel(self) -> None:
        """Make all members count fuel. Called on a root."""
        if self.counts:
            return
        with STORES:
            self.counts = True
            for member in self.everyone():
                member.count_fuel()

    def root(self) -> Store:
        """The root: the store that stands for all joined stores."""
        root = self
        while root._joined is not None:
            root = root._joined
        if root is not self:
            self._joined = root
        return root

    def take(self) -> Store:
        """Begin a call on this thread; returns the root. Raises BusyError if another thread runs the
        store."""
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
        """A context in which no other thread can run the store. Raises BusyError if one does."""
        self.take()
        try:
            yield
        finally:
            self.give()

    def join(self, other: Store | None) -> None:
        """Join another store. Raises BusyError if two threads run the two stores."""
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
            # This thread holds the turn of `one`, and never releases it: the turn of `two` takes its place.
            one._move_calls(two)
            one._become(two)

    def _move_calls(self, other: Store) -> None:
        """Take the other store's turn for the calls that this thread has open here."""
        for taken in range(self.depth):
            if not other._turn.acquire(blocking=False):
                for _ in range(taken):
                    other._turn.release()
                self._turn.release()
                raise BusyError("what shall be shared belongs to an instance that runs on another thread")
        if self.depth:
            other.depth += self.depth

    def _become(self, other: Store) -> None:
        """Become a part of the other store."""
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
        """The members that are still alive."""
        return [member for known in self.members if (member := known()) is not None]
