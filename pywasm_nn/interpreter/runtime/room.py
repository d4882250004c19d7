"""Room for the frames of a call in one piece of memory.

CPython keeps frames in pieces of 16 KiB. A call that doesn't fit in the last one gets a new piece from the
system and gives it back when it returns, so that a loop around such a call takes hundreds of times as long as
elsewhere. A frame that is large itself gets a large piece. What is here: functions with such frames, and
`Rooms`, which says what calls get one: it takes longer than a short call. What is not: how deep frames may be
(`depth.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

PIECE = 1 << 20
"""Bytes of a piece, half of which are left for frames; pages that nobody uses take no memory."""
SLOT = 8
"""Bytes of an operand in a frame."""
BRIEF = 0.001
"""Seconds of a call that needs no room: thirty times as many as it costs."""
MOST = 1 << 16
"""The most calls that get room because one without it wasn't brief."""


def with_room(function: Any) -> Any:
    """The same Python function with a frame that gets a new piece, and half of it for what it calls."""
    code = function.__code__.replace(co_stacksize=PIECE // (2 * SLOT) + 1)
    return FunctionType(code, function.__globals__, function.__name__)


class Rooms:
    """Which functions of an instance get room when the host calls them: those of a program (`first`) the
    first time, all as long as their calls aren't brief, and twice as often each time that a call without room
    wasn't."""

    __slots__ = ("_most", "first", "owed")

    def __init__(self, first: bool) -> None:
        self.owed: dict[Callable[..., Any], int] = {}
        """How many more calls of a function get room even if they are brief."""
        self.first = int(first)
        """The same for other functions."""
        self._most: dict[Callable[..., Any], int] = {}

    def took(self, call: Callable[..., Any], seconds: float, owed: int) -> None:
        """A call for which `owed` was so many has ended; nothing changes if that was 0 and it was brief."""
        if seconds < BRIEF:
            if owed:
                self.owed[call] = owed - 1
            return
        most = self._most.get(call, 1)
        if not owed:
            most = self._most[call] = min(2 * most, MOST)
        self.owed[call] = max(owed, most)
