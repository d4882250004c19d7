"""An analysis of the whole body before translation: which locals change in which loop, in which range they
stay, and which are better kept signed.

An i32 is kept signed if that makes the function faster: a signed comparison of two signed values is one
comparison instead of three, but addresses and arguments then need a test. So instructions vote, with more
weight in loops. What is not here: facts that hold at one place (`ranges.py`, `lowering/control.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import compress, count
from typing import NamedTuple

from ....records import Frozen
from ...instructions import OPS, ByRow, Op
from ...module import Body, Module
from ...pace import Work
from ...runtime.meter import targets
from ...types import I32
from ...validate import FuncFacts
from ..forms.integers import MASK
from ..forms.intervals import Interval, interval
from ..forms.operands import Operand, bounded
from .comparisons import I32 as COMPARISONS
from .comparisons import MIRRORED, OPPOSITE

LOADED = {
    "i32.load8_u": Interval(0, 0xFF), "i32.load16_u": Interval(0, 0xFFFF), "i64.load8_u": Interval(0, 0xFF),
    "i64.load16_u": Interval(0, 0xFFFF), "i64.load32_u": Interval(0, MASK[32]),
    "i64.extend_i32_u": Interval(0, MASK[32]),
}  # fmt: skip
TRUTH = Interval(0, 1)
SIGNED_USES = frozenset(
    {"i32.shr_s", "i64.extend_i32_s", "f32.convert_i32_s", "f64.convert_i32_s"}
    | {name for name, (_, is_signed) in COMPARISONS.items() if is_signed}
)
VOTES = {
    "i32.shr_s": (2, 0), "i64.extend_i32_s": (2,), "f32.convert_i32_s": (2,), "f64.convert_i32_s": (2,),
    "i32.shr_u": (-2, 0), "i64.extend_i32_u": (-2,), "f32.convert_i32_u": (-2,), "f64.convert_i32_u": (-2,),
    "i32.div_u": (-2, -2), "i32.rem_u": (-2, -2), "i32.div_s": (-1, -1), "i32.rem_s": (-1, -1),
    "i32.rotl": (-2, 0), "i32.rotr": (-2, 0), "i32.clz": (-1,), "i32.ctz": (-1,), "i32.popcnt": (-1,),
    "i32.eq": (-1, -1), "i32.ne": (-1, -1),
}  # fmt: skip
"""How much faster an instruction is if an operand is kept signed."""


def rows(names: Iterable[str]) -> frozenset[Op]:
    """The rows of these instructions, for set operations on a body's rows."""
    return frozenset(OPS[name] for name in names)


SIGNING = rows(SIGNED_USES)
SETTING = rows(("local.set", "local.tee"))
SIGNING_OR_SETTING = SIGNING | SETTING
MIXING = rows(("i32.xor", "i64.xor", "i32.rotl", "i64.rotl", "i32.rotr", "i64.rotr"))
MIXED = 16
"""A function counts as mixing if more than one in this many instructions mixes bits."""
LOOPS = rows(("loop", "try_table", "try"))
ENDS = rows(("end", "delegate"))
CHANGING = LOOPS | ENDS | SETTING
GET, CONST = OPS["local.get"], OPS["i32.const"]
SUMS = rows(("i32.add", "i32.sub"))
COSTLY = rows(("i32.mul", "i32.shl", "i32.or", "i32.xor", "i32.rotl", "i32.rotr", "call"))
"""Instructions whose results cost more to make signed."""
CONSTANTS = frozenset({"i32.const", "i64.const"})
NARROWING = frozenset({"i32.and", "i64.and", "i32.shr_u"})
"""Instructions whose result has the range of a constant operand."""
READING = frozenset({"local.get", "local.tee"})
DEEPEST = 3
FOUND, OTHER = -2, -1
"""Values instead of a local: a constant, and anything else."""


class Forecast(Frozen):
    heads: dict[int, int]
    """Targets of branches, and the number of branches to each; only for functions with loops."""
    changed: dict[int, dict[int, Interval | None]]
    """For each loop, try_table and try: the locals that are set in it, with their range at every later start
    of it; None for an unknown range."""
    signs: bool
    """Whether there are instructions with signed operands."""
    signed: frozenset[int]
    """Locals that are kept signed."""
    mixes: bool
    """Whether it mixes bits as much as a hash function, so that its sums are probably large numbers."""

    def at_head(self, index: int, known: dict[int, Operand]) -> dict[int, Operand]:
        """The facts that hold at every start of the loop, try_table or try at an index."""
        changed, kept = self.changed[index], {}
        for local, operand in known.items():
            if local not in changed:
                kept[local] = operand
            elif (range_ := changed[local]) is not None:
                kept[local] = bounded(operand, *range_.join(operand))
        return kept


def forecast(module: Module, body: Body, facts: FuncFacts, work: Work) -> Forecast:
    """Analyse a body."""
    used = set(body.ops)
    signs = not SIGNING.isdisjoint(used)
    signed = frozenset(Votes(module, body, facts).run() if signs else ())
    mixing = sum(map(body.ops.count, MIXING & used))
    mixes = mixing * MIXED > len(body.ops)
    if LOOPS.isdisjoint(used):
        return Forecast({}, {}, signs, signed, mixes)
    heads = Counter(targets(facts))
    return Forecast(heads, changes(body, facts, heads, signed, work), signs, signed, mixes)


def changes(
    body: Body, facts: FuncFacts, heads: dict[int, int], signed: frozenset[int], work: Work
) -> dict[int, dict[int, Interval | None]]:
    changed: dict[int, dict[int, Interval | None]] = {}
    open_: list[tuple[int, int, dict[int, Interval | None]]] = []
    for index in compress(range(len(body.ops)), map(CHANGING.__contains__, body.ops)):
        op = body.ops[index]
        if op in LOOPS:
            changed[index] = {}
            open_.append((facts.ends.get(index, -1), index, changed[index]))
        elif not open_:
            continue
        elif op not in ENDS:
            local = body.imms[index]
            widen(open_[-1][2], local, range_of(body, index - 1, local in signed))
        elif open_[-1][0] == index:
            _, start, inner = open_.pop()
            work.spend(8 * len(inner))
            if open_:
                for local, range_ in inner.items():
                    widen(open_[-1][2], local, range_)
            for local, range_ in returning(body, heads, start, index, signed):
                if local in inner:
                    inner[local] = range_
    return changed


def widen(ranges: dict[int, Interval | None], local: int, range_: Interval | None) -> None:
    before = ranges.get(local, range_)
    if range_ is None or before is None:
        ranges[local] = None
    else:
        ranges[local] = before.join(range_)


def range_of(body: Body, index: int, signed: bool) -> Interval | None:
    """The range of an instruction's result for any operands, if it is smaller than that of its type."""
    op = body.ops[index]
    if op.boolean:
        return TRUTH
    range_ = LOADED.get(op.name)
    if op.name in CONSTANTS:
        range_ = interval((body.imms[index], body.imms[index]))
    elif op.name in NARROWING and body.ops[index - 1].name in CONSTANTS:
        value = body.imms[index - 1]
        range_ = interval((0, MASK[32] >> (value & 31) if op.name == "i32.shr_u" else value))
    return range_.kept(32, signed) if range_ and signed else range_


def returning(
    body: Body, heads: dict[int, int], start: int, end: int, signed: frozenset[int]
) -> Iterator[tuple[int, Interval]]:
    """The range of a local at every later start of the loop between two indices, if the branch back compares
    the local with a constant."""
    if not begins_anew_at_end(body, heads, start, end):
        return
    test = last_test(body, end - 1)
    if test is None:
        return
    every = Interval(-(1 << 31), MASK[32] >> 1) if test.signed else Interval(0, MASK[32])
    range_ = every.if_compared(test.symbol, Interval(test.value, test.value))
    kept = None if range_.is_empty or range_ == every else range_.kept(32, test.local in signed)
    if kept is not None:
        yield test.local, kept


def begins_anew_at_end(body: Body, heads: dict[int, int], start: int, end: int) -> bool:
    """Whether the only branch to the start of a loop is the br_if at its end."""
    is_loop = body.ops[start].name == "loop" and heads.get(start + 1) == 1
    return is_loop and body.ops[end - 1].name == "br_if" and body.imms[end - 1] == 0


class Test(NamedTuple):
    """A comparison of a local with a constant."""

    local: int
    symbol: str
    value: int
    signed: bool


def last_test(body: Body, branch: int) -> Test | None:
    """The comparison that is true when a br_if branches; None if its condition isn't such a comparison."""
    ops, imms, last = body.ops, body.imms, branch - 1
    negated = ops[last].name == "i32.eqz"
    last -= negated
    if ops[last].name in READING:
        return Test(imms[last], "==" if negated else "!=", 0, False)
    if ops[last].name not in COMPARISONS:
        return None
    symbol, is_signed = COMPARISONS[ops[last].name]
    first, second = last - 2, last - 1
    if ops[second].name == "local.get" and ops[first].name == "i32.const":  # of a local.tee it is the value
        first, second, symbol = second, first, MIRRORED[symbol]
    if ops[second].name != "i32.const" or ops[first].name not in READING:
        return None
    value = imms[second] - (1 << 32) if is_signed and imms[second] >> 31 else imms[second]
    return Test(imms[first], OPPOSITE[symbol] if negated else symbol, value, is_signed)


Votings = tuple[int, ...]
Effect = tuple[Callable[["Votes", int], None] | None, int, Votings, Votings, int]
"""The effect of an instruction on the stack of `Votes`: what does it, if the instruction has no type; else
the number of operands; its votes for them, the top one first, if any; its votes if one of them is a constant;
and the value that it pushes, 0 if none."""


def effect_of(op: Op) -> Effect:
    if op.params is None:
        return BY_NAME.get(op.name, Votes.other), 0, (), (), 0
    operands = len(op.params)
    votes: Votings = ((-2,) if operands == 1 else (0, -2)) if op.access else VOTES.get(op.name, ())[::-1]
    constant = votes
    if op.name in COMPARISONS and votes:
        constant = (0, 0)
    elif op.name in COMPARISONS:
        if COMPARISONS[op.name][1]:
            votes, constant = (3, 3), (1, 1)
        else:
            votes = constant = (-2, -2)
    result = 0 if not op.results else FOUND if op.name == "i32.const" else OTHER
    return None, operands, votes, constant, result


EFFECTS = ByRow(effect_of)


class Votes:
    """Decides which locals are kept signed."""

    def __init__(self, module: Module, body: Body, facts: FuncFacts) -> None:
        self.module, self.body, self.facts = module, body, facts
        self.votes = dict.fromkeys(range(len(facts.locals)), 0)
        self.votes[OTHER] = self.votes[FOUND] = 0
        for param in range(len(facts.type.params)):
            self.votes[param] = -1
        self.stack: list[int] = []
        """For each operand its local; nothing is known about operands from outer blocks."""
        self.weight = 1
        self.ends: list[int] = []
        """The ends of loops that increase the weight."""
        self.copies: list[tuple[int, int, int]] = []
        """Assignments of locals to locals, with their weights."""

    def run(self) -> Iterator[int]:
        """The locals to keep signed."""
        stack, tally = self.stack, self.votes
        effects = map(EFFECTS.__getitem__, self.body.ops)
        steps = zip(count(), effects, self.body.imms)
        for index, (untyped, operands, votes, against_constant, result), imm in steps:
            if untyped is GETTING:  # as most are
                stack.append(imm)
            elif untyped is not None:
                untyped(self, index)
            else:
                if votes:
                    if votes is not against_constant and FOUND in stack[-2:]:
                        votes = against_constant
                    for vote in votes:
                        tally[stack.pop() if stack else OTHER] += vote * self.weight
                elif operands:
                    del stack[-operands:]
                if result:
                    stack.append(result)
        first = {local for local, sum_ in self.votes.items() if sum_ > 0}
        for target, source, weight in self.copies:
            for one, other in ((target, source), (source, target)):
                self.votes[one] += weight if other in first else -weight
        for local, sum_ in self.votes.items():
            if sum_ > 0 and local >= 0 and self.facts.locals[local] is I32:
                yield local

    def pop(self) -> int:
        return self.stack.pop() if self.stack else OTHER

    def add(self, local: int, votes: int) -> None:
        self.votes[local] += votes * self.weight

    # What an instruction without a type does to the stack

    def get(self, index: int) -> None:
        self.stack.append(self.body.imms[index])

    def set(self, index: int) -> None:
        value, local, before = self.pop(), self.body.imms[index], self.body.ops[index - 1]
        if value >= 0:
            self.copies.append((local, value, self.weight))
        elif before in COSTLY:
            self.add(local, -3)
        elif before in SUMS and self.body.ops[index - 2] is not CONST:
            self.add(local, -1)

    def tee(self, index: int) -> None:
        self.set(index)
        self.stack.append(self.body.imms[index])

    def take(self, index: int) -> None:
        if self.stack:
            del self.stack[-1]

    def call(self, index: int) -> None:
        type_ = self.module.func_types[self.body.imms[index]]
        for _ in type_.params:
            self.add(self.pop(), -1)
        self.stack += [OTHER] * len(type_.results)

    def select(self, index: int) -> None:
        self.stack[-3:] = [OTHER]

    def get_global(self, index: int) -> None:
        self.stack.append(OTHER)

    def loop(self, index: int) -> None:
        self.stack.clear()
        if len(self.ends) < DEEPEST:
            self.ends.append(self.facts.ends[index])
            self.weight *= 8

    def end(self, index: int) -> None:
        self.stack.clear()
        if self.ends and self.ends[-1] == index:
            self.ends.pop()
            self.weight //= 8

    def other(self, index: int) -> None:
        self.stack.clear()


GETTING = Votes.get
BY_NAME: dict[str, Callable[[Votes, int], None]] = {
    "local.get": GETTING, "local.set": Votes.set, "local.tee": Votes.tee, "drop": Votes.take,
    "global.set": Votes.take,
    "br_if": Votes.take, "if": Votes.take, "call": Votes.call, "select": Votes.select,
    "global.get": Votes.get_global, "loop": Votes.loop, "end": Votes.end,
}  # fmt: skip
