"""Memory instructions other than loads and stores (exec/instructions.html#memory-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operands import take

if TYPE_CHECKING:
    from .machine import Frame, Machine


def memory_size(machine: Machine, frame: Frame, imm: int) -> None:
    frame.stack.append(frame.instance.mems[imm].pages)


def memory_grow(machine: Machine, frame: Frame, imm: int) -> None:
    memory = frame.instance.mems[imm]
    old = memory.grow(frame.stack[-1], frame.instance.meter.patience)
    frame.stack[-1] = old & (1 << memory.type.addrtype.bits) - 1


def memory_fill(machine: Machine, frame: Frame, imm: int) -> None:
    target, byte, count = take(frame, 3)
    frame.instance.mems[imm].fill(target, byte, count, frame.instance.meter.patience)


def memory_copy(machine: Machine, frame: Frame, imm: tuple[int, int]) -> None:
    target, source, count = take(frame, 3)
    mems = frame.instance.mems
    mems[imm[0]].copy(target, mems[imm[1]], source, count, frame.instance.meter.patience)


def memory_init(machine: Machine, frame: Frame, imm: tuple[int, int]) -> None:
    target, at, count = take(frame, 3)
    frame.instance.memory_init(imm[1], imm[0], target, at, count, frame.instance.meter.patience)


def data_drop(machine: Machine, frame: Frame, imm: int) -> None:
    frame.instance.data_drop(imm)
