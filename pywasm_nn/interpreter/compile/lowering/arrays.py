"""Loops that are done with arrays: most of their rounds are, before the loop, which then runs unchanged for
what is left (`analysis/whole.py` finds them, `interpreter/arrays` does them)."""

from __future__ import annotations

from ...arrays.plan import Line as Sum
from ...arrays.ranges import signed
from ...namespace import Namespace
from ..analysis.whole import WholeLoop, whole_loop
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
from .emitter import Emitter

LEAST = 96
"""The fewest instructions and rounds, multiplied and divided by ten, for which arrays are faster."""
X = word("x")
"""The locals after the rounds that were done at once."""


def run_whole(e: Emitter) -> None:
    """Do most rounds of the loop that begins here at once, if it qualifies."""
    if e.meter.any or not e.views:
        return
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


def worth(e: Emitter, found: WholeLoop) -> list[Operand]:
    """The condition that there are probably so many rounds that arrays are faster; none if that is never so,
    or can't be said quickly."""
    if found.counter is None:
        return []
    one, other, step = found.counter
    low, high = (one, other) if step > 0 else (other, one)
    span = sum_of(e, (high[0] - low[0], (*high[1], *((local, -factor) for local, factor in low[1]))))
    least = LEAST * abs(step)
    return [] if span.hi <= least else [compared(">", span, number(least))]


def sum_of(e: Emitter, line: Sum) -> Operand:
    """A sum of multiples of locals, without wrapping."""
    constant, multiples = line
    constant = signed(constant, 32)
    made: Operand | None = None
    for local, factor in sorted(multiples, key=lambda each: signed(each[1], 32) < 0):
        by = signed(factor, 32)
        term = e.locals.read(local)
        if abs(by) != 1:
            term = binary("*", term, number(abs(by)))
        made = binary("+" if by > 0 else "-", made or ZERO, term) if made is not None or by < 0 else term
    if made is None:
        return number(constant)
    return binary("+" if constant > 0 else "-", made, number(abs(constant))) if constant else made
