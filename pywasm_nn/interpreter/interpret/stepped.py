"""A machine for an observer of single steps: it stops between any two instructions, and may be put back.

The observer says how many instructions may run before it is asked again, so that a long way costs little.
What is not here: why to stop, and going back (`watch.debug`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...errors import WasmException
from ...records import changed
from ..instructions import Op
from ..runtime.instance import Func, Instance
from .code import Code, Handler
from .machine import Frame, Machine, Paused, caller, is_interpreted

EVERY = 1 << 62
"""More frames than there can be."""
Around = Callable[[Op, Handler], Handler]
"""Makes a handler that does more than the given one of this instruction."""


class Pausing:
    """The handler of an instruction before which the machine pauses, unless it is `passing` it."""

    __slots__ = ("handler",)

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, machine: Any, frame: Frame, imm: Any) -> None:
        if machine.pauses and not machine.passing:
            frame.pc -= 1
            raise Paused(executed=False)
        machine.passing = False
        self.handler(machine, frame, imm)


def pausing(code: Code, places: Collection[int], around: Around | None = None) -> Code:
    """Code that pauses before the instructions with these indices; `around` changes the other handlers.
    `code` must be as `prepare` made it."""
    handlers = list(code.handlers)
    if around is not None:
        for index, op in enumerate(code.body.ops):
            handlers[index] = around(op, handlers[index])
    for index in places:
        handlers[index] = Pausing(handlers[index])
    return changed(code, handlers=tuple(handlers))


class SteppedMachine(Machine):
    """Asks its observer (`observe.Observer.before`) how far it may run."""

    pauses = True

    def __init__(self, func: Func, arguments: Sequence[Any], outer: Machine | None = None) -> None:
        assert func.instance is not None
        self.observer = func.instance.observer
        self.passing = False
        """Whether the next instruction may be executed though the machine pauses before it."""
        self.returns = 0
        super().__init__(func, arguments, outer)

    @property
    def time(self) -> int:
        """The number of instructions that were executed, without the returns at the ends of functions. A call
        of a function that doesn't run on this machine counts as one."""
        return self.ran - self.returns

    def run(self) -> tuple[Any, ...]:
        while self.frames:
            most = self.observer.before(self)
            risen: BaseException | None = None
            try:
                if most:
                    self.go(most)
                else:
                    self.rush()
            except BaseException as error:
                risen = self.observer.failing(self, error)
                if risen is error:
                    raise
            if risen is not None:
                try:
                    raise risen
                finally:
                    del risen  # break the cycle of this frame and the error's traceback
        return self.results

    def go(self, most: int) -> None:
        """Execute at most `most` instructions, and the returns that follow them."""
        frame = self.frames[-1]
        self.passing = frame.code.handlers[frame.pc].__class__ is Pausing
        self.advance(most)
        self.passing = False
        self.settle()

    def settle(self) -> None:
        """Return from functions that have come to their ends."""
        while self.frames and self.frames[-1].left:
            self.advance(1)

    def rush(self) -> None:
        """Run the innermost function, of which no instruction has been executed, by its callable. It counts
        as one instruction."""
        frame = self.frames.pop()
        func = frame.func
        arguments = frame.locals[: len(func.type.params)]
        try:
            result = self._called(func, lambda: caller(len(arguments))(func.callable, arguments))
        except WasmException as error:
            if not self.catch(error):
                raise
        else:
            count = len(func.type.results)
            results = result if count > 1 else (result,) if count else ()
            if self.frames:
                self.frames[-1].stack += results
            else:
                self.results = tuple(results)
        self.ran += 1
        self.settle()

    def _called(self, func: Func, call: Callable[[], Any]) -> Any:
        self.observer.calling(func)
        try:
            return call()
        except WasmException:
            self.floor = EVERY  # pause where it is caught
            raise
        finally:
            self.observer.called(func)

    def invoke(self, func: Func, frame: Frame) -> None:
        instance = func.instance
        if instance is not None and self.runs(func, instance):
            super().invoke(func, frame)
            return
        self._called(func, lambda: super(SteppedMachine, self).invoke(func, frame))
        if self.observer.pauses_after(func):
            raise Paused(executed=True)

    def runs(self, func: Func, instance: Instance) -> bool:
        if instance.observer is not self.observer:
            return super().runs(func, instance)
        return is_interpreted(func, instance) and self.observer.interprets(func)

    def code_of(self, func: Func, instance: Instance) -> Code:
        if func.code is None and instance.observer is self.observer:
            func.code = self.observer.prepared(func, super().code_of(func, instance))
        return super().code_of(func, instance)

    def leave(self, frame: Frame) -> None:
        super().leave(frame)
        self.returns += 1
        if len(self.frames) <= max(self.floor, 0):
            raise Paused(executed=True)
