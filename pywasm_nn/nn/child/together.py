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
from .bounds import LINUX, stacks

LEAST_GROWTH = 16 << 20
"""The least bytes with which a question is worth asking."""
FREEING = ("close", "finalize", "finish_single")
"""Questions that only free memory: they are asked however little is left."""


class Share:
    """The memory of one child. `most` is the number of bytes that its limits allow all children together,
    `allowance` how much it may grow while it is alone."""

    def __init__(self, most: int, allowance: int) -> None:
        self.most = most
        self.allowance = allowance
        self.process = 0
        """The child's process, once it runs."""
        self.ceiling = 0
        """While it answers, the bytes that it may have taken at the end."""
        self.answers = False
        self.arena = 0
        """Bytes of the tensors that it shares with the host."""

    def taken(self) -> tuple[int, int]:
        """The child's memory: what it has for itself, the tensors, and what it may take meanwhile; and its
        part of libraries, which other children share."""
        own, shared = memory_of(self.process)
        return max(own + self.arena, self.ceiling), max(0, shared - self.arena)

    def begin(self, growth: int | None) -> None:
        """It answers, and may grow by so many bytes; None for what its own limit allows."""
        more = self.allowance if growth is None else growth + stacks()
        self.ceiling, self.answers = self.taken()[0] + more, True

    def end(self) -> None:
        """It has answered."""
        self.ceiling, self.answers = 0, False


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
    def growing(self, share: Share, op: str = "") -> Iterator[int | None]:
        """A block in which a child answers: the bytes by which it may grow, None for no other limit than its
        own. It is half of what is left if no other child answers, else one of as many equal parts as
        children don't answer. Raises NNError(TOO_LARGE) if that is nearly nothing."""
        with self._lock:
            growth = self._growth()
            if growth is not None and op in FREEING:
                growth = max(0, growth)
            elif growth is not None and growth < LEAST_GROWTH:
                self._refuse()
            share.begin(growth)
        try:
            yield growth
        finally:
            with self._lock:
                share.end()

    def _growth(self) -> int | None:
        if not LINUX or len(self._shares) < 2:
            return None
        left = self._left()
        idle = sum([not each.answers for each in self._shares])  # this one, too
        return left // (2 if idle == len(self._shares) else idle) - stacks()

    def admit(self, share: Share, size: int) -> None:
        """Count further bytes of tensors that a child shares with the host. Raises NNError(TOO_LARGE)."""
        with self._lock:
            if LINUX and len(self._shares) > 1 and size > self._left():
                self._refuse()
            share.arena += size

    def _left(self) -> int:
        """The bytes that no child takes. Called with the lock held, as `_refuse` is."""
        taken = [each.taken() for each in self._shares]
        libraries = max(shared for _, shared in taken)
        return self._most() - libraries - sum(own for own, _ in taken)

    def _most(self) -> int:
        return max(each.most for each in self._shares)

    def _refuse(self) -> NoReturn:
        guests, most = len(self._shares), self._most()
        raise NNError(
            Code.TOO_LARGE,
            f"the own models of {guests} guests take nearly all of the {most} bytes that they may together",
        )


def memory_of(process: int) -> tuple[int, int]:
    """Bytes of resident memory that a process shares with no other, and of what it may share; 0 if it has
    ended."""
    try:
        with open(f"/proc/{process}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return max(0, resident - shared) * page, shared * page


TOGETHER = Together()
"""The children of this process. After a fork the new process has none."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TOGETHER.__init__)  # type: ignore[misc] # Together has no subclasses
