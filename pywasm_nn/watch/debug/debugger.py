"""The debugger: an observer that stops a guest between two instructions, and continues as the user says.

It calls `stopped` inside the guest's own call and continues when that returns. So a stopped guest is a call
that hasn't returned, and `stopped` raises an exception to abandon it. What is not here: what a stopped guest
shows (`shown.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from ...errors import GuestExit, WasmError
from ...interpreter.engine import SteppingEngine, running_in
from ...interpreter.interpret import Frame, SteppedMachine
from ...interpreter.interpret.code import Code
from ...interpreter.module import Module
from ...interpreter.runtime.instance import Instance
from ...interpreter.runtime.observe import HostEvent, Observer
from ...printable import printable
from ...sources import SourceLine
from ..events import Event
from ..text import lines
from ..trace import Trace
from . import past
from .breakpoints import Breakpoint, Places
from .ledger import Heard, Ledger
from .steps import BACKWARDS, WHOLE_CALLS, Goal, Position, Step, Stop
from .stops import Stops
from .timeline import ENDLESS, INTERVAL, Timeline
from .watching import Watch, watch

MOST_ELEMENTS = 8
"""The number of elements that are kept of a tensor."""


class Tripped(BaseException):
    """A compiled function has come to where the guest must be seen step by step. It is no Exception, so that
    no host function handles it."""


class Debugger(Observer):
    """Watches the instances of one module, one after another; breakpoints stay."""

    wants = frozenset({"host", "nn", "steps"})

    def __init__(self, module: Module, stopped: Callable[[Stop], None]) -> None:
        self.places = Places(module)
        self.stops = Stops(self.places)
        self.instance: Instance | None = None
        self.machines: list[SteppedMachine] = []
        """The running machines, innermost last: a host function may call back into the guest."""
        self.between = True
        """Whether the innermost instruction is yet to be executed; otherwise its execution has begun."""
        self.inference: list[str] = []
        """The last operation of wasi-nn as lines, with the first elements of its tensors."""
        self.ledger = Ledger()
        self._stopped = stopped
        self._goal = Goal(Step.INTO)
        self._steps = 1
        self._interrupted = False
        self._until_entry: int | None = None
        """After an interruption: the entry of the ledger at which to stop."""
        self._events: list[Event] = []
        self._trace = Trace(["host", "nn"], self._events.append, budget=ENDLESS)
        self._timelines: list[Timeline] = []
        """The past of each machine."""
        self._seen: set[int] = set()
        """Functions that must be seen step by step because they call functions with breakpoints."""
        self._judged = -1
        """The time of the instruction before which the guest must not stop again."""
        self._rushes = False
        """Whether functions that nobody wants to see may run compiled."""
        self._trips = False
        """Whether the compiled function that called the host now must be seen step by step."""
        self._stopped_inside = False
        """Whether the guest has stopped in the call of the host that runs now."""
        self._with_places: frozenset[int] = frozenset()
        """The functions with breakpoints."""
        self._plain: dict[int, Code] = {}
        """Code without breakpoints, of functions that ran."""
        self._heard = ""
        """The last call of the host in the repeated past at which a breakpoint stops."""
        self._failed = False
        """Whether the user knows of the error that ends the call."""

    # Requests of the user

    def add(self, text: str) -> Breakpoint:
        """Set a breakpoint. Raises NotFoundError, BadInputError, MalformedError."""
        made = self.stops.add(text)
        self._mark_code()
        return made

    def watch(self, text: str, position: Position | None) -> Watch:
        """Stop whenever bytes of memory change. Raises BadInputError."""
        made = self.stops.watch(text, position)
        self._mark_code()
        return made

    def remove(self, number: int) -> bool:
        """Remove a breakpoint or watchpoint; returns whether there was one with this number."""
        removed = self.stops.remove(number)
        self._mark_code()
        return removed

    @property
    def breakpoints(self) -> list[Breakpoint]:
        return self.stops.breakpoints

    def look_for(self, text: str, position: Position | None) -> None:
        """Go back to where these bytes were written last, once the guest continues. Raises BadInputError."""
        self.stops.looked_for = watch(0, text, position)
        self.go(Step.BACK_WRITER)

    def go(self, step: Step, count: int = 1) -> None:
        """Set how far the guest runs once it continues."""
        line = self.line if step in (Step.LINE, Step.OVER_LINE) else None
        self._goal = Goal(step, self.depth, line)
        self._steps = count
        self.stops.hits.clear()

    def interrupt(self) -> bool:
        """Stop before the next instruction; called by a signal handler. Returns False if an earlier request
        is still waiting. Raises Tripped to end a compiled function."""
        before, self._interrupted = self._interrupted, True
        if self.away and not self.ledger.asking:
            self._until_entry = self.ledger.next
            raise Tripped
        return not before

    def changed(self) -> None:
        """The user has changed the guest's state: what is known of its past and future holds no more."""
        self.ledger.forget_future()
        for timeline in self._timelines:
            timeline.begin()
        if self._timelines and self.between:
            self._timelines[-1].mark()

    # State of the guest

    @property
    def knows_past(self) -> bool:
        """Whether the guest can go back."""
        return bool(self._timelines)

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
        self.ledger, self._timelines, self._until_entry = Ledger(), [], None
        self.ledger.on_end, self.ledger.on_write = self._host_ended, self.stops.host_wrote
        self.stops.begin()
        self.away, self._failed, self._judged = False, False, -1
        self._seen, self._plain = set(), {}
        self._trace.attach(instance)

    def hosting(
        self, instance: Any, bind: Callable[[Any], Callable[..., Any]], module: str
    ) -> Callable[..., Any]:
        if self.instance is None or instance is not self.instance:
            return bind(instance)
        return self.ledger.around(self.instance, bind, self._host_begins if may_call_back(module) else ignore)

    def before(self, machine: SteppedMachine) -> int:
        timeline = self._enter(machine)
        if self._repeats:
            return ENDLESS
        frame = machine.frames[-1]
        if frame.instance is not self.instance:  # another core module of a component, with other functions
            return 1
        timeline.arrived()
        self._failed = False
        reason = self._reason(frame) if machine.time != self._judged else ""
        self._judged = -1
        if reason:
            self._interrupted, self._until_entry = False, None
            self._stop_between(machine, Stop(reason))
        elif self._goal.step in BACKWARDS:  # as the user said inside of a host call
            self._stop_between(machine, Stop(self._go_back(machine.time)))
        return self._far(machine)

    def failing(self, machine: SteppedMachine, error: BaseException) -> BaseException | None:
        timeline = self._timelines[-1] if self._timelines else None
        if timeline is None or timeline.machine is not machine or self._repeats:
            return error
        fails = isinstance(error, Exception) and not isinstance(error, GuestExit)
        if timeline.pending is not None and (fails or isinstance(error, Tripped)):
            self._come_near(timeline, error)
            return None
        if self._failed or not fails:
            return error
        instance = machine.frames[-1].instance
        risen = instance.engine.told(error, machine.frames[-1])
        if risen is None:
            return error
        self._failed = True
        self._stop(Stop(str(risen), risen), between=False)
        if self._goal.step not in BACKWARDS:
            return error
        self._failed = False
        timeline.to(machine.time)
        self._stop_between(machine, Stop(self._back_from_failure(machine)))
        self._judged = machine.time
        return None

    def interprets(self, func: Any) -> bool:
        timeline = self._timelines[-1]
        if timeline.repeats:
            return not timeline.skips
        if not self._rushes or self.stops.watches:
            return True
        return func.funcidx in self._seen or func.funcidx in self._with_places

    def prepared(self, func: Any, code: Code) -> Code:
        self._plain[func.funcidx] = code
        return self.stops.marked(code, func.funcidx)

    def calling(self, func: Any) -> None:
        if func.instance is None:
            return
        timeline = self._timelines[-1]
        timeline.calls()
        self.away = True

    def called(self, func: Any) -> None:
        if func.instance is not None:
            self.away = False

    def pauses_after(self, func: Any) -> bool:
        told = self._stopped_inside or self.machines[-1].done  # whose goal may be another one than before
        self._stopped_inside = False
        told = told or bool(self._heard or self.stops.hits)
        return told or func.instance is not None or self._interrupted

    def host_call(self, event: HostEvent) -> None:
        told = self._told(lambda: self._trace.host_call(event))
        module, name = event.module, event.name
        self._hear(lambda: self._stop_at(self.stops.at_host(module, name), told))

    def nn_event(self, event: Any) -> None:
        told = self._told(lambda: self._trace.nn_event(event))
        lines_, operation = [*told.splitlines(), *values_of(event)], event.operation

        def tell() -> None:
            self.inference = lines_
            self._stop_at(self.stops.at_nn(operation), told)

        self._hear(tell)

    def _hear(self, tell: Callable[[], None]) -> None:
        """Does what an event asks for, and does it again where the run is repeated."""
        self.ledger.add(Heard(tell))
        tell()

    def _stop_at(self, numbers: Iterable[int], told: str) -> None:
        """Stops at the first of some breakpoints, if there is one."""
        for number in numbers:
            self._stop_inside(f"breakpoint {number}: {told}")
            return

    def ended(self, error: BaseException) -> None:
        if isinstance(error, WasmError) and not self._failed:
            self._stop(Stop(str(error), error), between=False)
        self._failed = False
        self.gone()

    def gone(self) -> None:
        """The guest doesn't run any more."""
        self.machines.clear()
        self._timelines.clear()

    # Running

    @property
    def _repeats(self) -> bool:
        """Whether the guest goes over its past, in which nobody is told anything."""
        return any(timeline.repeats for timeline in self._timelines)

    def _enter(self, machine: SteppedMachine) -> Timeline:
        """Update the stack of machines: `machine` runs now, and the machines above it have ended."""
        machines, timelines = self.machines, self._timelines
        while machines and machines[-1] is not machine and (machine in machines or machines[-1].done):
            machines.pop()
            timelines.pop()
        if not machines or machines[-1] is not machine:
            assert self.instance is not None  # which the machine runs
            if not machines:
                self._hush(False)
            machines.append(machine)
            timelines.append(
                Timeline(machine, self.instance, self.ledger, lambda hushed: self._hush(hushed=hushed))
            )
        return timelines[-1]

    def _far(self, machine: SteppedMachine) -> int:
        """How many instructions may be executed until the next question, see `Observer.before`."""
        goal, frame = self._goal, machine.frames[-1]
        engine = frame.instance.engine
        self._rushes = isinstance(engine, SteppingEngine) and goal.step in WHOLE_CALLS
        is_deeper = self.depth > goal.depth
        match goal.step:
            case Step.ON:
                machine.floor = -1
                is_fresh = frame.pc == 0 and not frame.stack and not self.interprets(frame.func)
                if is_fresh and not self._interrupted:
                    self._timelines[-1].rushing = True
                    return 0
                return INTERVAL
            case Step.OVER | Step.OVER_LINE if is_deeper:
                machine.floor = goal.depth - self.depth + len(machine.frames)
                return INTERVAL
            case Step.OUT:
                machine.floor = goal.depth - 1 - self.depth + len(machine.frames)
                return INTERVAL
        machine.floor = -1
        return 1

    def _reason(self, frame: Frame) -> str:
        """Why to stop before the next instruction of `frame`, or ""."""
        if self._interrupted and (self._until_entry is None or self.ledger.next >= self._until_entry):
            return "interrupted"
        hits = self.stops.changes()
        return (
            hits
            or self.stops.at(frame, counts=True)
            or (self._goal.step.value if self._reached(frame) else "")
        )

    def _reached(self, frame: Frame) -> bool:
        goal = self._goal
        match goal.step:
            case Step.INTO:
                self._steps -= 1
                return self._steps <= 0
            case Step.OVER:
                return self.depth <= goal.depth
            case Step.OUT:
                return self.depth < goal.depth
            case Step.OVER_LINE if self.depth > goal.depth:
                return False
            case Step.LINE | Step.OVER_LINE:
                line = self.places.sources.at(frame.code.body.offsets[frame.pc])
                return line is not None and line != goal.line
        return False

    def _stop(self, stop: Stop, *, between: bool) -> None:
        self.between = between
        self._stopped(stop)

    def _stop_between(self, machine: SteppedMachine, stop: Stop) -> None:
        """Stop before an instruction, as long as the user only goes back."""
        while True:
            self._stop(stop, between=True)
            if self._goal.step not in BACKWARDS:
                return
            stop = Stop(self._go_back(machine.time))

    def _stop_inside(self, reason: str) -> None:
        """Stop in a call of the host."""
        if self._repeats:
            self._heard = reason
        elif self.away:
            self._trips = True
        else:
            self._stopped_inside = True
            self._stop(Stop(reason), between=False)

    # What runs compiled

    def _mark_code(self) -> None:
        """Put breakpoints into the code that runs, and only those that there are."""
        self._with_places = self.stops.functions()
        if self.instance is None:
            return
        for funcidx in self._plain:
            func = self.instance.funcs[funcidx]
            if func.code is not None:
                func.code = self.stops.marked(self._plain[funcidx], funcidx)
        for machine in self.machines:
            for frame in machine.frames:
                if frame.instance is self.instance and frame.func.code is not None:
                    frame.code = frame.func.code
        self._hush(self._repeats)

    def _hush(self, hushed: bool) -> None:
        """Let compiled functions end where they come to a breakpoint; or not, in the repeated past."""
        if self.instance is not None and isinstance(self.instance.engine, SteppingEngine):
            places = () if hushed else self._with_places
            self.instance.engine.trip(self.instance, dict.fromkeys(places, tripped))

    def _host_begins(self) -> None:
        """A function of the host will be called that may call the guest back. Where the guest must be seen
        step by step then, so must its caller: the host can't be asked twice."""
        if self.away and self._with_places:
            raise Tripped

    def _host_ended(self) -> None:
        """A call of the host has ended."""
        if self.away and (self._trips or self._interrupted):
            if self._interrupted:
                self._until_entry = self.ledger.next
            self._trips = False
            raise Tripped

    def _come_near(self, timeline: Timeline, error: BaseException) -> None:
        """Put the machine back to where it began a compiled call, so that it goes over it step by step: over
        the functions that were running when it ended with this error."""
        running = {each.funcidx for each in running_in(error.__traceback__) if each.instance is self.instance}
        if running <= self._seen | self._with_places:
            running = set(range(len(self.places.module.func_types)))
        self._seen |= running
        self.away = False
        self._judged = timeline.machine.time
        timeline.to(timeline.machine.time)

    # Going back

    def _go_back(self, now: int) -> str:
        """Go back as the user says, from the time `now`; returns why the guest stops there."""
        timeline, step = self._timelines[-1], self._goal.step
        self.between = True
        self.stops.hits.clear()
        reason: str
        match step:
            case Step.BACK:
                reason = past.back(timeline, now, self._steps)
            case Step.BACK_OVER:
                reason = past.over(timeline, now)
            case Step.BACK_LINE:
                reason = past.over_line(timeline, now, lambda: self.line)
            case Step.BACK_WRITER:
                return self._back_to_writer(timeline, now)
            case _:
                reason = past.to_last(timeline, now, self._hit)
        self.stops.hits.clear()
        if reason == past.BEGINNING and len(self._timelines) > 1:
            return "the beginning of this call, which the host made"
        told: str = reason or step.value
        return told

    def _back_from_failure(self, machine: SteppedMachine) -> str:
        """The same after an error; the machine is back at the instruction that has raised it."""
        self.between = True
        if self._goal.step is Step.BACK:
            self._steps -= 1
        self.stops.hits.clear()
        found = self._hit() if self._goal.step is Step.BACK_ON else None
        if found is not None:
            return found[1]
        if self._goal.step is Step.BACK_OVER or (self._goal.step is Step.BACK and not self._steps):
            return str(self._goal.step.value)
        return self._go_back(machine.time)

    def _hit(self) -> tuple[int, str] | None:
        """In the repeated past: where a breakpoint stops, and why."""
        machine = self._timelines[-1].machine
        heard, self._heard = self._heard, ""
        if heard:
            return machine.time - 1, heard
        changes = self.stops.changes()
        if changes:
            return machine.time - 1, changes
        if not machine.frames:
            return None
        reason = self.stops.at(machine.frames[-1], counts=False)
        return (machine.time, reason) if reason else None

    def _back_to_writer(self, timeline: Timeline, now: int) -> str:
        """Go back to the last writer of the bytes that the user looks for."""
        wanted = self.stops.looked_for
        assert wanted is not None  # as `look_for` has set
        self._mark_code()

        def hit() -> int | None:
            found = bool(self.stops.hits)
            self.stops.hits.clear()
            return timeline.machine.time - 1 if found else None

        try:
            ago = past.to_writer(timeline, now, hit)
        finally:
            self.stops.looked_for = None
            self.stops.hits.clear()
            self._mark_code()
        if ago < 0:
            return f"nothing has written {wanted.text} since {past.BEGINNING}"
        return f"{wanted.text} was written last by this instruction, {ago} instructions ago"

    def _told(self, tell: Callable[[], None]) -> str:
        """The lines that a trace writes for an event."""
        self._events.clear()
        tell()
        return "\n".join(line.strip() for line in lines(self._events))


def may_call_back(module: str) -> bool:
    """Whether functions of the host in this namespace may call the guest; those of WASI never do."""
    return not module.startswith("wasi")


def ignore() -> None:
    """Do nothing."""


def tripped(*arguments: Any) -> NoReturn:
    """A function that compiled code calls instead of one with a breakpoint."""
    raise Tripped


def values_of(event: Any) -> Iterator[str]:
    """The first elements of each tensor of an operation of wasi-nn: ' "prob" f32[1,10] = 0.1 0.2 ...'."""
    for spec, tensor in [*event.given, *zip(event.specs, event.tensors, strict=False)]:
        found = tensor.numbers()
        first = [] if found is None else [f"{value:.6g}" for value in found[:MOST_ELEMENTS]]
        more = " ..." if found is not None and len(found) > MOST_ELEMENTS else ""
        yield f'"{printable(spec.name)}" {tensor} = {" ".join(first)}{more}'
