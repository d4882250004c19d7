"""Loops that copy or fill: all rounds except the last are done at once, as a slice, before the loop. So are
loops that store the same value at addresses with gaps between them, as a sieve does, where they are a `for`.

Guests without bulk memory contain loops of libc that move a few bytes in each round. If a loop counts and
does nothing else, and if its rounds write one contiguous range within memory that doesn't overlap what they
read, a slice does the same. The loop's locals are then advanced by as many rounds, and the loop runs
unchanged: so a trap occurs at the same place, after the same stores. The decision is based on the loop, not
on the function's name. What is not here: memcmp and strlen, which stop when they find something.
"""

from __future__ import annotations

from typing import Any

from ....records import Frozen
from ...instructions import OPS, Op
from ...namespace import Namespace
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
"""The least number of rounds for which a slice is faster."""
LEAST_APART = 10
"""The same for each byte that is stored with gaps."""
LONGEST = 16
"""The most instructions of a loop that stores with gaps."""
WRAP = 1 << 32
X = word("x")
"""The number of rounds that are done at once."""
MOVES = frozenset(
    op
    for op in OPS.values()
    if op.access in ("u8", "u16", "u32", "u64", "v128") and op.verb in ("load", "store")
    if op.stores or not op.exprs
)
"""Loads and stores that don't convert bytes."""


class Sum(Frozen):
    """A sum of locals (as they were at the start of the round) and a number."""

    locals: tuple[int, ...]
    number: int

    @property
    def operand(self) -> Operand:
        """The sum, which may exceed the range of i32."""
        terms = [local(index) for index in self.locals]
        return total(terms if terms and not self.number else [*terms, number(self.number)])


class Access(Frozen):
    """The place of a load or store: the address, the instruction's offset, and the number of bytes."""

    memidx: int
    address: Sum
    offset: int
    width: int


class Stretch(Frozen):
    """The memory that a round reads or writes: consecutive bytes from an address on."""

    memidx: int
    address: Sum
    offset: int
    size: int

    def operand(self, signed: frozenset[int]) -> Operand:
        """The address; `signed` are the locals that are kept signed."""
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
"""An operand: a sum, a value that was read at a place, or (None) a truth value."""


Store = tuple[Access, Sum | Access]


class Round:
    """The effect of one round of a loop, found by walking its instructions once."""

    def __init__(self, e: Emitter) -> None:
        self.e = e
        self.stack: list[Value] = []
        self.locals: dict[int, Value] = {}
        self.stores: list[Store] = []
        self.loads: list[Access] = []
        self.compared: list[Value] = []
        """Operands of comparisons: a local may be set to what they give."""

    def run(self, start: int, end: int) -> bool:
        """Whether these instructions only load, store and add."""
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
            self.compared += stack[-2:]
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
        """The change of each local per round. None if another local's value from before the round matters."""
        steps: dict[int, int] = {}
        for index, value in self.locals.items():
            if isinstance(value, Sum) and value.locals == (index,):
                steps[index] = value.number if value.number < WRAP >> 1 else value.number - WRAP
        others = self.locals.keys() - steps
        values = [*self.locals.values(), *(value for store in self.stores for value in store), *self.compared]
        sums = [
            value.address if isinstance(value, Access) else value for value in values if value is not None
        ]
        return None if any(not others.isdisjoint(each.locals) for each in sums) else steps

    def action(self, steps: dict[int, int]) -> Operand | None:
        """A call that does `x` rounds, and returns whether it could."""
        stores = sorted(self.stores, key=lambda store: position(store[0], self.stores[0][0]))
        target = stretch_of([place for place, _ in stores], steps)
        sources = [value for _, value in stores if isinstance(value, Access)]
        if target is None or sorted(map(id, sources)) != sorted(map(id, self.loads)):
            return None
        return self.copy(stores, target, sources, steps) if sources else self.fill(stores, target, steps)

    def copy(
        self, stores: list[Store], target: Stretch, sources: list[Access], steps: dict[int, int]
    ) -> Operand | None:
        """A call that copies, if the stored values were read in the same order."""
        source = stretch_of(sources, steps)
        same = [place.width for place, _ in stores] == [each.width for each in sources]
        if source is None or not same or source.memidx != target.memidx:
            return None
        signed = self.e.forecast.signed
        parts = target.operand(signed), source.operand(signed), size_of(target)
        return call(f"{Namespace.memory(target.memidx)}.try_copy", parts)

    def fill(self, stores: list[Store], target: Stretch, steps: dict[int, int]) -> Operand | None:
        """A call that fills, if all stored values are the same in every round."""
        (place, value), *rest = stores
        if not isinstance(value, Sum) or not steps.keys().isdisjoint(value.locals):
            return None
        if any(other != value or each.width != place.width for each, other in rest):
            return None
        parts = target.operand(self.e.forecast.signed), pattern_of(value, place.width), size_of(target)
        return call(f"{Namespace.memory(target.memidx)}.try_fill", parts)

    def spread(self, loop: Counted) -> Operand | None:
        """A call that does `x` rounds which do nothing but store the same value, each so much behind the one
        before as the local changes that counts, and returns whether it could."""
        if self.locals.keys() != {loop.local} or self.loads or len(self.stores) != 1:
            return None
        ((place, value),) = self.stores
        if not isinstance(value, Sum) or loop.local in value.locals:
            return None
        if place.address.locals.count(loop.local) != 1:
            return None
        target = Stretch(place.memidx, place.address, place.offset, place.width)
        parts = target.operand(self.e.forecast.signed), stride_of(loop), X, pattern_of(value, place.width)
        return call(f"{Namespace.memory(place.memidx)}.try_spread", parts)


def pattern_of(value: Sum, width: int) -> Operand:
    """The bytes of a value."""
    most = (1 << 8 * width) - 1
    if not value.locals:
        return literal((value.number & most).to_bytes(width, "little"))
    low = binary("&", value.operand, hexadecimal(most))
    return called(attribute(low, "to_bytes"), (number(width), literal("little")))


def stride_of(loop: Counted) -> Operand:
    """What each round adds to the local that counts."""
    return number(loop.step) if loop.step else local(loop.stride)


def size_of(target: Stretch) -> Operand:
    """The number of bytes that `x` rounds write."""
    return X if target.size == 1 else binary("*", X, number(target.size))


def run_ahead(e: Emitter, loop: Counted | None) -> bool:
    """Do most rounds of the loop that begins here at once, if it copies or fills. Returns whether it does."""
    if e.meter.any or loop is None or not loop.step:
        return False
    found = Round(e)
    if not found.run(loop.start, loop.branch) or not found.stores:
        return False
    steps = found.steps()
    if steps is None or not (steps.keys() & e.forecast.signed) <= {loop.local} or loop.local not in steps:
        return False
    action = found.action(steps)
    if action is None:
        return False
    moves = [moved(index, step, index != loop.local) for index, step in steps.items() if step]
    e.code.append(When(joined("and", [*worth(loop, e.forecast.signed), action]), moves))
    e.locals.forget(steps)
    return True


def store_apart(e: Emitter, loop: Counted) -> When | None:
    """Do most rounds of the loop that begins here at once, if it stores the same value at addresses with gaps
    between them: what is done where it is known to count from one value to the other without wrapping."""
    if e.meter.any or loop.step < 0 or loop.branch - loop.start > LONGEST:
        return None
    found = Round(e)
    if not found.run(loop.start, loop.branch):
        return None
    action = found.spread(loop)
    if action is None:
        return None
    bound = local(loop.bound) if loop.bound_is_local else number(loop.bound)
    span = binary("-", bound, local(loop.local))
    rounds = binary("//", span if loop.test == "<=" else binary("-", span, ONE), stride_of(loop))
    enough = compared(">", let("x", rounds), number(LEAST_APART * found.stores[0][0].width))
    e.locals.forget({loop.local})
    return When(
        joined("and", [enough, action]), [Update(local(loop.local), "+", binary("*", X, stride_of(loop)))]
    )


def moved(index: int, step: int, wraps: bool) -> Line:
    """The statement that advances a local by `x` rounds. The counting local can't exceed its bound."""
    by = X if abs(step) == 1 else binary("*", X, number(abs(step)))
    sign = "+" if step > 0 else "-"
    if not wraps:
        return Update(local(index), sign, by)
    return Assign(local(index), binary("&", binary(sign, local(index), by), hexadecimal(WRAP - 1)))


def worth(loop: Counted, signed: frozenset[int]) -> list[Operand]:
    """Conditions that assign the number of rounds except the last to `x`, and are true if a slice is
    faster."""
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
    """A local as an operand."""
    return named(index, 0, WRAP - 1)


def position(place: Access, first: Access) -> int:
    """The distance of a place from the first one; both addresses are sums of the same locals."""
    apart = (place.address.number - first.address.number + (WRAP >> 1)) % WRAP - (WRAP >> 1)
    return apart + place.offset


def stretch_of(places: list[Access], steps: dict[int, int]) -> Stretch | None:
    """The range that consists of these places in order, if there are no gaps and the next round continues
    it."""
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
