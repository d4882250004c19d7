"""Calls (https://webassembly.github.io/spec/core/exec/instructions.html#exec-call).

What is not here: those in tail position (`tails.py`).
"""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...types import I32, I64, FuncType
from ..forms.operands import ATOM, MASK, Operand
from .emitter import Emitter, translates


@translates("call")
def call(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    type_ = e.module.func_types[imm]
    finish_call(e, f"func{imm}", 0, type_)


@translates("call_indirect")
def call_indirect(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, tableidx = imm
    e.settle()
    index = e.pop_int(e.module.table_types[tableidx].addrtype.bits)
    e.dispatched.add((tableidx, typeidx))
    e.places[e.pc] = index.text
    finish_call(e, f"d{tableidx}_{typeidx}[{index.text}]", index.reads, e.module.func_type(typeidx))


def finish_call(e: Emitter, callee: str, reads: int, type_: FuncType) -> None:
    """Call with the operands on the stack. A single result waits with the call in its text."""
    arguments = e.take(type_.params)
    e.settle_state()
    text = f"{callee}({', '.join([argument.text for argument in arguments])})"
    depth = 0
    for argument in arguments:
        reads |= argument.reads
        depth = argument.depth if argument.depth > depth else depth
    if not type_.results:
        e.line(text, e.pc)
        return
    height = len(e.stack)
    if len(type_.results) > 1:
        for n in range(len(type_.results)):
            e.settle_readers(2 << 2 * (height + n))
        names = ", ".join(f"v{height + n}" for n in range(len(type_.results)))
        e.line(f"{names} = {text}", e.pc)
        for result in type_.results:
            e.push_var(result)
        return
    result = type_.results[0]
    hi = MASK[result.bits] if result is I32 or result is I64 else -1
    e.push_trapping(Operand(text, 0, hi, ATOM, reads, depth + 1))


@translates("call_ref")
def call_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.settle()
    callee = e.stack.pop()
    finish_call(e, f"{callee.term}.callable", callee.reads, e.module.func_type(imm))
