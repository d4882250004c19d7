"""What the functions of WASI 0.2 are given of a guest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ..descriptors import Descriptor
from ..system import System


class Guest:
    """One guest: its system, how long it may still wait, and who uses which descriptors.

    Descriptors have numbers of the system's table, so that limits, hints and the end of the guest count
    them; streams and the descriptor itself use one until the last of them is dropped.
    """

    def __init__(self, system: System, patience: Callable[[], float | None]) -> None:
        self.system = system
        self.patience = patience
        """Seconds that the guest still has; raises DeadlineError if there are none."""
        self._users: dict[int, int] = {}
        """How many use each descriptor that the guest opened."""

    def opened(self, number: int) -> None:
        """A descriptor was opened for the guest, by one user."""
        self._users[number] = 1

    def use(self, number: int) -> None:
        """One more uses a descriptor. What was open before the guest ran stays open."""
        if number in self._users:
            self._users[number] += 1

    def release(self, number: int) -> None:
        """One user less; after the last one the descriptor is closed."""
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
    """Base of resources that use a descriptor of the guest's until they are dropped."""

    def __init__(self, guest: Guest, number: int) -> None:
        guest.use(number)
        self._guest = guest
        self._number = number

    def close(self) -> None:
        self._guest.release(self._number)
