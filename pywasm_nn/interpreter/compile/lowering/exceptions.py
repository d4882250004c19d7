"""Exceptions (https://webassembly.github.io/spec/core/exec/instructions.html#exec-throw).

try_table becomes a `try` whose handler only stores the exception in the variable `caught`, so that no guest
code runs inside a handler: afterwards a choice goes to the labels, or continues if nothing was caught. The
`try` from before 3.0 (https://webassembly.github.io/exception-handling/legacy/core/exec/instructions.html)
becomes the same with its clauses in the choice; for `rethrow` they keep the exception in a local. `delegate`
becomes a handler that tells those around it, up to its target, to raise the exception again: the variable
`past` says how many are left, so that code in which nothing is thrown pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...instructions import Op
from ...module import Catch
from ...namespace import Namespace
from ...types import I32, I64, ValType
from ...validate import LegacyTry
from ..forms.contents import Known
from ..forms.integers import MASK
from ..forms.operands import (
    NONE,
    Operand,
    attribute,
    call,
    compared,
    item,
    number,
    tupled,
    variable,
    word,
)
from ..forms.tree import Assign, Block, If, Label, Seq, Try
from .control import arrive, end_scope, go, open_scope
from .emitter import Emitter, translates
from .scopes import Scope

CAUGHT = variable("caught", flags=0)
STEPS_TO_PASS = 4
"""Steps of `Work` for each handler that a `delegate` passes."""


@translates("throw")
def throw(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    values = tupled(e.stack.take(e.module.tag_types[imm].params))
    e.code.leave((call("heap.exception", (word(Namespace.tag(imm)), values)),), e.pc, raises=True)


@translates("throw_ref")
def throw_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    e.code.leave((call("rethrown", (e.stack.pop(),)),), e.pc, raises=True)


@translates("try_table")
def try_table(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle_all()
    scope = open_scope(e)
    _, catches = imm
    if catches:
        node = Try(tags_of([clause.tagidx for clause in catches]))
        scope.finish = partial(finish, catches=catches, known=e.locals.at_head(e.pc))
        e.code.protect(scope, node)


def tags_of(tags: Sequence[int | None]) -> tuple[str, ...]:
    """Names of the tags that clauses catch; empty if a clause catches all."""
    return () if None in tags else tuple(dict.fromkeys(map(Namespace.tag, tags)))


def caught(e: Emitter, scope: Scope) -> If | None:
    """Write a protected body, whose code is complete, and the choice of what follows if an exception was
    caught. No choice is necessary if the body has no other end."""
    node = e.code.protected()
    e.code.append(node)
    if not scope.arrivals:
        return None
    node.body = [Block(scope.label, node.body), Assign(CAUGHT, NONE)]
    return e.code.begin_choice(CAUGHT)


def finish(e: Emitter, scope: Scope, catches: tuple[Catch, ...], known: Known) -> None:
    """Continue after the body of a try_table, whose scope is closed. `known` are facts that hold wherever the
    body is left."""
    choice = caught(e, scope)
    e.stack.replace((), scope.height)
    e.locals.restore(known)
    if choice is None:
        choose(e, e.code.seq, catches)
        e.code.die()
        return
    choose(e, choice.then, catches)
    e.code.revive()
    e.code.go_on(choice.orelse)
    e.locals.join([known for _, _, known in scope.arrivals])
    e.stack.push_variables(scope.type.results)


def choose(e: Emitter, seq: Seq, catches: tuple[Catch, ...]) -> None:
    """Branch to the label of the first clause that matches the exception; at least one does."""
    stack, known = e.stack.copy(), e.locals.known
    first = {clause.tagidx: clause for clause in reversed(catches)}
    different = [clause for clause in catches if first[clause.tagidx] is clause]
    for number_, clause in enumerate(different, 1):
        is_last = clause.tagidx is None or number_ == len(different)
        node = If(has_tag(clause.tagidx))
        if not is_last:
            seq.append(node)
        e.code.go_on(seq if is_last else node.then)
        e.work.spend(len(stack) >> 3)
        e.stack.replace(stack)
        e.locals.restore(known)
        e.locals.fork()
        carry(e, clause.tagidx)
        if clause.ref:
            e.stack.push(CAUGHT)
        go(e, e.code.target(clause.label))
        if is_last:
            break
        seq = node.orelse
    e.stack.replace(stack)
    e.locals.restore(known)


def has_tag(tagidx: int | None) -> Operand:
    """The condition that the exception has a tag."""
    return compared("is", attribute(CAUGHT, "tag"), word(Namespace.tag(tagidx)))


def carry(e: Emitter, tagidx: int | None) -> None:
    """Push the values of the exception."""
    types: tuple[ValType, ...] = () if tagidx is None else e.module.tag_types[tagidx].params
    for place, type_ in enumerate(types):
        hi = MASK[type_.bits] if type_ is I32 or type_ is I64 else -1
        e.stack.push(item("caught.payload", number(place), 0, hi))


# From before 3.0


class Clauses:
    """The clauses of a `try` while they are written."""

    __slots__ = ("choice", "completed", "first", "following", "kept", "known", "last", "seq", "starts")

    def __init__(self, e: Emitter, scope: Scope, attempt: LegacyTry) -> None:
        starts = [label.pc - 1 for label in attempt.clauses]
        self.first = starts[0]
        self.following = dict(zip(starts, [*starts[1:], scope.end], strict=True))
        """For each clause the instruction after it: another clause, or the end."""
        self.starts: dict[int | None, int] = {}
        """The first clause for each tag, None for any tag: others are never reached."""
        for start in starts:
            self.starts.setdefault(e.body.imms[start], start)
        self.last = max(self.starts.values())
        self.kept = attempt.kept
        self.known = e.locals.at_head(e.pc)
        """Facts that hold wherever the body is left."""
        self.completed: list[Known] = []
        """The facts at the ends of the body."""
        self.choice: If | None = None
        """The choice after a body that has an end."""
        self.seq: Seq = []
        """Where the next clause is written."""


@translates("try")
def try_(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle_all()
    scope, attempt = open_scope(e), e.facts.tries[e.pc]
    if attempt.clauses:
        scope.clauses = clauses = Clauses(e, scope, attempt)
        scope.resume = clauses.first
        scope.finish = finish_clauses
        e.code.protect(scope, Try(tags_of([*clauses.starts])))
    elif attempt.target is not None:
        last = len(e.body.ops) - 1 if attempt.target < 0 else e.facts.ends[attempt.target]
        if passed := e.code.guards_before(last):
            e.work.spend(STEPS_TO_PASS * len(passed))
            for node in passed:
                node.is_passed = True
            scope.finish = finish_delegating
            e.code.protect(scope, Try((), len(passed)))


@translates("catch", "catch_all")
def catch(e: Emitter, op: Op, imm: Any) -> None:
    scope = e.code.innermost
    clauses: Clauses = scope.clauses
    if not e.code.dead:
        arrive(e, scope)
    if e.pc == clauses.first:
        end_body(e, scope, clauses)
    scope.resume = clauses.following[e.pc]
    if clauses.starts[imm] == e.pc:
        begin_clause(e, scope, clauses, imm)
    else:
        e.code.die()


def end_body(e: Emitter, scope: Scope, clauses: Clauses) -> None:
    """End the body of a `try`. Its clauses are outside of it; they end where the whole block does."""
    e.code.outside(scope)
    clauses.choice = choice = caught(e, scope)
    clauses.seq = e.code.seq if choice is None else choice.then
    clauses.completed = [known for _, _, known in scope.arrivals]
    scope.arrivals, scope.label = [], Label()


def begin_clause(e: Emitter, scope: Scope, clauses: Clauses, tagidx: int | None) -> None:
    """Continue in a clause, with the values of the exception on the stack."""
    if e.pc == clauses.last:
        e.code.go_on(clauses.seq)
    else:
        node = If(has_tag(tagidx))
        clauses.seq.append(node)
        clauses.seq = node.orelse
        e.code.go_on(node.then)
    e.code.revive()
    e.stack.replace((), scope.height)
    e.locals.restore(clauses.known)
    e.locals.fork()
    carry(e, tagidx)
    e.stack.settle_all()
    if clauses.kept >= 0:
        e.locals.use(clauses.kept)
        e.code.assign(e.locals.any(clauses.kept), CAUGHT)


def finish_clauses(e: Emitter, scope: Scope) -> None:
    """Continue after a `try` with clauses, whose scope is closed."""
    clauses: Clauses = scope.clauses
    if clauses.choice is not None:
        e.code.go_on(clauses.choice.orelse)
        e.locals.join(clauses.completed)
        scope.arrivals.append((e.code.branch(scope.label), e.code.around, e.locals.known))
        e.code.go_on(scope.seq)
    end_scope(e, scope)


def finish_delegating(e: Emitter, scope: Scope) -> None:
    """Continue after a `try` that delegates, whose scope is closed."""
    node = e.code.protected()
    e.code.append(node)
    if scope.arrivals:
        node.body = [Block(scope.label, node.body)]
        e.code.revive()
        e.locals.join([known for _, _, known in scope.arrivals])
        e.stack.cut(scope.height)
        e.stack.push_variables(scope.type.results)
    else:
        e.code.leave()  # never reached: no Try is the last node of a sequence


@translates("rethrow")
def rethrow(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    kept = e.facts.rethrows[e.pc]
    e.locals.use(kept)
    e.code.leave((call("rethrown", (e.locals.any(kept),)),), e.pc, raises=True)
