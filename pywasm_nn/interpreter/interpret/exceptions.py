"""Exception instructions (https://webassembly.github.io/spec/core/exec/instructions.html#exec-throw).

The catching clause is searched when an exception is thrown, by the positions of frames (`code.Try`,
`Machine.catch`), so neither try_table nor the legacy `try` costs anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.externs import rethrown
from .control import else_, end
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


try_ = delegate = end
catch = catch_all = else_
"""Control that gets there has come to the end of the body or clause before, and continues after the block."""


def rethrow(machine: Machine, frame: Frame, imm: int) -> None:
    raise rethrown(frame.locals[imm])
