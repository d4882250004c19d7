"""Exception instructions (https://webassembly.github.io/spec/core/exec/instructions.html#exec-throw).

The catching clause is searched when an exception is thrown, by the positions of frames (`code.Try`,
`Machine.catch`), so try_table itself costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.externs import rethrown
from .operands import take

if TYPE_CHECKING:
    from .machine import Frame, Machine


def throw(machine: Machine, frame: Frame, imm: int) -> None:
    tag = frame.instance.tags[imm]
    raise frame.instance.heap.exception(tag, tuple(take(frame, len(tag.type.params))))


def throw_ref(machine: Machine, frame: Frame, imm: None) -> None:
    raise rethrown(frame.stack.pop())


def try_table(machine: Machine, frame: Frame, imm: Any) -> None:
    pass
