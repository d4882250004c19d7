"""The memory that all children of this process take together.

What is here: `Together`, which says before each question how much each child that answers may grow, so that
all children stay within a total, and `Share`, what it knows of one child. One child alone is bounded by its
own limit. What is not: that limit (`bounds`). Only Linux tells what another process takes, and lets the host
limit it; elsewhere each child has its own limit only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import NamedTuple, NoReturn

from ..errors import Code, NNError
from .bounds import LINUX, stacks

LEAST_GROWTH = 16 << 20
"""The least bytes with which a question is worth asking."""
PREPARING = ("prepare", "targets")
"""Questions for which a child imports a framework, which no limit bounds."""
FREEING = ("close", "finalize", "finish_single")
"""Questions that only free memory: they are asked however little is left."""


class Share:
    """The memory of one child. `most` is the number of bytes that its limits allow all children together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.process = 0
        """The child's process, once it runs."""
        self.answers = False
        """Whether it answers a question in which its memory grows by what is asked of it."""
        self.arena = 0
        """Bytes of the tensors that it shares with the host."""
        self._bounded = False

    def taken(self) -> tuple[int, int]:
        """The child's memory: what it has for itself, and the tensors; and its part of libraries, which other
        children share."""
        memory = memory_of(self.process)
        return memory.own + self.arena, max(0, memory.shared - self.arena)

    def bound(self, growth: int | None) -> None:
        """From now on it may grow by so many bytes; None for what its own limit allows."""
        if growth is not None or self._bounded:
            limit_data(self.process, None if growth is None else memory_of(self.process).data + growth)
            self._bounded = growth is not None


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
    def growing(self, share: Share, op: str = "") -> Iterator[None]:
        """A block in which a child answers. While there are others, each child that answers may grow by an
        equal part of what is left, and one part stays for the next question. Raises NNError(TOO_LARGE) if
        a part is nearly nothing."""
        with self._lock:
            if not self._several or op in PREPARING:
                share.bound(None)
            elif self._part(1) >= LEAST_GROWTH + stacks():
                self._divide(share)
            elif op in FREEING:
                share.bound(stacks())
            else:
                self._refuse()
            share.answers = op not in PREPARING
        try:
            yield
        finally:
            share.answers = False

    def admit(self, share: Share, size: int) -> None:
        """Count further bytes of tensors that a child shares with the host. Raises NNError(TOO_LARGE)."""
        with self._lock:
            if self._several and size > self._left():
                self._refuse()
            share.arena += size
            if self._several:
                self._divide()

    @property
    def _several(self) -> bool:
        return LINUX and len(self._shares) > 1

    def _divide(self, *further: Share) -> None:
        """Give each child that answers its part. Called with the lock held, as all below are."""
        part = max(stacks(), self._part(len(further)))
        for each in [*further, *(each for each in self._shares if each.answers)]:
            each.bound(part)

    def _part(self, further: int) -> int:
        """The part of each child if so many more answer."""
        return self._left() // (sum(each.answers for each in self._shares) + further + 1)

    def _left(self) -> int:
        """The bytes that no child takes."""
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


class Memory(NamedTuple):
    """Bytes of a process: resident memory that it shares with no other, and that it may share; and private
    memory that it has reserved, whether resident or not."""

    own: int
    shared: int
    data: int


def memory_of(process: int) -> Memory:
    """The memory of a process, nothing if it has ended (statm of proc(5))."""
    try:
        with open(f"/proc/{process}/statm") as file:
            _, resident, shared, _, _, data, _ = map(int, file.read().split())
    except (OSError, ValueError):
        return Memory(0, 0, 0)
    page = os.sysconf("SC_PAGE_SIZE")
    return Memory(max(0, resident - shared) * page, shared * page, data * page)


def limit_data(process: int, size: int | None) -> None:
    """Limit a child's private memory (RLIMIT_DATA of prlimit(2)); None for as much as it may have at most.
    The host sets this limit and the child another one, so neither undoes what the other did."""
    import resource

    with suppress(OSError):  # it has ended
        _, hard = resource.prlimit(process, resource.RLIMIT_DATA)
        soft = hard if size is None else size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.prlimit(process, resource.RLIMIT_DATA, (soft, hard))


TOGETHER = Together()
"""The children of this process. After a fork the new process has none."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TOGETHER.__init__)  # type: ignore[misc] # Together has no subclasses
