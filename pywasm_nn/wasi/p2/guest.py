"""The part of a guest's state that the functions of WASI 0.2 get."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ..descriptors import Descriptor
from ..system import System


class Guest:
    """One guest: its system, its remaining time, and the users of its descriptors.

    Descriptors have numbers in the system's table, so limits, hints and the end of the guest apply to them. A
    stream and the descriptor resource itself are users; when the last user is dropped, the descriptor is
    closed.
    """

    def __init__(self, system: System, patience: Callable[[], float | None]) -> None:
        self.system = system
        self.patience = patience
        """Returns the seconds that the guest has left; raises DeadlineError if there are none."""
        self._users: dict[int, int] = {}
        """The number of users of each descriptor that the guest opened."""

    def opened(self, number: int) -> None:
        """Register a descriptor that was opened for the guest, with one user."""
        self._users[number] = 1

    def use(self, number: int) -> None:
        """Add a user to a descriptor. Preopened descriptors aren't counted and stay open."""
        if number in self._users:
            self._users[number] += 1

    def release(self, number: int) -> None:
        """Remove a user; after the last one, close the descriptor."""
        if number not in self._users:
            return
        self._users[number] -= 1
        if not self._users[number]:
            del self._users[number]
            with suppress(OSError):
                self.system.table.close(number)

    def descriptor(self, number: int) -> Descriptor:
        return self.system.descriptor(number)


class User:
    """Base of resources that use one of the guest's descriptors until they are dropped."""

    def __init__(self, guest: Guest, number: int) -> None:
        guest.use(number)
        self._guest = guest
        self._number = number

    @property
    def number(self) -> int:
        """The descriptor's number."""
        return self._number

    def close(self) -> None:
        self._guest.release(self._number)
