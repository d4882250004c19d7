"""The memory that all children of this process take together.

What is here: `Together`, which says before each question how much the asked child may grow, so that all
children stay within a total, and `Share`, what it knows of one child. One child alone is bounded by its own
limit. What is not: how a child holds to it (`bounds`). Only Linux tells what another process takes; elsewhere
each child has its own limit only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NoReturn

from ..errors import Code, NNError
from .bounds import LINUX

LEAST_GROWTH = 16 << 20
"""The least bytes with which a question is worth asking."""


class Share:
    """The memory of one child. `most` is the number of bytes that its limits allow all children together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.process = 0
        """The child's process, once it runs."""
        self.growth = 0
        """The bytes by which it may grow while it answers."""
        self.answers = False
        self.arena = 0
        """Bytes of the tensors that it shares with the host."""

    def taken(self) -> int:
        """The child's memory: what it has for itself, the tensors, and what it may take meanwhile."""
        return own_memory(self.process) + self.arena + self.growth


class Together:
    """The shares of all children."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shares: list[Share] = []

    def add(self, share: Share) -> None:
        with self._lock:
            self._shares.append(share)

    def remove(self, share: Share) -> None:
        """The child has ended."""
        with self._lock:
            if share in self._shares:
                self._shares.remove(share)

    @contextmanager
    def growing(self, share: Share) -> Iterator[int | None]:
        """A block in which a child answers: the bytes by which it may grow, None for no other limit than its
        own. It is half of what is left if no other child answers, else one of as many equal parts as
        children don't answer. Raises NNError(TOO_LARGE) if that is nearly nothing."""
        with self._lock:
            growth = self._growth(share)
            share.growth, share.answers = growth or 0, True
        try:
            yield growth
        finally:
            share.growth, share.answers = 0, False

    def _growth(self, share: Share) -> int | None:
        if not LINUX or len(self._shares) < 2:
            return None
        left = self._left()
        idle = sum([not each.answers for each in self._shares])  # this one, too
        growth = left // (2 if idle == len(self._shares) else idle)
        if growth < LEAST_GROWTH:
            self._refuse()
        return growth

    def admit(self, share: Share, size: int) -> None:
        """Count further bytes of tensors that a child shares with the host. Raises NNError(TOO_LARGE)."""
        with self._lock:
            if LINUX and len(self._shares) > 1 and size > self._left():
                self._refuse()
            share.arena += size

    def _left(self) -> int:
        """The bytes that no child takes. Called with the lock held, as `_refuse` is."""
        return self._most() - sum([each.taken() for each in self._shares])

    def _most(self) -> int:
        return max(each.most for each in self._shares)

    def _refuse(self) -> NoReturn:
        guests, most = len(self._shares), self._most()
        raise NNError(
            Code.TOO_LARGE,
            f"the own models of {guests} guests take nearly all of the {most} bytes that they may together",
        )


def own_memory(process: int) -> int:
    """Bytes of resident memory that a process shares with no other; 0 if it has ended."""
    try:
        with open(f"/proc/{process}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return max(0, resident - shared) * os.sysconf("SC_PAGE_SIZE")


TOGETHER = Together()
"""The children of this process. After a fork the new process has none."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TOGETHER.__init__)  # type: ignore[misc] # Together has no subclasses
