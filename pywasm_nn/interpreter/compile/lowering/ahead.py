"""Loops that copy or fill: all of their rounds but the last at once, as a slice, before they begin.

Guests without bulk memory carry loops of libc that move a few bytes in each round. Where a loop counts and
does nothing else, and where what its rounds write is one range within memory, apart from what they read, a
slice does the same. Its locals then go on by as many rounds, and the loop runs as it stands: so a trap comes
where it would have come, after the same stores. A function's name proves nothing; what is looked at is the
loop. What is not here: memcmp and strlen, which leave when they find something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....brief import summarised
from ...types import I32
from ..analysis.counted import ENDING_TESTS, LIMIT, Counted
from .emitter import Emitter

LEAST = 7
"""Rounds beyond which a slice is faster."""
WRAP = 1 << 32
WIDTHS = {
    "i32.load8_u": 1, "i64.load8_u": 1, "i32.load16_u": 2, "i64.load16_u": 2, "i32.load": 4,
    "i64.load32_u": 4, "i64.load": 8, "v128.load": 16, "i32.store8": 1, "i64.store8": 1, "i32.store16": 2,
    "i64.store16": 2, "i32.store": 4, "i64.store32": 4, "i64.store": 8, "v128.store": 16,
}  # fmt: skip
"""Loads and stores that move bytes as they are."""


@summarised
@dataclass(frozen=True, slots=True)
class Sum:
    """Locals as they were when the round began, and a number."""

    locals: tuple[int, ...]
    number: int

    @property
    def text(self) -> str:
        terms = [f"l{index}" for index in self.locals]
        return " + ".join(terms if terms and not self.number else [*terms, str(self.number)])


@summarised
@dataclass(frozen=True, slots=True)
class Place:
    """Where a load or store goes: the address, the offset of the instruction, and how many bytes."""

    memidx: int
    address: Sum
    offset: int
    width: int


@summarised
@dataclass(frozen=True, slots=True)
class Range:
    """What a round touches: consecutive bytes from an address on."""

    memidx: int
    address: Sum
    offset: int
    size: int

    def text(self, signed: frozenset[int]) -> str:
        """The address; `signed`: locals that are kept signed."""
        one = (
            len(self.address.locals) == 1
            and not self.address.number
            and signed.isdisjoint(self.address.locals)
        )
        text = self.address.text if one else f"({self.address.text} & 0xffffffff)"
        return f"{text} + {self.offset}" if self.offset else text


Value = Sum | Place | None
"""An operand: a sum, what was read at a place, or a truth value."""


class Round:
    """What one round of a loop does, found by going through its instructions once."""

    def __init__(self, e: Emitter) -> None:
        self.e = e
        self.stack: list[Value] = []
        self.locals: dict[int, Value] = {}
        self.stores: list[tuple[Place, Sum | Place]] = []
        self.loads: list[Place] = []

    def run(self, start: int, end: int) -> bool:
        """Whether these instructions do nothing but load, store and add."""
        body = self.e.body
        return all(self.step(body.ops[index].name, body.imms[index]) for index in range(start, end))

    def step(self, name: str, imm: Any) -> bool:
        stack = self.stack
        if name == "local.get":
            stack.append(self.locals.get(imm, Sum((imm,), 0)))
        elif name in ("local.set", "local.tee"):
            self.locals[imm] = stack[-1] if name == "local.tee" else stack.pop()
        elif name in ("i32.const", "i64.const"):
            stack.append(Sum((), imm))
        elif name in ("i32.add", "i32.sub"):
            return self.add(-1 if name == "i32.sub" else 1)
        elif name in WIDTHS:
            return self.access(name, imm)
        elif name in ENDING_TESTS:
            stack[-2:] = [None]
        else:
            return False
        return True

    def add(self, sign: int) -> bool:
        b, a = self.stack.pop(), self.stack.pop()
        if not isinstance(a, Sum) or not isinstance(b, Sum) or (sign < 0 and b.locals):
            return False
        self.stack.append(Sum(tuple(sorted(a.locals + b.locals)), (a.number + sign * b.number) % WRAP))
        return True

    def access(self, name: str, imm: Any) -> bool:
        value = self.stack.pop() if ".store" in name else None
        address = self.stack.pop()
        if not isinstance(address, Sum) or self.e.module.mem_types[imm.memidx].addrtype is not I32:
            return False
        place = Place(imm.memidx, address, imm.offset, WIDTHS[name])
        if ".load" in name:
            self.stack.append(place)
            self.loads.append(place)
        elif value is None:
            return False
        else:
            self.stores.append((place, value))
        return True

    def steps(self) -> dict[int, int] | None:
        """By how much locals go on in each round. None if what another one held before the round matters."""
        steps: dict[int, int] = {}
        for index, value in self.locals.items():
            if isinstance(value, Sum) and value.locals == (index,):
                steps[index] = value.number if value.number < WRAP >> 1 else value.number - WRAP
        others = self.locals.keys() - steps
        values = [*self.locals.values(), *(value for store in self.stores for value in store)]
        sums = [value.address if isinstance(value, Place) else value for value in values if value is not None]
        return None if any(not others.isdisjoint(each.locals) for each in sums) else steps

    def action(self, steps: dict[int, int]) -> str | None:
        """A call that does what `x` rounds do, and answers whether it could."""
        stores = sorted(self.stores, key=lambda store: position(store[0], self.stores[0][0]))
        target = range_of([place for place, _ in stores], steps)
        sources = [value for _, value in stores if isinstance(value, Place)]
        if target is None:
            return None
        signed = self.e.forecast.signed
        size = "x" if target.size == 1 else f"x * {target.size}"
        if sorted(map(id, sources)) != sorted(map(id, self.loads)):
            return None
        if sources:
            source = range_of(sources, steps)
            same = [place.width for place, _ in stores] == [each.width for each in sources]
            if source is None or not same or source.memidx != target.memidx:
                return None
            return f"m{target.memidx}.try_copy({target.text(signed)}, {source.text(signed)}, {size})"
        (place, value), *rest = stores
        steady = isinstance(value, Sum) and steps.keys().isdisjoint(value.locals)
        if not steady or any(other != value or each.width != place.width for each, other in rest):
            return None
        assert isinstance(value, Sum)
        pattern = f"({value.text} & {(1 << 8 * place.width) - 1:#x}).to_bytes({place.width}, 'little')"
        return f"m{target.memidx}.try_fill({target.text(signed)}, {pattern}, {size})"


def run_ahead(e: Emitter, loop: Counted | None) -> None:
    """Before the loop that begins here: do most of its rounds at once, if it copies or fills."""
    if e.metered or loop is None or not loop.step:
        return
    found = Round(e)
    if not found.run(loop.start, loop.branch) or not found.stores:
        return
    steps = found.steps()
    if steps is None or not (steps.keys() & e.forecast.signed) <= {loop.local} or loop.local not in steps:
        return
    action = found.action(steps)
    if action is None:
        return
    moves = "; ".join(moved(index, step, index != loop.local) for index, step in steps.items() if step)
    e.line(f"if {rounds_of(loop, e.forecast.signed)} and {action}: {moves}")
    e.known = {index: operand for index, operand in e.known.items() if index not in steps}


def moved(index: int, step: int, wraps: bool) -> str:
    """What `x` rounds add to a local. That which counts gets no further than to its bound."""
    by = "x" if abs(step) == 1 else f"x * {abs(step)}"
    sign = "+" if step > 0 else "-"
    return f"l{index} = l{index} {sign} {by} & {WRAP - 1:#x}" if wraps else f"l{index} {sign}= {by}"


def rounds_of(loop: Counted, signed: frozenset[int]) -> str:
    """A condition that takes the number of rounds but the last into `x`: true if they are worth it."""
    local = f"l{loop.local}"
    bound = f"l{loop.bound}" if loop.bound_is_local else str(loop.bound)
    low, high = (local, bound) if loop.step > 0 else (bound, local)
    natural = signed.isdisjoint({loop.local, loop.bound} if loop.bound_is_local else {loop.local})
    span = f"{high} - 1" if low == "0" else f"{high} - {low} - 1"
    rounds = span if abs(loop.step) == 1 else f"({span}) // {abs(loop.step)}"
    return f"{'' if natural else f'0 <= {low} and '}{high} <= {LIMIT} and (x := {rounds}) > {LEAST}"


def position(place: Place, first: Place) -> int:
    """How far after the first one a place is, if both addresses are sums of the same locals."""
    apart = (place.address.number - first.address.number + (WRAP >> 1)) % WRAP - (WRAP >> 1)
    return apart + place.offset


def range_of(places: list[Place], steps: dict[int, int]) -> Range | None:
    """The range that places make in this order, if there is no gap and the next round goes on after it."""
    first = places[0]
    at = start = position(first, first)
    for place in places:
        same = place.memidx == first.memidx and place.address.locals == first.address.locals
        if not same or position(place, first) != at:
            return None
        at += place.width
    if sum(steps.get(index, 0) for index in first.address.locals) != at - start:
        return None
    return Range(first.memidx, first.address, start, at - start)
