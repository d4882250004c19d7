"""Time and random numbers that are the same in every run.

What is not here: who asks for them (`provider.Wasi.seed`). What a guest sees of the host's files, such as
their times, is the host's all the same; a `MemoryDirectory` has none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .clocks import SECOND, Clocks

BEGINNING = 946_684_800 * SECOND
"""2000-01-01, the wall clock when a guest starts."""
TICK = 1_000
"""Nanoseconds that pass with each look at a clock, so that who waits for time to pass sees it pass."""


class Time:
    """Time that passes when it is looked at and when somebody sleeps."""

    def __init__(self) -> None:
        self.passed = 0

    def look(self) -> int:
        self.passed += TICK
        return self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += round(seconds * SECOND)

    def clocks(self) -> Clocks:
        """All four clocks on this time."""
        return Clocks(lambda: BEGINNING + self.look(), self.look, self.look, self.look, self.sleep, TICK)


def random_from(seed: int) -> Callable[[int], bytes]:
    """A source of random numbers that depends on `seed` alone."""
    return Random(seed).randbytes
