"""Threads that wait at the addresses of a shared memory, and the lock of its atomic instructions
(https://github.com/WebAssembly/threads).

CPython runs one bytecode at a time, so every single load and store of a view is whole. A read-modify-write is
several: it takes the lock, and so do atomic stores, which must not come between. What is not here: the
memory, and starting threads.
"""

from __future__ import annotations

from collections import deque
from threading import Lock
from time import monotonic

from ..pace import Patience

SLICE = 0.05
"""Seconds between two looks at the time of a waiting guest's call, which another thread may end."""


class Waiting:
    """The threads that wait at one memory."""

    __slots__ = ("_queues", "lock")

    def __init__(self) -> None:
        self.lock = Lock()
        self._queues: dict[int, deque[Lock]] = {}
        """By address, what each waiting thread waits for, the longest waiting first. All change with the lock
        held."""

    def enqueue(self, address: int) -> Lock:
        """A lock that another thread will release. Called with `lock` held."""
        gate = Lock()
        gate.acquire()
        self._queues.setdefault(address, deque()).append(gate)
        return gate

    def sleep(self, address: int, gate: Lock, nanoseconds: int, patience: Patience) -> bool:
        """Wait until the lock is released, for ever if `nanoseconds` are negative. Returns whether it was;
        raises what `patience` does."""
        until = None if nanoseconds < 0 else monotonic() + nanoseconds / 1e9
        try:
            while True:
                left = SLICE if until is None else min(SLICE, until - monotonic())
                if gate.acquire(timeout=max(left, 0.0)):
                    return True
                patience()
                if until is not None and monotonic() >= until:
                    return self._leave(address, gate)
        except BaseException:
            self._leave(address, gate)
            raise

    def _leave(self, address: int, gate: Lock) -> bool:
        """Wait no longer; returns whether another thread has released the lock meanwhile."""
        with self.lock:
            queue = self._queues.get(address, ())
            if gate not in queue:
                return True
            self._queues[address].remove(gate)
            if not self._queues[address]:
                del self._queues[address]
            return False

    def wake(self, address: int, count: int) -> int:
        """Let at most `count` threads go on that wait at this address; returns how many there were. Called
        with `lock` held."""
        queue = self._queues.get(address)
        if queue is None:
            return 0
        woken = min(count, len(queue))
        for _ in range(woken):
            queue.popleft().release()
        if not queue:
            del self._queues[address]
        return woken
