"""Takes operands off a frame's stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .machine import Frame


def take(frame: Frame, count: int) -> list[Any]:
    """Pop `count` operands; the last one was on top."""
    stack = frame.stack
    first = len(stack) - count
    taken = stack[first:]
    del stack[first:]
    return taken
