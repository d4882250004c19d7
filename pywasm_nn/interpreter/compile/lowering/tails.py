"""Tail calls (https://webassembly.github.io/spec/core/exec/instructions.html#exec-return-call).

A function that makes tail calls is generated as a step: it takes a slot `t` and its arguments as a tuple, and
returns its results, or the slot, which then has the next step and its arguments. Other callers use its driver
(`installing/stubs.py`), which runs one step after another, so that neither Python's stack nor memory grows. A
tail call of the function itself becomes a loop. What is not here: the tail-call forms of functions that make
no tail calls (`installing.functions.tail_of`).
"""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...namespace import Namespace
from ...types import FuncType
from ..forms.operands import ONE, ZERO, Operand, attribute, call, item, joined, listed, named, tupled, word
from ..forms.tree import Assign, AssignAll, Loop
from .calls import dispatched
from .emitter import Emitter, translates

SLOT = word("t")
STEP, ARGUMENTS = item("t", ZERO), item("t", ONE)


@translates("return_call")
def return_call(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    if imm == e.funcidx:
        call_itself(e)
    else:
        e.needs.tails.add(imm)
        replace(e, word(Namespace.tail(imm)), e.module.func_types[imm])


@translates("return_call_indirect")
def return_call_indirect(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, tableidx = imm
    index = dispatched(e, imm, e.needs.tail_dispatched)
    step = item(Namespace.tail_dispatch(tableidx, typeidx), index)
    replace(e, step, e.module.func_type(typeidx), listed([STEP]))


@translates("return_call_ref")
def return_call_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.pop_bound()
    step = joined("or", [attribute(reference, "tail"), call("tail_of", (reference,))])
    replace(e, step, e.module.func_type(imm))


def replace(e: Emitter, step: Operand, type_: FuncType, target: Operand = STEP) -> None:
    """Make `step` the next step, with the operands on the stack as arguments."""
    e.is_tail = True
    arguments = tupled(e.stack.take(type_.params))
    e.code.append(Assign(target, step, e.pc))
    e.code.append(Assign(ARGUMENTS, arguments))
    e.code.leave((SLOT,))


def call_itself(e: Emitter) -> None:
    """Restart the function with the operands on the stack as parameters."""
    arguments = e.stack.take(e.facts.type.params)
    pairs = [(named(n, 0, -1), argument) for n, argument in enumerate(arguments) if argument.local != n]
    if pairs:
        e.code.append(AssignAll([target for target, _ in pairs], [value for _, value in pairs]))
    e.again = e.again or Loop()
    e.code.branch(e.again.label)
