"""Control instructions (https://webassembly.github.io/spec/core/exec/instructions.html#control-instructions).

`imm` is resolved as in `code.resolve`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import Trap, TrapKind
from ..matching import matches_heap
from ..runtime.instance import Func
from ..types import DefType
from ..validate import Label

if TYPE_CHECKING:
    from .machine import Frame, Machine


def unreachable(machine: Machine, frame: Frame, imm: None) -> None:
    raise Trap(TrapKind.UNREACHABLE)


def block(machine: Machine, frame: Frame, imm: Any) -> None:
    pass


loop = end = block


def if_(machine: Machine, frame: Frame, imm: int) -> None:
    if not frame.stack.pop():
        frame.pc = imm


def else_(machine: Machine, frame: Frame, imm: int) -> None:
    frame.pc = imm


def br(machine: Machine, frame: Frame, imm: Label) -> None:
    target, arity, height = imm
    stack = frame.stack
    if arity:
        stack[height:] = stack[-arity:]
    else:
        del stack[height:]
    frame.pc = target


def br_if(machine: Machine, frame: Frame, imm: Label) -> None:
    if frame.stack.pop():
        br(machine, frame, imm)


def br_table(machine: Machine, frame: Frame, imm: tuple[Label, ...]) -> None:
    br(machine, frame, imm[min(frame.stack.pop(), len(imm) - 1)])


def return_(machine: Machine, frame: Frame, imm: None) -> None:
    frame.pc = len(frame.code.body.ops)


def call(machine: Machine, frame: Frame, imm: int) -> None:
    machine.invoke(frame.instance.funcs[imm], frame)


def call_indirect(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    machine.invoke(indirect_callee(frame, imm), frame)


def return_call(machine: Machine, frame: Frame, imm: int) -> None:
    machine.replace(frame.instance.funcs[imm], frame)


def return_call_indirect(machine: Machine, frame: Frame, imm: tuple[DefType, int]) -> None:
    machine.replace(indirect_callee(frame, imm), frame)


def indirect_callee(frame: Frame, through: tuple[DefType, int]) -> Func:
    """Pop an index and return the function at that index of the table, which must have the type."""
    type_, tableidx = through
    elements = frame.instance.tables[tableidx].elements
    index = frame.stack.pop()
    if index >= len(elements):
        raise Trap(TrapKind.UNDEFINED_ELEMENT)
    func: Func | None = elements[index]
    if func is None:
        raise Trap(TrapKind.UNINITIALIZED_ELEMENT, index=index)
    if not matches_heap(func.deftype, type_):
        raise Trap(TrapKind.INDIRECT_CALL_TYPE)
    return func
