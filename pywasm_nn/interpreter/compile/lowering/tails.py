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
from ..forms.tree import Br, Loop
from .emitter import Emitter, translates


@translates("return_call")
def return_call(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    if imm == e.funcidx:
        call_itself(e)
    else:
        e.tails.add(imm)
        replace(e, f"tail{imm}", e.module.func_types[imm])


@translates("return_call_indirect")
def return_call_indirect(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, tableidx = imm
    e.settle()
    index = e.pop_int(e.module.table_types[tableidx].addrtype.bits)
    e.tail_dispatched.add((tableidx, typeidx))
    e.places[e.pc] = index.text
    replace(e, f"d{tableidx}_{typeidx}_tail[{index.text}]", e.module.func_type(typeidx), "[t[0]]")


@translates("return_call_ref")
def return_call_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    reference = e.bind(len(e.stack) - 1).text
    e.stack.pop()
    replace(e, f"{reference}.tail or tail_of({reference})", e.module.func_type(imm))


def replace(e: Emitter, step: str, type_: FuncType, target: str = "t[0]") -> None:
    """Let `step`, or what is in it, go on with the operands on the stack."""
    e.is_tail = True
    arguments = "".join(f"{argument.text}, " for argument in e.take(type_.params))
    e.line(f"{target} = {step}", e.pc)
    e.line(f"t[1] = ({arguments.removesuffix(' ')})")
    e.leave("return t")


def call_itself(e: Emitter) -> None:
    """Begin again with the operands on the stack as parameters."""
    arguments = e.take(e.facts.type.params)
    pairs = [(f"l{n}", argument.text) for n, argument in enumerate(arguments) if argument.text != f"l{n}"]
    if pairs:
        e.line(f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}")
    e.again = e.again or Loop()
    e.seq.append(Br(e.again.label))
    e.dead = True
