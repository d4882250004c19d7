"""The debugger: an observer that stops a guest between two instructions, and continues as the user says.

It calls `stopped` inside the guest's own call and continues when that returns. So a stopped guest is a call
that hasn't returned, and `stopped` raises an exception to abandon it. What is not here: what a stopped guest
shows (`shown.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from ...errors import WasmError
from ...interpreter.interpret import Frame, Machine
from ...interpreter.module import Module
from ...interpreter.runtime.instance import Instance
from ...interpreter.runtime.observe import HostEvent, Observer
from ...printable import printable
from ...records import record
from ..events import Event
from ..sources import SourceLine
from ..text import lines
from ..trace import Trace
from .breakpoints import Breakpoint, Places

ENDLESS = 1 << 62
"""A budget that no session uses up."""
MOST_ELEMENTS = 8
"""The number of elements that are kept of a tensor."""


class Step(Enum):
    """How far the guest runs before it stops again."""

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


@record
class Goal:
    """Where to stop next: `depth` and `line` are those at which the step began."""

    step: Step
    depth: int = 0
    line: SourceLine | None = None


@record
class Stop:
    """Why the guest has stopped. `error` is set if an error has ended the call."""

    reason: str
    error: BaseException | None = None


@record
class Position:
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


class Debugger(Observer):
    """Watches the instances of one module, one after another; breakpoints stay."""

    wants = frozenset({"host", "nn", "steps"})

    def __init__(self, module: Module, stopped: Callable[[Stop], None]) -> None:
        self.places = Places(module)
        self.breakpoints: list[Breakpoint] = []
        self.instance: Instance | None = None
        self.machines: list[Machine] = []
        """The running machines, innermost last: a host function may call back into the guest."""
        self.between = True
        """Whether the innermost instruction is yet to be executed; otherwise its execution has begun."""
        self.inference: list[str] = []
        """The last operation of wasi-nn as lines, with the first elements of its tensors."""
        self._stopped = stopped
        self._goal = Goal(Step.INTO)
        self._steps = 1
        self._interrupted = False
        self._number = 0
        self._events: list[Event] = []
        self._trace = Trace(["host", "nn"], self._events.append, budget=ENDLESS)

    # Requests of the user

    def add(self, text: str) -> Breakpoint:
        """Set a breakpoint. Raises NotFoundError, MalformedError."""
        made = self.places.breakpoint(self._number + 1, text)
        self._number += 1
        self.breakpoints.append(made)
        return made

    def remove(self, number: int) -> bool:
        """Remove a breakpoint; returns whether there was one with this number."""
        before = len(self.breakpoints)
        self.breakpoints = [made for made in self.breakpoints if made.number != number]
        return len(self.breakpoints) < before

    def go(self, step: Step, count: int = 1) -> None:
        """Set how far the guest runs once it continues."""
        line = self.line if step in (Step.LINE, Step.OVER_LINE) else None
        self._goal = Goal(step, self.depth, line)
        self._steps = count

    def interrupt(self) -> bool:
        """Stop before the next instruction. Returns False if an earlier request is still waiting."""
        before, self._interrupted = self._interrupted, True
        return not before

    # State of the guest

    @property
    def positions(self) -> list[Position]:
        """Running functions, innermost first."""
        found = []
        between = self.between
        for machine in reversed(self.machines):
            for frame in reversed(machine.frames):
                if not frame.left:
                    found.append(Position(frame, frame.pc if between else frame.instr))
                between = False
        return found

    @property
    def depth(self) -> int:
        return sum(len(machine.frames) for machine in self.machines)

    @property
    def line(self) -> SourceLine | None:
        """The source line of the current instruction."""
        frame = self.machines[-1].frames[-1] if self.machines and self.machines[-1].frames else None
        return (
            self.places.sources.at(frame.code.body.offsets[frame.pc])
            if frame is not None and not frame.left
            else None
        )

    # Events

    def attach(self, instance: Any) -> None:
        self.instance, self.machines, self.inference = instance, [], []
        self._goal, self._steps, self._interrupted = Goal(Step.INTO), 1, False
        self._trace.attach(instance)

    def before(self, machine: Machine) -> None:
        self._enter(machine)
        frame = machine.frames[-1]
        if frame.instance is not self.instance:  # another core module of a component, with other functions
            return
        reason = self._reason(frame)
        if reason:
            self._interrupted = False
            self._stop(Stop(reason), between=True)

    def host_call(self, event: HostEvent) -> None:
        told = self._told(lambda: self._trace.host_call(event))
        for made in self.breakpoints:
            if made.stops_at_host(event.module, event.name):
                self._stop(Stop(f"breakpoint {made.number}: {told}"), between=False)
                return

    def nn_event(self, event: Any) -> None:
        told = self._told(lambda: self._trace.nn_event(event))
        self.inference = [*told.splitlines(), *values_of(event)]
        for made in self.breakpoints:
            if made.stops_at_nn(event.operation):
                self._stop(Stop(f"breakpoint {made.number}: {told}"), between=False)
                return

    def ended(self, error: BaseException) -> None:
        if isinstance(error, WasmError):
            self._stop(Stop(str(error), error), between=False)
        self.machines.clear()

    def _enter(self, machine: Machine) -> None:
        """Update the stack of machines: `machine` runs now, and the machines above it have ended."""
        if self.machines and self.machines[-1] is machine:
            return
        while self.machines and (machine in self.machines or self.machines[-1].done):
            if self.machines[-1] is machine:
                return
            self.machines.pop()
        self.machines.append(machine)

    def _reason(self, frame: Frame) -> str:
        """Why to stop before the next instruction of `frame`, or ""."""
        if self._interrupted:
            return "interrupted"
        place = frame.funcidx, frame.pc
        for made in self.breakpoints:
            if place in made.places:
                return f"breakpoint {made.number}: {made.text}"
        return self._goal.step.value if self._reached(frame) else ""

    def _reached(self, frame: Frame) -> bool:
        goal = self._goal
        match goal.step:
            case Step.ON:
                return False
            case Step.INTO:
                self._steps -= 1
                return self._steps <= 0
            case Step.OVER:
                return self.depth <= goal.depth
            case Step.OUT:
                return self.depth < goal.depth
            case Step.OVER_LINE if self.depth > goal.depth:
                return False
        line = self.places.sources.at(frame.code.body.offsets[frame.pc])
        return line is not None and line != goal.line

    def _stop(self, stop: Stop, *, between: bool) -> None:
        self.between = between
        self._stopped(stop)

    def _told(self, tell: Callable[[], None]) -> str:
        """The lines that a trace writes for an event."""
        self._events.clear()
        tell()
        return "\n".join(line.strip() for line in lines(self._events))


def values_of(event: Any) -> Iterator[str]:
    """The first elements of each tensor of an operation of wasi-nn: ' "prob" f32[1,10] = 0.1 0.2 ...'."""
    for spec, tensor in [*event.given, *zip(event.specs, event.tensors, strict=False)]:
        found = tensor.numbers()
        first = [] if found is None else [f"{value:.6g}" for value in found[:MOST_ELEMENTS]]
        more = " ..." if found is not None and len(found) > MOST_ELEMENTS else ""
        yield f'"{printable(spec.name)}" {tensor} = {" ".join(first)}{more}'
