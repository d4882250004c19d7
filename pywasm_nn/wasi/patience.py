"""Work that may take long, done so that it ends when the guest's time is over.

What is here: moving bytes in pieces, and doing on another thread what the system doesn't interrupt. What is
not: how to wait for descriptors (`polling.py`, imported when somebody waits).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from ..interpreter.runtime.alarm import LONGEST, ONE_THREAD
from .errors import WasiError

T = TypeVar("T")
PIECE = 1 << 20
"""Bytes that are moved at once: the system takes some milliseconds for them at most."""
MAX_BUFFERS = 1024
"""Buffers that one call of the host's system takes (IOV_MAX)."""
EACH = 1 << 10
"""Small things, as names in a directory, that are done between two looks at the time."""
Buffers = Sequence[memoryview]
Patience = Callable[[], float | None]
"""Seconds that the guest still has, as `host.Caller.patience`: None without a limit; raises DeadlineError if
there are none."""


def size_of(buffers: Buffers) -> int:
    """Bytes of all buffers together, which may overlap and so name more than there is memory."""
    return sum(map(len, buffers))


def small(buffers: Buffers) -> bool:
    """Whether they are one piece."""
    if len(buffers) == 1:
        return len(buffers[0]) <= PIECE
    return len(buffers) <= MAX_BUFFERS and size_of(buffers) <= PIECE


def pieces(buffers: Buffers, size: int = PIECE) -> Iterator[list[memoryview]]:
    """The same bytes in order, at most `size` and `MAX_BUFFERS` buffers at once."""
    piece: list[memoryview] = []
    room = size
    for buffer in buffers:
        start = 0
        while start < len(buffer):
            part = buffer[start : start + room]
            piece.append(part)
            start += len(part)
            room -= len(part)
            if not room or len(piece) == MAX_BUFFERS:
                yield piece
                piece, room = [], size
    if piece:
        yield piece


def in_pieces(buffers: Buffers, patience: Patience, move: Callable[[Buffers, int], int]) -> int:
    """Move bytes piece by piece; how many were moved.

    `move` gets the buffers of a piece and how many bytes went before, and returns how many it moved; less
    than all is the end. An error after the first piece is the end too: the guest meets it again when it goes
    on from there. Raises DeadlineError between two pieces.
    """
    if small(buffers):
        return move(buffers, 0)
    total = 0
    for piece in pieces(buffers):
        if total:
            patience()
        try:
            count = move(piece, total)
        except (OSError, WasiError):
            if not total:
                raise
            break
        total += count
        if count < size_of(piece):
            break
    return total


def when_ready(move: Callable[[], T], number: int, write: bool, patience: Patience) -> T:
    """What `move` gives, which raises BlockingIOError where the host's descriptor `number` isn't ready."""
    from .polling import await_ready

    while True:
        with suppress(BlockingIOError):
            return move()
        await_ready(number, write, patience)


def one_by_one(items: Iterable[T], patience: Patience) -> Iterator[T]:
    """The same items, with looks at the time. Raises DeadlineError."""
    for count, item in enumerate(items):
        if count % EACH == EACH - 1:
            patience()
        yield item


def uninterrupted(work: Callable[[], None], patience: Patience) -> None:
    """Do what the system can't be stopped in, or raise DeadlineError when the guest's time is over.

    The work goes on then, on a thread of its own. Raises what `work` raises.
    """
    if patience() is None or sys.platform in ONE_THREAD:
        work()
        return
    from threading import Thread

    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, name="pywasm-nn waits for the disk", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # as many as the system allows
        work()
        return
    while thread.is_alive():
        thread.join(min(patience() or LONGEST, LONGEST))
    if errors:
        raise errors.pop()
