"""The operand stack during the translation of a body.

An operand waiting on the stack isn't evaluated yet. Before a statement that could change what it reads, or
could trap before it, the operand is spilled: the operand at height n is assigned to the Python variable
`v{n}`. At most one waiting operand may trap, so that a line has at most one possible trap. What is here:
`Stack`, which alone decides when operands are evaluated. What is not: the meaning of operands.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...types import I32, I64, ValType
from ..forms.integers import MASK, canonical, observed, plain, rounded, signed, truth_as_number
from ..forms.operands import (
    BOOL,
    EFFECTS,
    LOW,
    NEAR,
    QUIET,
    ROUND,
    TRAP,
    UNFINISHED,
    UNFIT,
    VAR,
    Operand,
    stacked,
)
from .scopes import Scopes

MAX_DEPTH = 20
"""Parentheses in one expression nest no deeper than about twice this. Python refuses 200, and its compiler
recurses."""
MOST_TEXT = 600
"""The longest text of an expression in characters; a longer one counts as nested too deep."""
MAX_WAITING = 48
"""The most waiting operands; more would make searching them slow."""

Saved = tuple[list[Operand], int]
"""Operands, and the height up to which they are settled."""


class Stack(list[Operand]):
    """Operands by height. `pop` removes the top one; all other changes are methods here."""

    __slots__ = ("armed", "code", "settled", "trapping")

    def __init__(self, code: Scopes) -> None:
        super().__init__()
        self.code = code
        """Where evaluated operands are written."""
        self.settled = 0
        """Operands below this height (or all, if there are fewer) are constants or in their stack
        variables."""
        self.armed = False
        """Whether an operand that may trap may be waiting."""
        self.trapping = -1
        """The index of that operand's instruction."""

    # Pushing

    def push(self, operand: Operand) -> None:
        height = len(self)
        self.append(operand)
        if height < self.settled:
            self.settled = height
        if operand.depth > MAX_DEPTH or len(operand.text) > MOST_TEXT:
            self.spill(height)
        elif height - self.settled >= MAX_WAITING:
            self.spill_lowest()

    def push_atom(self, operand: Operand) -> None:
        """Push a name or a literal."""
        self.append(operand)
        waiting = len(self) - self.settled
        if 0 < waiting <= MAX_WAITING:  # as nearly always
            return
        if waiting > 0:
            self.spill_lowest()
        else:
            self.settled = len(self) - 1

    def push_trapping(self, operand: Operand, instr: int) -> None:
        """Push an operand in which an instruction may trap. Other such operands must be settled before."""
        operand.flags |= TRAP
        self.armed = True
        self.trapping = instr
        self.push(operand)

    def push_pasted(self, operand: Operand, instr: int) -> None:
        """Push an operand in which the same instruction may still trap."""
        if operand.flags & TRAP:
            self.push_trapping(operand, instr)
        else:
            self.push(operand)

    def push_variable(self, type_: ValType) -> None:
        """Push the stack variable of the next height, which has a value of this type."""
        hi = MASK[type_.bits] if type_ is I32 or type_ is I64 else -1
        self.append(stacked(len(self), 0, hi))

    def push_variables(self, types: Sequence[ValType]) -> None:
        """Push stack variables; all operands below are settled, too."""
        for type_ in types:
            self.push_variable(type_)
        self.settled = len(self)

    # Taking

    def pop_type(self, type_: ValType) -> Operand:
        """Pop an operand in the form in which it can be stored and observed, except that `assign` may still
        have to round it."""
        operand = self.pop()
        if type_ is not I32 and type_ is not I64:
            return plain(operand) if operand.flags & UNFIT else operand
        if operand.lo >= 0 and operand.hi <= MASK[type_.bits] and not operand.flags & BOOL:  # as most are
            return operand
        return observed(operand, type_.bits)

    def pop_signed(self) -> Operand:
        """Pop an operand in the form in which it can be stored in a local that is kept signed."""
        operand = self.pop()
        return signed(observed(operand, 32) if operand.flags & BOOL else operand, 32)

    def pop_int(self, bits: int = 32) -> Operand:
        """Pop an operand as a canonical integer, or as a truth value."""
        return canonical(self.pop(), bits)

    def take(self, types: Sequence[ValType]) -> list[Operand]:
        """Pop operands, in order, as expressions that can be stored and observed."""
        if not types:
            return []
        lowest = len(self) - len(types)
        for height in range(lowest, len(self)):
            if self[height].flags & UNFINISHED:
                self.finish(height)
        taken = self[lowest:]
        del self[lowest:]
        for place, type_ in enumerate(types):
            operand = taken[place]
            is_fit = operand.lo >= 0 and operand.hi <= MASK[32] and not operand.flags & BOOL  # as most are
            if not is_fit and (type_ is I32 or type_ is I64):
                taken[place] = observed(operand, type_.bits)
        return taken

    def cut(self, height: int) -> None:
        """Drop the operands from a height on."""
        del self[height:]

    def instr_of(self, operand: Operand) -> int:
        """The instruction that may trap in an operand; -1 if there is none."""
        return self.trapping if operand.flags & TRAP else -1

    def instr_in(self, operands: Sequence[Operand]) -> int:
        """The same for several operands, of which one at most may trap."""
        for operand in operands:
            if operand.flags & TRAP:
                return self.trapping
        return -1

    # Making fit

    def finish(self, height: int) -> None:
        """Convert an operand to its exact value: rounded, signalling NaNs kept."""
        operand = self[height]
        if not operand.flags & ROUND:
            self[height] = plain(operand)
        elif self.code.views:
            self.spill(height)
        else:
            self[height] = rounded(operand)

    def arithmetic(self, height: int) -> None:
        """Round an operand, if necessary, for arithmetic."""
        if self[height].flags & ROUND:
            self.finish(height)

    def observe(self, height: int, type_: ValType) -> None:
        """Convert an operand to the form in which it can be stored and observed."""
        self.finish(height)
        if type_ is I32 or type_ is I64:
            self[height] = observed(self[height], type_.bits)

    def as_number(self, height: int) -> None:
        """Convert a truth value to 1 or 0."""
        if self[height].flags & BOOL:
            self[height] = truth_as_number(self[height])

    def put(self, height: int, operand: Operand) -> None:
        """Replace an operand by another with the same value."""
        self[height] = operand

    def bind(self, height: int) -> Operand:
        """Make an operand repeatable, by spilling it if necessary. Returns it."""
        if not self[height].flags & VAR:
            self.spill(height)
        return self[height]

    def bind_canonical(self, height: int, bits: int) -> Operand:
        """Make an integer operand canonical and repeatable. Returns it."""
        self[height] = canonical(self[height], bits)
        return self.bind(height)

    def pop_bound(self) -> Operand:
        """Pop an operand after making it repeatable."""
        operand = self.bind(len(self) - 1)
        self.pop()
        return operand

    # Evaluating

    def spill(self, height: int) -> None:
        """Evaluate an operand into its stack variable now."""
        operand = self[height]
        bit = 2 << 2 * height
        if operand.flags & VAR and not operand.flags & UNFINISHED and operand.reads in (0, bit):
            return
        operand = plain(operand)
        for below in range(self.settled, height):
            if self[below].reads & bit:
                self.spill(below)
        if operand.flags & BOOL:
            operand = observed(operand, 32)
        quiet = QUIET if operand.flags & (QUIET | ROUND) else 0
        flags = VAR | quiet | operand.flags & (NEAR | LOW)
        self[height] = held = stacked(height, operand.lo, operand.hi, flags)
        self.code.assign(held, operand, self.trapping if operand.flags & TRAP else -1)

    def spill_lowest(self) -> None:
        """Evaluate the lowest of the waiting operands."""
        self.spill(self.settled)
        self.settled += 1

    def settle(self) -> None:
        """Evaluate the waiting operand that may trap, if there is one."""
        if self.armed:
            self.armed = False
            for height in range(len(self) - 1, self.settled - 1, -1):
                if self[height].flags & TRAP:
                    self.spill(height)
                    break

    def settle_for_branch(self, arity: int) -> None:
        """Evaluate the waiting operand that may trap, unless it is one of the `arity` values on top."""
        if not self.armed:
            return
        for height in range(self.settled, len(self) - arity):
            if self[height].flags & TRAP:
                self.spill(height)

    def settle_state(self) -> None:
        """Evaluate waiting operands that read state which others can change."""
        for height in range(self.settled, len(self)):
            if self[height].flags & EFFECTS:
                self.spill(height)

    def settle_readers(self, bit: int) -> None:
        """Evaluate waiting operands that read a variable which is about to change."""
        for height in range(self.settled, len(self)):
            if self[height].reads & bit:
                self.spill(height)

    def settle_all(self) -> None:
        """Evaluate all operands except constants."""
        for height in range(self.settled, len(self)):
            self.spill(height)
        self.settled = len(self)
        self.armed = False

    # Other paths

    def saved(self) -> Saved:
        """The current stack, for `restore`."""
        return self.copy(), self.settled

    def restore(self, saved: Saved) -> None:
        self[:], self.settled = saved

    def replace(self, operands: Sequence[Operand], height: int = 0) -> None:
        """Begin another path, with these settled operands from a height on."""
        self[height:] = operands
        self.settled = len(self)
        self.armed = False
