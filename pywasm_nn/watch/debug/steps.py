"""How far a guest runs or goes back, why it has stopped, and where.

What is not here: doing so (`debugger.py`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from ...interpreter.interpret import Frame
from ...interpreter.runtime.instance import Instance
from ...records import Frozen
from ...sources import SourceLine


class Step(Enum):
    """How far the guest runs, or goes back, before it stops again."""

    INTO = "step"
    """A number of instructions, into functions that are called."""
    OVER = "step over"
    """To the next instruction of this function, or of its caller."""
    OUT = "step out"
    """To the caller."""
    LINE = "next line"
    """To another source line, also into functions that have source lines."""
    OVER_LINE = "next line of this function"
    """To another source line of this function, or to its caller."""
    ON = "continue"
    BACK = "back"
    """Back by a number of instructions, also into functions that were called."""
    BACK_OVER = "back over"
    """To the previous instruction of this function, or of its caller."""
    BACK_LINE = "back over lines"
    """To the beginning of this source line, or of the line before it."""
    BACK_ON = "back to"
    """Back to a breakpoint, or to the beginning."""
    BACK_WRITER = "back to the writer"
    """Back to the instruction that wrote to some bytes last."""


BACKWARDS = frozenset({Step.BACK, Step.BACK_OVER, Step.BACK_LINE, Step.BACK_ON, Step.BACK_WRITER})
WHOLE_CALLS = frozenset({Step.ON, Step.OVER, Step.OUT, Step.OVER_LINE})
"""Steps on which functions that nobody wants to see may run compiled."""


class Goal(Frozen):
    """Where to stop next: `depth` and `line` are those at which the step began."""

    step: Step
    depth: int = 0
    line: SourceLine | None = None


class Stop(Frozen):
    """Why the guest has stopped. `error` is set if an error has ended the call."""

    reason: str
    error: BaseException | None = None


class Position(Frozen):
    """A running function and its current instruction; see `activations.Activation`."""

    frame: Frame
    instr: int

    @property
    def knows_locals(self) -> bool:
        return True

    @property
    def instance(self) -> Instance:
        return self.frame.instance

    @property
    def funcidx(self) -> int:
        return self.frame.funcidx

    @property
    def offset(self) -> int:
        """Byte offset of the instruction."""
        return self.frame.code.body.offsets[self.instr]

    def local(self, index: int) -> Any:
        return self.frame.locals[index]
