"""Atomic instructions (https://github.com/WebAssembly/threads), implemented by the memory."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..instructions import Op
from ..instructions.cells import evaluator
from ..module import MemArg
from .operands import take

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .machine import Frame, Machine


def memory_atomic_notify(machine: Machine, frame: Frame, imm: MemArg) -> None:
    address, count = take(frame, 2)
    frame.stack.append(frame.instance.mems[imm.memidx].notify(address + imm.offset, count))


def memory_atomic_wait32(machine: Machine, frame: Frame, imm: MemArg) -> None:
    wait("u32", frame, imm)


def memory_atomic_wait64(machine: Machine, frame: Frame, imm: MemArg) -> None:
    wait("u64", frame, imm)


def wait(access: str, frame: Frame, memarg: MemArg) -> None:
    address, expected, timeout = take(frame, 3)
    memory, patience = frame.instance.mems[memarg.memidx], frame.instance.meter.patience
    frame.stack.append(memory.wait(access, address + memarg.offset, expected, timeout, patience))


def atomic_fence(machine: Machine, frame: Frame, imm: int) -> None:
    for memory in frame.instance.mems[:1]:
        memory.fence()


@cache
def atomic_handler(op: Op) -> Callable[[Machine, Frame, Any], None]:
    """The handler of an atomic memory access."""
    access, count = op.access or "", len(op.params or ())
    convert = evaluator(op) if op.expr else None

    def load(machine: Machine, frame: Frame, imm: MemArg) -> None:
        address = frame.stack.pop() + imm.offset
        frame.stack.append(frame.instance.mems[imm.memidx].load_atomic(access, address))

    def store(machine: Machine, frame: Frame, imm: MemArg) -> None:
        address, value = take(frame, 2)
        value = convert(value) if convert else value
        frame.instance.mems[imm.memidx].store_atomic(access, address + imm.offset, value)

    def update(machine: Machine, frame: Frame, imm: MemArg) -> None:
        address, *operands = take(frame, count)
        memory = frame.instance.mems[imm.memidx]
        frame.stack.append(memory.update(op.name, address + imm.offset, *operands))

    return (update if op.results else store) if op.stores else load
