"""Deadlines of calls from the host. A deadline belongs to the called instance and applies to all code that
runs for the call.

A deadline applies to every instance in the store of the called instance. If a host function calls an instance
of another store, the deadlines of the surrounding calls apply there too: on the same thread, and wherever the
thread's context goes, for example in tasks and threads of asyncio. If the called instance has no limit, or a
longer one, instances in its store with a shorter limit still stop at their own. What is not here: how an
instance stops (`meter.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from time import monotonic

from ...errors import DeadlineError
from .alarm import CLOCK
from .store import STORES, Member, Store

PAUSE = 1e6
"""Seconds by which deadlines are postponed during a pause."""


class Deadline:
    """The time by which a call must have ended, for the members of some stores, or for one member; an
    alarm."""

    __slots__ = ("kept", "moment", "only", "over", "reason", "seconds", "stores")

    def __init__(self, seconds: float, moment: float, store: Store, only: Member | None) -> None:
        self.seconds = seconds
        self.moment = moment
        self.over = False
        self.kept = True
        """Whether the deadline still applies: the call runs, or ended too late, so work for it must end as
        well."""
        self.only = only
        self.stores = [store]
        self.reason: Callable[[], BaseException] | None = None
        """Makes an error to raise in place of DeadlineError, one for each thread."""

    def error(self) -> BaseException:
        """The error that ends the guest."""
        return self.reason() if self.reason else DeadlineError(self.seconds)

    def end(self, reason: Callable[[], BaseException]) -> None:
        """End the call now, for a reason of its own. Called on any thread."""
        CLOCK.cancel(self)
        self.reason = self.reason or reason
        self.moment = monotonic()
        self.ring()

    def ring(self) -> None:
        """The time is over: tell the members. Called on the thread of the clock."""
        with STORES:
            self.over = True
            members = self.tell()
        for member in members:
            member.interrupt()

    def tell(self) -> list[Member]:
        """Let the members concerned look at their deadlines again; returns them."""
        members = [self.only] if self.only else [m for store in self.stores for m in store.root().everyone()]
        for member in members:
            member.tell()
        return members

    def enter(self, store: Store) -> None:
        """Apply to a further store."""
        self.stores.append(store)
        store.deadlines.append(self)
        for member in store.everyone():
            member.heed()
        self.over = self.over or monotonic() >= self.moment
        if self.over:
            self.tell()

    def leave(self, store: Store) -> None:
        """Stop applying to a store; after the last one, cancel the alarm. Called with `STORES` held."""
        if store in self.stores:
            self.stores.remove(store)
        root = store.root()
        if not self.stores:
            CLOCK.cancel(self)
        elif any(left.root() is root for left in self.stores):
            return  # both stores have joined
        if self in root.deadlines:
            root.deadlines.remove(self)
        if self.over:
            for member in root.everyone():
                member.tell()


OPEN: ContextVar[tuple[Deadline, ...]] = ContextVar("OPEN", default=())
"""The deadlines of the open calls around the running code."""


def left_to_all() -> float | None:
    """Seconds until the earliest deadline of the open calls that applies to all members; None without one.
    Raises DeadlineError if no time is left. For code that doesn't know the instance it runs for."""
    if not (around := OPEN.get()):
        return None
    first = min((due for due in around if due.only is None), key=lambda due: due.moment, default=None)
    if first is None:
        return None
    left = first.moment - monotonic()
    if left <= 0:
        raise first.error()
    return left


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Reading a module in the block must end in time: it looks at `left_to_all`. None: no limit but those of
    the open calls."""
    if seconds is None:
        yield
        return
    before = OPEN.get()
    deadline = Deadline(seconds, monotonic() + seconds, Store(), None)
    deadline.reason = partial(DeadlineError, seconds, "reading the module took")
    OPEN.set((*before, deadline))
    try:
        yield
    finally:
        OPEN.set(before)


@contextmanager
def set_aside() -> Iterator[None]:
    """No deadline of the open calls applies in the block: one of them may have ended the call, and the block
    tells where."""
    token = OPEN.set(())
    try:
        yield
    finally:
        OPEN.reset(token)


@contextmanager
def paused() -> Iterator[None]:
    """The time in the block counts against no deadline of the open calls, unless it is over already: for work
    that is not the guest's."""
    due = [deadline for deadline in OPEN.get() if not deadline.over]
    began = monotonic()
    for deadline in due:
        deadline.moment += PAUSE
    try:
        yield
    finally:
        spent = monotonic() - began
        for deadline in due:
            deadline.moment += spent - PAUSE
            if CLOCK.available() and not deadline.over:
                CLOCK.set(deadline)


class Timing:
    """The deadlines of one call: `Timing.of` begins it, `end` ends it."""

    __slots__ = ("_adopted", "_around", "_made", "_store")

    def __init__(self, store: Store, around: tuple[Deadline, ...]) -> None:
        self._store = store
        self._around = around
        self._made: list[Deadline] = []
        self._adopted: list[Deadline] = []

    @classmethod
    def of(cls, store: Store, seconds: float | None) -> Timing | None:
        """Begin a call into the store, which is a root, with a limit of `seconds`; None if no deadline
        applies."""
        around = OPEN.get()
        if not around and store.least is None:
            return None
        timing = cls(store, around)
        with STORES:
            for deadline in around:
                if deadline.kept and deadline.only is None and deadline not in store.deadlines:
                    deadline.enter(store)
                    timing._adopted.append(deadline)
            for most, only in wanted(store, seconds):
                timing._make(most, only)
        if timing._made:
            OPEN.set((*around, *timing._made))
        return timing

    @classmethod
    def alone(cls, store: Store, member: Member) -> Timing | None:
        """Begin some other work that is limited by the time of one call of the member. The deadline applies
        to no other member."""
        if member.seconds is None:
            return None
        with STORES:
            timing = cls(store.root(), OPEN.get())
            timing._make(member.seconds, member)
        return timing

    def _make(self, seconds: float, only: Member | None) -> None:
        moment = monotonic() + seconds
        for deadline in self._store.deadlines:
            if deadline.moment <= moment and (deadline.only is None or deadline.only is only):
                return
        deadline = Deadline(seconds, moment, self._store, only)
        self._store.deadlines.append(deadline)
        self._made.append(deadline)
        if CLOCK.available():
            CLOCK.set(deadline)

    def look(self) -> None:
        """Check the time for code that is no member. Raises DeadlineError."""
        now = monotonic()
        for deadline in self._store.root().deadlines:
            if deadline.only is None and deadline.moment <= now:
                raise deadline.error()

    def end(self) -> None:
        """End the call. After an interrupt in its middle it may be called again."""
        OPEN.set(self._around)
        with STORES:
            for deadline in self._made:
                deadline.kept = monotonic() >= deadline.moment
            for deadlines in (self._made, self._adopted):
                while deadlines:
                    deadlines[-1].leave(self._store)
                    deadlines.pop()


def wanted(store: Store, own: float | None) -> Sequence[tuple[float, Member | None]]:
    """The deadlines for a call with the limit `own`: one for all members, and separate ones for members with
    a shorter limit."""
    if store.least is None:
        return ()
    if own is not None and own <= store.least:
        return ((own, None),)
    shorter = [
        (m.seconds, m) for m in store.everyone() if m.seconds is not None and (own is None or m.seconds < own)
    ]
    return shorter if own is None else [(own, None), *shorter]
