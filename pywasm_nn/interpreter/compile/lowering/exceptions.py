"""Exceptions (https://webassembly.github.io/spec/core/exec/instructions.html#exec-throw).

try_table becomes a `try` whose handler only stores the exception in the variable `caught`, so that no guest
code runs inside a handler: afterwards a choice goes to the labels, or continues if nothing was caught.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...instructions import Op
from ...module import Catch
from ...namespace import Namespace
from ...types import I32, I64, ValType
from ..forms.integers import MASK
from ..forms.operands import NONE, Known, attribute, call, compared, item, number, tupled, variable, word
from ..forms.tree import Assign, Block, If, Seq, Try
from .control import go, open_scope
from .emitter import Emitter, translates
from .scopes import Scope

CAUGHT = variable("caught", flags=0)


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
        node = Try(tags_of(catches))
        scope.finish = partial(finish, node=node, catches=catches, known=e.locals.at_head(e.pc))
        e.code.inside(scope, node.body)


def tags_of(catches: tuple[Catch, ...]) -> tuple[str, ...]:
    """Names of the tags that the clauses catch; empty if they catch all."""
    if any(clause.tagidx is None for clause in catches):
        return ()
    return tuple(dict.fromkeys(Namespace.tag(clause.tagidx) for clause in catches))


def finish(e: Emitter, scope: Scope, node: Try, catches: tuple[Catch, ...], known: Known) -> None:
    """Continue after the body of a try_table, whose scope is closed. `known` are facts that hold wherever the
    body is left."""
    e.code.append(node)
    e.stack.replace((), scope.height)
    e.locals.restore(known)
    if not scope.arrivals:
        choose(e, e.code.seq, catches)
        e.code.die()
        return
    node.body = [Block(scope.label, node.body), Assign(CAUGHT, NONE)]
    choice = e.code.begin_choice(CAUGHT)
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
        node = If(compared("is", attribute(CAUGHT, "tag"), word(Namespace.tag(clause.tagidx))))
        if not is_last:
            seq.append(node)
        e.code.go_on(seq if is_last else node.then)
        e.work.spend(len(stack) >> 3)
        e.stack.replace(stack)
        e.locals.restore(known)
        e.locals.fork()
        carry(e, clause)
        go(e, e.code.target(clause.label))
        if is_last:
            break
        seq = node.orelse
    e.stack.replace(stack)
    e.locals.restore(known)


def carry(e: Emitter, clause: Catch) -> None:
    """Push the operands of a clause's branch."""
    types: tuple[ValType, ...] = () if clause.tagidx is None else e.module.tag_types[clause.tagidx].params
    for place, type_ in enumerate(types):
        hi = MASK[type_.bits] if type_ is I32 or type_ is I64 else -1
        e.stack.push(item("caught.payload", number(place), 0, hi))
    if clause.ref:
        e.stack.push(CAUGHT)
