"""Deadlines of calls from outside, and whom they end: whoever runs looks at the clock of whoever was entered.

A deadline is that of every instance in the store of the one that was entered. A call that a host function
makes into an instance of another store is under the deadlines of the calls around it: on the same thread, and
wherever that thread's context goes, as in tasks and threads of asyncio's.
Where an instance without a limit, or with a longer one, is entered, instances in its store that have a
shorter one still stop at their own.
What is not here: what an instance does when its time is over (`meter.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from time import monotonic

from ...errors import DeadlineError
from .alarm import CLOCK
from .store import STORES, Member, Store


class Deadline:
    """When a call must have ended, for members of some stores, or for one member alone: an alarm."""

    __slots__ = ("kept", "moment", "only", "over", "seconds", "stores")

    def __init__(self, seconds: float, moment: float, store: Store, only: Member | None) -> None:
        self.seconds = seconds
        self.moment = moment
        self.over = False
        self.kept = True
        """Whether the call still runs, or ended too late, so that what others do for it ends as well."""
        self.only = only
        self.stores = [store]

    def ring(self) -> None:
        """Tell those that it is for; called on the thread of the clock."""
        with STORES:
            self.over = True
            members = self.tell()
        for member in members:
            member.interrupt()

    def tell(self) -> list[Member]:
        """Let those that it is for look again; who they are."""
        members = [self.only] if self.only else [m for store in self.stores for m in store.root().everyone()]
        for member in members:
            member.tell()
        return members

    def enter(self, store: Store) -> None:
        """Be a deadline of the store, too."""
        self.stores.append(store)
        store.deadlines.append(self)
        for member in store.everyone():
            member.heed()
        self.over = self.over or monotonic() >= self.moment
        if self.over:
            self.tell()

    def leave(self, store: Store) -> None:
        """Be no deadline of the store any more; the last store lets it rest. Called with `STORES` held."""
        self.stores.remove(store)
        root = store.root()
        if not self.stores:
            CLOCK.cancel(self)
        elif any(left.root() is root for left in self.stores):
            return  # the two have become one
        root.deadlines.remove(self)
        if self.over:
            for member in root.everyone():
                member.tell()


OPEN: ContextVar[tuple[Deadline, ...]] = ContextVar("OPEN", default=())
"""The deadlines of the calls that are open around what runs."""


def left_to_all() -> float | None:
    """Seconds until the first deadline of the open calls that isn't for one member alone; None without one.
    Raises DeadlineError if there are none left. For who doesn't know which instance it runs for."""
    first = min((due for due in OPEN.get() if due.only is None), key=lambda due: due.moment, default=None)
    if first is None:
        return None
    left = first.moment - monotonic()
    if left <= 0:
        raise DeadlineError(first.seconds)
    return left


class Timing:
    """The deadlines of one call: `Timing.of` when it begins, `end` when it ends."""

    __slots__ = ("_adopted", "_around", "_made", "_store")

    def __init__(self, store: Store, around: tuple[Deadline, ...]) -> None:
        self._store = store
        self._around = around
        self._made: list[Deadline] = []
        self._adopted: list[Deadline] = []

    @classmethod
    def of(cls, store: Store, seconds: float | None) -> Timing | None:
        """Begin a call that may take so long of somebody in the store, which is a root; None if there is no
        deadline for it."""
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
        """Begin something else that may take no longer than a call of the member, which is in the store: it
        is nobody else's deadline."""
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
        """Look at the time for whoever is no member. Raises DeadlineError."""
        now = monotonic()
        for deadline in self._store.root().deadlines:
            if deadline.only is None and deadline.moment <= now:
                raise DeadlineError(deadline.seconds)

    def end(self) -> None:
        """The call is over."""
        OPEN.set(self._around)
        with STORES:
            for deadline in self._made:
                deadline.kept = monotonic() >= deadline.moment
                deadline.leave(self._store)
            for deadline in self._adopted:
                deadline.leave(self._store)


def wanted(store: Store, own: float | None) -> Sequence[tuple[float, Member | None]]:
    """Deadlines for a call of somebody who has so much time: that for all, and those of members that have
    less, for themselves."""
    if store.least is None:
        return ()
    if own is not None and own <= store.least:
        return ((own, None),)
    shorter = [
        (m.seconds, m) for m in store.everyone() if m.seconds is not None and (own is None or m.seconds < own)
    ]
    return shorter if own is None else [(own, None), *shorter]
