"""Tail calls (https://webassembly.github.io/spec/core/exec/instructions.html#exec-return-call).

A function that makes them is generated as a step: it takes a slot `t` and its arguments as a tuple, and
returns its results, or the slot with the next step and its arguments in it. Everyone else calls its driver
(`installing/stubs.py`), which runs steps one after the other, so that neither Python's stack nor memory
grow. A function that calls itself so is a loop.
What is not here: what stands for functions that are no steps themselves (`installing.functions.tail_of`).
"""

from __future__ import annotations

from typing import Any

from ...instructions import Op
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
        replace(e, word(f"tail{imm}"), e.module.func_types[imm])


@translates("return_call_indirect")
def return_call_indirect(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, tableidx = imm
    index = dispatched(e, imm, e.needs.tail_dispatched)
    step = item(f"d{tableidx}_{typeidx}_tail", index)
    replace(e, step, e.module.func_type(typeidx), listed([STEP]))


@translates("return_call_ref")
def return_call_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    reference = e.stack.pop_bound()
    step = joined("or", [attribute(reference, "tail"), call("tail_of", (reference,))])
    replace(e, step, e.module.func_type(imm))


def replace(e: Emitter, step: Operand, type_: FuncType, target: Operand = STEP) -> None:
    """Let `step`, or what is in it, go on with the operands on the stack."""
    e.is_tail = True
    arguments = tupled(e.stack.take(type_.params))
    e.code.append(Assign(target, step, e.pc))
    e.code.append(Assign(ARGUMENTS, arguments))
    e.code.leave((SLOT,))


def call_itself(e: Emitter) -> None:
    """Begin again with the operands on the stack as parameters."""
    arguments = e.stack.take(e.facts.type.params)
    pairs = [(named(n, 0, -1), argument) for n, argument in enumerate(arguments) if argument.local != n]
    if pairs:
        e.code.append(AssignAll([target for target, _ in pairs], [value for _, value in pairs]))
    e.again = e.again or Loop()
    e.code.branch(e.again.label)
