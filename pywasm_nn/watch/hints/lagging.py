"""Buffers that are filled between set_input and compute in each round, so that each answer is that to the
input before.

What is here: `Lagging`. What is not: a buffer that was filled once more than it was set (`use.py`).

Buffers may be filled ahead on purpose, while the model runs on what was copied: then the first one is filled
before it is set, and the last one is sent. Here the first input is empty, as nothing had been read, and what
was read last is never sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from ...interpreter.runtime.memory import Memory
from ..events import Tensor

FEWEST, LEAST, MOST_BYTES = 3, 8, 1 << 20
"""The fewest rounds, and the fewest elements and most bytes of an input."""


class Turns:
    """The rounds of one input: how often it was set, and how often its buffer had changed at the compute
    behind that."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.sets = self.changes = 0
        self.buffer = 0, 0
        self.sum: int | None = None
        """The checksum of what was sent, until the compute."""
        self.left: int | None = None
        """That of what was in the buffer then."""
        self.is_filled = False
        """Whether that has different bytes."""


class Lagging:
    """Follows buffers, and gives sentences when the guest has ended."""

    def __init__(self) -> None:
        self._turns: dict[tuple[int | None, int], Turns | None] = {}
        """By context and input; None where a round was right."""

    def set(
        self, key: tuple[int | None, int], what: str, given: Tensor, memory: Memory | None, address: int
    ) -> None:
        """An input was set, from this address on."""
        is_kept = given.elements >= LEAST and given.size <= MOST_BYTES
        if memory is None or not is_kept or address + given.size > memory.size:
            self._turns[key] = None
            return
        is_first_empty = key not in self._turns and given.minimum == given.maximum
        turns = Turns(what) if is_first_empty else self._turns.get(key)
        self._turns[key] = turns
        if turns is None:
            return
        total = crc32(memory.view(address, given.size))
        if turns.left not in (None, total) or turns.changes != turns.sets:
            self._turns[key] = None
            return
        turns.sets += 1
        turns.buffer, turns.sum = (address, given.size), total

    def computed(self, context: int | None, memory: Memory | None) -> None:
        """A context has computed."""
        for (number, _), turns in self._turns.items():
            if number != context or turns is None or turns.sum is None or memory is None:
                continue
            there = memory.view(*turns.buffer)
            turns.left = crc32(there)
            turns.changes += turns.left != turns.sum
            turns.is_filled = bytes(there[:1]) * len(there) != there
            turns.sum = None

    def finish(self) -> Iterator[str]:
        """Returns a sentence for each input that was always filled too late."""
        for turns in self._turns.values():
            if turns is not None and turns.is_filled and FEWEST <= turns.sets == turns.changes:
                yield (
                    f"{turns.what}: in each of {turns.sets} rounds its buffer was filled after set_input had "
                    "copied it, and before compute; the first one was empty, and what was filled in last was "
                    "never sent, so that each answer is that to the input before (stale): is set_input to "
                    "follow the filling?"
                )
