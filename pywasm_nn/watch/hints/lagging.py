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
from ..facts import Input

FEWEST, LEAST, MOST_BYTES = 3, 8, 1 << 20
"""A hint needs at least `FEWEST` rounds, and an input of `LEAST` elements or more and of `MOST_BYTES` or
less."""


class Turns:
    """Counts how often an input was set, and how often its buffer had changed when the model computed
    then."""

    def __init__(self, given: Input) -> None:
        self.given = given
        self.sets = self.changes = 0
        self.buffer = 0, 0
        self.sum: int | None = None
        """This is the checksum of what was sent, and None after the compute."""
        self.left: int | None = None
        """This is the checksum of what the buffer had at the last compute."""
        self.is_filled = False
        """Tells whether the buffer had different bytes at the last compute."""


class Lagging:
    """Follows buffers, and gives sentences when the guest has ended."""

    def __init__(self) -> None:
        self._turns: dict[int | None, dict[int, Turns | None]] = {}
        """Maps a context and an input to its rounds, or to None if one of them was right."""

    def set(
        self, place: tuple[int | None, int], given: Input, facts: Tensor, memory: Memory | None, address: int
    ) -> None:
        """An input was set, from this address on. `facts` are those of the elements that were sent now."""
        context, index = place
        inputs = self._turns.setdefault(context, {})
        is_first_empty = index not in inputs and facts.minimum == facts.maximum
        turns = Turns(given) if is_first_empty else inputs.get(index)
        inputs[index] = None
        is_kept = facts.elements >= LEAST and facts.size <= MOST_BYTES
        if turns is None or memory is None or not is_kept or address + facts.size > memory.size:
            return
        total = crc32(memory.view(address, facts.size))
        if turns.left not in (None, total) or turns.changes != turns.sets:
            return
        turns.sets += 1
        turns.buffer, turns.sum = (address, facts.size), total
        inputs[index] = turns

    def computed(self, context: int | None, memory: Memory | None) -> None:
        """A context has computed."""
        for turns in self._turns.get(context, {}).values():
            if turns is None or turns.sum is None or memory is None:
                continue
            there = memory.view(*turns.buffer)
            turns.left = crc32(there)
            turns.changes += turns.left != turns.sum
            turns.is_filled = bytes(there[:1]) * len(there) != there
            turns.sum = None

    def finish(self) -> Iterator[str]:
        """Returns a sentence for each input that was always filled too late."""
        for turns in (turns for inputs in self._turns.values() for turns in inputs.values()):
            if turns is not None and turns.is_filled and FEWEST <= turns.sets == turns.changes:
                yield (
                    f"{turns.given}: in each of {turns.sets} rounds its buffer was filled after set_input "
                    "had copied it, and before compute; the first one was empty, and what was filled in last "
                    "was never sent, so that each answer is that to the input before (stale): is set_input "
                    "to follow the filling?"
                )
