"""Calls (https://webassembly.github.io/spec/core/exec/instructions.html#exec-call).

What is not here: tail calls (`tails.py`).
"""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ...namespace import Namespace
from ...types import I32, I64, FuncType
from ..forms.integers import MASK
from ..forms.operands import Operand, attribute, called, item, text_of, word
from .emitter import Emitter, translates


@translates("call")
def call(e: Emitter, op: Op, imm: Any) -> None:
    if e.stack.armed:
        e.stack.settle()
    finish_call(e, word(Namespace.func(imm)), e.module.func_types[imm])


@translates("call_indirect")
def call_indirect(e: Emitter, op: Op, imm: Any) -> None:
    typeidx, tableidx = imm
    index = dispatched(e, imm, e.needs.dispatched)
    finish_call(e, item(Namespace.dispatch(tableidx, typeidx), index), e.module.func_type(typeidx))


def dispatched(e: Emitter, imm: Any, wanted: set[tuple[int, int]]) -> Operand:
    """Pop the index of an indirect call, and request the dispatch list of its table and type."""
    typeidx, tableidx = imm
    e.stack.settle()
    index = e.stack.pop_int(e.module.table_types[tableidx].addrtype.bits)
    wanted.add((tableidx, typeidx))
    e.needs.places[e.pc] = text_of((index, 0))
    return index


@translates("call_ref")
def call_ref(e: Emitter, op: Op, imm: Any) -> None:
    e.stack.settle()
    finish_call(e, attribute(e.stack.pop(), "callable"), e.module.func_type(imm))


def finish_call(e: Emitter, callee: Operand, type_: FuncType) -> None:
    """Call with the operands on the stack as arguments. A single result is pushed as an operand that contains
    the call."""
    stack = e.stack
    arguments = stack.take(type_.params)
    e.disturb()
    if not type_.results:
        e.do(called(callee, arguments))
        return
    if len(type_.results) == 1:
        result = type_.results[0]
        hi = MASK[result.bits] if result is I32 or result is I64 else -1
        e.push_trapping(called(callee, arguments, 0, hi))
        return
    e.push_results(type_.results, [called(callee, arguments)], True)
