"""The translation of a body into the tree of `forms/tree.py`, and the registry of instructions' translations.

What is here: `Emitter`, which walks the instructions once. What is not: the state during the walk, which has
its own classes (`stack.py`, `scopes.py`, `known.py`), and the translations of instructions (other files in
this folder, which register functions here; an instruction without one is translated by its expression in the
table, see `cells.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress, islice
from typing import Any

from ...instructions import ByRow, Imm, Op
from ...module import Body, Module
from ...namespace import Namespace
from ...pace import Work, paced, unhurried
from ...runtime.memory import Flavour
from ...runtime.meter import SPENDING, charges, checks
from ...types import I32, I64, ValType
from ...validate import FuncFacts
from ..analysis.counted import Counted
from ..analysis.forecast import forecast
from ..analysis.frame import restored_at
from ..analysis.whole import WholeLoop
from ..compiled import Unsupported, Variant
from ..forms.integers import MASK, signed
from ..forms.operands import (
    ZERO,
    Operand,
    binary,
    call,
    compared,
    let,
    literal,
    named,
    number,
    stacked,
    word,
)
from ..forms.tree import Assign, AssignAll, AssignSame, Do, Line, Loop, Seq, When
from .cells import PASTED, paste_operands, paste_results
from .keeping import keeper
from .known import Globals, Locals
from .scopes import Scopes
from .stack import Stack

STEPS_TO_TRANSLATE = 64
"""Steps of `Work` for an instruction."""
MOST_STEPS, STEPS_AN_INSTRUCTION = 20_000_000, 500
"""The most steps for translating a body, and the additional steps for each instruction. One function of Yosys
takes 12 million, because it has 660 locals; most functions take a hundred for each instruction."""

NEAR_OFFSET = 512
MOST_FAR = 8
"""Views may begin at any offset below NEAR_OFFSET and at MOST_FAR other offsets per function, and at those
that a long function uses most often, one for INSTRUCTIONS_A_VIEW. They are limited because views are objects,
and a module could need one for each access."""
INSTRUCTIONS_A_VIEW = 64
ACCESSES: ByRow[bool] = ByRow(lambda op: op.imms == (Imm.MEMARG,))
NOWHERE: frozenset[int] = frozenset()
PATIENCE, LEFT, FUEL, HALTED = word("patience"), word("left"), word("fuel"), word("halted")

Translate = Callable[["Emitter", Op, Any], None]
TRANSLATIONS: dict[str, Translate] = {}
"""Translations of instructions, by mnemonic."""


def translates(*names: str) -> Callable[[Translate], Translate]:
    """Register a function as the translation of these instructions."""

    def register(function: Translate) -> Translate:
        TRANSLATIONS.update(dict.fromkeys(names, function))
        return function

    return register


BY_ROW: ByRow[Translate] = ByRow(lambda op: TRANSLATIONS.get(op.name, pasted))
"""The same by row; without one of its own an instruction is translated by its expression."""


def most_steps(instructions: int) -> int:
    """Steps of `Work` for a body with so many instructions."""
    return MOST_STEPS + STEPS_AN_INSTRUCTION * instructions


class Meter:
    """The code at starts of basic blocks that limits and observers need."""

    __slots__ = ("any", "borrows", "costs", "looks", "pays", "tells")

    def __init__(self, module: Module, index: int, facts: FuncFacts, variant: Variant, borrows: bool) -> None:
        body, counts = module.funcs[index].body, variant.counts
        self.any = any(counts)
        self.costs = charges(body, facts) if counts.fuel else {}
        """Where fuel is charged, and how much."""
        self.borrows = borrows and bool(self.costs) and not any(op.name in SPENDING for op in body.ops)
        """Whether a local variable holds the fuel during the function, because nothing else in it uses
        fuel."""
        self.looks = checks(body, facts, module.imported_funcs) if counts.time else NOWHERE
        """Where the time is checked."""
        self.pays = counts.fuel or counts.time
        """Whether bulk instructions pay for the bytes that they access."""
        self.tells = charges(body, facts).keys() if counts.blocks else NOWHERE
        """Where a basic block is reported to an observer."""


class Needs:
    """The names that a function needs in its instance's namespace, and data to explain its traps: see
    `Notes`."""

    __slots__ = (
        "_body", "_frequent", "dispatched", "far_offsets", "places", "seen", "shifts", "tail_dispatched",
        "tails", "wholes",
    )  # fmt: skip

    def __init__(self, body: Body) -> None:
        self._body = body
        self._frequent: frozenset[int] | None = None
        self.dispatched: set[tuple[int, int]] = set()
        self.places: dict[int, str] = {}
        self.tail_dispatched: set[tuple[int, int]] = set()
        self.tails: set[int] = set()
        self.shifts: set[tuple[int, str, int]] = set()
        self.far_offsets: set[int] = set()
        self.seen: dict[tuple[str, int, int, int], Operand] = {}
        """Items of views, by access, memory, local and offset (`memory.seen`)."""
        self.wholes: list[WholeLoop] = []

    def shift(self, access: str, memidx: int, offset: int) -> bool:
        """Request a view that begins at the offset. Returns whether there can be one."""
        if offset >= NEAR_OFFSET and offset not in self.far_offsets and offset not in self.frequent:
            if len(self.far_offsets) >= MOST_FAR:
                return False
            self.far_offsets.add(offset)
        self.shifts.add((memidx, access, offset))
        return True

    @property
    def frequent(self) -> frozenset[int]:
        """The far offsets that the body uses most often."""
        if self._frequent is None:
            body, most = self._body, len(self._body.ops) // INSTRUCTIONS_A_VIEW
            accesses = compress(body.imms, map(ACCESSES.__getitem__, body.ops)) if most else ()
            uses = Counter(imm.offset for imm in accesses if imm.offset >= NEAR_OFFSET)
            self._frequent = frozenset(offset for offset, _ in uses.most_common(most))
        return self._frequent


class Emitter:
    """Translates a body into a tree. Make one per function, then `run`."""

    __slots__ = (
        "again", "body", "code", "counting", "counts", "ended", "facts", "forecast", "funcidx",
        "globals", "is_tail", "keeper", "locals", "mem_types", "meter", "module", "needs", "pc", "restored",
        "stack", "views", "work",
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
        self.views = variant.flavour is Flavour.VIEW
        self.mem_types = module.mem_types
        self.meter = Meter(module, index, facts, variant, borrows)
        self.forecast = forecast(module, body, facts, self.work)
        self.restored = restored_at(body)
        """Where the stack pointer gets back the value that the function found."""
        self.code = Scopes(facts.type, len(body.ops) - 1, self.views)
        self.stack = Stack(self.code)
        self.locals = Locals(facts, self.forecast, self.work)
        self.globals = Globals(module)
        memories = () if variant.counts.blocks else self.mem_types  # an observer of blocks may change them
        self.keeper = keeper(body, memories, self.locals, self.stack, self.code)
        """What keeps values of memory, where it can be known what memory holds."""
        self.needs = Needs(body)
        self.pc = 0
        """The index of the current instruction."""
        self.ended = -1
        """The index of an `end` whose scope is already closed."""
        self.is_tail = False
        """Whether it makes tail calls to other functions."""
        self.again: Loop | None = None
        """The loop around the whole body of a function that tail-calls itself."""
        self.counts = counts
        """Whether counted loops become `for`."""
        self.counting: Counted | None = None
        """The counted loop that is being written as `for`."""

    def run(self) -> Seq:
        """Translate the whole body."""
        self.translate(0, len(self.body.ops))
        if self.again is not None:
            self.again.body = [*self.defaults(), *self.code.root]
            return [self.again]
        return self.code.root

    def translate(self, start: int, stop: int) -> None:
        """Translate the instructions between two indices."""
        ops, imms = self.body.ops[start:stop], self.body.imms[start:stop]
        metered, code = self.meter.any, self.code
        self.work.spend(STEPS_TO_TRANSLATE * len(ops))
        chosen = map(BY_ROW.__getitem__, paced(ops, self.work.patience))
        steps = zip(range(start, stop), chosen, ops, imms, strict=True)
        for pc, translation, op, imm in steps:
            self.pc = pc
            if metered:
                self.begin_block(pc)
            translation(self, op, imm)
            if code.dead and (skipped := code.open[-1].resume - pc - 1) > 0:
                next(islice(steps, skipped, skipped), None)

    def push_trapping(self, operand: Operand) -> None:
        """Push an operand in which the current instruction may trap."""
        self.stack.push_trapping(operand, self.pc)

    def push_results(self, types: Sequence[ValType], values: Sequence[Operand], traps: bool) -> None:
        """Push several results at once: as many values, or one operand that consists of them. `traps`: the
        current instruction may trap in them."""
        heights = range(len(self.stack), len(self.stack) + len(types))
        for height in heights:
            self.stack.settle_readers(2 << 2 * height)
        targets = [stacked(height, 0, -1) for height in heights]
        self.code.append(AssignAll(targets, values, self.pc if traps else -1))
        for type_ in types:
            self.stack.push_variable(type_)

    def do(self, value: Operand) -> None:
        """Evaluate an operand for its effects; the current instruction may trap in it."""
        self.code.append(Do(value, self.pc))

    def change(self, value: Operand) -> None:
        """The same for an operand that changes state which others can observe."""
        self.disturb()
        self.code.append(Do(value, self.pc))

    def disturb(self) -> None:
        """Before something that may change all state: evaluate what reads it, and forget what memory
        holds."""
        self.stack.settle_state()
        self.locals.forget_memory()

    # Limits and observers

    def begin_block(self, index: int) -> None:
        """If a basic block begins with this instruction, charge fuel for it, check the time, and report it to
        an observer."""
        if self.code.dead:
            return
        meter = self.meter
        if index in meter.costs:
            self.stack.settle()
            self.code.append(charge(meter.costs[index], meter.borrows, index))
        if index in meter.looks:
            self.stack.settle()
            self.code.append(When(HALTED, (Do(call("halt", ())),), index))
        if index in meter.tells:
            self.stack.settle()
            offset = self.body.offsets[index]
            self.code.append(Do(call("block", (number(self.funcidx), number(offset))), index))

    def amount(self, count: Operand) -> tuple[Operand, ...]:
        """The last arguments of a bulk instruction: the count, paid for, and the patience."""
        return (call("pay", (count,)), PATIENCE) if self.meter.pays else (count,)

    @property
    def patience(self) -> tuple[Operand, ...]:
        """The last argument of calls that may take long."""
        return (PATIENCE,) if self.meter.pays else ()

    # The beginning of a function

    def written_globals(self) -> list[str]:
        """Global variables of Python that the function sets."""
        fuel = ["fuel"] if self.meter.costs else []
        return [*map(Namespace.global_, sorted(self.globals.written)), *fuel]

    def defaults(self) -> list[Line]:
        """Statements that initialise locals."""
        lines: list[Line] = []
        types, params = self.facts.locals, len(self.facts.type.params)
        alike: dict[str, list[Operand]] = {}
        for index in sorted([index for index in self.locals.used - self.set_first() if index >= params]):
            type_ = types[index]
            default = ZERO if type_ is I32 or type_ is I64 else literal(type_.default)
            alike.setdefault(default.text, [default]).append(self.locals.any(index))
        for default, *targets in alike.values():
            for start in range(0, len(targets), 20):
                lines.append(AssignSame(targets[start : start + 20], default))
        for index in sorted(self.forecast.signed):
            if index < params:
                before = named(index, 0, MASK[32])
                lines.append(Assign(before, signed(before, 32)))
        return lines

    def set_first(self) -> set[int]:
        """Locals that the first lines set, before anything reads them or may trap: their initial values
        can't be seen. They are frame pointers in nearly all functions of C that have a frame."""
        found: set[int] = set()
        read = 0
        for line in self.code.root:
            if type(line) is not Assign or line.instr >= 0:
                break
            read |= line.value.reads
            if line.target.local >= 0 and not read & line.target.reads:
                found.add(line.target.local)
        return found


def pasted(e: Emitter, op: Op, imm: Any) -> None:
    """Translate an instruction by its expression in the table."""
    if not op.exprs or op.params is None or not PASTED.issuperset(op.imms):
        raise Unsupported(f"{op.name} has no translation")
    if op.traps:
        e.stack.settle()
    if len(op.results) > 1:
        e.push_results(op.results, paste_results(e.stack, op, imm), op.traps)
        return
    operand = paste_operands(e.stack, op, op.params, imm)
    if op.traps:
        e.push_trapping(operand)
    else:
        e.stack.push(operand)


def charge(cost: int, borrows: bool, index: int) -> Line:
    """Subtract fuel, and get more if there isn't enough."""
    name, fuel = ("left", LEFT) if borrows else ("fuel", FUEL)
    is_spent = compared("<", let(name, binary("-", fuel, number(cost))), ZERO)
    if borrows:
        return When(is_spent, (Assign(LEFT, call("renew", (LEFT,))),), index)
    return When(is_spent, (Do(call("refill", ())),), index)
