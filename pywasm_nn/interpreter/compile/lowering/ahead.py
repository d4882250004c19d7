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
from ...instructions import OPS, Op
from ...types import I32
from ..analysis.counted import ENDING_TESTS, LIMIT, Counted
from ..forms.operands import (
    ONE,
    ZERO,
    Operand,
    attribute,
    binary,
    call,
    called,
    compared,
    constant,
    hexadecimal,
    joined,
    let,
    literal,
    named,
    number,
    total,
    word,
)
from ..forms.tree import Assign, Line, Update, When
from .emitter import Emitter

LEAST = 7
"""Rounds beyond which a slice is faster."""
WRAP = 1 << 32
X = word("x")
"""How many rounds are done at once."""
MOVES = frozenset(
    op
    for op in OPS.values()
    if op.access in ("u8", "u16", "u32", "u64", "v128") and op.verb in ("load", "store")
    if op.stores or not op.exprs
)
"""Loads and stores that move bytes as they are."""


@summarised
@dataclass(frozen=True, slots=True)
class Sum:
    """Locals as they were when the round began, and a number."""

    locals: tuple[int, ...]
    number: int

    @property
    def operand(self) -> Operand:
        """The sum, which may be greater than any i32."""
        terms = [local(index) for index in self.locals]
        return total(terms if terms and not self.number else [*terms, number(self.number)])


@summarised
@dataclass(frozen=True, slots=True)
class Access:
    """Where a load or store goes: the address, the offset of the instruction, and how many bytes."""

    memidx: int
    address: Sum
    offset: int
    width: int


@summarised
@dataclass(frozen=True, slots=True)
class Stretch:
    """What a round touches: consecutive bytes from an address on."""

    memidx: int
    address: Sum
    offset: int
    size: int

    def operand(self, signed: frozenset[int]) -> Operand:
        """The address; `signed`: locals that are kept signed."""
        one = (
            len(self.address.locals) == 1
            and not self.address.number
            and signed.isdisjoint(self.address.locals)
        )
        start = self.address.operand
        if not one:
            start = binary("&", start, constant(WRAP - 1))
        return binary("+", start, number(self.offset)) if self.offset else start


Value = Sum | Access | None
"""An operand: a sum, what was read at a place, or a truth value."""


Store = tuple[Access, Sum | Access]


class Round:
    """What one round of a loop does, found by going through its instructions once."""

    def __init__(self, e: Emitter) -> None:
        self.e = e
        self.stack: list[Value] = []
        self.locals: dict[int, Value] = {}
        self.stores: list[Store] = []
        self.loads: list[Access] = []

    def run(self, start: int, end: int) -> bool:
        """Whether these instructions do nothing but load, store and add."""
        body = self.e.body
        return all(self.step(body.ops[index], body.imms[index]) for index in range(start, end))

    def step(self, op: Op, imm: Any) -> bool:
        stack, name = self.stack, op.name
        if name == "local.get":
            stack.append(self.locals.get(imm, Sum((imm,), 0)))
        elif name in ("local.set", "local.tee"):
            self.locals[imm] = stack[-1] if name == "local.tee" else stack.pop()
        elif name in ("i32.const", "i64.const"):
            stack.append(Sum((), imm))
        elif name in ("i32.add", "i32.sub"):
            return self.add(-1 if name == "i32.sub" else 1)
        elif op in MOVES:
            return self.access(op, imm)
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

    def access(self, op: Op, imm: Any) -> bool:
        value = self.stack.pop() if op.stores else None
        address = self.stack.pop()
        if not isinstance(address, Sum) or self.e.module.mem_types[imm.memidx].addrtype is not I32:
            return False
        place = Access(imm.memidx, address, imm.offset, op.width)
        if not op.stores:
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
        sums = [
            value.address if isinstance(value, Access) else value for value in values if value is not None
        ]
        return None if any(not others.isdisjoint(each.locals) for each in sums) else steps

    def action(self, steps: dict[int, int]) -> Operand | None:
        """A call that does what `x` rounds do, and answers whether it could."""
        stores = sorted(self.stores, key=lambda store: position(store[0], self.stores[0][0]))
        target = stretch_of([place for place, _ in stores], steps)
        sources = [value for _, value in stores if isinstance(value, Access)]
        if target is None or sorted(map(id, sources)) != sorted(map(id, self.loads)):
            return None
        return self.copy(stores, target, sources, steps) if sources else self.fill(stores, target, steps)

    def copy(
        self, stores: list[Store], target: Stretch, sources: list[Access], steps: dict[int, int]
    ) -> Operand | None:
        """A call that copies, if what is stored was read in the same order."""
        source = stretch_of(sources, steps)
        same = [place.width for place, _ in stores] == [each.width for each in sources]
        if source is None or not same or source.memidx != target.memidx:
            return None
        signed = self.e.forecast.signed
        parts = target.operand(signed), source.operand(signed), size_of(target)
        return call(f"m{target.memidx}.try_copy", parts)

    def fill(self, stores: list[Store], target: Stretch, steps: dict[int, int]) -> Operand | None:
        """A call that fills, if all that is stored is the same in each round."""
        (place, value), *rest = stores
        if not isinstance(value, Sum) or not steps.keys().isdisjoint(value.locals):
            return None
        if any(other != value or each.width != place.width for each, other in rest):
            return None
        low = binary("&", value.operand, hexadecimal((1 << 8 * place.width) - 1))
        pattern = called(attribute(low, "to_bytes"), (number(place.width), literal("little")))
        parts = target.operand(self.e.forecast.signed), pattern, size_of(target)
        return call(f"m{target.memidx}.try_fill", parts)


def size_of(target: Stretch) -> Operand:
    """How many bytes `x` rounds write."""
    return X if target.size == 1 else binary("*", X, number(target.size))


def run_ahead(e: Emitter, loop: Counted | None) -> None:
    """Before the loop that begins here: do most of its rounds at once, if it copies or fills."""
    if e.meter.any or loop is None or not loop.step:
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
    moves = [moved(index, step, index != loop.local) for index, step in steps.items() if step]
    e.code.append(When(joined("and", [*worth(loop, e.forecast.signed), action]), moves))
    e.locals.forget(steps)


def moved(index: int, step: int, wraps: bool) -> Line:
    """What `x` rounds add to a local. That which counts gets no further than to its bound."""
    by = X if abs(step) == 1 else binary("*", X, number(abs(step)))
    sign = "+" if step > 0 else "-"
    if not wraps:
        return Update(local(index), sign, by)
    return Assign(local(index), binary("&", binary(sign, local(index), by), hexadecimal(WRAP - 1)))


def worth(loop: Counted, signed: frozenset[int]) -> list[Operand]:
    """Conditions that take the number of rounds but the last into `x`: true if they are worth it."""
    start = local(loop.local)
    bound = local(loop.bound) if loop.bound_is_local else number(loop.bound)
    low, high = (start, bound) if loop.step > 0 else (bound, start)
    natural = signed.isdisjoint({loop.local, loop.bound} if loop.bound_is_local else {loop.local})
    span = binary("-", high if low.known and not low.lo else binary("-", high, low), ONE)
    rounds = span if abs(loop.step) == 1 else binary("//", span, number(abs(loop.step)))
    conditions = [] if natural else [compared("<=", ZERO, low)]
    return [
        *conditions,
        compared("<=", high, number(LIMIT)),
        compared(">", let("x", rounds), number(LEAST)),
    ]


def local(index: int) -> Operand:
    """A local as it is in Python."""
    return named(index, 0, WRAP - 1)


def position(place: Access, first: Access) -> int:
    """How far after the first one a place is, if both addresses are sums of the same locals."""
    apart = (place.address.number - first.address.number + (WRAP >> 1)) % WRAP - (WRAP >> 1)
    return apart + place.offset


def stretch_of(places: list[Access], steps: dict[int, int]) -> Stretch | None:
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
    return Stretch(first.memidx, first.address, start, at - start)
