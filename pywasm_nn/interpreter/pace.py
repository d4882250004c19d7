"""Work of ours that a guest gives rise to, such as validating and translating a body: how it looks at the
clock of the call that waits for it, and how it ends where it would be more than the body is worth.

What is not here: whose clock it is (`runtime.meter`), and what is done instead (`validate`, `engine.py`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TypeVar

T = TypeVar("T")

Patience = Callable[[], float | None]
"""Seconds that are left to the call that waits, None without a limit. Raises DeadlineError if there are
none."""
STRIDE = 2048
"""Steps between two looks at the clock: a few milliseconds."""
PIECE = 1 << 20
"""Bytes that are copied, or elements that are made of one, between two looks: a few milliseconds."""


def unhurried() -> None:
    """The patience of who set no deadline."""


def pieces(count: int, patience: Patience, size: int = PIECE, *, backwards: bool = False) -> Iterator[slice]:
    """Slices of so many bytes or elements that together are `count`, with a look at the clock after each."""
    starts = range(0, count, size)
    for start in reversed(starts) if backwards else starts:
        yield slice(start, min(start + size, count))
        patience()


def paced(items: Sequence[T], patience: Patience) -> Iterator[T]:
    """The items, with a look at the clock before each `STRIDE` of them, which costs nothing for each."""
    if len(items) <= STRIDE:
        if items:
            patience()
        return iter(items)
    return chain.from_iterable(strides(items, patience))


def strides(items: Sequence[T], patience: Patience) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), STRIDE):
        patience()
        yield items[start : start + STRIDE]


MUCH = 1 << 16
"""Bytes of a module from which it pays to let the collector rest."""


@contextmanager
def uncollected(size: int) -> Iterator[None]:
    """Let the garbage collector rest while a module of so many bytes is read, which makes no cycles: each of
    its passes looks at all that has been made, which doubles the time that a megabyte of types takes."""
    if size < MUCH or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class OverworkError(Exception):
    """The work would be more than it may."""


class Work:
    """Counts the steps of some work, of a tenth of a microsecond or so each."""

    __slots__ = ("_look", "_most", "done", "patience")

    def __init__(self, patience: Patience, most: int) -> None:
        self.patience = patience
        self._most = most
        self._look = STRIDE
        self.done = 0

    def spend(self, steps: int) -> None:
        """Count so many steps more. Raises DeadlineError, and OverworkError beyond the most there may be."""
        self.done += steps
        if self.done < self._look:
            return
        self._look = self.done + STRIDE
        self.patience()
        if self.done > self._most:
            raise OverworkError
