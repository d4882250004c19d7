"""Loops that search bytes: `while (*p) p++`, `while (*a == *b && *a)`, maybe with a copy of what was passed.

Most of them end after a few rounds, and whoever asks for more before them makes those slower. So a few rounds
run as they stand; only then Python's own search says how many more go on for sure, the locals are advanced by
as many, and the loop continues. What is not here: loops that count, which may end in the middle, too.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from ....records import Frozen
from ...instructions import OPS, Op
from ...namespace import Namespace
from ..forms.operands import ONE, ZERO, Operand, binary, call, compared, constant, joined, let, number
from ..forms.tree import Assign, Line, When
from .ahead import WRAP, Access, Round, Stretch, Sum, X, local, moved
from .emitter import Emitter

LONGEST = 40
"""The most instructions of a loop that searches."""
NOTHING = Sum((), 0)
HALF = constant(WRAP >> 1)
LOADS = frozenset(op for op in OPS.values() if op.access == "u8" and not op.stores and op.kind == "i32")


class Test(Frozen):
    """A comparison that holds while the loop goes on: whether two values are equal, or differ."""

    equal: bool
    first: Sum | Access
    second: Sum | Access


class Search(Round):
    """The effect of one round that goes on, and the conditions of that."""

    def __init__(self, e: Emitter) -> None:
        super().__init__(e)
        self.tests: list[Test] = []
        self.truths: dict[int, Test] = {}
        """The comparisons on the stack, by the height of each."""

    def searches(self, start: int, end: int) -> bool:
        """Whether the loop between two indices only loads, stores and adds, and goes on while comparisons
        hold."""
        body, inside = self.e.body, 0
        for index in range(start, end):
            op, imm = body.ops[index], body.imms[index]
            name = op.name
            if name == "br_if":
                test = self.tested()
                if test is None or (imm < inside) or (imm == inside and index < end - 1):
                    return False
                self.tests.append(test if imm == inside else negated(test))
                if imm == inside:
                    return not inside
            elif name == "if":
                test, type_ = self.tested(), self.e.facts.blocks[index]
                if test is None or type_.params or type_.results or index in self.e.facts.elses:
                    return False
                self.tests.append(test)
                inside += 1
            elif name == "br":
                ends = {each.name for each in body.ops[index + 1 : end]}
                return bool(imm == inside and ends <= {"end"} and end - index - 1 == inside)
            elif not self.step(op, imm):
                return False
        return False

    def step(self, op: Op, imm: Any) -> bool:
        stack, name = self.stack, op.name
        if name in ("i32.eq", "i32.ne"):
            self.compared += stack[-2:]
            second, first = stack.pop(), stack.pop()
            if first is not None and second is not None:
                self.truths[len(stack)] = Test(name == "i32.eq", first, second)
            stack.append(None)
            return True
        if name == "i32.eqz":
            test = self.tested()
            if test is not None:
                self.truths[len(stack)] = negated(test)
            stack.append(None)
            return True
        return super().step(op, imm)

    def tested(self) -> Test | None:
        """The condition on the stack, which is taken from it."""
        value = self.stack.pop()
        self.compared.append(value)
        if value is None:
            return self.truths.pop(len(self.stack), None)
        return Test(False, value, NOTHING)

    # How many rounds go on

    def rounds(self, steps: dict[int, int]) -> Operand | None:
        """How many rounds go on for sure; None if no byte is looked for, or if that can't be said."""
        limits = [limit for test in self.tests if (limit := self.limit(test, steps)) is not None]
        counts = [search for test in self.tests if (search := self.search(test, steps)) is not None]
        if not counts or len(limits) + len(counts) < len(self.tests) or len(limits) > 1:
            return None
        most = limits[0] if limits else constant(WRAP - 1)
        return reduce(lambda most, count: call(count[0], (*count[1], most)), counts, most)

    def limit(self, test: Test, steps: dict[int, int]) -> Operand | None:
        """How far a sum is from another one that it must not meet, if each round brings it nearer by one."""
        first, second = test.first, test.second
        if test.equal or not isinstance(first, Sum) or not isinstance(second, Sum):
            return None
        by = rate(first, steps) - rate(second, steps)
        if abs(by) != 1:
            return None
        low, high = (first, second) if by > 0 else (second, first)
        return binary("&", binary("-", high.operand, low.operand), constant(WRAP - 1))

    def search(self, test: Test, steps: dict[int, int]) -> tuple[str, tuple[Operand, Operand]] | None:
        """The method of a memory that says how many bytes pass a test, and its first two arguments."""
        first, second = test.first, test.second
        if isinstance(first, Sum):
            first, second = second, first
        if not isinstance(first, Access) or not self.walks(first, steps):
            return None
        memory, signed = Namespace.memory(first.memidx), self.e.forecast.signed
        start = Stretch(first.memidx, first.address, first.offset, 1).operand(signed)
        if isinstance(second, Sum):
            if any(steps.get(index, 0) for index in second.locals):
                return None
            value = second.operand if second.locals else number(second.number)
            value = binary("&", value, constant(WRAP - 1)) if second.locals else value
            return f"{memory}.{'count_while' if test.equal else 'count_until'}", (start, value)
        if not test.equal or not self.walks(second, steps) or first.memidx != second.memidx:
            return None
        other = Stretch(second.memidx, second.address, second.offset, 1).operand(signed)
        return f"{memory}.count_equal", (start, other)

    def walks(self, place: Access, steps: dict[int, int]) -> bool:
        """Whether each round loads the next byte."""
        return place.width == 1 and rate(place.address, steps) == 1


def negated(test: Test) -> Test:
    return Test(not test.equal, test.first, test.second)


def rate(sum_: Sum, steps: dict[int, int]) -> int:
    """By how much each round changes a sum."""
    return sum(steps.get(index, 0) for index in sum_.locals)


def run_search(e: Emitter) -> Line | None:
    """What advances the loop that begins here by as many rounds as go on for sure, if it searches bytes."""
    start, end = e.pc + 1, e.facts.ends[e.pc]
    type_ = e.facts.blocks[e.pc]
    if e.meter.any or end - start > LONGEST or type_.params or type_.results:
        return None
    if LOADS.isdisjoint(e.body.ops[start:end]):
        return None
    found = Search(e)
    if not found.searches(start, end):
        return None
    steps = found.steps()
    if steps is None:
        return None
    rounds = found.rounds(steps)
    if rounds is None:
        return None
    # One of them is left to the loop: it sets the locals that don't just count.
    known = [value for test in found.tests for value in (test.first, test.second)]
    conditions = [compared(">", let("x", binary("-", rounds, ONE)), ZERO)]
    if found.stores:
        sources = [value for _, value in found.stores if isinstance(value, Access)]
        copied = found.action(steps) if sources else None
        if copied is None:
            return None
        conditions.append(copied)
        known += sources
    if any(place not in known for place in found.loads):
        return None  # it may trap
    return When(
        joined("and", conditions), [advanced(e, index, step) for index, step in steps.items() if step]
    )


def advanced(e: Emitter, index: int, step: int) -> Line:
    """The statement that advances a local by `x` rounds."""
    if index not in e.forecast.signed:
        return moved(index, step, True)
    by = X if abs(step) == 1 else binary("*", X, number(abs(step)))
    value = binary("+", binary("+" if step > 0 else "-", local(index), by), HALF)
    return Assign(e.locals.any(index), binary("-", binary("&", value, constant(WRAP - 1)), HALF))
