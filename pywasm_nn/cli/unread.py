"""Output without a reader: whether there is none any more, and a command whose guest has a deadline ends even
if its last message can't be written.

A write to a full pipe waits, and a guest's deadline doesn't interrupt our own writes: notes, traces and
errors. What is not here: the guest's own writes, which wait until the guest's deadline (`wasi.streams`), and
fail where the reader has gone (`terminal.py`).
Windows doesn't say whether a pipe is full, so there the command waits.
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
"""Seconds between two checks, once the guest's time is over."""
PATIENCE = 0.7
"""Seconds without a reader and without progress after which the process ends."""
STILL = 0.03
"""Seconds of processor time that don't count as progress: our own checks take so much."""


class Unread:
    """Ends the process if standard output or error is full, and stays full, after the guest's time. A context
    manager around all writes."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._alarm = Callback(0.0, self._look)
        self._ended = False
        self._since: tuple[float, float] | None = None
        """The time when a stream was first seen full, and the processor time used until then."""

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
    """The descriptors of standard output and error."""
    for stream in (sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                yield stream.fileno()
        except (OSError, ValueError):  # replaced or closed
            continue


def is_deserted() -> bool:
    """Whether standard output or error is a pipe whose reader has gone."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    for descriptor in descriptors():
        poll.register(descriptor, 0)
    return bool(poll.poll(0))  # errors are told without being asked for


def is_full(descriptor: int) -> bool:
    """Whether a write would wait; a write to a file never does."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    ready: Sequence[tuple[int, int]] = poll.poll(0)
    return not ready
