"""Loops, and how counted loops become `for` (`analysis.counted` finds them).

A counted loop is translated twice: as a `for`, which runs if a guard is true before it, and unchanged. The
guard is a conjunction of conditions; `plan` has one function for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....brief import summarised
from ..analysis.counted import LIMIT, Counted
from ..forms.integers import MASK, canonical, masked
from ..forms.operands import (
    ONE,
    ZERO,
    Operand,
    binary,
    bounded,
    chain,
    compared,
    constant,
    joined,
    named,
    number,
    unary,
)
from ..forms.tree import Assign, For, Line, Loop
from .emitter import Emitter
from .known import Locals
from .scopes import Scope

MOST = number(LIMIT)


@summarised
@dataclass(slots=True)
class Plan:
    """The translation of a counted loop."""

    guard: Operand | None
    """The guard; None if it is known to be true."""
    header: For
    known: dict[int, Operand]
    """Facts about the counting locals at the start of each round."""
    counted: Counted


@summarised
@dataclass(slots=True)
class Course:
    """The values between which a counted loop counts."""

    start: Operand
    stop: Operand
    low: Operand
    high: Operand
    symbol: str
    """The comparison of `low` and `high` that is true if there is a round."""
    stride: Operand | None
    """The local with the step; None if the step is constant."""


def course_of(locals_: Locals, loop: Counted) -> Course:
    start = locals_.read(loop.local)
    stop = locals_.read(loop.bound) if loop.bound_is_local else constant(loop.bound)
    low, high = (start, stop) if loop.step >= 0 else (stop, start)
    stride = None if loop.step else locals_.any(loop.stride)
    return Course(start, stop, low, high, "<=" if loop.test == "<=" else "<", stride)


def plan(locals_: Locals, loop: Counted) -> Plan | None:
    """The plan for a loop as a `for`, if possible. The locals are those before the loop."""
    course = course_of(locals_, loop)
    if loop.nested:
        return plan_around(locals_, course, loop)
    if never_begins(course) or never_meets(course, loop):
        return None
    span = difference(course.high, course.low)
    conditions = [*stride_counts(course), *stays_in_range(course), *meets_bound(course, loop, span)]
    known = known_in_rounds(locals_, course, loop)
    rounds = rounds_of(course, loop, span)
    for local, step, stride in loop.strides:
        if stride < 0 and not step:
            continue
        way = way_of(locals_, loop, span, rounds, step, stride)
        conditions += stays_small(locals_, local, step, stride, way)
        known[local] = named(local, locals_.read(local).lo if step >= 0 else -step, LIMIT)
        if stride >= 0:
            known[stride] = bounded(locals_.read(stride), 0, LIMIT)
    guard = joined("and", conditions) if conditions else None
    return Plan(guard, header_of(course, loop), known, loop)


def plan_around(locals_: Locals, course: Course, loop: Counted) -> Plan | None:
    """The plan for a loop with others inside, which is translated once: where it does not count from one
    value straight to the other, `wrapped` counts as the guest does."""
    signed = locals_.forecast.signed
    if loop.local in signed or (loop.bound_is_local and loop.bound in signed):
        return None
    conditions = [compared("<", course.low, course.high)]
    if must_divide(loop):
        conditions.append(
            unary("not", binary("%", difference(course.high, course.low), number(abs(loop.step))))
        )
    header = header_of(course, loop)
    header.simple = joined("and", conditions)
    return Plan(None, header, {}, loop)


def never_begins(course: Course) -> bool:
    """Whether the bounds are known to be such that the `for` has no rounds."""
    return course.low.lo + (course.symbol == "<") > min(course.high.hi, LIMIT)


def never_meets(course: Course, loop: Counted) -> bool:
    """Whether it skips a constant bound that it must meet exactly."""
    start, stop = course.start, course.stop
    return must_divide(loop) and start.known and stop.known and (stop.lo - start.lo) % loop.step != 0


def must_divide(loop: Counted) -> bool:
    """Whether it runs until it meets the bound exactly, in steps greater than one."""
    return loop.test == "!=" and abs(loop.step) != 1


def stride_counts(course: Course) -> Iterator[Operand]:
    """The condition that a step in a local is positive."""
    if course.stride is not None:
        yield compared("<", ZERO, course.stride)


def stays_in_range(course: Course) -> Iterator[Operand]:
    """The conditions that there is a round, and that no value becomes negative or wraps."""
    low, high, symbol = course.low, course.high, course.symbol
    most = MOST if course.stride is None else binary("-", MOST, course.stride)
    may_be_negative = low.lo < 0
    may_be_large = high.hi > LIMIT or course.stride is not None
    if low.hi < high.lo or (symbol == "<=" and low.hi == high.lo):
        if may_be_negative:
            yield compared("<=", ZERO, low)
        if may_be_large:
            yield compared("<=", high, most)
        return
    ends = [(symbol, high), ("<=", most)] if may_be_large else [(symbol, high)]
    yield chain(ZERO, ("<=", low), *ends) if may_be_negative else chain(low, *ends)


def meets_bound(course: Course, loop: Counted, span: Operand) -> Iterator[Operand]:
    """The condition that the bound is met exactly, if necessary."""
    if must_divide(loop) and not (course.start.known and course.stop.known):
        yield unary("not", binary("%", span, size_of(course, loop)))


def size_of(course: Course, loop: Counted) -> Operand:
    """The size of a step."""
    return number(abs(loop.step)) if course.stride is None else course.stride


def difference(high: Operand, low: Operand) -> Operand:
    """The difference of two operands."""
    if low.known and low.lo == 0:
        return high
    if high.known and low.known:
        return number(high.lo - low.lo)
    return binary("-", high, low)


def rounds_of(course: Course, loop: Counted, span: Operand) -> Operand:
    """An upper bound on the number of rounds."""
    rounds = span if abs(loop.step) == 1 else binary("//", span, size_of(course, loop))
    return rounds if loop.test == "!=" else binary("+", rounds, ONE)


def way_of(locals_: Locals, loop: Counted, span: Operand, rounds: Operand, step: int, stride: int) -> Operand:
    """The total change of another local in all rounds."""
    if step and loop.step and step % loop.step == 0 and loop.test == "!=":
        factor = abs(step // loop.step)
        return span if factor == 1 else binary("*", span, number(factor))
    if stride < 0 and abs(step) == 1:
        return rounds
    return binary("*", rounds, locals_.read(stride) if stride >= 0 else number(abs(step)))


def stays_small(locals_: Locals, local: int, step: int, stride: int, way: Operand) -> Iterator[Operand]:
    """The conditions that another local to which each round adds doesn't wrap."""
    operand = locals_.read(local)
    if stride >= 0 and locals_.read(stride).lo < 0:
        yield compared("<=", ZERO, locals_.any(stride))
    if step < 0:
        yield chain(way, ("<=", operand), ("<=", MOST))
    else:
        yield compared("<=", binary("+", operand, way), MOST)


def known_in_rounds(locals_: Locals, course: Course, loop: Counted) -> dict[int, Operand]:
    """Facts about the counting local, and the local with the step, at the start of each round."""
    lowest, highest = max(course.low.lo, 0), min(course.high.hi, LIMIT)
    if loop.step < 0:
        known = {loop.local: named(loop.local, lowest + 1, highest)}
    else:
        known = {loop.local: named(loop.local, lowest, highest if loop.test == "<=" else highest - 1)}
    if course.stride is not None:
        known[loop.stride] = bounded(locals_.read(loop.stride), 1, LIMIT)
    return known


def header_of(course: Course, loop: Counted) -> For:
    """The header of the `for`."""
    stop = binary("+", course.stop, ONE) if loop.test == "<=" else course.stop
    step = None if loop.step == 1 else course.stride or number(loop.step)
    return For(named(loop.local, 0, LIMIT), course.start, stop, step, incremented(loop))


def stepped(loop: Counted, known: Operand) -> Operand:
    """The counting local after its increment, which isn't executed because `range` does it."""
    if not loop.step:
        return bounded(binary("+", known, named(loop.stride, 0, LIMIT)), known.lo + 1, LIMIT)
    if loop.nested:
        return canonical(binary("+" if loop.step > 0 else "-", known, number(abs(loop.step))), 32)
    return binary("+" if loop.step > 0 else "-", known, number(abs(loop.step)))


def incremented(loop: Counted) -> Assign:
    """The increment at the end of the last round, after which `range` ends without it. Because of the guard,
    the sum is no negative i32."""
    if loop.nested:
        sum_ = binary("+" if loop.step > 0 else "-", named(loop.local, 0, MASK[32]), number(abs(loop.step)))
        return Assign(named(loop.local, 0, MASK[32]), masked(sum_, MASK[32]))
    local = named(loop.local, 0, MASK[32] >> 1)
    by = number(abs(loop.step)) if loop.step else named(loop.stride, 0, LIMIT)
    sum_ = binary("-" if loop.step < 0 else "+", local, by)
    return Assign(local, bounded(sum_, 0, MASK[32] >> 1))


def begin_loop(e: Emitter, scope: Scope, node: Loop, index: int) -> None:
    """Continue in the body of the loop at `index`."""
    e.code.begin_loop(scope, node)
    e.locals.begin_loop(index)


def begin_counted(e: Emitter, scope: Scope, planned: Plan, before: Line | None) -> None:
    """Begin the first form of a counted loop. `before` is what is done before this form only."""
    e.work.spend(len(e.stack) >> 3)
    scope.known, scope.params = e.locals.known, e.stack.copy()
    if planned.guard is not None:
        scope.choice = e.code.begin_choice(planned.guard)
        e.code.go_on(scope.choice.then)
    if before is not None:
        e.code.append(before)
    scope.counting, e.counting = e.counting, planned.counted
    e.locals.use(e.counting.local)
    begin_loop(e, scope, Loop(planned.header), e.pc)
    e.locals.assume(planned.known)


def end_counted(e: Emitter, counting: Counted) -> None:
    """End the first form of a counted loop, at its last branch, and begin the second form, if there is
    one."""
    scope = e.code.innermost
    assert scope.node is not None
    e.stack.pop()
    e.counting = scope.counting
    e.code.branch(scope.node.label)
    e.code.revive()
    after = e.locals.read(counting.local)
    e.locals.assume({counting.local: named(counting.local, after.lo, after.hi)})
    e.locals.forget_memory()  # what the rounds kept is set only if there is one, which nobody checks
    after_branch = e.pc + 1
    if scope.choice is None:
        e.code.close()
        e.ended = after_branch
        return
    e.code.go_on(scope.choice.then)
    e.begin_block(after_branch)
    arrival = e.code.branch(scope.label)
    e.code.revive()
    scope.arrivals.append((arrival, scope.around, e.locals.known))
    e.code.go_on(scope.choice.orelse)
    e.stack.replace(scope.params)
    e.locals.restore(scope.known)
    begin_loop(e, scope, Loop(), counting.start - 1)
    e.translate(counting.start, after_branch)
