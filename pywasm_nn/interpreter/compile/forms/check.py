"""Checks the invariants of the intermediate form: for tests, and for developers of the compiler.

`translate` calls `check` on each tree if the environment has PYWASM_NN_CHECK=1, as our tests do. The
invariants, by the numbers of docs/compiler.md: the properties of an operand cover those of its parts (1),
integers are in the range of the variable that stores them (2), at most one part of a line may trap, and the
line knows its instruction (3), nothing that a call may change is read after the call (4), every variable is
set before it is read, on each path (5). `check_text` checks that the text of an operand, which omits
parentheses, means the same as its parts (6): it parses the text, so only its own tests call it. What is not
here: whether the code means the same as the guest's, which differential tests check.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from .operands import (
    BINARY,
    BOOL,
    EFFECTS,
    FORM_CONSTANT,
    FORM_NOT,
    FORM_VARIABLE,
    RAW,
    STATE,
    TRAP,
    UNFIT,
    WHOLE,
    Operand,
)
from .tree import AssignAll, Block, Br, Do, If, Label, Leave, Line, Loop, Nest, Node, Seq, Switch, Try, When

DEEPEST = 150
"""The deepest nesting of nodes that is checked. The check ends where a tree nests deeper."""
COMPARED = frozenset({"<", "<=", ">", ">=", "==", "!=", "is", "is not", "in"})
SCRATCH = frozenset({"k", "x", "y"})
"""Variables that are set and read within one instruction; they may be truth values."""


ENDS = (If, Switch, Br, Leave)
"""Nodes that must be the last of their sequence."""


class Unchecked(Exception):
    """The rest of the tree isn't checked, because the check would need too many frames of Python's stack."""


class BrokenPromise(AssertionError):
    """An operand or a statement violates an invariant of the compiler."""


def demand(is_so: bool, what: str, where: Operand | str) -> None:
    if not is_so:
        raise BrokenPromise(f"{what}: {where!r}")


def check(root: Seq, given: int) -> None:
    """Check a tree before it is rendered. `given` are the variables that are set at its start, as bits of
    `Operand.reads`. Raises BrokenPromise."""
    Checker().run(root, given)


def evaluated(operand: Operand) -> Iterator[Operand]:
    """An operand and its parts, in the order in which Python evaluates them, itself last."""
    parts = operand.parts
    if operand.form == "if":
        first, test, second = parts
        parts = test, first, second
    for part in parts:
        yield from evaluated(part)
    yield operand


class Checker:
    """Checks one tree."""

    def __init__(self) -> None:
        self.checked: dict[int, Operand] = {}
        """Checked operands, so that a shared operand is checked once."""
        self.arrivals: dict[Label, int] = {}
        """Variables that are set on each path to a label."""
        self.completed: int | None = None
        """Variables that are set at the end of the last try body."""

    def run(self, root: Seq, given: int) -> None:
        with suppress(Unchecked):
            self.follow(root, given, 0)

    # Operands

    def operand(self, operand: Operand) -> None:
        """Check the properties of an operand (1)."""
        if id(operand) in self.checked:
            return
        self.checked[id(operand)] = operand
        for part in operand.parts:
            self.operand(part)
            demand(not part.flags & EFFECTS & ~operand.flags, "hides an effect", operand)
            demand(not part.reads & ~operand.reads, "hides what it reads", operand)
        if operand.form == FORM_CONSTANT and isinstance(operand.value, int) and operand.known:
            demand(operand.lo == operand.value, "has another value", operand)

    def values(self, line: Line | Leave, operands: Sequence[Operand], given: int) -> None:
        """Check the operands of a statement: (1), (3), (4), (5)."""
        introduced, changed = 0, False
        for whole in operands:
            self.operand(whole)
            demand(not whole.reads & ~given, "is read before it is set", whole)
            if not whole.flags & EFFECTS:
                continue
            for operand in evaluated(whole):
                if operand.flags & TRAP and not any(part.flags & TRAP for part in operand.parts):
                    introduced += 1
                    changed |= operand.form == "call" or operand.form.endswith(".grow")
                elif operand.flags & STATE and not any(part.flags & STATE for part in operand.parts):
                    demand(not changed, "is read after what may change it", line.text)
        demand(introduced <= 1, "may trap in several ways", line.text)
        demand(not introduced or line.instr >= 0, "may trap, but doesn't know where", line.text)

    # Statements

    def line(self, line: Line, given: int) -> int:
        """Check a line. Returns the variables that are set after it."""
        self.values(line, line.operands, given)
        if isinstance(line, When):
            for inner in line.lines:
                self.line(inner, given)
            return given
        if isinstance(line, Do):
            return given
        values = line.operands
        if isinstance(line, AssignAll) and len(values) != len(line.targets):
            values = ()  # a call with several results
        for target in line.targets:
            if target.form == FORM_VARIABLE:
                for value in values if len(values) == 1 else ():
                    self.fits(target, value)
                given |= target.reads
            else:
                self.operand(target)
                demand(not target.reads & ~given, "is read before it is set", target)
        return given

    def fits(self, target: Operand, value: Operand) -> None:
        """Check that a variable may hold a value (2)."""
        demand(not value.flags & UNFIT, "is no value that anybody may see", value)
        demand(not value.flags & BOOL or target.text in SCRATCH, "is a truth value", value)
        if target.lo <= target.hi and value.lo <= value.hi:
            demand(target.lo <= value.lo and value.hi <= target.hi, f"is too large for {target!r}", value)

    # Paths through the tree (5)

    def follow(self, seq: Seq, given: int | None, depth: int) -> int | None:
        """Check a sequence. Returns the variables that are set at its end on every path; None if the end is
        unreachable."""
        if depth > DEEPEST:
            raise Unchecked
        ends: list[int | None] = []
        while seq and given is not None:
            for node in seq[:-1]:
                demand(not isinstance(node, ENDS), "is followed by something", repr(node))
                if given is None:
                    return meet(ends)
                given = self.node(node, given, depth)
            last = seq[-1]
            if given is None:
                break
            if isinstance(last, Br) and last.seq is not None:
                seq = last.seq
                continue
            if not isinstance(last, If):
                given = self.node(last, given, depth)
                break
            given = self.choice(last, given, depth, ends)
            seq = last.orelse
        return meet([*ends, given])

    def choice(self, node: If, given: int, depth: int, ends: list[int | None]) -> int:
        """Check a condition and the arm for true. Returns the variables that are set if it is false."""
        self.condition(node.condition, node.instr, given)
        completed = self.completed if node.condition.text == "caught" else None
        ends.append(self.follow(node.then, given, depth + 1))
        return given if completed is None else completed

    def condition(self, condition: Operand, instr: int, given: int) -> None:
        self.values(Do(condition, instr), (condition,), given)
        demand(not condition.flags & (RAW | WHOLE), "is no condition", condition)

    def node(self, node: Node, given: int, depth: int) -> int | None:
        """Check a node. Returns the same as `follow`."""
        if isinstance(node, Line):
            return self.line(node, given)
        if isinstance(node, Leave):
            self.values(node, node.values, given)
            for value in node.values:
                demand(not value.flags & (UNFIT | BOOL), "is no value that anybody may see", value)
            return None
        if isinstance(node, Br):
            self.arrivals[node.label] = self.arrivals.get(node.label, given) & given
            return None
        if isinstance(node, Switch):
            demand(not node.value.reads & ~given, "is read before it is set", node.value)
            return meet([self.follow(arm, given, depth + 1) for arm in node.arms])
        assert isinstance(node, Nest)
        return self.nest(node, given, depth + 1)

    def nest(self, node: Nest, given: int, depth: int) -> int | None:
        """Check a node that contains others."""
        if isinstance(node, Block):
            end = self.follow(node.body, given, depth)
            return meet([end, self.arrivals.get(node.label)])
        if isinstance(node, Try) and node.passes:
            return self.follow(node.body, given, depth)
        if isinstance(node, Try):
            self.completed = self.follow(node.body, given, depth)
            return given
        assert isinstance(node, Loop)
        if node.counts is None:
            self.follow(node.body, given, depth)
            if node.ahead is not None:
                self.line(node.ahead, given)
            return self.arrivals.get(node.end)
        header = node.counts
        bounds = (
            header.start,
            header.stop,
            *[part for part in (header.step, header.simple) if part is not None],
        )
        self.values(Do(header.start), bounds, given)
        inside = given | header.local.reads
        self.follow(node.body, inside, depth)
        return self.line(header.after, inside)


def meet(ends: Iterable[int | None]) -> int | None:
    """The variables that are set on every path; None if there is no path."""
    met: int | None = None
    for end in ends:
        if end is not None:
            met = end if met is None else met & end
    return met


# Text (6)


def check_text(operand: Operand) -> None:
    """Check that the text of an operand is parsed as its parts. Raises BrokenPromise."""
    means, says = (ast.dump(ast.parse(text, mode="eval")) for text in (spelled(operand), operand.text))
    demand(means == says, f"means {spelled(operand)}", operand)


def spelled(operand: Operand) -> str:
    """An operand with all parentheses, built from its parts."""
    form, parts = operand.form, [f"({spelled(part)})" for part in operand.parts]
    if len(parts) == 1 and form == "-":
        return f"-{parts[0]}"
    if form in BINARY or form == "/":
        return f" {form} ".join(parts)
    if form in COMPARED or form in ("and", "or"):
        return f" {form} ".join(parts)
    if form == "if":
        return f"{parts[0]} if {parts[1]} else {parts[2]}"
    if form == FORM_NOT:
        return f"not {parts[0]}"
    if form.startswith("."):
        return f"{parts[0]}{form}"
    return operand.text
