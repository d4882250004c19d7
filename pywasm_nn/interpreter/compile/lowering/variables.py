"""Locals and globals
(https://webassembly.github.io/spec/core/exec/instructions.html#variable-instructions)."""

from __future__ import annotations

from typing import Any

from ...instructions import Op
from ..forms.integers import MASK
from ..forms.operands import TRAP, variable
from ..forms.tree import Assign
from .emitter import Emitter, translates
from .loops import stepped

FOUND = variable("sp", 0, MASK[32])
"""The stack pointer that the function found."""


@translates("local.get")
def local_get(e: Emitter, op: Op, imm: Any) -> None:
    locals_ = e.locals
    locals_.used.add(imm)
    e.stack.push_atom(locals_.known.get(imm) or locals_.unknown.get(imm) or locals_.meet(imm))


@translates("local.set")
def local_set(e: Emitter, op: Op, imm: Any) -> None:
    stack, locals_ = e.stack, e.locals
    if e.counting is not None and e.counting.increment == e.pc:
        stack.pop()
        locals_.assume({imm: stepped(e.counting, locals_.read(imm))})
        return
    operand = stack.pop_signed() if imm in e.forecast.signed else stack.pop_type(e.facts.locals[imm])
    if stack.armed and not operand.flags & TRAP:  # if this operand traps, the local must not be set yet
        stack.settle()
    if stack.settled < len(stack):
        stack.settle_readers(1 << 2 * imm)
    e.code.assign(locals_.set(imm, operand), operand, stack.trapping if operand.flags & TRAP else -1)


@translates("local.tee")
def local_tee(e: Emitter, op: Op, imm: Any) -> None:
    local_set(e, op, imm)
    local_get(e, op, imm)


@translates("global.get")
def global_get(e: Emitter, op: Op, imm: Any) -> None:
    if e.stack.armed:
        e.stack.settle()
    value = e.globals.read(imm)
    if not e.pc and e.restored:
        e.code.append(Assign(FOUND, value))
        value = FOUND
    e.stack.push_atom(value)


@translates("global.set")
def global_set(e: Emitter, op: Op, imm: Any) -> None:
    stack = e.stack
    operand = stack.pop_type(e.module.global_types[imm].type)
    if e.pc in e.restored:
        operand = FOUND
    if not operand.flags & TRAP:
        stack.settle()
    stack.settle_state()
    e.code.assign(e.globals.write(imm), operand, stack.instr_of(operand))
