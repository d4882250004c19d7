"""Output that nobody reads: a command whose guest has a deadline ends, though its last message isn't written.

Writing into a full pipe waits, and the deadline of a guest doesn't end a wait of ours: notes, traces and
errors. What is not here: what the guest itself writes, which waits as long as the guest has time
(`wasi.streams`). Windows doesn't say whether a pipe is full, so there the command waits.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator, Sequence
from time import monotonic, process_time
from typing import Self

from ..interpreter.runtime.alarm import CLOCK, Callback
from .failure import Exit

GLANCE = 0.05
"""Seconds between two looks, once the guest's time is over."""
PATIENCE = 0.7
"""Seconds without a reader and without work after which the process ends."""
STILL = 0.03
"""Seconds of processor time that are no work: what our own looks take."""


class Unread:
    """Ends the process if standard output or error is full and stays so after a guest's time; a context
    manager around all that writes."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._alarm = Callback(0.0, self._look)
        self._ended = False
        self._since: tuple[float, float] | None = None
        """When a stream was first seen full, and the processor time until then."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._ended = True
        CLOCK.cancel(self._alarm)

    def begin(self) -> None:
        """The guest's time begins now."""
        CLOCK.cancel(self._alarm)
        self._again(self._seconds)

    def _again(self, seconds: float) -> None:
        if not self._ended and hasattr(select, "poll") and CLOCK.available():
            self._alarm = Callback(monotonic() + seconds, self._look)
            CLOCK.set(self._alarm)

    def _look(self) -> None:
        now, used = monotonic(), process_time()
        if not any(map(is_full, descriptors())):
            self._since = None
        elif self._since is None:
            self._since = now, used
        elif now - self._since[0] > PATIENCE:
            if used - self._since[1] < STILL:
                os._exit(Exit.TRAP)
            self._since = now, used
        self._again(GLANCE)


def descriptors() -> Iterator[int]:
    """Those of standard output and error."""
    for stream in (sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                yield stream.fileno()
        except (OSError, ValueError):  # replaced or closed
            continue


def is_full(descriptor: int) -> bool:
    """Whether writing would wait; a file's never does."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    ready: Sequence[tuple[int, int]] = poll.poll(0)
    return not ready
