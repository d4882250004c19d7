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
    frame.stack[-1] = memory.grow(frame.stack[-1]) & (1 << memory.type.addrtype.bits) - 1


def memory_fill(machine: Machine, frame: Frame, imm: int) -> None:
    frame.instance.mems[imm].fill(*take(frame, 3))


def memory_copy(machine: Machine, frame: Frame, imm: tuple[int, int]) -> None:
    target, source, count = take(frame, 3)
    mems = frame.instance.mems
    mems[imm[0]].copy(target, mems[imm[1]], source, count)


def memory_init(machine: Machine, frame: Frame, imm: tuple[int, int]) -> None:
    frame.instance.memory_init(imm[1], imm[0], *take(frame, 3))


def data_drop(machine: Machine, frame: Frame, imm: int) -> None:
    frame.instance.data_drop(imm)
