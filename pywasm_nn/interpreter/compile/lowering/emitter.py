"""The translation of one body: the symbolic operand stack, statements, and how instructions find their
translation.

What is here: `Emitter`, which walks the instructions once and builds the tree of `forms/tree.py`. An operand
that waits on the stack is a text, not yet evaluated; before a statement that could change what the text
reads, or trap first, it is spilled: the operand at height n goes to the Python variable `v{n}`. At most one
waiting operand may trap, so a line traps in one way.
What is not: what single instructions mean (the other files of this folder, which register functions here;
an instruction that nobody registered is its cell of the table, pasted).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ...instructions import Imm, Op
from ...instructions.row import LANE, OPERANDS
from ...memory import Flavour
from ...meter import SPENDING, charges, checks
from ...module import Module
from ...pace import Work, paced, unhurried
from ...types import I32, I64, V128, FuncType, ValType
from ...validate import FuncFacts
from ..analysis.counted import Counted
from ..analysis.forecast import forecast
from ..compiled import Unsupported, Variant
from ..forms.operands import (
    ATOM,
    BOOL,
    EFFECTS,
    LOW,
    MASK,
    QUIET,
    ROUND,
    SUM,
    TRAP,
    UNFINISHED,
    UNFIT,
    VAR,
    Known,
    Operand,
    canonical,
    named,
    observed,
    plain,
    signed,
)
from ..forms.tree import Br, If, Label, Leave, Line, Loop, Seq

MAX_DEPTH = 20
"""Parentheses in one expression nest no deeper than about twice this; Python refuses 200, its compiler
recurses."""
MAX_TEXT = 600
"""Characters of an expression beyond which it is spilled."""
MAX_WAITING = 48
"""Operands that wait; more would make looking through them slow."""

STEPS_TO_TRANSLATE = 64
"""Steps of `Work` that an instruction takes."""
MOST_STEPS, STEPS_AN_INSTRUCTION = 20_000_000, 500
"""What translating a body may take, and how much more for each instruction. Of the functions of Yosys one
takes 12 million, as it has 660 locals, and most take a hundred for each instruction."""

NEAR = 512
MOST_FAR = 8
"""Views begin at any offset below the one and at so many others for each function: they are objects, of which
a module could want as many as it has accesses."""

LANE_NUMBER = len(OPERANDS)
"""What stands for the lane among the numbers of a cell's operands."""
PASTED = frozenset({Imm.LANE, Imm.LANES})
"""Immediates that are pasted into a cell; instructions with others are translated by hand."""

Translate = Callable[["Emitter", Op, Any], None]
TRANSLATIONS: dict[str, Translate] = {}
"""How instructions are translated, by mnemonic."""


def translates(*names: str) -> Callable[[Translate], Translate]:
    """Register a function as the translation of these instructions."""

    def register(function: Translate) -> Translate:
        TRANSLATIONS.update(dict.fromkeys(names, function))
        return function

    return register


def most_steps(instructions: int) -> int:
    """Steps of `Work` for a body of so many instructions."""
    return MOST_STEPS + STEPS_AN_INSTRUCTION * instructions


class Frame:
    """A structured instruction that is open."""

    __slots__ = (
        "around",
        "arrivals",
        "choice",
        "end",
        "finish",
        "height",
        "known",
        "label",
        "node",
        "orelse",
        "params",
        "resume",
        "seq",
        "start",
        "type",
    )  # fmt: skip

    def __init__(self, type_: FuncType, end: int, height: int, seq: Seq, around: Frame | None) -> None:
        self.type = type_
        self.label = Label()
        """Where branches to what follows it go."""
        self.end = self.resume = end
        """Index of its `end`, and of the `else` or `end` up to which code is dead after a branch."""
        self.height = height
        self.seq = seq
        """Where its code begins: at `seq[start]`."""
        self.start = len(seq)
        self.around = around
        """The innermost loop or try_table that it stands in."""
        self.arrivals: list[tuple[Br, Frame | None, Known]] = []
        """Branches to `label`: what they stand in, as `around`, and what is known there."""
        self.node: Loop | None = None
        """The loop that it is."""
        self.finish: Callable[[Emitter, Frame], None] | None = None
        """Of a try_table: what comes after its body, once the frame is closed."""
        self.choice: If | None = None
        """Of a counted loop: which of its two forms runs."""
        self.orelse: Seq | None = None
        """Of an `if` before its `else`: where that goes."""
        self.params: list[Operand] = []
        self.known: Known = {}
        """Of an `if`: its parameters, and what is known where its `else` begins. Of a counted loop: the
        stack, and what is known where its second form begins."""


class Emitter:
    """Translates a body into a tree. Make one per function, then `run`."""

    __slots__ = (
        "again", "armed", "around", "body", "borrows", "costs", "counting", "counts", "dead", "dispatched",
        "facts", "far_offsets", "forecast", "frames", "funcidx", "globals", "is_tail", "known", "looks",
        "mem_types", "metered", "module", "pays", "pc", "places", "resume", "root", "seq", "set_globals",
        "settled", "shifts", "stack", "tail_dispatched", "tails", "tells", "trapping", "unknown",
        "used_locals", "view", "work",
    )  # fmt: skip

    def __init__(
        self,
        module: Module,
        index: int,
        facts: FuncFacts,
        variant: Variant,
        counts: bool = True,
        borrows: bool = True,
        work: Work | None = None,
    ) -> None:
        self.work = work or Work(unhurried, most_steps(len(module.funcs[index].body.ops)))
        self.module = module
        self.funcidx = module.imported_funcs + index
        self.body = body = module.funcs[index].body
        self.facts = facts
        self.view = variant.flavour is Flavour.VIEW
        self.costs = charges(body, facts) if variant.counts.fuel else {}
        """Where fuel is charged, and how much."""
        self.borrows = borrows and bool(self.costs) and not any(op.name in SPENDING for op in body.ops)
        """Whether fuel is in a local variable meanwhile: nobody else spends any."""
        self.looks = checks(body, facts) if variant.counts.time else set()
        """Where time is looked at."""
        self.metered = any(variant.counts)
        self.pays = variant.counts.fuel or variant.counts.time
        self.tells = set(charges(body, facts)) if variant.counts.blocks else set()
        """Where an observer is told that a basic block begins."""
        self.stack: list[Operand] = []
        self.settled = 0
        """Operands below this height, if there are so many, are constants or in their stack variables."""
        self.armed = False
        """Whether an operand that may trap may be waiting."""
        self.trapping = -1
        """Index of the instruction in it."""
        self.known: Known = {
            index: named(index, 0, 0)
            for index, type_ in enumerate(facts.locals)
            if index >= len(facts.type.params) and (type_ is I32 or type_ is I64)
        }
        self.unknown: Known = {}
        """What reading a local gives about which nothing is known."""
        self.root: Seq = []
        self.seq = self.root
        self.frames = [Frame(FuncType((), facts.type.results), len(body.ops) - 1, 0, self.root, None)]
        self.around: Frame | None = None
        self.dead = False
        self.pc = 0
        """Index of the instruction at hand."""
        self.resume = 0
        """Instructions before this one are skipped."""
        self.used_locals: set[int] = set()
        self.set_globals: set[int] = set()
        self.dispatched: set[tuple[int, int]] = set()
        self.places: dict[int, str] = {}
        self.tail_dispatched: set[tuple[int, int]] = set()
        self.tails: set[int] = set()
        """Functions that it calls in tail position, but itself."""
        self.shifts: set[tuple[int, str, int]] = set()
        """Views that begin at an offset, as in `Notes`."""
        self.far_offsets: set[int] = set()
        self.is_tail = False
        """Whether it makes such calls."""
        self.again: Loop | None = None
        """Around everything, where the function calls itself in tail position."""
        self.globals: dict[int, Operand] = {}
        """What reading a global gives, of those that were met."""
        self.mem_types = module.mem_types
        self.forecast = forecast(module, body, facts, self.work)
        self.counts = counts
        """Whether counted loops become `for`."""
        self.counting: Counted | None = None
        """The counted loop that is being written as `for`."""

    def shifted(self, access: str, memidx: int, offset: int) -> bool:
        """Whether there may be a view that begins at the offset; if so, there will be one."""
        if not self.view or not offset:
            return False
        if offset >= NEAR:
            if len(self.far_offsets) >= MOST_FAR and offset not in self.far_offsets:
                return False
            self.far_offsets.add(offset)
        self.shifts.add((memidx, access, offset))
        return True

    # Statements

    def line(self, text: str, instr: int = -1) -> None:
        self.seq.append(Line(text, instr))

    def assign(self, target: str, operand: Operand) -> None:
        """Evaluate an operand into a variable. A value to be rounded is rounded on the way."""
        instr = self.trapping if operand.flags & TRAP else -1
        if not operand.flags & ROUND:
            self.seq.append(Line(f"{target} = {operand.text}", instr))
        elif self.view:
            self.line(f"cell[0] = {operand.text}", instr)
            self.line(f"{target} = cell[0]")
        else:
            self.line(f"{target} = round32({operand.text})", instr)

    def leave(self, text: str, instr: int = -1) -> None:
        self.seq.append(Leave(text, instr))
        self.dead = True

    # Operands

    def push(self, operand: Operand) -> None:
        stack = self.stack
        height = len(stack)
        stack.append(operand)
        if height < self.settled:
            self.settled = height
        if operand.depth > MAX_DEPTH or len(operand.text) > MAX_TEXT:
            self.spill(height)
        elif height - self.settled >= MAX_WAITING:
            self.spill_lowest()

    def push_atom(self, operand: Operand) -> None:
        """Push a name or a literal."""
        stack = self.stack
        height = len(stack)
        stack.append(operand)
        if height < self.settled:
            self.settled = height
        elif height - self.settled >= MAX_WAITING:
            self.spill_lowest()

    def spill_lowest(self) -> None:
        """Evaluate the lowest of the waiting operands."""
        self.spill(self.settled)
        self.settled += 1

    def pop_type(self, type_: ValType) -> Operand:
        """The top operand as what may be stored where anybody sees it; ROUND may be left to `assign`."""
        operand = self.stack.pop()
        if operand.flags & UNFIT:
            operand = plain(operand)
        return observed(operand, type_.bits) if type_ is I32 or type_ is I64 else operand

    def pop_signed(self) -> Operand:
        """The top operand as what may be stored in a local that is kept signed."""
        operand = self.stack.pop()
        return signed(observed(operand, 32) if operand.flags & BOOL else operand, 32)

    def pop_int(self, bits: int = 32) -> Operand:
        """The top operand as a canonical integer, perhaps a truth value."""
        return canonical(self.stack.pop(), bits)

    def take(self, types: tuple[ValType, ...]) -> list[Operand]:
        """The top operands, in order, as expressions that may be stored anywhere."""
        if not types:
            return []
        lowest = len(self.stack) - len(types)
        for height in range(lowest, len(self.stack)):
            if self.stack[height].flags & UNFINISHED:
                self.finish(height)
        taken = self.stack[lowest:]
        del self.stack[lowest:]
        return [
            observed(operand, type_.bits) if type_ is I32 or type_ is I64 else operand
            for operand, type_ in zip(taken, types, strict=True)
        ]

    def finish(self, height: int) -> None:
        """Make an operand's text the value itself: rounded, signalling NaNs kept."""
        operand = self.stack[height]
        if operand.flags & ROUND:
            if self.view:
                self.spill(height)
            else:
                flags = operand.flags & ~ROUND | ATOM
                self.stack[height] = Operand(
                    f"round32({operand.text})", 0, -1, flags, operand.reads, operand.depth + 1
                )
        else:
            self.stack[height] = plain(operand)

    def arithmetic(self, height: int) -> None:
        """Make an operand's text fit for arithmetic: rounded."""
        if self.stack[height].flags & ROUND:
            self.finish(height)

    def bind(self, height: int) -> Operand:
        """Make an operand's text repeatable. Returns it."""
        if not self.stack[height].flags & VAR:
            self.spill(height)
        return self.stack[height]

    def bind_canonical(self, height: int, bits: int) -> Operand:
        """Make an integer operand canonical and repeatable. Returns it."""
        self.stack[height] = canonical(self.stack[height], bits)
        return self.bind(height)

    def spill(self, height: int) -> None:
        """Evaluate an operand now, into its stack variable."""
        operand = self.stack[height]
        bit = 2 << 2 * height
        if operand.flags & VAR and not operand.flags & UNFINISHED and operand.reads in (0, bit):
            return
        operand = plain(operand)
        for below in range(self.settled, height):
            if self.stack[below].reads & bit:
                self.spill(below)
        name = f"v{height}"
        if operand.flags & BOOL:
            operand = observed(operand, 32)
        self.assign(name, operand)
        quiet = QUIET if operand.flags & (QUIET | ROUND) else 0
        flags = ATOM | VAR | quiet | operand.flags & (SUM | LOW)
        self.stack[height] = Operand(name, operand.lo, operand.hi, flags, bit)

    def settle(self) -> None:
        """Evaluate the waiting operand that may trap, if there is one."""
        if self.armed:
            self.armed = False
            for height in range(self.settled, len(self.stack)):
                if self.stack[height].flags & TRAP:
                    self.spill(height)

    def settle_for_branch(self, arity: int) -> None:
        """Evaluate the waiting operand that may trap, unless it is one of the `arity` values on top."""
        if not self.armed:
            return
        for height in range(self.settled, len(self.stack) - arity):
            if self.stack[height].flags & TRAP:
                self.spill(height)

    def settle_state(self) -> None:
        """Evaluate waiting operands that read what others can change."""
        for height in range(self.settled, len(self.stack)):
            if self.stack[height].flags & EFFECTS:
                self.spill(height)

    def settle_readers(self, bit: int) -> None:
        """Evaluate waiting operands that read a variable which is about to change."""
        for height in range(self.settled, len(self.stack)):
            if self.stack[height].reads & bit:
                self.spill(height)

    def settle_all(self) -> None:
        """Evaluate everything but constants."""
        for height in range(self.settled, len(self.stack)):
            self.spill(height)
        self.settled = len(self.stack)
        self.armed = False

    def push_trapping(self, operand: Operand) -> None:
        """Push an operand whose instruction may trap. Others that may must have been settled before."""
        operand.flags |= TRAP
        self.armed = True
        self.trapping = self.pc
        self.push(operand)

    def read(self, index: int) -> Operand:
        """What reading a local gives."""
        return self.known.get(index) or self.unknown.get(index) or self.meet_local(index)

    def meet_local(self, index: int) -> Operand:
        """A local that is read for the first time: nothing is known about it."""
        type_ = self.facts.locals[index]
        lo, hi = 0, -1
        if type_ is I32 or type_ is I64:
            hi = MASK[type_.bits]
        if index in self.forecast.signed:
            lo, hi = ~(hi >> 1), hi >> 1
        made = self.unknown[index] = named(index, lo, hi)
        return made

    def push_var(self, type_: ValType) -> None:
        """Push the stack variable of the next height, which holds a value of the type."""
        height = len(self.stack)
        self.stack.append(variable(f"v{height}", type_, 2 << 2 * height))

    # Instructions

    def run(self) -> Seq:
        """Translate the whole body."""
        self.translate(0, len(self.body.ops))
        if self.again is not None:
            self.again.body = [*map(Line, self.defaults()), *self.root]
            return [self.again]
        return self.root

    def translate(self, start: int, stop: int) -> None:
        """Translate the instructions from one index up to another."""
        ops, imms = self.body.ops[start:stop], self.body.imms[start:stop]
        translation, metered = TRANSLATIONS.get, self.metered
        self.work.spend(STEPS_TO_TRANSLATE * len(ops))
        for pc, op, imm in zip(range(start, stop), paced(ops, self.work.patience), imms, strict=True):
            if pc < self.resume:
                continue
            self.pc = pc
            if metered:
                self.meter(pc)
            translation(op.name, pasted)(self, op, imm)
            if self.dead:
                self.resume = self.frames[-1].resume

    def meter(self, index: int) -> None:
        """Charge for the basic block that begins with this instruction, if one does, look at the time, and
        tell who watches."""
        if self.dead:
            return
        if index in self.costs:
            self.settle()
            cost = self.costs[index]
            if self.borrows:
                self.line(f"if (left := left - {cost}) < 0: left = renew(left)", index)
            else:
                self.line(f"if (fuel := fuel - {cost}) < 0: refill()", index)
        if index in self.looks:
            self.settle()
            self.line("if halted: halt()", index)
        if index in self.tells:
            self.settle()
            self.line(f"block({self.funcidx}, {self.body.offsets[index]})", index)

    def amount(self, count: Operand) -> str:
        """The last arguments of a bulk instruction: how much it touches, paid for, and whose time."""
        return f"pay({count.text}), patience" if self.pays else count.text

    def declared(self) -> list[str]:
        """Lines at the beginning: which globals the function sets, and initial values of its locals."""
        globals_ = [f"g{index}" for index in sorted(self.set_globals)] + ["fuel"] * bool(self.costs)
        lines = [f"global {', '.join(globals_)}"] if globals_ else []
        return lines if self.again is not None else lines + self.defaults()

    def defaults(self) -> list[str]:
        """Lines that initialise locals."""
        lines: list[str] = []
        params = len(self.facts.type.params)
        defaults: dict[str, list[str]] = {}
        for index in sorted(self.used_locals):
            if index >= params:
                defaults.setdefault(repr(self.facts.locals[index].default), []).append(f"l{index}")
        for default, names in defaults.items():
            lines += [" = ".join([*names[start : start + 20], default]) for start in range(0, len(names), 20)]
        for index in sorted(self.forecast.signed):
            if index < params:
                lines.append(f"l{index} = {signed(named(index, 0, MASK[32]), 32).text}")
        return lines


def variable(name: str, type_: ValType, bit: int) -> Operand:
    """An operand that reads a variable of the type."""
    if type_ is I32 or type_ is I64:
        return Operand(name, 0, MASK[type_.bits], ATOM | VAR, bit)
    return Operand(name, 0, -1, ATOM | VAR, bit)


@cache
def paste(op: Op) -> tuple[list[str], list[int]]:
    """A cell as pieces of text, and the numbers of the operands between them; that of the lane is
    `LANE_NUMBER`."""
    expr = op.expr or "a"
    pieces: list[str] = []
    numbers: list[int] = []
    end = 0
    for match in re.finditer(rf"(?<![\w.])[{OPERANDS}{LANE}]\b", expr):
        pieces.append(expr[end : match.start()])
        numbers.append((OPERANDS + LANE).index(match.group()))
        end = match.end()
    return [*pieces, expr[end:]], numbers


def pasted(e: Emitter, op: Op, imm: Any) -> None:
    """Translate an instruction that the table says by an expression."""
    if op.params is None or len(op.results) != 1 or not PASTED.issuperset(op.imms):
        raise Unsupported(f"{op.name} has no translation")
    if op.traps:
        e.settle()
    operand = paste_operands(e, op, op.params, imm)
    if op.traps:
        e.push_trapping(operand)
    else:
        e.push(operand)


def paste_cell(e: Emitter, op: Op, lo: int = 0, hi: int | None = None) -> Operand:
    """Pop a row's operands; its cell with them in place. `lo` and `hi` bound an integer result better than
    its type."""
    if op.traps:
        e.settle()
    return paste_operands(e, op, op.params or (), None, lo, hi)


def paste_operands(
    e: Emitter,
    op: Op,
    params: tuple[ValType, ...],
    lane: int | bytes | None,
    lo: int = 0,
    hi: int | None = None,
) -> Operand:
    """Pop operands of these types; a row's cell with them and the lane in place."""
    pieces, numbers = paste(op)
    first = len(e.stack) - len(params)
    for number, type_ in enumerate(params):
        height = first + number
        e.finish(height)
        if type_ is I32 or type_ is I64:
            e.stack[height] = observed(e.stack[height], type_.bits)
        if numbers.count(number) != 1:
            e.bind(height)
    operands = [e.stack.pop() for _ in params][::-1]
    parts = [pieces[0]]
    flags = reads = depth = 0
    for number, piece in zip(numbers, pieces[1:], strict=True):
        text = repr(lane) if number == LANE_NUMBER else operands[number].term
        parts += (f"({text})" if piece.startswith(".") and text[0].isdigit() else text, piece)
    for operand in operands:
        flags |= operand.flags & EFFECTS
        reads |= operand.reads
        depth = max(depth, operand.depth)
    text = "".join(parts)
    result = op.results[0] if op.results else V128
    if re.fullmatch(r"\w+\(.*\)", op.expr or "") and op.expr and op.expr.count("(") == 1:
        flags |= ATOM
    if op.boolean:
        return Operand(text, 0, 1, flags | BOOL, reads, depth + 1)
    if result is I32 or result is I64:
        return Operand(text, lo, MASK[result.bits] if hi is None else hi, flags, reads, depth + 1)
    return Operand(text, 0, -1, flags, reads, depth + 1)
