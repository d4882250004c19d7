"""Counted loops: a loop whose number of rounds is known at its start becomes `for l0 in range(..)`.

Toolchains translate `for (i = a; i != b; i += c)` to a loop that ends by adding to a local and comparing the
sum with an unchanging value. `range` counts faster than Python code can, and the
addition needs no test for wrapping. So the loop is translated twice: once for the case that it counts from
one value to the other without wrapping, which is tested once before the loop; and once unchanged, for other
cases.

Other locals to which the loop adds in each round are tested in the same way, so that they need no masks in
the loop. Loops with others inside, which end at a number that they must meet, are translated once: their
`for` counts as the guest does, whether it wraps or not. What is not here: combining the two translations
(`lowering/loops.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ....brief import summarised
from ...instructions import OPS, Op
from ...module import Body
from ...types import I32
from ...validate import FuncFacts, Label
from .comparisons import I32 as COMPARISONS
from .comparisons import MIRRORED

LIMIT = 0x7FFF0000
"""Counting locals stay below this. So they, and their sum with one more step, aren't negative as signed
numbers."""
MAX_STEP = 0x8000
MAX_BODY = 300
"""The most instructions of a loop that is translated twice."""
MAX_NESTED = 6
MAX_STRIDES = 3
GET = OPS["local.get"]
LOCAL = frozenset({"local.get", "local.set", "local.tee"})
OPENING = frozenset({"block", "loop", "if", "try_table"})
STOPPING = frozenset(
    {
        "br", "br_table", "return", "unreachable", "throw", "throw_ref", "rethrow",
        "return_call", "return_call_indirect", "return_call_ref",
    }
)  # fmt: skip
"""Instructions that control doesn't get behind."""


@summarised
@dataclass(slots=True)
class Counted:
    """A counted loop. Instructions are given by index; `start` is the first one in the loop."""

    start: int
    local: int
    step: int
    """The number that is added; 0 if the local `stride` has it."""
    stride: int
    bound: int
    """The bound: its value, or the local that has it."""
    bound_is_local: bool
    test: str
    """The comparison that holds while the loop continues."""
    increment: int
    """The local.set or local.tee that increments, the last one in a round before the comparison."""
    branch: int
    """The br_if at the end."""
    strides: list[tuple[int, int, int]] = field(default_factory=list)
    """Other locals to which each round adds: the local, and the number or else (not -1) the local that has
    it."""
    nested: bool = False
    """Whether there are loops inside."""


class Scan:
    """Analyses how a loop's body uses locals."""

    def __init__(self, body: Body, facts: FuncFacts, start: int, end: int) -> None:
        self.facts = facts
        self.ops, self.imms = body.ops, body.imms
        self.start, self.end = start, end
        self.sets: dict[int, list[int]] = {}
        """The instructions that set a local; -1 for those that aren't executed in every round."""
        self.nested = False
        """Whether there are loops inside."""

    def run(self) -> bool:
        """Whether control flow is simple: no branch to the start except the last one."""
        depth = 0
        for index in range(self.start, self.end):
            op = self.ops[index]
            if op.params is not None or op is GET:
                continue
            name = op.name
            if name in ("local.set", "local.tee"):
                self.sets.setdefault(self.imms[index], []).append(-1 if depth else index)
            elif name in ("block", "if", "loop"):
                self.nested |= name == "loop"
                depth += 1
                if depth > MAX_NESTED:
                    return False
            elif name == "end":
                depth -= 1
            elif index in self.facts.branches:
                if index != self.end - 1 and name not in ("br", "br_if", "br_table"):
                    return False
                if index != self.end - 1 and self.goes_back(index):
                    return False
            elif index in self.facts.blocks:  # a try_table
                return False
        return True

    def goes_back(self, index: int) -> bool:
        labels = self.facts.branches[index]
        return any(label.pc == self.start for label in ((labels,) if isinstance(labels, Label) else labels))

    def constant(self, index: int) -> int | None:
        return self.imms[index] if self.ops[index].name == "i32.const" else None

    def addition(self, index: int) -> tuple[int, int] | None:
        """The summand of a local.set at `index` that adds to its local: a number and -1, or 0 and an
        unchanging local."""
        if index - 3 < self.start or self.facts.locals[self.imms[index]] is not I32:
            return None
        local, name = self.imms[index], self.ops[index - 1].name
        if name not in ("i32.add", "i32.sub"):
            return None
        first, second = index - 3, index - 2
        if name == "i32.add" and not self.gets(first, local):
            first, second = second, first
        if not self.gets(first, local):
            return None
        value = self.constant(second)
        if value is not None:
            value = value if value < 1 << 31 else value - (1 << 32)
            return (value if name == "i32.add" else -value), -1
        other = self.imms[second]
        if name == "i32.add" and self.ops[second].name == "local.get" and other not in self.sets:
            return 0, other
        return None

    def gets(self, index: int, local: int) -> bool:
        return self.ops[index].name == "local.get" and self.imms[index] == local

    def counter(self, index: int) -> tuple[int, int, int] | None:
        """For an operand that ends at `index` and is a local that was just incremented: the local, the
        instruction that set it, and the start of the operand."""
        local = self.imms[index]
        if self.ops[index].name == "local.tee" and self.sets[local] == [index] and self.addition(index):
            return local, index, index - 3
        if self.ops[index].name == "local.get" and len(self.sets.get(local, ())) == 1:
            set_ = self.sets[local][0]
            if set_ >= 0 and self.addition(set_):
                return local, set_, index
        return None

    def still(self, index: int) -> tuple[int, bool] | None:
        """For an operand of one instruction that doesn't change in the loop: its value or local, and which of
        the two."""
        value = self.constant(index)
        if value is not None:
            return value, False
        if self.ops[index].name == "local.get" and self.imms[index] not in self.sets:
            return self.imms[index], True
        return None


def counted_loop(body: Body, facts: FuncFacts, index: int) -> Counted | None:
    """The description of the loop at `index`, if it is a counted loop."""
    start, end = index + 1, facts.ends[index]
    branch = end - 1
    type_ = facts.blocks[index]
    if type_.params or type_.results or end - start > MAX_BODY or branch - start < 4:
        return None
    if body.ops[branch].name != "br_if" or body.imms[branch] != 0 or end in facts.dead_ends:
        return None
    if (body.ops[branch - 2].name, body.ops[branch - 1].name) not in ENDINGS:
        return None
    scan = Scan(body, facts, start, end)
    if not scan.run():
        return None
    found = condition_of(scan, branch - 1)
    if found is None:
        return None
    local, set_, test, bound, is_local = found
    if not all(is_plain(body.ops[index]) for index in range(set_, branch)):
        return None
    if not gets_to(body, facts, start, branch):
        return None
    step, stride = scan.addition(set_) or (0, -1)
    if stride >= 0:
        tests: tuple[str, ...] = ("<", "<=")
    elif step > 0:
        tests = ("!=", "<", "<=")
    else:
        tests = ("!=", ">") if step == -1 else ("!=",)
    if test not in tests or abs(step) > MAX_STEP or (step == 0 and stride < 0):
        return None
    made = Counted(start, local, step, stride, bound, is_local, test, set_, branch, nested=scan.nested)
    if scan.nested:
        return made if test == "!=" and step else None
    for other, places in scan.sets.items():
        if other != local and len(places) == 1 and places[0] >= 0 and len(made.strides) < MAX_STRIDES:
            addition = scan.addition(places[0])
            if addition is not None and abs(addition[0]) <= MAX_STEP:
                made.strides.append((other, *addition))
    return made


def gets_to(body: Body, facts: FuncFacts, start: int, stop: int) -> bool:
    """Whether control gets from one instruction to another one of the same sequence. Validation takes it for
    granted that it gets behind a block; here it does where the block ends or a branch leads there."""
    dead = 0
    """In how many structured instructions one stands to which control doesn't get, the one where it stopped
    included."""
    reached: set[int] = set()
    """Indices to which branches go."""
    ends: list[int] = []
    for index in range(start, stop):
        op = body.ops[index]
        if op.params is not None or op is GET:  # as most are
            continue
        name = op.name
        if name in OPENING:
            if dead:
                dead += 1
                continue
            ends.append(facts.ends[index])
            if name == "if" and index not in facts.elses:
                reached.add(ends[-1] + 1)
        elif name == "else":
            if not dead:
                reached.add(ends[-1] + 1)
            if dead <= 1:
                dead = 0
        elif name == "end":
            if dead <= 1:
                ends.pop()
                dead = 0 if not dead or index + 1 in reached else 1
            else:
                dead -= 1
        elif not dead:
            labels = facts.branches.get(index, ())
            reached.update(label.pc for label in ((labels,) if isinstance(labels, Label) else labels))
            dead = int(name in STOPPING)
    return not dead


def is_plain(op: Op) -> bool:
    """Whether an instruction is no branch, no call and can't trap: then nobody can observe, while it runs,
    that the counting local isn't incremented yet."""
    return op.name in LOCAL or (op.params is not None and not op.traps)


def condition_of(scan: Scan, index: int) -> tuple[int, int, str, int, bool] | None:
    """For the condition that ends at `index`: the counting local, the instruction that set it, the
    comparison, and the bound."""
    ops = scan.ops
    name = ops[index].name
    if name == "local.tee":
        found = scan.counter(index)
        return (found[0], found[1], "!=", 0, False) if found else None
    if name not in ENDING_TESTS:
        return None
    test = COMPARISONS[name][0]
    found, still = counter_at(scan, index - 1), None
    if found is not None:
        still = scan.still(found[2] - 1)
        test = MIRRORED[test]
    else:
        still = scan.still(index - 1)
        found = counter_at(scan, index - 2) if still is not None else None
    if found is None or still is None:
        return None
    # In the first form the counting local is the second operand, in the second form the first.
    return found[0], found[1], test, *still


ENDING_TESTS = COMPARISONS.keys() - {"i32.eq"}
ENDINGS = frozenset(
    [("i32.add", "local.tee"), ("i32.sub", "local.tee")]
    + [(last, test) for last in ("local.get", "local.tee", "i32.const") for test in ENDING_TESTS]
)
"""The last instructions of conditions of counted loops: a quick check before the body is analysed."""


def counter_at(scan: Scan, index: int) -> tuple[int, int, int] | None:
    if scan.ops[index].name in ("local.get", "local.tee"):
        return scan.counter(index)
    return None
