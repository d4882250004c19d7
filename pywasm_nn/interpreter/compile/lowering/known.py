"""Facts about locals and globals at the place that is being translated.

What is here: `Locals` and `Globals`, which alone change the facts. What is not: conclusions from comparisons
(`analysis/ranges.py`), and which locals a loop changes (`analysis/forecast.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...module import Module
from ...namespace import Namespace
from ...pace import Work
from ...runtime.externs import becomes_name
from ...types import I32, I64, ExternKind, RefType
from ...validate import FuncFacts
from ..analysis.forecast import Forecast
from ..forms.contents import Known, known_of
from ..forms.integers import MASK
from ..forms.operands import (
    QUIET,
    ROUND,
    STATE,
    VAR,
    Facts,
    Operand,
    attribute,
    bounded,
    constant,
    named,
    variable,
)

FLOAT = QUIET | ROUND
"""Traits of floats that a local keeps."""


class Locals:
    """The locals of a function. Where control flow divides, `fork` copies the facts for one path, and
    `restore` returns to them."""

    __slots__ = ("forecast", "known", "types", "unknown", "used", "work")

    def __init__(self, facts: FuncFacts, forecast: Forecast, work: Work) -> None:
        self.types = facts.locals
        self.forecast = forecast
        self.work = work
        params = len(facts.type.params)
        self.known = known_of(
            {
                index: named(index, 0, 0)
                for index, type_ in enumerate(facts.locals[params:], params)
                if type_ is I32 or type_ is I64
            }
        )
        self.unknown: dict[int, Operand] = {}
        """The operands for reading locals without facts."""
        self.used: set[int] = set()
        """Locals that the code reads or sets."""

    def read(self, index: int) -> Operand:
        """The operand for reading a local."""
        return self.known.get(index) or self.unknown.get(index) or self.meet(index)

    def meet(self, index: int) -> Operand:
        """Create the operand for a local without facts."""
        type_ = self.types[index]
        lo, hi = 0, -1
        if type_ is I32 or type_ is I64:
            hi = MASK[type_.bits]
        if index in self.forecast.signed:
            lo, hi = ~(hi >> 1), hi >> 1
        made = self.unknown[index] = named(index, lo, hi)
        return made

    def any(self, index: int) -> Operand:
        """A local without facts, as the target of a statement."""
        return self.unknown.get(index) or self.meet(index)

    def use(self, index: int) -> None:
        """Record that the code reads or sets a local."""
        self.used.add(index)

    def set(self, index: int, value: Operand) -> Operand:
        """Record that a local is set to a value. Returns the local as the statement's target."""
        self.used.add(index)
        unknown = self.unknown.get(index) or self.meet(index)
        if self.known.contents is not None:
            self.known.contents.forget(1 << 2 * index)
        if value.flags & FLOAT:
            self.known[index] = named(index, value.lo, value.hi, VAR | QUIET)
        elif value.hi < unknown.hi or value.lo > unknown.lo:
            self.known[index] = named(index, value.lo, value.hi)
        else:
            self.known.pop(index, None)
        return unknown

    def keep(self, index: int, value: Operand) -> Operand:
        """Record that a variable behind the locals is set to a value. Returns it as the statement's
        target."""
        if self.known.contents is not None:
            self.known.contents.forget(1 << 2 * index)
        made = self.known[index] = named(index, value.lo, value.hi)
        return made

    def assume(self, known: Mapping[int, Operand]) -> None:
        """Record the operands for reading these locals, whose values have changed."""
        if self.known.contents is not None:
            for index in known:
                self.known.contents.forget(1 << 2 * index)
        self.known.update(known)

    def forget_memory(self) -> None:
        """Drop the facts about memory, which may have changed anywhere."""
        self.known.contents = None

    def forget(self, locals_: Iterable[int]) -> None:
        """Drop the facts about these locals."""
        gone = set(locals_)
        self.known = known_of({index: operand for index, operand in self.known.items() if index not in gone})

    def limit(self, index: int, operand: Operand, most: int) -> None:
        """Record that a local, read as this operand, isn't greater than `most` in the following code."""
        known = self.known.get(index, operand)
        if 0 <= most < known.hi:
            self.known[index] = bounded(known, known.lo, most)

    def learn(self, facts: Facts) -> None:
        """Record the facts from a condition. If they contradict others, the code is unreachable."""
        known = self.known
        for local, lo, hi in facts:
            before = known.get(local)
            if before is None:
                if lo <= hi:
                    known[local] = named(local, lo, hi)
                continue
            lo, hi = max(lo, before.lo), min(hi, before.hi)
            if lo <= hi:
                known[local] = bounded(before, lo, hi)

    # Paths

    def fork(self, others: int = 0) -> Known:
        """Begin a path on which further facts hold. Returns the current facts, for `restore`. `others` is the
        number of other operands that are copied."""
        before = self.known
        self.work.spend((len(before) >> 2) + (others >> 3))
        self.known = before.copy()
        return before

    def restore(self, known: Known) -> None:
        """Continue at a place with these facts."""
        self.known = known

    def begin_loop(self, index: int) -> None:
        """Keep only the facts that hold at every start of the loop at an index."""
        self.known = self.at_head(index)

    def at_head(self, index: int) -> Known:
        """The facts at every start of the loop or try_table at an index, and where an exception leaves it."""
        self.work.spend(4 * len(self.known))
        kept = self.forecast.at_head(index, self.known)
        return known_of({local: operand for local, operand in kept.items() if local < len(self.types)})

    def join(self, ways: list[Known]) -> None:
        """Keep only the facts that hold on all of several paths that meet here."""
        first, *others = ways
        met = first.copy()
        for other in others:
            self.work.spend(len(met))
            get = other.get
            differing = [(index, operand) for index, operand in met.items() if get(index) is not operand]
            for index, operand in differing:
                same = get(index)
                if same is None or index >= len(self.types):
                    del met[index]
                else:
                    met[index] = either(operand, same)
            if met.contents is not None:
                met.contents = met.contents.both(other.contents)
        self.known = met


def either(operand: Operand, same: Operand) -> Operand:
    """The operand for reading a local that has one of two operands, depending on the path."""
    lo, hi = min(operand.lo, same.lo), max(operand.hi, same.hi)
    flags = operand.flags & same.flags
    if lo < operand.lo or hi > operand.hi or flags != operand.flags:
        return bounded(operand, lo, hi, flags)
    return operand


class Globals:
    """The globals of a module in one function."""

    __slots__ = ("met", "module", "written")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.met: dict[int, Operand] = {}
        """The operands for reading globals that were used so far."""
        self.written: set[int] = set()
        """Globals that are Python variables and are set here."""

    def read(self, index: int) -> Operand:
        """The operand for reading a global."""
        return self.met.get(index) or self.meet(index)

    def meet(self, index: int) -> Operand:
        """Create the operand for reading a global."""
        type_ = self.module.global_types[index]
        value = None if type_.mutable else self.literal(index)
        if value is not None:
            made = constant(value)
        else:
            held = type_.type
            hi = MASK[held.bits] if held is I32 or held is I64 else -1
            name, flags = Namespace.global_(index), STATE if type_.mutable else 0
            if self.is_private(index):
                made = variable(name, 0, hi, flags=flags)
            else:  # a reference may lead back to the code, and Python's search for garbage doesn't enter code
                name = name if isinstance(held, RefType) else Namespace.fixed(name)
                made = attribute(variable(name, 0, hi, flags=flags), "raw", 0, hi)
        self.met[index] = made
        return made

    def is_private(self, index: int) -> bool:
        """Whether a global is a plain Python name, and not accessible from outside the module."""
        module = self.module
        defined = index - len(module.imported(ExternKind.GLOBAL))
        if defined < 0 or not becomes_name(module.global_types[index], module.globals[defined].init):
            return False
        return not any(
            export.kind is ExternKind.GLOBAL and export.index == index for export in module.exports
        )

    def literal(self, index: int) -> int | None:
        """The value of an integer global that this module defines by a literal."""
        defined = index - len(self.module.imported(ExternKind.GLOBAL))
        if defined < 0:
            return None
        init = self.module.globals[defined].init
        is_literal = len(init.ops) == 2 and init.ops[0].name in ("i32.const", "i64.const")
        return int(init.imms[0]) if is_literal else None

    def write(self, index: int) -> Operand:
        """The target of a statement that sets a global."""
        target = self.read(index)
        if not target.parts:
            self.written.add(index)
        return target
