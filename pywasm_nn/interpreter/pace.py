"""Long work for a guest, such as validating and translating a body: checks of the time of the waiting call,
and bounds on the work.

What is not here: the clock (`runtime.meter`), and the reaction to an exceeded bound (`validate`,
`engine.py`).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TypeVar

T = TypeVar("T")

Patience = Callable[[], float | None]
"""Returns the seconds that the waiting call has left, None without a limit. Raises DeadlineError if there are
none."""
PARALLEL = not getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether this Python runs several threads at once: it is free-threaded CPython."""
STRIDE = 2048
"""The number of steps between two checks of the time: a few milliseconds."""
FEW = 64
"""The number of entries that are read between two checks of the time, because one may take a millisecond."""
PIECE = 1 << 20
"""Bytes copied, or elements made from one, between two checks of the time: a few milliseconds."""


def unhurried() -> None:
    """The patience of a caller without a deadline."""


def pieces(count: int, patience: Patience, size: int = PIECE, *, backwards: bool = False) -> Iterator[slice]:
    """Slices of at most `size` that together cover `count`, with a check of the time after each."""
    starts = range(0, count, size)
    for start in reversed(starts) if backwards else starts:
        yield slice(start, min(start + size, count))
        patience()


def paced(items: Sequence[T], patience: Patience, stride: int = STRIDE) -> Iterator[T]:
    """The items, with a check of the time before each `stride` of them, at no cost per item."""
    if len(items) <= stride:
        if items:
            patience()
        return iter(items)
    return chain.from_iterable(strides(items, patience, stride))


def strides(items: Sequence[T], patience: Patience, stride: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), stride):
        patience()
        yield items[start : start + stride]


def paced_range(count: int, patience: Patience) -> Iterable[int]:
    """The numbers below `count`, with a check of the time after each `FEW` of them."""
    if count <= FEW:
        return range(count)
    return chain.from_iterable(range(piece.start, piece.stop) for piece in pieces(count, patience, FEW))


MUCH = 1 << 16
"""The size of a module from which on switching the garbage collector off is worth it."""


@contextmanager
def uncollected(size: int, much: int = MUCH) -> Iterator[None]:
    """Switch the garbage collector off while a module of `size` bytes is read, if that is at least `much`,
    or while other objects without cycles are made. Each collection would visit all objects made so far, which
    doubles the time for a megabyte of types."""
    if size < much or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class OverworkError(Exception):
    """The work exceeds its bound."""


class Work:
    """Counts the steps of some work; a step takes about a tenth of a microsecond."""

    __slots__ = ("_look", "_most", "done", "patience")

    def __init__(self, patience: Patience, most: int) -> None:
        self.patience = patience
        self._most = most
        self._look = STRIDE
        self.done = 0

    def spend(self, steps: int) -> None:
        """Count `steps` more. Raises DeadlineError, and OverworkError beyond the bound."""
        self.done += steps
        if self.done < self._look:
            return
        self._look = self.done + STRIDE
        self.patience()
        if self.done > self._most:
            raise OverworkError
