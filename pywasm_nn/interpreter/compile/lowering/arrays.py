"""Loops that are done with arrays: most of their rounds are, before the loop, which then runs unchanged for
what is left (`analysis/whole.py` finds them, `interpreter/arrays` does them)."""

from __future__ import annotations

from ...arrays.plan import Line as Sum
from ...arrays.ranges import signed as to_signed
from ...namespace import Namespace
from ..analysis.counted import Counted
from ..analysis.whole import MOST_INSTRUCTIONS, Counter, WholeLoop, whole_loop
from ..forms.integers import canonical, signed
from ..forms.operands import (
    ZERO,
    Operand,
    binary,
    call,
    compared,
    item_of,
    joined,
    let,
    number,
    word,
)
from ..forms.tree import Assign, AssignAll, Line, When
from .emitter import STEPS_TO_TRANSLATE, Emitter

LEAST = 384
"""The fewest rounds for which arrays are faster: 200 to 430 were measured, for short and for long rounds, as
both ways take time in proportion to the instructions."""
FEW, TOGETHER = 8, 384
"""The same for two loops of which one is inside the other: for the outer one, and for the rounds of both."""
FEW_AROUND = 48
"""The same for a loop around one whose rounds are computed one after the other."""
TOGETHER_AROUND = 64
"""The same for the rounds of two loops around such a one."""
TOGETHER_ADDED = 160
"""The same for the rounds of all loops where those of the innermost one, a sum, may be computed at once."""
X = word("x")
"""The locals after the rounds that were done at once."""


def run_whole(e: Emitter, loop: Counted | None) -> None:
    """Do most rounds of the loop that begins here at once, if it qualifies; `loop` says how it counts, if
    that is known."""
    if e.meter.any or not e.views or (loop is not None and is_short(e, loop)):
        return
    e.work.spend(STEPS_TO_TRANSLATE * min(e.facts.ends[e.pc] - e.pc, MOST_INSTRUCTIONS))
    found = whole_loop(e.module, e.body, e.facts, e.pc, e.forecast.signed)
    if found is None or not found.changes or not (pays := worth(e, found)):
        return
    name = Namespace.whole(e.funcidx, len(e.needs.wholes))
    e.needs.wholes.append(found)
    for local in {*found.params, *found.changes}:
        e.locals.use(local)
    done = let("x", call(name, [e.locals.any(local) for local in found.params]))
    targets = [e.locals.any(local) for local in found.changes]
    line: Line = AssignAll(targets, [X])
    if len(targets) == 1:
        line = Assign(targets[0], item_of(X, ZERO, targets[0].lo, targets[0].hi))
    e.code.append(When(joined("and", [*pays, done]), [line]))
    e.locals.forget(found.changes)


def is_short(e: Emitter, loop: Counted) -> bool:
    """Whether a loop is known to have too few rounds."""
    start = e.locals.read(loop.local)
    bound = e.locals.read(loop.bound) if loop.bound_is_local else number(loop.bound)
    low, high = (start, bound) if loop.step >= 0 else (bound, start)
    return high.hi - low.lo <= LEAST * abs(loop.step)


def worth(e: Emitter, found: WholeLoop) -> list[Operand]:
    """The conditions that there are probably so many rounds that arrays are faster; none if that is never so,
    or can't be said quickly."""
    plan = found.plan
    adds = plan.adds and bool(found.counters[plan.planes + 1])
    counted = found.counters[: plan.planes + 1 + adds]
    if not all(counted):
        return []
    (first, *others), *inside = counted
    span, step = span_of(e, first), abs(first.step)
    few, least = least_rounds(found, adds)
    together, by = span, step
    for (inner, *_), tests_first in zip(inside, plan.tests_first, strict=False):
        more = abs(inner.step)
        laps = span_of(e, inner, 0 if tests_first else more)
        if laps.known:
            least = max(few, least * more // max(laps.lo, 1))
        else:
            together, by = binary("*", together, laps), by * more
    rows = [(span, step, few if together is not span else least)]
    if together is not span:
        rows.append((together, by, least))
    rows += [(span_of(e, other), abs(other.step), least) for other in others]
    # A pointer that walks away from 0 is there again after as many rounds as there can be.
    rows = [row for row in rows if row[0].hi > 0]
    if not rows or any(span.hi <= rounds * step for span, step, rounds in rows):
        return []
    return [compared(">", span, number(rounds * step)) for span, step, rounds in rows if not span.known]


def least_rounds(found: WholeLoop, adds: bool) -> tuple[int, int]:
    """The fewest rounds for which arrays are faster: of the outer loop, and of all that are counted."""
    plan = found.plan
    if adds:
        return 1, TOGETHER_ADDED
    if plan.goes_around:
        return 1, TOGETHER_AROUND if plan.planes else FEW_AROUND
    if plan.laps >= 0:
        return 1, FEW_AROUND
    return (FEW, TOGETHER) if plan.planes else (1, LEAST)


def span_of(e: Emitter, counter: Counter, more: int = 0) -> Operand:
    """How far it is from one sum to the other, if each round goes the step, and so much more."""
    one, other, step, is_signed = counter
    low, high = (one, other) if step > 0 else (other, one)
    line = high[0] - low[0] + more, (*high[1], *((local, -factor) for local, factor in low[1]))
    return sum_of(e, line, is_signed)


def sum_of(e: Emitter, line: Sum, is_signed: bool | None) -> Operand:
    """A sum of multiples of locals, without wrapping; they are as they are kept if nothing is said of their
    sign."""
    constant, multiples = line
    constant = to_signed(constant, 32)
    made: Operand | None = None
    for local, factor in sorted(multiples, key=lambda each: to_signed(each[1], 32) < 0):
        by = to_signed(factor, 32)
        term = e.locals.read(local)
        if is_signed is not None:
            term = signed(term, 32) if is_signed else canonical(term, 32)
        if abs(by) != 1:
            term = binary("*", term, number(abs(by)))
        made = binary("+" if by > 0 else "-", made or ZERO, term) if made is not None or by < 0 else term
    if made is None:
        return number(constant)
    return binary("+" if constant > 0 else "-", made, number(abs(constant))) if constant else made
