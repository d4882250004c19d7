"""Computes a loop, or two, around a short one that sums up: the rounds of the innermost one after the other,
each for many rounds of the loops around it at once. There may be a second one behind it, which does the
rounds that are left where the first does several at a time. Rounds that only add, and are few, are done at
once: their summands first.

So each element gets its summands in the order of the guest, and floats are rounded as there. What is not
here: loops inside whose rounds depend on no other (`steps.py` computes all rounds of both at once).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from . import steps
from .numeric import DTYPES, Array
from .plan import AROUND, INSIDE, Chain, Plan
from .steps import Piece, Routine, Step, Trapping, check


class Phase:
    """The steps before the loop inside, those of each of its rounds, or those after it."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.traps: list[Trapping] = []
        self.numbers: list[int] = []

    def run(self, piece: Piece) -> None:
        """Compute it. Raises Stop."""
        compute(piece, self.steps)
        check(piece.values, self.traps, self.numbers)


def compute(piece: Piece, ordered: Sequence[Step]) -> None:
    """Do the steps in order. Raises Stop."""
    values = piece.values
    for index, function, parts in ordered:
        if function is None:
            values[index] = piece.load(parts[0])
        else:
            values[index] = function(*[values[part] for part in parts])


class Phased(Routine):
    """The calls of numpy for a plan with phases."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.when: list[int] = []
        self.phases = [Phase() for _ in range(max(2, 2 * (plan.depth - plan.planes) - 1))]

    def arrange(self) -> None:
        """Give each step to its phase, once there are all of them."""
        self.when = [*self.plan.phases, *[AROUND] * (len(self.blank) - len(self.plan.nodes))]
        for index, loop, _ in self.rounds:
            self.when[index] = self.inside(loop) if loop > self.plan.planes else AROUND
        for step in self.steps:
            index = step[0]
            if index >= len(self.plan.nodes):
                self.when[index] = self.latest(step[2])
            self.phases[self.when[index]].steps.append(step)
        for trap in self.traps:
            path, _, parts = trap
            self.phases[self.latest((path, *parts))].traps.append(trap)
        for number in self.numbers:
            self.phases[self.when[number]].numbers.append(number)

    def inside(self, loop: int) -> int:
        """The phase of the rounds of an innermost loop."""
        return INSIDE + 2 * (loop - self.plan.planes - 1)

    def latest(self, parts: tuple[int, ...]) -> int:
        """When all of these are known."""
        return max([self.when[part] for part in parts if part >= 0])


class Nested(Phased):
    """The calls of numpy for a plan with chains."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.chains = [self.proper_chain(chain) for chain in plan.chains]
        self.arrange()
        self.sums: dict[int, tuple[list[Step], list[int]]] = {}
        """For each innermost loop that only adds: what computes what is added in all of its rounds, and which
        values of the loops around that needs."""
        for loop in range(plan.planes + 1, plan.depth):
            self.sort_out(loop)

    def proper_chain(self, chain: Chain) -> Chain:
        """Truth values as numbers."""
        ends = [self.proper([node])[0] if node >= 0 else -1 for node in (chain.start, chain.after)]
        return chain._replace(start=ends[0], after=ends[1], parts=self.proper(chain.parts))

    def sort_out(self, loop: int) -> None:
        """Leave out of a loop's rounds what only sums need."""
        number = self.inside(loop)
        phase, chains = self.phases[number], self.chains_of(loop)
        roots = [part for path, _, parts in phase.traps for part in (path, *parts)] + phase.numbers
        roots += [
            index for index, function, _ in phase.steps if function is None and self.is_looked_up(index)
        ]
        added = [part for chain in chains for part in chain.parts or (chain.after,)]
        sums, used = self.needed_of(phase.steps, [*roots, *added])
        phase.steps, _ = self.needed_of(phase.steps, [*roots, *[chain.after for chain in chains]])
        carried = {chain.before for chain in chains if chain.before >= 0}
        if carried.isdisjoint(used) and all(chain.kind for chain in chains if chain.before >= 0):
            self.sums[loop] = sums, sorted(part for part in used if part >= 0 and self.when[part] < number)

    def chains_of(self, loop: int) -> list[Chain]:
        return [chain for chain in self.chains if chain.loop == loop]

    def is_looked_up(self, node: int) -> bool:
        """Whether a value is loaded from addresses that are data."""
        return self.plan.loads[self.loads[node]].address is None

    def needed_of(self, ordered: list[Step], roots: list[int]) -> tuple[list[Step], set[int]]:
        """Those of the steps that compute these values, and all values that they use."""
        used, found = set(roots), list[Step]()
        for step in reversed(ordered):
            index, function, parts = step
            if index in used:
                found.append(step)
                used.update((self.plan.loads[parts[0]].node,) if function is None else parts)
        return found[::-1], used

    def do(self, piece: Piece, before: list[Any]) -> list[Any]:
        """Do a piece. Raises Stop, with nothing done."""
        values = piece.values
        for index, loop, type_ in self.rounds:
            values[index] = piece.numbers(loop, type_)
        self.phases[AROUND].run(piece)
        for loop in range(self.plan.planes + 1, self.plan.depth):
            count = piece.course.inside[loop - 1]
            if not count:
                for chain in self.chains_of(loop):  # nobody observes what they leave
                    if chain.left >= 0:
                        values[chain.left] = np.zeros(1, DTYPES[self.plan.types[chain.left]])
            elif (
                loop in self.sums
                and (piece.end - piece.begin) * prod(piece.course.planes) * count <= steps.PIECE
            ):
                self.sum_up(piece, loop, count)
            else:
                self.laps(piece, loop, count)
            self.phases[self.inside(loop) + 1].run(piece)
        after = self.reduced(piece, before)
        self.store(piece)
        return after

    def laps(self, piece: Piece, loop: int, count: int) -> None:
        """Compute the rounds of an innermost loop, one after the other. Raises Stop."""
        values, chains = piece.values, self.chains_of(loop)
        counters = [(index, values[index]) for index, each, _ in self.rounds if each == loop]
        carried = [chain for chain in chains if chain.before >= 0]
        current = [values[chain.start] for chain in carried]
        for inside in range(count):
            piece.inside = inside
            for index, numbers in counters:
                values[index] = numbers[inside : inside + 1]
            for chain, value in zip(carried, current, strict=True):
                values[chain.before] = value
            self.phases[self.inside(loop)].run(piece)
            current = [values[chain.after] for chain in carried]
        for chain in chains:
            if chain.left >= 0:
                values[chain.left] = values[chain.after]

    def sum_up(self, piece: Piece, loop: int, count: int) -> None:
        """Compute the rounds of an innermost loop that only adds at once: they are the last axis of all
        values, along which numpy adds in order. Raises Stop."""
        before, (ordered, used) = piece.values, self.sums[loop]
        piece.values, piece.inside, piece.laps = before.copy(), 0, count
        for part in used:
            if before[part].size > 1:
                piece.values[part] = before[part][..., None]
        phase = self.phases[self.inside(loop)]
        made = piece.values
        compute(piece, ordered)
        check(made, phase.traps, phase.numbers)
        piece.values, piece.laps = before, 0
        for chain in self.chains_of(loop):
            if chain.left >= 0:
                before[chain.left] = (
                    added_up(before[chain.start], [made[part] for part in chain.parts], count)
                    if chain.parts
                    else np.atleast_1d(made[chain.after][..., -1])
                )


def added_up(start: Array, parts: list[Array], count: int) -> Array:
    """What sums are after so many rounds, each of which adds these parts in order."""
    shape = np.broadcast_shapes(start.shape, *[part.shape[:-1] for part in parts])
    made = np.empty((*shape, count * len(parts) + 1), start.dtype)
    made[..., 0] = start
    for column, part in enumerate(parts):
        made[..., column + 1 :: len(parts)] = part
    return np.asarray(np.add.accumulate(made, axis=-1, dtype=made.dtype)[..., -1])
