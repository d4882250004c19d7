"""The machine. `step` executes one instruction, so that a guest can be suspended between any two, copied, and
go on.

Guest calls to interpreted functions push frames and use no Python stack; all others go through the function's
callable. Methods after `# Instructions` are handlers, named after their instruction; `imm` is resolved as in
`code.resolve`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import Any

from ...errors import ExhaustionError, GuestFrame, Trap, TrapKind
from ..runtime import Func, Instance, InstanceState
from ..types import FuncType
from ..validate import Label
from .code import Code, prepare


class Frame:
    """An activation: where it is, its locals and its operand stack, canonical values all."""

    __slots__ = ("code", "func", "imms", "instance", "locals", "pc", "stack")

    def __init__(self, func: Func, instance: Instance, code: Code, arguments: Sequence[Any]) -> None:
        self.func = func
        self.instance = instance
        self.code = code
        self.imms = code.imms
        self.pc = 0
        self.locals: list[Any] = [*arguments, *code.defaults]
        self.stack: list[Any] = []

    def copy(self) -> Frame:
        frame = Frame(self.func, self.instance, self.code, ())
        frame.pc, frame.locals, frame.stack = self.pc, self.locals.copy(), self.stack.copy()
        return frame

    @property
    def offset(self) -> int:
        """Byte offset of the instruction that was begun last; -1 if the module has none."""
        offsets = self.code.offsets
        return offsets[min(max(self.pc - 1, 0), len(offsets) - 1)] if offsets else -1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A suspended guest: its frames, and the state of every instance that has one."""

    frames: tuple[Frame, ...]
    results: tuple[Any, ...]
    instances: tuple[tuple[Instance, InstanceState], ...]


class Machine:
    """Runs one call of an interpreted function, and all calls that it makes to such functions."""

    def __init__(self, func: Func, arguments: Sequence[Any]) -> None:
        """`func` is a function of an instance, `arguments` are canonical values, as many as it takes."""
        self.frames: list[Frame] = []
        self.results: tuple[Any, ...] = ()
        """Canonical results, once the machine is done."""
        assert func.instance is not None  # host functions have no body
        self.limit = func.instance.limits.call_depth
        self.push(func, func.instance, self.code_of(func, func.instance), arguments)

    @property
    def done(self) -> bool:
        return not self.frames

    def step(self) -> None:
        """Execute one instruction of the innermost frame. Raises Trap, and whatever host functions raise."""
        frame = self.frames[-1]
        pc = frame.pc
        frame.pc = pc + 1
        try:
            frame.code.handlers[pc](self, frame, frame.imms[pc])
        except ZeroDivisionError as error:
            if pc < len(frame.code.ops) and frame.code.ops[pc].traps:
                raise Trap(TrapKind.DIVIDE_BY_ZERO) from error
            raise

    def run(self) -> tuple[Any, ...]:
        """Step until the call is done; its results, canonical."""
        frames = self.frames
        frame, pc = frames[-1], 0
        try:
            while frames:
                frame = frames[-1]
                pc = frame.pc
                frame.pc = pc + 1
                frame.code.handlers[pc](self, frame, frame.imms[pc])
        except ZeroDivisionError as error:
            if pc < len(frame.code.ops) and frame.code.ops[pc].traps:
                raise Trap(TrapKind.DIVIDE_BY_ZERO) from error
            raise
        return self.results

    def code_of(self, func: Func, instance: Instance) -> Code:
        code: Code | None = func.code
        if code is None:
            code = func.code = prepare(
                instance.module, func.funcidx - instance.module.imported_funcs, Machine
            )
        return code

    def push(self, func: Func, instance: Instance, code: Code, arguments: Sequence[Any]) -> None:
        if len(self.frames) >= self.limit:
            raise ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        self.frames.append(Frame(func, instance, code, arguments))

    def invoke(self, func: Func, frame: Frame) -> None:
        """Call with operands of `frame`: push a frame for an interpreted function, or call it and push its
        results."""
        stack = frame.stack
        count = len(func.type.params)
        arguments = stack[-count:] if count else []
        if count:
            del stack[-count:]
        instance = func.instance
        if instance is not None and (func.code is not None or instance.engine.name == "interpret"):
            self.push(func, instance, self.code_of(func, instance), arguments)
            return
        result = caller(count)(func.callable, arguments)
        results = len(func.type.results)
        if results:
            stack.extend(result if results > 1 else (result,))

    def leave(self, frame: Frame) -> None:
        """Return from the innermost frame."""
        self.frames.pop()
        count = len(frame.code.type.results)
        results = frame.stack[-count:] if count else []
        if self.frames:
            self.frames[-1].stack += results
        else:
            self.results = tuple(results)

    def snapshot(self) -> Snapshot:
        """A copy of the suspended guest."""
        instances = {id(frame.instance): frame.instance for frame in self.frames}
        return Snapshot(
            tuple(frame.copy() for frame in self.frames),
            self.results,
            tuple((instance, instance.snapshot()) for instance in instances.values()),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot, which can be used again. Raises ValueError if a memory has grown since."""
        for instance, state in snapshot.instances:
            instance.restore(state)
        self.frames[:] = [frame.copy() for frame in snapshot.frames]
        self.results = snapshot.results

    # Instructions: control. exec/instructions.html#control-instructions

    def unreachable(self, frame: Frame, imm: None) -> None:
        raise Trap(TrapKind.UNREACHABLE)

    def block(self, frame: Frame, imm: Any) -> None:
        pass

    loop = end = block

    def if_(self, frame: Frame, imm: int) -> None:
        if not frame.stack.pop():
            frame.pc = imm

    def else_(self, frame: Frame, imm: int) -> None:
        frame.pc = imm

    def br(self, frame: Frame, imm: Label) -> None:
        target, arity, height = imm
        stack = frame.stack
        if arity:
            stack[height:] = stack[-arity:]
        else:
            del stack[height:]
        frame.pc = target

    def br_if(self, frame: Frame, imm: Label) -> None:
        if frame.stack.pop():
            self.br(frame, imm)

    def br_table(self, frame: Frame, imm: tuple[Label, ...]) -> None:
        self.br(frame, imm[min(frame.stack.pop(), len(imm) - 1)])

    def return_(self, frame: Frame, imm: None) -> None:
        frame.pc = len(frame.code.ops)

    def call(self, frame: Frame, imm: int) -> None:
        self.invoke(frame.instance.funcs[imm], frame)

    def call_indirect(self, frame: Frame, imm: tuple[FuncType, int]) -> None:
        type_, tableidx = imm
        elements = frame.instance.tables[tableidx].elements
        index = frame.stack.pop()
        if index >= len(elements):
            raise Trap(TrapKind.UNDEFINED_ELEMENT)
        func = elements[index]
        if func is None:
            raise Trap(TrapKind.UNINITIALIZED_ELEMENT)
        if func.type != type_:
            raise Trap(TrapKind.INDIRECT_CALL_TYPE)
        self.invoke(func, frame)

    # Parametric and variable. exec/instructions.html#parametric-instructions

    def drop(self, frame: Frame, imm: None) -> None:
        frame.stack.pop()

    def select(self, frame: Frame, imm: Any) -> None:
        stack = frame.stack
        condition, second = stack.pop(), stack.pop()
        if not condition:
            stack[-1] = second

    select_t = select

    def local_get(self, frame: Frame, imm: int) -> None:
        frame.stack.append(frame.locals[imm])

    def local_set(self, frame: Frame, imm: int) -> None:
        frame.locals[imm] = frame.stack.pop()

    def local_tee(self, frame: Frame, imm: int) -> None:
        frame.locals[imm] = frame.stack[-1]

    def global_get(self, frame: Frame, imm: int) -> None:
        frame.stack.append(frame.instance.globals[imm].value)

    def global_set(self, frame: Frame, imm: int) -> None:
        frame.instance.globals[imm].value = frame.stack.pop()

    # References and tables. exec/instructions.html#reference-instructions

    def ref_null(self, frame: Frame, imm: Any) -> None:
        frame.stack.append(None)

    def ref_is_null(self, frame: Frame, imm: None) -> None:
        frame.stack[-1] = 1 if frame.stack[-1] is None else 0

    def ref_func(self, frame: Frame, imm: int) -> None:
        frame.stack.append(frame.instance.funcs[imm])

    def table_get(self, frame: Frame, imm: int) -> None:
        frame.stack[-1] = frame.instance.tables[imm].get(frame.stack[-1])

    def table_set(self, frame: Frame, imm: int) -> None:
        index, element = self.take(frame, 2)
        frame.instance.tables[imm].set(index, element)

    def table_size(self, frame: Frame, imm: int) -> None:
        frame.stack.append(len(frame.instance.tables[imm]))

    def table_grow(self, frame: Frame, imm: int) -> None:
        element, delta = self.take(frame, 2)
        frame.stack.append(frame.instance.tables[imm].grow(delta, element) & 0xFFFFFFFF)

    def table_fill(self, frame: Frame, imm: int) -> None:
        frame.instance.tables[imm].fill(*self.take(frame, 3))

    def table_copy(self, frame: Frame, imm: tuple[int, int]) -> None:
        target, source, count = self.take(frame, 3)
        tables = frame.instance.tables
        tables[imm[0]].copy(target, tables[imm[1]], source, count)

    def table_init(self, frame: Frame, imm: tuple[int, int]) -> None:
        frame.instance.table_init(imm[1], imm[0], *self.take(frame, 3))

    def elem_drop(self, frame: Frame, imm: int) -> None:
        frame.instance.elem_drop(imm)

    # Memory. exec/instructions.html#memory-instructions

    def memory_size(self, frame: Frame, imm: int) -> None:
        frame.stack.append(frame.instance.mems[imm].pages)

    def memory_grow(self, frame: Frame, imm: int) -> None:
        frame.stack[-1] = frame.instance.mems[imm].grow(frame.stack[-1]) & 0xFFFFFFFF

    def memory_fill(self, frame: Frame, imm: int) -> None:
        frame.instance.mems[imm].fill(*self.take(frame, 3))

    def memory_copy(self, frame: Frame, imm: tuple[int, int]) -> None:
        target, source, count = self.take(frame, 3)
        mems = frame.instance.mems
        mems[imm[0]].copy(target, mems[imm[1]], source, count)

    def memory_init(self, frame: Frame, imm: tuple[int, int]) -> None:
        frame.instance.memory_init(imm[1], imm[0], *self.take(frame, 3))

    def data_drop(self, frame: Frame, imm: int) -> None:
        frame.instance.data_drop(imm)

    @staticmethod
    def take(frame: Frame, count: int) -> list[Any]:
        """Pop operands, the last one on top."""
        taken = frame.stack[-count:]
        del frame.stack[-count:]
        return taken


@cache
def caller(count: int) -> Callable[[Callable[..., Any], Sequence[Any]], Any]:
    """Calls a function with a sequence of `count` arguments, and like any call written out uses no C
    stack."""
    arguments = ", ".join(f"values[{i}]" for i in range(count))
    made: Callable[[Callable[..., Any], Sequence[Any]], Any] = eval(
        f"lambda function, values: function({arguments})"
    )
    return made


def frames_of(frame: FrameType) -> Iterator[tuple[Instance, GuestFrame]]:
    """The guest frames, innermost first, that a Python frame of a traceback stands for: those of a machine
    that ran in it."""
    if frame.f_code not in (Machine.run.__code__, Machine.step.__code__):
        return
    machine: Machine = frame.f_locals["self"]
    for guest in reversed(machine.frames):
        module = guest.instance.module
        yield guest.instance, GuestFrame(module.name, guest.func.funcidx, None, guest.offset)
