"""Waiting for descriptors of the host within the guest's time. Imported when a guest waits.

What is not here: events for the guest (`polling.py`).
"""

from __future__ import annotations

import select
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TypeVar

from .clocks import SECOND
from .patience import POLLABLE, Patience
from .waits import LONGEST_SLEEP, piece_of

T = TypeVar("T")
AT_ONCE: int = getattr(select, "PIPE_BUF", 512)
"""Bytes that a ready pipe accepts without waiting (POSIX's minimum if Python doesn't know)."""
SELECTABLE = 1024
"""The limit of descriptors for select (FD_SETSIZE), used where there is no poll. On Windows, select takes
sockets only, and any number."""
MILLISECOND = SECOND // 1000


def await_ready(number: int, write: bool, patience: Patience) -> None:
    """Wait until a read from (or write to) a host descriptor would not wait, or would fail. Raises
    DeadlineError."""
    numbers = [number]
    while not any(
        ready([] if write else numbers, numbers if write else [], piece_of(LONGEST_SLEEP, patience))
    ):
        pass


def ready(
    inputs: Collection[int], outputs: Collection[int], nanoseconds: int
) -> tuple[Collection[int], Collection[int]]:
    """The host descriptors that can be read and those that can be written, as soon as there are any, or after
    `nanoseconds`. A closed or failed descriptor counts as ready: the read or write reports the error."""
    if not hasattr(select, "poll"):
        if POLLABLE and any(number >= SELECTABLE for number in (*inputs, *outputs)):
            return inputs, outputs
        readable, writable, _ = select.select(inputs, outputs, [], nanoseconds / SECOND)
        return readable, writable
    poll = select.poll()
    for number in {*inputs, *outputs}:
        poll.register(number, select.POLLIN * (number in inputs) | select.POLLOUT * (number in outputs))
    found = dict(poll.poll(-(-nanoseconds // MILLISECOND)))
    failed = ~(select.POLLIN | select.POLLOUT)
    return (
        [number for number in inputs if found.get(number, 0) & (select.POLLIN | failed)],
        [number for number in outputs if found.get(number, 0) & (select.POLLOUT | failed)],
    )


def when_ready(move: Callable[[], T], number: int, write: bool, patience: Patience) -> T:
    """The result of `move`, which raises BlockingIOError until the host's descriptor `number` is ready."""
    while True:
        with suppress(BlockingIOError):
            return move()
        await_ready(number, write, patience)
