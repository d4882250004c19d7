"""Exceptions (https://webassembly.github.io/spec/core/exec/instructions.html#exec-throw).

try_table becomes a `try` whose handler only keeps the exception in the variable `caught`, so that no code of
the guest runs inside of a handler: afterwards a choice goes to the labels, or on where nothing was caught.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...instructions import Op
from ...module import Catch
from ...types import I32, I64, ValType
from ..forms.operands import ATOM, MASK, Known, Operand
from ..forms.tree import Block, If, Line, Seq, Try
from .control import copied, go, meet, open_frame
from .emitter import Emitter, Frame, translates


@translates("throw")
def throw(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    values = "".join(f"{value.text}, " for value in e.take(e.module.tag_types[imm].params))
    e.leave(f"raise heap.exception(tag{imm}, ({values.removesuffix(' ')}))", e.pc)


@translates("throw_ref")
def throw_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    e.leave(f"raise rethrown({e.stack.pop().text})", e.pc)


@translates("try_table")
def try_table(e: Emitter, op: Op, imm: Any) -> None:
    e.settle_all()
    frame = open_frame(e)
    _, catches = imm
    if catches:
        e.work.spend(4 * len(e.known))
        known = e.forecast.at_head(e.pc, e.known)
        node = Try(tags_of(catches))
        frame.finish = partial(finish, node=node, catches=catches, known=known)
        e.seq = node.body
        e.around = frame


def tags_of(catches: tuple[Catch, ...]) -> tuple[str, ...]:
    """Names of the tags that clauses catch; none if they catch all."""
    if any(clause.tagidx is None for clause in catches):
        return ()
    return tuple(dict.fromkeys(f"tag{clause.tagidx}" for clause in catches))


def finish(e: Emitter, frame: Frame, node: Try, catches: tuple[Catch, ...], known: Known) -> None:
    """Go on after the body of a try_table, whose frame is closed. `known` is so wherever it was left."""
    e.seq.append(node)
    del e.stack[frame.height :]
    e.settled = len(e.stack)
    e.known = known
    e.dead = not frame.arrivals
    if e.dead:
        choose(e, e.seq, catches)
        return
    node.body = [Block(frame.label, node.body), Line("caught = None")]
    choice = If("caught", -1)
    e.seq.append(choice)
    choose(e, choice.then, catches)
    e.seq = choice.orelse
    e.known = meet(e, [known for _, _, known in frame.arrivals])
    for type_ in frame.type.results:
        e.push_var(type_)
    e.settled = len(e.stack)


def choose(e: Emitter, seq: Seq, catches: tuple[Catch, ...]) -> None:
    """Go where the first clause says that fits the exception; one does."""
    stack, known, dead = e.stack.copy(), e.known, e.dead
    first = {clause.tagidx: clause for clause in reversed(catches)}
    different = [clause for clause in catches if first[clause.tagidx] is clause]
    for number, clause in enumerate(different, 1):
        is_last = clause.tagidx is None or number == len(different)
        node = If(f"caught.tag is tag{clause.tagidx}", -1)
        if not is_last:
            seq.append(node)
        e.seq = seq if is_last else node.then
        e.work.spend(len(stack) >> 3)
        e.stack, e.settled, e.known = stack.copy(), len(stack), copied(e, known)
        carry(e, clause)
        go(e, clause.label)
        if is_last:
            break
        seq = node.orelse
    e.stack, e.settled, e.known, e.dead = stack, len(stack), known, dead


def carry(e: Emitter, clause: Catch) -> None:
    """Push what the branch of a clause carries."""
    types: tuple[ValType, ...] = () if clause.tagidx is None else e.module.tag_types[clause.tagidx].params
    for number, type_ in enumerate(types):
        hi = MASK[type_.bits] if type_ is I32 or type_ is I64 else -1
        e.push(Operand(f"caught.payload[{number}]", 0, hi, ATOM))
    if clause.ref:
        e.push(Operand("caught", 0, -1, ATOM))
