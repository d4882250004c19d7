"""A machine that reports each step to an observer.

What is here: the operands, results and effects of an instruction, found by comparing the state before and
after. What is not: executing instructions (`machine.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..instructions import Imm, Op
from ..runtime.instance import Func, Instance
from ..runtime.observe import MOST_BYTES, InstructionEvent, Write
from .code import Code
from .machine import Frame, Machine, is_interpreted

Touched = tuple[int, int, int]
"""Memory index, address, and number of bytes."""


def bulk(memidx: Callable[[Any], int]) -> Callable[[Any, Sequence[Any]], Touched]:
    """The range that memory.fill, copy or init will write."""
    return lambda imm, stack: (memidx(imm), stack[-3], stack[-1])


BULK: Mapping[str, Callable[[Any, Sequence[Any]], Touched]] = {
    "memory.fill": bulk(int),
    "memory.copy": bulk(lambda imm: int(imm[0])),
    "memory.init": bulk(lambda imm: int(imm[1])),
}


def touched_by(op: Op, imm: Any, stack: Sequence[Any]) -> Touched | None:
    """The range of memory that the instruction will write, unless it traps."""
    if op.stores:
        memarg = imm[0] if Imm.LANE in op.imms else imm
        return memarg.memidx, stack[-len(op.params or ())] + memarg.offset, op.width
    found = BULK.get(op.name)
    return found(imm, stack) if found else None


class WatchedMachine(Machine):
    """Steps with events for the levels that the observer of its function wants: "calls", "instr"."""

    def __init__(self, func: Func, arguments: Sequence[Any], outer: Machine | None = None) -> None:
        assert func.instance is not None
        self.observer = func.instance.observer
        self.calls = func.instance.watches("calls")
        self.instructions = func.instance.watches("instr")
        super().__init__(func, arguments, outer)

    def step(self) -> None:
        frame = self.frames[-1]
        if self.instructions and frame.pc < len(frame.code.body.ops) and self.sees(frame.instance):
            self.step_seen(frame)
        else:
            super().step()

    def step_seen(self, frame: Frame) -> None:
        pc = frame.pc
        op, imm, offsets = frame.code.body.ops[pc], frame.code.body.imms[pc], frame.code.body.offsets
        before, depth = list(frame.stack), len(self.frames)
        touched = touched_by(op, imm, before)
        old = self.peek(frame, touched)
        failure: BaseException | None = None
        try:
            super().step()
        except BaseException as error:
            failure = error
            raise
        finally:
            # An instruction has consumed the operands above the common part of both stacks.
            kept = 0
            after = frame.stack
            while kept < min(len(before), len(after)) and before[kept] is after[kept]:
                kept += 1
            popped = before[-len(op.params) :] if op.params else before[kept:]
            sets_local = op.name in ("local.set", "local.tee")
            write = None
            if touched is not None and old is not None and failure is None:
                write = Write(*touched, old, self.peek(frame, touched) or b"")
            self.observer.instruction(
                InstructionEvent(
                    frame.func.funcidx,
                    offsets[pc] if offsets else -1,
                    op,
                    imm,
                    tuple(popped),
                    tuple(after),
                    tuple(frame.locals[: frame.code.named]),
                    depth,
                    imm if sets_local else None,
                    (imm, before[-1]) if op.name == "global.set" else None,
                    write,
                    failure,
                )
            )
            del failure  # break the cycle of this frame and the error's traceback

    def peek(self, frame: Frame, touched: Touched | None) -> bytes | None:
        """The first bytes of a range of memory; None if the range is not inside memory."""
        if touched is None:
            return None
        memidx, address, count = touched
        memory = frame.instance.mems[memidx]
        if address + count > memory.size:
            return None
        return memory.read(address, min(count, MOST_BYTES))

    def sees(self, instance: Instance) -> bool:
        """Whether the observer watches this instance: a machine runs functions of other instances too."""
        return instance.observer is self.observer

    def runs(self, func: Func, instance: Instance) -> bool:
        return is_interpreted(func, instance) and (not instance.followed or self.sees(instance))

    def run(self) -> tuple[Any, ...]:
        while self.frames:
            self.step()
        return self.results

    def push(self, func: Func, instance: Instance, code: Code, arguments: Sequence[Any]) -> None:
        super().push(func, instance, code, arguments)
        if self.calls and self.sees(instance):
            self.observer.enter(func.funcidx, tuple(arguments), len(self.frames))

    def discard(self) -> None:
        frame = self.frames[-1]
        if self.calls and self.sees(frame.instance):
            self.observer.leave(frame.func.funcidx, (), len(self.frames))
        super().discard()

    def leave(self, frame: Frame) -> None:
        depth = len(self.frames)
        super().leave(frame)
        if self.calls and self.sees(frame.instance):
            count = len(frame.code.type.results)
            self.observer.leave(frame.func.funcidx, tuple(frame.stack[-count:] if count else ()), depth)
