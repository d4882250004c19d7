"""Long operations that end when the guest's time is over.

What is here: moving bytes in pieces, and running system calls that can't be interrupted on another thread.
What is not: waiting for descriptors (`ready.py`, imported when a guest waits).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ..interpreter.runtime.alarm import LONGEST, ONE_THREAD
from .errors import WasiError

T = TypeVar("T")
PIECE = 1 << 20
"""Bytes of one piece: the system moves them in some milliseconds at most."""
MAX_BUFFERS = 1024
"""The number of buffers in one system call (IOV_MAX)."""
EACH = 1 << 10
"""The number of small items, such as directory entries, between two checks of the time."""
Buffers = Sequence[memoryview]
Patience = Callable[[], float | None]
"""Returns the seconds that the guest has left, as `host.Caller.patience`: None without a limit. Raises
DeadlineError if none are left."""
POLLABLE = os.name != "nt"
"""Whether the system can poll any descriptor; Windows polls only sockets."""


def size_of(buffers: Buffers) -> int:
    """Bytes of all buffers together. Buffers may overlap, so this may exceed the size of memory."""
    return sum(map(len, buffers))


def small(buffers: Buffers) -> bool:
    """Whether the buffers fit into one piece."""
    if len(buffers) == 1:
        return len(buffers[0]) <= PIECE
    return len(buffers) <= MAX_BUFFERS and size_of(buffers) <= PIECE


def pieces(buffers: Buffers, size: int = PIECE) -> Iterator[list[memoryview]]:
    """The same bytes in order, in lists of at most `size` bytes and `MAX_BUFFERS` buffers."""
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
    """Move bytes piece by piece; returns how many were moved.

    `move` gets the buffers of a piece and the number of bytes before it, and returns how many it moved; fewer
    than all means the end. An error after the first piece also ends the call: the guest's next call meets it
    again. Raises DeadlineError between two pieces.
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


def one_by_one(items: Iterable[T], patience: Patience) -> Iterator[T]:
    """The same items, with regular checks of the time. Raises DeadlineError."""
    for count, item in enumerate(items):
        if count % EACH == EACH - 1:
            patience()
        yield item


def uninterrupted(work: Callable[[], None], patience: Patience) -> None:
    """Do `work`, a system call that can't be interrupted, or raise DeadlineError when the guest's time is
    over.

    In that case the work continues on a thread of its own. Raises what `work` raises.
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
    except RuntimeError:  # the system allows no more threads
        work()
        return
    while thread.is_alive():
        thread.join(min(patience() or LONGEST, LONGEST))
    if errors:
        raise errors.pop()
