"""What is known of locals and globals at the place that is being translated.

What is here: `Locals` and `Globals`, which alone change it. What is not: what a comparison tells
(`analysis/ranges.py`), and which locals a loop changes (`analysis/forecast.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...module import Module
from ...pace import Work
from ...types import I32, I64, ExternKind
from ...validate import FuncFacts
from ..analysis.forecast import Forecast
from ..forms.integers import MASK
from ..forms.operands import (
    QUIET,
    ROUND,
    STATE,
    VAR,
    Facts,
    Known,
    Operand,
    attribute,
    bounded,
    constant,
    named,
    variable,
)


class Locals:
    """The locals of a function. Where control parts, `fork` gives one way what is known, and `restore` takes
    it up there."""

    __slots__ = ("forecast", "known", "types", "unknown", "used", "work")

    def __init__(self, facts: FuncFacts, forecast: Forecast, work: Work) -> None:
        self.types = facts.locals
        self.forecast = forecast
        self.work = work
        self.known: Known = {
            index: named(index, 0, 0)
            for index, type_ in enumerate(facts.locals)
            if index >= len(facts.type.params) and (type_ is I32 or type_ is I64)
        }
        self.unknown: Known = {}
        """What reading a local gives about which nothing is known."""
        self.used: set[int] = set()
        """Locals that the code reads or sets."""

    def read(self, index: int) -> Operand:
        """What reading a local gives."""
        return self.known.get(index) or self.unknown.get(index) or self.meet(index)

    def meet(self, index: int) -> Operand:
        """A local about which nothing is known, when that is first asked."""
        type_ = self.types[index]
        lo, hi = 0, -1
        if type_ is I32 or type_ is I64:
            hi = MASK[type_.bits]
        if index in self.forecast.signed:
            lo, hi = ~(hi >> 1), hi >> 1
        made = self.unknown[index] = named(index, lo, hi)
        return made

    def any(self, index: int) -> Operand:
        """A local about which nothing is known: what a statement sets."""
        return self.unknown.get(index) or self.meet(index)

    def use(self, index: int) -> None:
        """The code reads or sets a local."""
        self.used.add(index)

    def set(self, index: int, value: Operand) -> Operand:
        """Take in that a local is set to a value. Returns it as a statement sets it."""
        self.used.add(index)
        unknown = self.unknown.get(index) or self.meet(index)
        if value.flags & (QUIET | ROUND):
            self.known[index] = named(index, value.lo, value.hi, VAR | QUIET)
        elif value.hi < unknown.hi or value.lo > unknown.lo:
            self.known[index] = named(index, value.lo, value.hi)
        else:
            self.known.pop(index, None)
        return unknown

    def assume(self, known: Mapping[int, Operand]) -> None:
        """Take in what reading these locals gives."""
        self.known.update(known)

    def forget(self, locals_: Iterable[int]) -> None:
        """Nothing is known of these any more."""
        gone = set(locals_)
        self.known = {index: operand for index, operand in self.known.items() if index not in gone}

    def limit(self, index: int, operand: Operand, most: int) -> None:
        """What follows runs only if a local, read as this operand, isn't greater."""
        known = self.known.get(index, operand)
        if 0 <= most < known.hi:
            self.known[index] = bounded(known, known.lo, most)

    def learn(self, facts: Facts) -> None:
        """Take in what a condition says is true here. What contradicts what is known isn't executed."""
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

    # Ways

    def fork(self) -> Known:
        """Begin a way of which more will be known. Returns what is known now, for `restore`."""
        before = self.known
        self.work.spend(len(before) >> 2)
        self.known = before.copy()
        return before

    def restore(self, known: Known) -> None:
        """Go on where this is known."""
        self.known = known

    def begin_loop(self, index: int) -> None:
        """Keep what is so whenever the loop at an index begins anew."""
        self.known = self.at_head(index)

    def at_head(self, index: int) -> Known:
        """What is known wherever the loop or try_table at an index begins, or is left by an exception."""
        self.work.spend(4 * len(self.known))
        return self.forecast.at_head(index, self.known)

    def join(self, ways: list[Known]) -> None:
        """Keep what is so on each of several ways that meet here."""
        first, *others = ways
        met = first.copy()
        for other in others:
            self.work.spend(len(met))
            for index, operand in met.items() - other.items():  # few differ
                same = other.get(index)
                if same is None:
                    del met[index]
                    continue
                lo, hi = min(operand.lo, same.lo), max(operand.hi, same.hi)
                flags = operand.flags & same.flags
                if lo < operand.lo or hi > operand.hi or flags != operand.flags:
                    met[index] = bounded(operand, lo, hi, flags)
        self.known = met


class Globals:
    """The globals of a module, as one function sees them."""

    __slots__ = ("met", "module", "written")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.met: dict[int, Operand] = {}
        """What reading a global gives, of those that were met."""
        self.written: set[int] = set()
        """Globals that are Python variables and set here."""

    def read(self, index: int) -> Operand:
        """What reading a global gives."""
        return self.met.get(index) or self.meet(index)

    def meet(self, index: int) -> Operand:
        """What reading a global gives that is met for the first time."""
        type_ = self.module.global_types[index]
        value = None if type_.mutable else self.literal(index)
        if value is not None:
            made = constant(value)
        else:
            held = type_.type
            hi = MASK[held.bits] if held is I32 or held is I64 else -1
            made = variable(f"g{index}", 0, hi, flags=STATE if type_.mutable else 0)
            if not self.is_private(index):
                made = attribute(made, "raw", 0, hi)
        self.met[index] = made
        return made

    def is_private(self, index: int) -> bool:
        """Whether a global is a plain name: mutable and seen by nobody else."""
        module = self.module
        if index < len(module.imported(ExternKind.GLOBAL)) or not module.global_types[index].mutable:
            return False
        return not any(
            export.kind is ExternKind.GLOBAL and export.index == index for export in module.exports
        )

    def literal(self, index: int) -> int | None:
        """The value of an integer global that is defined here by a literal."""
        defined = index - len(self.module.imported(ExternKind.GLOBAL))
        if defined < 0:
            return None
        init = self.module.globals[defined].init
        is_literal = len(init.ops) == 2 and init.ops[0].name in ("i32.const", "i64.const")
        return int(init.imms[0]) if is_literal else None

    def write(self, index: int) -> Operand:
        """What a statement sets to set a global."""
        target = self.read(index)
        if not target.parts:
            self.written.add(index)
        return target
