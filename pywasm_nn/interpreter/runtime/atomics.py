"""Atomic accesses to a memory (https://github.com/WebAssembly/threads), which may be shared by threads.

In a memory of one thread, ordinary accesses are atomic already. What is not here: threads that wait
(`waiting.py`), and the memory (`memory.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

from ...errors import Trap, TrapKind
from ..pace import Patience, unhurried

if TYPE_CHECKING:
    from .waiting import Waiting

WOKEN, NOT_EQUAL, TIMED_OUT = 0, 1, 2
"""Results of memory.atomic.wait."""
ALONE = nullcontext()
"""What an atomic change holds in a memory of one thread."""


class AtomicAccesses:
    """What a memory adds to its ordinary accesses."""

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
        return int(self.load(access, address))

    def store_atomic(self, access: str, address: int, value: int) -> None:
        """An atomic store."""
        self.align(access, address)
        with self.atomically:
            self.store(access, address, value)

    def update(self, name: str, address: int, *operands: int) -> int:
        """An atomic read-modify-write with the expression of the row `name`; returns the old value."""
        access, meaning = updating(name)
        with self.atomically:
            old = self.load_atomic(access, address)
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


def waiting() -> Waiting:
    """What a shared memory has. Imported here, as most memories aren't shared."""
    from .waiting import Waiting

    return Waiting()


@cache
def updating(name: str) -> tuple[str, Callable[..., int]]:
    """The access and the expression of an atomic read-modify-write instruction."""
    from ..instructions import OPS
    from ..instructions.cells import evaluator

    op = OPS[name]
    return op.access or "", evaluator(op)
