"""A group of instances that run as one: they share `Limits`, turns, time, and whether they may run.

An instance of a module is a group of its own; the core instances of a component are one group. What is here:
`Group`. What is not: which instances can reach each other, in whatever groups (`store.py`), and counting
(`meter.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...checks import check_whole
from ...errors import GuestExit, Trap, TrapKind, WasmException
from ...limits import Limits
from .heap import Alive
from .quota import Purse, Quota
from .store import Member, Store


class Running(Member, Protocol):
    """The meter of an instance."""

    def begin_anew(self) -> None:
        """Make functions again that are called from now on."""


class Group:
    """The limits of a group of instances, and the remaining amounts for all of them together."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seconds = limits.seconds
        self.store = Store(limits.seconds, limits.fuel is not None)
        """The group's first store; it may join others."""
        self.purse = None if limits.fuel is None else Purse(limits.fuel)
        self.host_calls = None if limits.host_calls is None else Quota(limits.host_calls)
        self.memories = Quota(limits.memory_total)
        self.tables = Quota(limits.table_total)
        self.alive = Alive(limits.heap, self.store)
        self.running = 0
        """The number of open calls from the host."""
        self.refusal: TrapKind | None = None
        """Why the instances can't be called any more, or None."""
        self._detail = ""
        self.report: Callable[[str], None] = lambda text: None
        """Gets notes for the user."""
        self.explain: Callable[[], list[str]] = list
        """Why a guest may have failed, as far as its hosts know and haven't said."""
        self._members: list[Running] = []

    @property
    def fuel(self) -> int | None:
        """The remaining instructions of `Limits.fuel`, None without a limit. May be set between calls; raises
        ValueError if there is no limit."""
        return None if self.purse is None else self.purse.left

    @fuel.setter
    def fuel(self, amount: int) -> None:
        check_whole("fuel", amount)
        if self.purse is None:
            raise ValueError("the instance was made without a limit on fuel")
        self.purse.left = amount

    def add(self, member: Running) -> None:
        """Add an instance to the group."""
        self._members.append(member)
        self.store.add(member)

    def in_place_of(self, error: BaseException) -> BaseException | None:
        """The error that the host gets in place of one that leaves a guest and that nobody explains, because
        another thread has ended the guest; None without one."""
        return None

    def tell_refused(self, error: BaseException | None = None) -> None:
        """Say what a limit refused to a guest, once, and what hosts know if it didn't exit itself. It may be
        why the guest ended with this error, whose notes have it too; without an error, the guest may have
        taken no notice."""
        if isinstance(error, GuestExit) and not error.code:
            return
        texts = [self.memories.refused, self.tables.refused]
        self.memories.refused = self.tables.refused = ""
        if isinstance(error, Trap | WasmException):
            texts += self.explain()
        for text in filter(None, texts):
            if error is not None:
                error.add_note(text)
            self.report(text)

    def poison(self, error: BaseException) -> None:
        """Refuse calls from now on, because a guest was stopped by this error at an arbitrary point and its
        state may be inconsistent."""
        if self.refusal is None:
            limit = getattr(error, "limit", "")
            self.refuse(TrapKind.POISONED, f'its limit "{limit}" was reached' if limit else "")

    def refuse(self, kind: TrapKind, detail: str = "") -> None:
        """Make all functions trap that are called from now on, also those that other instances call
        directly."""
        if self.refusal is kind:
            return
        self.refusal, self._detail = kind, detail
        for member in self._members:
            member.begin_anew()

    def refused(self) -> Trap:
        """The error of a call that is refused."""
        assert self.refusal is not None
        return Trap(self.refusal, self._detail)
