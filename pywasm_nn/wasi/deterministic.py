"""Time and random numbers that are the same in every run.

What is not here: the option that asks for them (`provider.Wasi.seed`). The guest still sees the host's file
times and other file attributes; with a `MemoryDirectory` it doesn't.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .clocks import SECOND, Clocks

BEGINNING = 946_684_800 * SECOND
"""2000-01-01, the wall clock when a guest starts."""
TICK = 1_000
"""Nanoseconds that pass with each reading of a clock, so that a guest that polls the clock sees time pass."""


class Time:
    """Time that passes only when a clock is read and when the guest sleeps."""

    def __init__(self) -> None:
        self.passed = 0

    def look(self) -> int:
        self.passed += TICK
        return self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += round(seconds * SECOND)

    def clocks(self) -> Clocks:
        """All four clocks, based on this time."""
        return Clocks(lambda: BEGINNING + self.look(), self.look, self.look, self.look, self.sleep, TICK)


def random_from(seed: int) -> Callable[[int], bytes]:
    """A source of random numbers that depends on `seed` alone."""
    return Random(seed).randbytes
