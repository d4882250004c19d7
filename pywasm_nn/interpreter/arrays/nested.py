"""Computes a loop, or two, around a short one that sums up: the rounds of the innermost one after the other,
each for many rounds of the loops around it at once. There may be a second one behind it, which does the
rounds that are left where the first does several at a time.

So each element gets its summands in the order of the guest, and floats are rounded as there. What is not
here: loops inside whose rounds depend on no other (`steps.py` computes all rounds of both at once).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .numeric import DTYPES
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
        values = piece.values
        for index, function, parts in self.steps:
            if function is None:
                values[index] = piece.load(parts[0])
            else:
                values[index] = function(*[values[part] for part in parts])
        check(values, self.traps, self.numbers)


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

    def proper_chain(self, chain: Chain) -> Chain:
        """Truth values as numbers."""
        ends = [self.proper([node])[0] if node >= 0 else -1 for node in (chain.start, chain.after)]
        return chain._replace(start=ends[0], after=ends[1])

    def do(self, piece: Piece, before: list[Any]) -> list[Any]:
        """Do a piece. Raises Stop, with nothing done."""
        values = piece.values
        for index, loop, type_ in self.rounds:
            values[index] = piece.numbers(loop, type_)
        self.phases[AROUND].run(piece)
        for loop in range(self.plan.planes + 1, self.plan.depth):
            self.laps(piece, loop)
            self.phases[self.inside(loop) + 1].run(piece)
        after = self.reduced(piece, before)
        self.store(piece)
        return after

    def laps(self, piece: Piece, loop: int) -> None:
        """Compute the rounds of an innermost loop. Raises Stop."""
        values, count = piece.values, piece.course.inside[loop - 1]
        counters = [(index, values[index]) for index, each, _ in self.rounds if each == loop]
        chains = [chain for chain in self.chains if chain.loop == loop]
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
            if chain.left >= 0:  # of a loop that isn't executed nobody observes it
                nothing = np.zeros(1, DTYPES[self.plan.types[chain.left]])
                values[chain.left] = values[chain.after] if count else nothing
