"""Finds the host's writes to a guest's memory, by comparing the memory with a copy.

What is here: copies of the memories, and the differences from them. If another instance shares the memory,
its writes are among the differences. What is not: writes of the guest's own instructions, which their events
report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..interpreter.runtime.memory import Memory
from ..interpreter.runtime.observe import MOST_BYTES, Write

MOST_MEMORY = 64 << 20
"""Larger memories aren't compared: each would need a copy of the same size."""
MOST_COMPARED = 16 << 30
"""Comparing stops for good after so many bytes, which take about four seconds."""
CHUNK = 1 << 16
ROW = 16
"""Changes closer together than this are reported as one."""


class Shadow:
    """Copies of an instance's memories, with all writes that were reported so far."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        self._copies: dict[int, bytearray] = {}
        self._left = MOST_COMPARED

    def look(self) -> None:
        """Copy the memories now, before the guest runs, so that every later change is found."""
        for memidx in range(len(self._memories)):
            self._known(memidx)

    def wrote(self, write: Write) -> None:
        """Apply a write of the guest itself to the copy."""
        known = self._known(write.memidx)
        if known is not None:
            memory = self._memories[write.memidx]
            known[write.address : write.address + write.count] = memory.view(write.address, write.count)

    def changes(self) -> Iterator[Write]:
        """All other writes since the last call."""
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
        """Returns the copy of a memory, made on the first call and extended with zeros when the memory has
        grown, or None if the memory is too large."""
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
    """Ranges (start, end) in which two byte strings of equal length differ; close ranges are merged."""
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
