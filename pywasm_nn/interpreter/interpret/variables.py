"""Parametric and variable instructions (exec/instructions.html#parametric-instructions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .machine import Frame, Machine


def drop(machine: Machine, frame: Frame, imm: None) -> None:
    frame.stack.pop()


def select(machine: Machine, frame: Frame, imm: Any) -> None:
    stack = frame.stack
    condition, second = stack.pop(), stack.pop()
    if not condition:
        stack[-1] = second


select_t = select


def local_get(machine: Machine, frame: Frame, imm: int) -> None:
    frame.stack.append(frame.locals[imm])


def local_set(machine: Machine, frame: Frame, imm: int) -> None:
    frame.locals[imm] = frame.stack.pop()


def local_tee(machine: Machine, frame: Frame, imm: int) -> None:
    frame.locals[imm] = frame.stack[-1]


def global_get(machine: Machine, frame: Frame, imm: int) -> None:
    frame.stack.append(frame.instance.globals[imm].raw)


def global_set(machine: Machine, frame: Frame, imm: int) -> None:
    frame.instance.globals[imm].raw = frame.stack.pop()
