"""Atomic accesses to a memory, which threads may share, and threads that wait at its addresses
(https://github.com/WebAssembly/threads).

In a memory of one thread, ordinary accesses are atomic already. CPython runs one bytecode at a time, so every
single load and store of a view is whole. A read-modify-write is several: it takes the lock of a shared
memory, and so do atomic stores, which must not come between. Where threads run at once (free-threaded
CPython), a view's access is one move of the processor, and atomic loads and fences take the lock for its
order. What is not here: the memory (`memory.py`), and starting threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock
from time import monotonic, sleep

from ...errors import Trap, TrapKind
from ..pace import PARALLEL, Patience, unhurried

WOKEN, NOT_EQUAL, TIMED_OUT = 0, 1, 2
"""Results of memory.atomic.wait."""
ALONE = nullcontext()
"""The lock of an atomic change in a memory of one thread, which needs none."""
SLICE = 0.05
"""Seconds between two looks at the time of a waiting guest's call, which another thread may end."""


class Turn:
    """A lock that is held for a few bytecodes. Whoever finds it taken lets others run, and looks again:
    threads that block on Python's locks take turns at its switch interval, a thousand times slower."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        while not self._lock.acquire(blocking=False):
            sleep(0)

    def __exit__(self, *error: object) -> None:
        self._lock.release()


class Waiting:
    """The threads that wait at one memory."""

    __slots__ = ("_queues", "lock")

    def __init__(self) -> None:
        self.lock = Turn()
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


class AtomicAccesses:
    """The atomic accesses of a memory."""

    waiting: Waiting | None

    def check(self, address: int, count: int) -> None:
        """Trap unless the bytes are inside memory."""
        raise NotImplementedError

    def load(self, access: str, address: int) -> int | float:
        """The value of an ordinary load."""
        raise NotImplementedError

    def store(self, access: str, address: int, value: int | float) -> None:
        """An ordinary store."""
        raise NotImplementedError

    def align(self, access: str, address: int) -> None:
        """Trap unless an atomic access is aligned and inside memory."""
        width = int(access[1:]) // 8
        if address % width:
            raise Trap(TrapKind.UNALIGNED_ATOMIC, f"{width} bytes at 0x{address:x}")
        self.check(address, width)

    def load_atomic(self, access: str, address: int) -> int:
        """The value of an atomic load."""
        self.align(access, address)
        if PARALLEL:
            self.fence()
        return int(self.load(access, address))

    def fence(self) -> None:
        """atomic.fence: later accesses of this thread are seen after its earlier ones."""
        with self.atomically:
            pass

    def store_atomic(self, access: str, address: int, value: int) -> None:
        """An atomic store."""
        self.align(access, address)
        with self.atomically:
            self.store(access, address, value)

    def update(self, name: str, address: int, *operands: int) -> int:
        """An atomic read-modify-write with the expression of the row `name`; returns the old value."""
        access, meaning = updating(name)
        self.align(access, address)
        with self.atomically:
            old = int(self.load(access, address))
            self.store(access, address, meaning(old, *operands))
        return old

    @property
    def atomically(self) -> AbstractContextManager[object]:
        """Held during an atomic change."""
        return ALONE if self.waiting is None else self.waiting.lock

    def notify(self, address: int, count: int) -> int:
        """memory.atomic.notify: wakes at most `count` waiting threads, and returns how many."""
        self.align("u32", address)
        if self.waiting is None:
            return 0
        with self.waiting.lock:
            return self.waiting.wake(address, count)

    def wait(
        self, access: str, address: int, expected: int, timeout: int, patience: Patience = unhurried
    ) -> int:
        """memory.atomic.wait: waits while the value is `expected`, at most `timeout` nanoseconds (an unsigned
        i64; negative ones mean for ever). Returns 0 if it was woken, 1 if the value is another, 2 if the time
        is over. Traps if the memory isn't shared."""
        self.align(access, address)
        waiting = self.waiting
        if waiting is None:
            raise Trap(TrapKind.EXPECTED_SHARED_MEMORY)
        with waiting.lock:
            if self.load(access, address) != expected:
                return NOT_EQUAL
            gate = waiting.enqueue(address)
        woken = waiting.sleep(address, gate, timeout - (timeout >> 63 << 64), patience)
        return WOKEN if woken else TIMED_OUT


@cache
def updating(name: str) -> tuple[str, Callable[..., int]]:
    """The access and the expression of an atomic read-modify-write instruction."""
    from ..instructions import OPS
    from ..instructions.cells import evaluator

    op = OPS[name]
    return op.access or "", evaluator(op)
