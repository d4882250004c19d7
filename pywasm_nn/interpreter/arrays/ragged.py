"""Computes a loop around one whose rounds are as many as data says, and add to what is where data says: as
pictures are made smaller, where each pixel is added to some others.

The rounds of the loop inside stand one after the other, those of all rounds of the loop around it, in the
order of the guest. `numpy.add.at` adds in this order, too, so that floats are rounded as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .nested import Phased
from .numeric import STORED, Array, has_nan
from .plan import AROUND, INSIDE, Plan, Update
from .reductions import Stop
from .steps import Piece

MOST = 1 << 18
"""The most rounds of the loop inside that are done at a time."""
GAPS = 8
"""By how much more there may be between the first and the last address than what is added to."""


class Ragged(Phased):
    """The calls of numpy for a plan with laps."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.taken = self.truth(plan.taken)
        self.laps = self.proper([plan.laps])[0]
        self.updates = [self.proper_update(update) for update in plan.updates]
        self.arrange()
        parts = [part for update in self.updates for part in (update.path, update.node, update.value)]
        for _, function, operands in self.phases[INSIDE].steps:
            parts += [plan.loads[operands[0]].node] if function is None else operands
        self.spread = sorted({part for part in parts if part >= 0 and self.when[part] == AROUND})
        """Values of the rounds of the loop around that are asked for in the loop inside."""

    def proper_update(self, update: Update) -> Update:
        """Truth values as numbers, and as such."""
        node, value = self.proper([update.node, update.value])
        return update._replace(path=self.truth(update.path), node=node, value=value)

    def do(self, piece: Piece, before: list[Any]) -> list[Any]:
        values = piece.values
        for index, depth, type_ in self.rounds:
            if not depth:
                values[index] = piece.numbers(0, type_)
        self.phases[AROUND].run(piece)
        counts = self.counts(piece)
        lap = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        rounds = np.repeat(np.arange(len(counts)), counts)
        for index in self.spread:
            if values[index].size > 1:
                values[index] = values[index].take(rounds)
        for index, depth, type_ in self.rounds:
            if depth:
                values[index] = lap.astype(type_)
        self.phases[INSIDE].run(piece)
        self.update(piece, len(lap))
        return before  # locals that count are all there is

    def counts(self, piece: Piece) -> Array:
        """How many rounds the loop inside has in each round that is done. The round after these, which may be
        left to the guest, has that loop, so that it sets all locals that the loop inside sets."""
        rounds = piece.end - piece.begin
        counts = np.broadcast_to(piece.values[self.laps], (rounds,)).astype(np.int64)
        taken = counts > 0
        if self.taken >= 0:
            taken = taken & piece.values[self.taken]
            if not self.plan.tests_first[0] and (piece.values[self.taken] & (counts == 0)).any():
                raise Stop
        elif not self.plan.tests_first[0] and not taken.all():
            raise Stop
        counts = np.where(taken, counts, 0)
        few = int(np.searchsorted(np.cumsum(counts), MOST, "right"))
        ends = taken[: min(few, rounds - 1) + 1].nonzero()[0]
        done = int(ends[-1]) if ends.size else 0
        if not counts[:done].any():
            raise Stop
        piece.end = piece.begin + done + self.spare
        return counts[:done]

    def update(self, piece: Piece, laps: int) -> None:
        """Do all updates. Raises Stop, with nothing done, where one of them is outside memory or where the
        rounds load."""
        first = self.updates[0]
        type_, memory = STORED[first.access], piece.course.mems[first.memidx]
        addresses, added, where = [
            np.stack(columns, axis=1).ravel() for columns in zip(*self.columns(piece, laps), strict=True)
        ]
        addresses, added = addresses[where], added[where]
        if not addresses.size:
            raise Stop
        low, high = int(addresses.min()), int(addresses.max()) + type_.itemsize
        if high > memory.size or high - low > GAPS * type_.itemsize * (addresses.size + GAPS):
            raise Stop
        if any(read[0] == id(memory) and low < read[2] and read[1] < high for read in self.read(piece)):
            raise Stop
        numbers, rest = np.divmod(addresses - low, type_.itemsize)
        if rest.any():
            raise Stop
        there = np.ndarray(((high - low) // type_.itemsize,), type_, memory.buffer, low)
        made = there.copy()
        np.add.at(made, numbers, added)
        if first.access[0] == "f" and has_nan(made.take(numbers)):
            raise Stop
        there[:] = made

    def columns(self, piece: Piece, laps: int) -> Any:
        """For each update the addresses, what is added, and whether it is done."""
        for update in self.updates:
            address, value = piece.values[update.node], piece.values[update.value]
            where = np.True_ if update.path < 0 else piece.values[update.path]
            yield (
                np.broadcast_to(address, laps).astype(np.int64) + update.offset,
                np.broadcast_to(value, laps).astype(STORED[update.access]),
                np.broadcast_to(where, laps),
            )

    def read(self, piece: Piece) -> list[tuple[int, int, int]]:
        """The memory that the piece has loaded from."""
        found = piece.read.copy()
        for place in piece.course.loads:
            if place is not None:
                extent = place.moved(piece.begin).extent((piece.end - piece.begin,))
                found.append((place.memory, *extent))
        return found
