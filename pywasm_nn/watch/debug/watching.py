"""Watchpoints: ranges of memory whose writes stop the guest.

What is here: the notation, and handlers of instructions that report writes. What is not: writes by the host
(`ledger.py`), and stopping (`debugger.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ...interpreter.instructions import Op
from ...interpreter.interpret import Around, Paused, touched_by
from ...interpreter.interpret.code import Handler
from ...records import Frozen
from .given import BadInputError, address
from .steps import Position

COUNT = 4
"""Bytes that are watched if nothing else is said."""
MOST_BYTES = 1 << 16


class Watch(Frozen):
    """Watches `count` bytes of memory 0; number 0 is one that only looks for the last writer."""

    number: int
    text: str
    address: int
    count: int

    def overlaps(self, address: int, count: int) -> bool:
        return address < self.address + self.count and self.address < address + count


class Hit(Frozen):
    """A write to watched bytes: what they were and are; None for a write by the host."""

    watch: Watch
    before: bytes | None
    after: bytes

    def __str__(self) -> str:
        place = f"watchpoint {self.watch.number}: {self.watch.text}"
        if self.before is None:
            return f"{place}: the host has written {self.after.hex(' ')}"
        return f"{place}: {self.before.hex(' ')} -> {self.after.hex(' ')}"


def watch(number: int, text: str, position: Position | None) -> Watch:
    """Read "0x1f30", "0x1f30:8" or "$p+4:1". Raises BadInputError."""
    match = re.fullmatch(r"(.+?)(?::(\d+))?", text.strip())
    if match is None:
        raise BadInputError("write watch 0x1f30 or watch 0x1f30:8")
    start, count = address(position, match[1]), int(match[2] or COUNT)
    if not 1 <= count <= MOST_BYTES or start < 0:
        raise BadInputError(f"from 1 to {MOST_BYTES} bytes can be watched")
    return Watch(number, text.strip(), start, count)


def reporting(watches: Iterable[Watch], hear: Callable[[Hit], None]) -> Around:
    """Handlers that report each write to the watched bytes, and pause after it."""
    watched = tuple(watches)

    def around(op: Op, handler: Handler) -> Handler:
        if not op.stores and op.name not in ("memory.fill", "memory.copy", "memory.init"):
            return handler

        def store(machine: Any, frame: Any, imm: Any) -> None:
            touched = touched_by(op, imm, frame.stack)
            if touched is None or touched[0]:
                handler(machine, frame, imm)
                return
            _, start, count = touched
            hits = [each for each in watched if each.overlaps(start, count)]
            if not hits:
                handler(machine, frame, imm)
                return
            memory = frame.instance.mems[0]
            before = [memory.read(each.address, each.count) for each in hits]
            handler(machine, frame, imm)
            for each, old in zip(hits, before, strict=True):
                hear(Hit(each, old, memory.read(each.address, each.count)))
            raise Paused(executed=True)

        return store

    return around
