"""Values of memory that are kept in variables, so that code which loads what it has just stored or loaded
reads a variable instead.

Code that wasn't optimised has its locals in memory, and loads each of them again for every use. `Reloads`
forecasts which values are asked for again, `Contents` knows where memory still has them. They are in the
local or constant that was stored, or in one of a few variables behind the function's locals. A load that is
left out can't trap, because the access before it had the same bytes. What is not here: accesses
(`memory.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...instructions import Op
from ...module import Body
from ...types import MemType
from ..analysis.reloads import Reloads
from ..forms.contents import Contents, Place
from ..forms.integers import MASK, fits_signed, narrowed, plain, truth_as_number
from ..forms.operands import BOOL, FORM_CONSTANT, TRAP, Address, Operand
from .known import Locals
from .scopes import Scopes
from .stack import Stack

Range = tuple[int, int]
"""The least and the greatest value of an access; the first is greater for floats."""
KEEPERS = 12
"""The most variables that keep values of memory in one function."""
TURNS = [[(last + n) % KEEPERS for n in range(1, KEEPERS + 1)] for last in range(KEEPERS)]
"""For each of them, the others in the order in which they are tried after it, and itself."""


def place_of(where: Address) -> Place | None:
    """An effective address as a place, if it is a local or a constant and a number."""
    base, offset = where
    if base.local >= 0:
        return base.text, offset
    if base.form == FORM_CONSTANT and isinstance(base.value, int):
        return "", base.value + offset
    return None


def whereabouts(base: Operand, offset: int) -> Address | None:
    """The effective address of an access, as `memory.accessed` gives it; None if it isn't as simple."""
    if base.lo < 0 or base.hi > MASK[32]:
        return None
    if base.lo == base.hi and base.known:
        return (base, offset) if base.form == FORM_CONSTANT else None
    if base.base is not None and base.base.lo >= 0 and base.plus + offset >= 0:
        return base.base, base.plus + offset
    return base, offset


class Keeper:
    """What is kept while a body is lowered."""

    __slots__ = ("code", "first", "last", "locals", "reloads", "stack", "ways")

    def __init__(self, reloads: Reloads, locals_: Locals, stack: Stack, code: Scopes) -> None:
        self.reloads = reloads
        self.locals = locals_
        self.stack = stack
        self.code = code
        self.first = len(locals_.types)
        """The first variable that keeps values, counted as locals are."""
        self.last = 0
        """Which of them was set last."""
        self.ways: dict[int, int] = {}
        """For variables that have what a load gives: the number of its way."""

    # Loads

    def recalls(self, pc: int, op: Op, offset: int, range_: Range, width: int) -> bool:
        """Push the variable or constant with the value of the load at `pc`, instead of the load, if it is
        known. Returns whether it is."""
        contents = self.locals.known.contents
        if contents is None:
            return False
        base = self.stack[-1]
        if base.local >= 0 and 0 <= base.lo < base.hi <= MASK[32]:  # as most are
            place: Place | None = (base.text, offset)
        else:
            where = whereabouts(base, offset)
            place = None if where is None else place_of(where)
        found = None if place is None else contents.held.get(place)
        if found is None or found[0] != width:
            return False
        value = self.locals.known.get(found[1].local, found[1])
        lo, hi = range_
        if (value.lo > value.hi) != (lo > hi):
            return False
        if op.name != "i32.load" and (value.lo < lo or value.hi > hi):
            return False
        self.stack.pop()
        self.push(pc, value)
        return True

    def push(self, pc: int, value: Operand) -> None:
        """Push a variable or constant instead of the load at `pc`."""
        self.stack.push_atom(value)
        number = self.reloads.ways.get(pc)
        if number is not None and value.local >= 0:
            self.ways[value.local] = ~number

    def keeps(self, pc: int, where: Address, made: Operand, width: int) -> bool:
        """Evaluate a load into a variable and push that, if it will be asked for again. Returns whether it
        will."""
        if pc not in self.reloads.asked or place_of(where) is None:
            return False
        made.flags |= TRAP
        value = self.evaluated(made, pc, where[0].local)
        self.hold(where, value, width)
        self.push(pc, value)
        return True

    # Stores

    def binds(self, pc: int, access: str, offset: int, most: int) -> bool:
        """Before the store at `pc`: see whether what it stores will be asked for. Then its value on the stack
        becomes a variable or constant."""
        where = whereabouts(self.stack[-2], offset)
        if where is None or where[0].local < 0 or not self.is_asked(where, pc):
            return False
        stack = self.stack
        instr = stack.instr_of(stack[-1])
        value = stack.pop()
        if access == "f64":
            value = plain(value)
        elif access != "u32" or value.lo >= 0 or not fits_signed(value, 32):
            value = narrowed(truth_as_number(value) if value.flags & BOOL else value, most)
        if value.local < 0 and value.form != FORM_CONSTANT:
            value = self.evaluated(value, instr, where[0].local)
        stack.push_atom(value)
        return True

    def is_asked(self, where: Address, pc: int) -> bool:
        local, offset = where[0].local, where[1]
        asks = self.reloads.asks
        return asks((local, offset), pc) or (local in self.ways and asks((self.ways[local], offset), pc))

    def hold(self, where: Address, value: Operand, width: int) -> None:
        """Memory has the value of a variable or constant at an address."""
        place, known = place_of(where), self.locals.known
        if place is not None:
            known.contents = known.contents or Contents({}, 0)
            known.contents.hold(place, width, value, where[0].reads)

    def overwrite(self, where: Address, width: int) -> None:
        """A store has changed memory at an address."""
        contents = self.locals.known.contents
        if contents is None:
            return
        place = place_of(where)
        if place is None:
            self.locals.known.contents = None
        else:
            contents.overwrite(place, width)

    # Variables

    def evaluated(self, value: Operand, instr: int, other: int) -> Operand:
        """Evaluate an operand that was taken from the stack into a variable, which isn't `other`."""
        index = self.free(other)
        self.stack.settle_readers(1 << 2 * index)
        kept = self.locals.keep(index, value)
        self.code.assign(kept, value, instr)
        return kept

    def free(self, other: int) -> int:
        """A variable that keeps nothing, or else the one that was set first, but not `other`."""
        contents = self.locals.known.contents
        reads = contents.reads if contents is not None else 0
        for number in TURNS[self.last]:
            index = self.first + number
            if not reads >> 2 * index & 1 and index != other:
                break
        else:
            number = (self.last + 1) % KEEPERS
            if self.first + number == other:
                number = (number + 1) % KEEPERS
        self.last = number
        return self.first + number


def keeper(
    body: Body, memories: Sequence[MemType], locals_: Locals, stack: Stack, code: Scopes
) -> Keeper | None:
    """What keeps values for a body. None if none is asked for, or if others may change memory at any time or
    by another of its names."""
    if len(memories) != 1 or memories[0].shared:
        return None
    reloads = Reloads(body)
    return None if reloads.is_rare else Keeper(reloads, locals_, stack, code)
