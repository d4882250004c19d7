"""The things that a guest can wait for, and how long it waits at once.

What is not here: waiting (`polling.py` and `ready.py`, imported when a guest waits).
"""

from __future__ import annotations

from ..records import Frozen
from .clocks import SECOND
from .codes import ClockId, EventType
from .errors import Errno
from .patience import Patience

LONGEST_SLEEP = 3600 * SECOND
"""Longer waits are split into pieces, because systems overflow at centuries."""
LOOK = 1.0
"""The longest piece of a call with a deadline, in seconds: another thread of the guest may end the call."""


class ClockWait(Frozen):
    """Wait for `nanoseconds` on a clock, or until the clock reaches them if `absolute`."""

    userdata: int
    clock: ClockId
    nanoseconds: int
    absolute: bool
    type: EventType = EventType.CLOCK


class DescriptorWait(Frozen):
    """Wait until a read from (or write to) a descriptor would not wait."""

    userdata: int
    descriptor: int
    type: EventType


Wait = ClockWait | DescriptorWait


class Event(Frozen):
    """The result of a wait."""

    userdata: int
    type: EventType
    error: Errno = Errno.SUCCESS
    count: int = 0


def piece_of(nanoseconds: int, patience: Patience) -> int:
    """The nanoseconds of the next piece of a wait. Raises DeadlineError if the guest has no time left."""
    left = patience()
    piece = min(nanoseconds, LONGEST_SLEEP)
    return piece if left is None else min(piece, max(round(min(left, LOOK) * SECOND), 1))
