"""The machine. `step` executes one instruction, so a guest can be suspended between any two instructions,
copied, and continued.

Guest calls to interpreted functions push frames and use no Python stack; all others go through the function's
callable. What is not here: the single instructions (the files of `code.RUNNING_MODULES`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import FrameType
from typing import Any

from ...errors import ExhaustionError, Trap, TrapKind, WasmException
from ...records import Frozen
from ..module import Catch
from ..runtime.instance import Func, Instance, InstanceState
from ..validate import Label
from .code import Code, prepare
from .operands import take


class Frame:
    """An activation: its position, locals and operand stack; all values are canonical."""

    __slots__ = ("code", "depth", "func", "imms", "instance", "locals", "pc", "stack")
    knows_locals = True

    def __init__(
        self, func: Func, instance: Instance, code: Code, arguments: Sequence[Any], depth: int
    ) -> None:
        self.func = func
        self.instance = instance
        self.code = code
        self.imms = code.imms
        self.depth = depth
        """The call depth with this frame; a frame may count as several."""
        self.pc = 0
        self.locals: list[Any] = [*arguments, *code.defaults]
        self.stack: list[Any] = []

    def copy(self) -> Frame:
        frame = Frame(self.func, self.instance, self.code, (), self.depth)
        frame.pc, frame.locals, frame.stack = self.pc, self.locals.copy(), self.stack.copy()
        return frame

    @property
    def funcidx(self) -> int:
        return self.func.funcidx

    @property
    def instr(self) -> int:
        """Index of the instruction that was started last."""
        return min(max(self.pc - 1, 0), len(self.code.body.ops) - 1)

    @property
    def left(self) -> bool:
        """Whether the frame is finished: a tail call has replaced it, or it returns."""
        return self.pc >= len(self.code.body.ops)

    def local(self, index: int) -> Any:
        """The value of a local; see `activations.Activation`."""
        return self.locals[index]


class Paused(Exception):
    """Ends `Machine.advance` early, between two instructions. It never leaves the machine."""

    def __init__(self, *, executed: bool) -> None:
        self.executed = executed
        """Whether the current instruction has been executed."""


class Snapshot(Frozen):
    """A suspended guest: its frames, and the state of every instance in them."""

    frames: tuple[Frame, ...]
    results: tuple[Any, ...]
    instances: tuple[tuple[Instance, InstanceState], ...]


class Machine:
    """Runs one call of an interpreted function, and all calls that it makes to such functions."""

    ran = 0
    """The number of instructions that `advance` has executed; a return counts as one."""
    pauses = False
    """Whether it pauses before the instructions that have a `stepped.Pausing` handler."""
    passing = False
    """Whether it may execute the next of these."""
    floor = -1
    """`advance` ends when an exception has left no more frames than this."""

    def __init__(self, func: Func, arguments: Sequence[Any], outer: Machine | None = None) -> None:
        """`func` is a function of an instance, `arguments` are its canonical arguments. `outer` is the
        machine on this thread that waits for this one: both share the depth limit of the outermost."""
        self.frames: list[Frame] = []
        self.results: tuple[Any, ...] = ()
        """Canonical results, once the machine is done."""
        assert func.instance is not None  # host functions have no body
        self.limit: int = outer.limit if outer else func.instance.limits.call_depth
        self.below = outer.depth if outer else 0
        """The call depth at which this machine begins."""
        self.push(func, func.instance, self.code_of(func, func.instance), arguments)

    @property
    def done(self) -> bool:
        return not self.frames

    @property
    def depth(self) -> int:
        """The call depth of the innermost frame."""
        return self.frames[-1].depth if self.frames else self.below

    def step(self) -> None:
        """Execute one instruction of the innermost frame. Raises Trap, a WasmException that no frame here
        catches, and whatever host functions raise."""
        frame = self.frames[-1]
        pc = frame.pc
        frame.pc = pc + 1
        try:
            frame.code.handlers[pc](self, frame, frame.imms[pc])
        except (ZeroDivisionError, WasmException) as error:
            if not self.handled(error, frame, pc):
                raise

    def handled(self, error: ZeroDivisionError | WasmException, frame: Frame, pc: int) -> bool:
        """Whether the guest catches an error of instruction `pc`. Raises Trap if the error means one."""
        if isinstance(error, WasmException):
            return self.catch(error)
        if pc < len(frame.code.body.ops) and frame.code.body.ops[pc].traps:
            error.__traceback__ = None  # as the trap's context it would keep the guest's frames alive
            raise Trap(TrapKind.DIVIDE_BY_ZERO) from None
        return False

    def run(self) -> tuple[Any, ...]:
        """Step until the call is done; returns its canonical results."""
        frames = self.frames
        frame, pc = frames[-1], 0
        while frames:
            try:
                while frames:
                    frame = frames[-1]
                    pc = frame.pc
                    frame.pc = pc + 1
                    frame.code.handlers[pc](self, frame, frame.imms[pc])
            except (ZeroDivisionError, WasmException) as error:
                if not self.handled(error, frame, pc):
                    raise
        return self.results

    def advance(self, most: int) -> None:
        """Execute at most `most` instructions, one of which must be left. Raises what `step` raises; then
        `ran` leaves out the instruction that has failed."""
        frames = self.frames
        left = most
        while left > 0:
            done = -1
            try:
                for done in range(left):  # noqa: B007 # counts, also if an exception ends the loop
                    frame = frames[-1]
                    pc = frame.pc
                    frame.pc = pc + 1
                    frame.code.handlers[pc](self, frame, frame.imms[pc])
                done = left
            except Paused as pause:
                done += pause.executed
                return
            except (ZeroDivisionError, WasmException) as error:
                if not self.handled(error, frame, pc):
                    raise
                done += 1
                if len(frames) <= self.floor:
                    return
            finally:
                self.ran += done
            left -= done

    def catch(self, error: WasmException) -> bool:
        """Continue at the innermost clause that catches an exception; returns False if there is none.

        https://webassembly.github.io/spec/core/exec/instructions.html#exec-throw-ref
        """
        for depth in range(len(self.frames) - 1, -1, -1):
            frame = self.frames[depth]
            found = clause_for(frame, error)
            if found is None:
                continue
            clause, label, kept = found
            while len(self.frames) > depth + 1:
                self.discard()
            frame.stack[label.height :] = error.payload if clause.tagidx is not None else ()
            # The traceback leads to this machine, whose frames may keep the exception: break the cycle.
            error.__traceback__ = None
            if clause.ref:
                frame.stack.append(error)
            if kept >= 0:
                frame.locals[kept] = error
            frame.pc = label.pc
            return True
        return False

    def code_of(self, func: Func, instance: Instance) -> Code:
        code: Code | None = func.code
        if code is None:
            if instance.refusal is not None:
                raise instance.group.refused()
            meter, index = instance.meter, func.funcidx - instance.module.imported_funcs
            code = func.code = prepare(instance.module, index, meter.counts, meter.patience)
        return code

    def push(self, func: Func, instance: Instance, code: Code, arguments: Sequence[Any]) -> None:
        depth = self.depth + 1 + code.weight
        if depth > self.limit:
            raise ExhaustionError(TrapKind.CALL_STACK_EXHAUSTED)
        self.frames.append(Frame(func, instance, code, arguments, depth))

    def invoke(self, func: Func, frame: Frame) -> None:
        """Call a function with operands of `frame`: push a frame for an interpreted function, or call any
        other and push its results."""
        arguments = take(frame, len(func.type.params))
        instance = func.instance
        if instance is not None and self.runs(func, instance):
            self.push(func, instance, self.code_of(func, instance), arguments)
            return
        result = caller(len(arguments))(func.callable, arguments)
        results = len(func.type.results)
        if results:
            frame.stack.extend(result if results > 1 else (result,))

    def replace(self, func: Func, frame: Frame) -> None:
        """Tail call: the callee replaces `frame`, the innermost."""
        instance = func.instance
        if instance is not None and self.runs(func, instance):
            code = self.code_of(func, instance)
            arguments = take(frame, len(func.type.params))
            self.discard()
            self.push(func, instance, code, arguments)
        else:
            # The frame counts as returned: its try_table blocks no longer catch, and backtraces leave it out.
            frame.pc = len(frame.code.body.ops)
            self.invoke(func, frame)

    def runs(self, func: Func, instance: Instance) -> bool:
        """Whether this machine pushes frames for a function; otherwise it calls the function's callable."""
        return is_interpreted(func, instance) and not instance.followed

    def discard(self) -> None:
        """Remove the innermost frame, without results."""
        self.frames.pop()

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
        """Restore a snapshot, which can be used again. Raises ValueError if a memory has grown since."""
        for instance, state in snapshot.instances:
            instance.restore(state)
        self.frames[:] = [frame.copy() for frame in snapshot.frames]
        self.results = snapshot.results


def clause_for(frame: Frame, error: WasmException) -> tuple[Catch, Label, int] | None:
    """The clause of a frame that catches an exception from its current instruction, if there is one, and the
    local that keeps the exception, or -1."""
    at, tags, tries = frame.pc - 1, frame.instance.tags, frame.code.tries
    last = at
    """The last instruction at which a block may begin: that to which a block inside it delegates."""
    index = bisect_right(frame.code.starts, at) - 1
    while index >= 0:
        block = tries[index]
        index = block.outer
        if at >= block.stop or block.start > last:
            continue
        if block.target is not None:
            last = block.target + 1
        for clause, label in zip(block.catches, block.labels, strict=True):
            if clause.tagidx is None or tags[clause.tagidx] is error.tag:
                return clause, label, block.kept
    return None


def is_interpreted(func: Func, instance: Instance) -> bool:
    """Whether a machine runs a function of an instance, rather than generated code."""
    return func.code is not None or instance.engine.name == "interpret"


@cache
def caller(count: int) -> Callable[[Callable[..., Any], Sequence[Any]], Any]:
    """A function that calls another with `count` arguments from a sequence. It writes the arguments out,
    because a call with `*` would use C stack."""
    arguments = ", ".join(f"values[{i}]" for i in range(count))
    made: Callable[[Callable[..., Any], Sequence[Any]], Any] = eval(
        f"lambda function, values: function({arguments})"
    )
    return made


def activations(frame: FrameType) -> Iterator[Frame]:
    """The guest's functions, innermost first, of the machine that runs in a Python frame of a traceback."""
    if frame.f_code in (Machine.run.__code__, Machine.step.__code__, Machine.advance.__code__):
        machine: Machine = frame.f_locals["self"]
        yield from (guest for guest in reversed(machine.frames) if not guest.left)
