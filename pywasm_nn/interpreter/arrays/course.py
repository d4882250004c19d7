"""A loop with numbers for all that doesn't change in it: how many rounds there are, where they access memory,
and how many of them can be done at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..runtime.memory import Memory
from .plan import NEVER, Affine, Line, Plan, Result, Test
from .ranges import ENDLESS, Place, clash, inside, lasting, signed
from .scalars import COMPARE, Scalars

MOST_INSIDE = 1 << 16
"""The most rounds of a loop inside another: all of them are done at once."""
LEAST = 150
"""The fewest rounds that are done at once; generated code asks before it calls, so this is for loops that end
early, and for those that are done in pieces."""
LEAST_OUTER, LEAST_TOGETHER = 2, 300
"""The same for the outer one of two loops, and for the rounds of both."""
LEAST_AROUND = 40
"""The same for the rounds of one loop, or two, around one whose rounds are computed one after the other."""
LEAST_ADDED = 128
"""The same for the rounds of all loops where those of the innermost one, a sum, may be computed at once."""
STILL: Line = (0, ())
BITS = {"i32": 32, "i64": 64}


class Course(Scalars):
    """A loop with numbers for all that doesn't change in it."""

    def __init__(self, plan: Plan, mems: Sequence[Memory], arguments: Sequence[Any]) -> None:
        super().__init__(plan, arguments)
        self.mems = mems
        self.depth = plan.depth
        self.inside = [-1] * (plan.depth - 1)
        """The rounds of each loop inside; -1 until they are counted."""
        self.outer = 0
        """Rounds to do."""
        self.planes: tuple[int, ...] = ()
        """The rounds of the loops inside that are computed together with those of the outer one."""
        self.limit = ENDLESS
        """The most rounds that can be done before their stores: later ones read them."""
        self.loads: list[Place | None] = []
        """None for addresses that are computed."""
        self.stores: list[Place] = []

    @property
    def laps(self) -> int:
        """The rounds of all loops inside in a round of the outer one."""
        return prod(self.planes) * max(1, sum(self.inside[self.plan.planes :]))

    def place(self, affine: Affine, memidx: int, offset: int, width: int) -> Place:
        start, strides = affine
        ways = tuple([wrapped(self.line(stride)) for stride in strides])
        together = self.plan.planes + 1
        if all(stride == STILL for stride in strides[together:]):
            ways = ways[:together]
        return Place(id(self.mems[memidx]), (self.line(start) & 0xFFFFFFFF) + offset, ways, width, offset)

    # Rounds

    def count(self) -> int:
        """How many rounds of the outer loop can be done at once, as far as is known before they are."""
        if any(self.line(line) & 0xFFFFFFFF for line in self.plan.zeros):
            return 0
        if not all(self.is_counted(loop) for loop in range(1, self.depth)):
            return 0
        count = min([self.lasting(test, 0) for test in self.plan.tests[0]])
        self.planes = tuple(self.inside[: self.plan.planes])
        count -= 1  # a full round is left for the loop: it sets the locals that aren't counted
        least = self.least()
        if count >= least:
            count = self.in_memory(min(count, ENDLESS) + 1) - 1
        return count if least <= count < ENDLESS - 1 else 0

    def rounds_of(self, loop: int) -> int:
        if self.inside[loop - 1] < 0:
            self.is_counted(loop)
        return self.inside[loop - 1]

    def is_counted(self, loop: int) -> bool:
        """Count the rounds of a loop inside. Returns whether that could be done, and they aren't too many."""
        plan, run = self.plan, self.plan.runs[loop - 1]
        if run == NEVER or (run >= 0 and not self.scalar(run)):
            self.inside[loop - 1] = 0
            return loop > plan.planes
        count = min([self.lasting(test, loop) for test in plan.tests[loop]])
        self.inside[loop - 1] = rounds = count + (not plan.tests_first[loop - 1])
        most = MOST_INSIDE // plan.weight if loop <= plan.planes else MOST_INSIDE
        return 0 < rounds <= most and self.ends(count, loop, *plan.tests[loop])

    def least(self) -> int:
        """The fewest rounds that are done at once."""
        if self.plan.adds:
            return min(LEAST_AROUND, max(LEAST_OUTER, LEAST_ADDED // self.laps))
        one_by_one = self.plan.goes_around or self.plan.laps >= 0
        if not self.plan.planes:
            return LEAST_AROUND if one_by_one else LEAST
        return max(LEAST_OUTER, (LEAST_AROUND if one_by_one else LEAST_TOGETHER) // prod(self.planes))

    def ends(self, count: int, depth: int, test: Test) -> bool:
        """Whether the comparison of a loop inside doesn't hold after so many rounds."""
        symbol, is_signed, bits, *values = test
        a, b = [self.line(start) + count * self.line(steps[depth]) for start, steps in values]
        mask = (1 << bits) - 1
        a, b = (signed(a, bits), signed(b, bits)) if is_signed else (a & mask, b & mask)
        return not COMPARE[symbol](a, b)

    def lasting(self, test: Test, depth: int) -> int:
        symbol, is_signed, bits, x, y = test
        (a, a_steps), (b, b_steps) = x, y
        first = self.line(a), self.line(a_steps[depth])
        return lasting(symbol, is_signed, bits, first, (self.line(b), self.line(b_steps[depth])))

    def shape(self, count: int) -> tuple[int, ...]:
        return count, *self.planes

    def shape_of(self, place: Place, count: int) -> tuple[int, ...]:
        """The rounds of the loops that move an access."""
        return (count, *self.inside)[: len(place.strides)]

    def in_memory(self, count: int) -> int:
        """As many of these rounds as access only memory, and that one that no other round's stores change. It
        is asked for one more than are done: the loop begins with a round that doesn't trap, so that a
        backtrace shows what it has set."""
        plan = self.plan
        for load in plan.loads:
            width = int(load.access[1:]) >> 3
            made = None
            if load.address is not None:
                made = self.place(load.address, load.memidx, load.offset, width)
                count = min(count, inside(made, self.mems[load.memidx].size, self.shape_of(made, count)))
            self.loads.append(made)
        for store in plan.stores:
            width = int(store.access[1:]) >> 3
            made = self.place(store.address, store.memidx, store.offset, width)
            count = min(count, inside(made, self.mems[store.memidx].size, self.shape_of(made, count)))
            self.stores.append(made)
        return self.unshared(count) if count >= 1 else 0

    def unshared(self, count: int) -> int:
        """These rounds if their order doesn't matter, or 0."""
        for number, store in enumerate(self.stores):
            once = not self.plan.stores[number].depth
            for load, place in zip(self.plan.loads, self.loads, strict=True):
                if place is not None and load.value >= 0:
                    least = int(load.stores <= number)
                    apart = self.clashes(store, place, count, least, once)
                    self.limit = min(self.limit, apart)
            for earlier in self.stores[: number + 1]:
                self.limit = min(self.limit, self.clashes(store, earlier, count, 1, once))
        if self.plan.planes:
            return count if self.limit >= ENDLESS else 0
        return count if self.limit >= self.least() else 0

    def clashes(self, store: Place, load: Place, count: int, least: int, once: bool) -> int:
        """After how many rounds the load, or another store, may first meet what was stored. `once` says that
        it is stored outside the loop inside, so once in each round."""
        if once and store.strides[1:] == load.strides[1:] == (0,):
            met = clash(store.around(), load.around(), (count,), least)
            return met if met >= ENDLESS or not self.plan.planes else 0
        if len(store.strides) == len(load.strides):
            return clash(store, load, self.shape_of(store, count), least)
        (low, high), (begin, end) = [place.extent(self.shape_of(place, count)) for place in (store, load)]
        return ENDLESS if store.memory != load.memory or high <= begin or end <= low else 0

    def after(self, result: Result, done: int, made: Any) -> Any:
        """A local after so many rounds; `made` is what they gave it, if they did."""
        if result.kind == "step":
            made = self.arguments[result.param] + done * self.line(result.line)
        if result.type not in BITS:
            return made
        bits = BITS[result.type]
        return signed(made, bits) if result.signed else made & (1 << bits) - 1


def wrapped(stride: int) -> int:
    """What each round adds to an address, which may be written as a large number that wraps."""
    return (stride + 0x80000000 & 0xFFFFFFFF) - 0x80000000
