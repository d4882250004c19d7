"""Reference and table instructions (exec/instructions.html#reference-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import Trap, TrapKind
from ..runtime.instance import Func
from ..validate import Label
from .control import br
from .operands import take

if TYPE_CHECKING:
    from .machine import Frame, Machine


def ref_null(machine: Machine, frame: Frame, imm: Any) -> None:
    frame.stack.append(None)


def ref_is_null(machine: Machine, frame: Frame, imm: None) -> None:
    frame.stack[-1] = 1 if frame.stack[-1] is None else 0


def ref_func(machine: Machine, frame: Frame, imm: int) -> None:
    frame.stack.append(frame.instance.funcs[imm])


def ref_as_non_null(machine: Machine, frame: Frame, imm: None) -> None:
    if frame.stack[-1] is None:
        raise Trap(TrapKind.NULL_REFERENCE)


def br_on_null(machine: Machine, frame: Frame, imm: Label) -> None:
    if frame.stack[-1] is None:
        frame.stack.pop()
        br(machine, frame, imm)


def br_on_non_null(machine: Machine, frame: Frame, imm: Label) -> None:
    if frame.stack[-1] is None:
        frame.stack.pop()
    else:
        br(machine, frame, imm)


def call_ref(machine: Machine, frame: Frame, imm: int) -> None:
    machine.invoke(callee(frame), frame)


def return_call_ref(machine: Machine, frame: Frame, imm: int) -> None:
    machine.replace(callee(frame), frame)


def callee(frame: Frame) -> Func:
    """Pop a function reference; traps if it is null."""
    func: Func | None = frame.stack.pop()
    if func is None:
        raise Trap(TrapKind.NULL_FUNCTION)
    return func


def table_get(machine: Machine, frame: Frame, imm: int) -> None:
    frame.stack[-1] = frame.instance.tables[imm].get(frame.stack[-1])


def table_set(machine: Machine, frame: Frame, imm: int) -> None:
    index, element = take(frame, 2)
    frame.instance.tables[imm].set(index, element)


def table_size(machine: Machine, frame: Frame, imm: int) -> None:
    frame.stack.append(len(frame.instance.tables[imm]))


def table_grow(machine: Machine, frame: Frame, imm: int) -> None:
    element, delta = take(frame, 2)
    table = frame.instance.tables[imm]
    old = table.grow(delta, element, frame.instance.meter.patience)
    frame.stack.append(old & (1 << table.type.addrtype.bits) - 1)


def table_fill(machine: Machine, frame: Frame, imm: int) -> None:
    index, element, count = take(frame, 3)
    frame.instance.tables[imm].fill(index, element, count, frame.instance.meter.patience)


def table_copy(machine: Machine, frame: Frame, imm: tuple[int, int]) -> None:
    target, source, count = take(frame, 3)
    tables = frame.instance.tables
    tables[imm[0]].copy(target, tables[imm[1]], source, count, frame.instance.meter.patience)


def table_init(machine: Machine, frame: Frame, imm: tuple[int, int]) -> None:
    target, at, count = take(frame, 3)
    frame.instance.table_init(imm[1], imm[0], target, at, count, frame.instance.meter.patience)


def elem_drop(machine: Machine, frame: Frame, imm: int) -> None:
    frame.instance.elem_drop(imm)
