"""What the host writes into a guest's memory, found by comparing the memory with what it was.

What is here: a copy of what is known of it, and differences from that. What another instance wrote into a
memory of both is among them. What is not: what the guest's own instructions write, which their events say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..interpreter.runtime.memory import Memory
from ..interpreter.runtime.observe import MOST_BYTES, Write

MOST_MEMORY = 64 << 20
"""Larger memories aren't compared: a copy of each costs as much again."""
MOST_COMPARED = 16 << 30
"""After so many bytes nothing is compared any more: that took about four seconds."""
CHUNK = 1 << 16
ROW = 16
"""Changes closer than this are told as one."""


class Shadow:
    """The memories of an instance, as far as it is known how they came to be what they are."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        self._copies: dict[int, bytearray] = {}
        self._left = MOST_COMPARED

    def look(self) -> None:
        """From now on every change is one: call it before the guest does anything."""
        for memidx in range(len(self._memories)):
            self._known(memidx)

    def wrote(self, write: Write) -> None:
        """The guest itself wrote something."""
        known = self._known(write.memidx)
        if known is not None:
            memory = self._memories[write.memidx]
            known[write.address : write.address + write.count] = memory.view(write.address, write.count)

    def changes(self) -> Iterator[Write]:
        """What else was written since the last time."""
        for memidx, memory in enumerate(self._memories):
            known = self._known(memidx)
            if known is None or self._left < memory.size:
                continue
            self._left -= memory.size
            if known == memory.view(0, memory.size):
                continue
            for start in range(0, len(known), CHUNK):
                end = min(start + CHUNK, len(known))
                before, now = bytes(known[start:end]), memory.read(start, end - start)
                if now != before:
                    known[start:end] = now
                    for first, last in differences(before, now):
                        cut = slice(first, min(last, first + MOST_BYTES))
                        yield Write(memidx, start + first, last - first, before[cut], now[cut])

    def _known(self, memidx: int) -> bytearray | None:
        """What is known of a memory: what it held when it was first asked for, and zeros where it has grown
        since."""
        memory = self._memories[memidx]
        if memory.size > MOST_MEMORY:
            self._copies.pop(memidx, None)
            return None
        known = self._copies.get(memidx)
        if known is None:
            known = self._copies[memidx] = bytearray(memory.view(0, memory.size))
        known.extend(bytes(memory.size - len(known)))
        return known


def differences(before: bytes, now: bytes) -> Iterator[tuple[int, int]]:
    """Ranges, first place and the one after the last, in which two texts of one length differ."""
    rows = range(0, len(now), ROW)
    changed = [at for at in rows if now[at : at + ROW] != before[at : at + ROW]]
    while changed:
        count = 1
        while count < len(changed) and changed[count] == changed[count - 1] + ROW:
            count += 1
        first, last = changed[0], min(changed[count - 1] + ROW, len(now))
        while before[first] == now[first]:
            first += 1
        while before[last - 1] == now[last - 1]:
            last -= 1
        yield first, last
        del changed[:count]
