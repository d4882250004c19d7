"""A machine that tells an observer what it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..observe import InstructionEvent
from ..runtime import Func, Instance
from .code import Code
from .machine import Frame, Machine


class WatchedMachine(Machine):
    """Steps with events for the levels that the entry's observer wants: "calls", "instr"."""

    def __init__(self, func: Func, arguments: Sequence[Any]) -> None:
        assert func.instance is not None
        self.observer = func.instance.observer
        self.calls = func.instance.watches("calls")
        self.instructions = func.instance.watches("instr")
        super().__init__(func, arguments)

    def step(self) -> None:
        frame = self.frames[-1]
        pc = frame.pc
        before = list(frame.stack)
        depth = len(self.frames)
        super().step()
        if self.instructions and pc < len(frame.code.ops):
            # Operands that an instruction consumed are those above what both stacks have in common.
            kept = 0
            after = frame.stack
            while kept < min(len(before), len(after)) and before[kept] is after[kept]:
                kept += 1
            op, offsets = frame.code.ops[pc], frame.code.offsets
            popped = before[-len(op.params) :] if op.params else before[kept:]
            self.observer.instruction(
                InstructionEvent(
                    frame.func.funcidx,
                    offsets[pc] if offsets else -1,
                    op,
                    frame.code.raw_imms[pc],
                    tuple(popped),
                    tuple(after),
                    depth,
                )
            )

    def run(self) -> tuple[Any, ...]:
        while self.frames:
            self.step()
        return self.results

    def push(self, func: Func, instance: Instance, code: Code, arguments: Sequence[Any]) -> None:
        super().push(func, instance, code, arguments)
        if self.calls:
            self.observer.enter(func.funcidx, tuple(arguments), len(self.frames))

    def discard(self) -> None:
        if self.calls:
            self.observer.leave(self.frames[-1].func.funcidx, (), len(self.frames))
        super().discard()

    def leave(self, frame: Frame) -> None:
        depth = len(self.frames)
        super().leave(frame)
        if self.calls:
            count = len(frame.code.type.results)
            self.observer.leave(frame.func.funcidx, tuple(frame.stack[-count:] if count else ()), depth)
