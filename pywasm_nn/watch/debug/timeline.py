"""The past of a machine: points to which it can be put back, and running from one of them to any later time.

Time is the number of instructions that the machine has executed. A call that ran compiled counts as one; what
happened inside is not known until the guest goes over it once more, step by step (`fill`). What is not here:
to which time the user wants to go (`past.py`), the guest's state (`states.py`), and the host's answers
(`ledger.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import process_time

from ...brief import summarised
from ...interpreter.interpret import Frame, SteppedMachine
from ...interpreter.runtime.instance import Instance
from ...records import Frozen
from .ledger import Ledger
from .states import State, put_back, reachable, size_of, taken

ENDLESS = 1 << 62
"""A number of instructions that no guest executes."""
INTERVAL = 100_000
"""Instructions between two points."""
SHARE = 10
"""Making a point may take this part of the time since the last one."""
MOST_BYTES = 256 << 20
"""Bytes that all points of a machine may take; then every second one is dropped."""


class Call(Frozen):
    """A call that ran compiled: its time, the number of frames after it, and whether it replaced a frame."""

    time: int
    floor: int
    rushed: bool


@summarised
@dataclass
class Point:
    """The guest at one time."""

    time: int
    frames: tuple[Frame, ...]
    state: State
    entry: int
    """The next entry of the ledger."""
    size: int
    calls: list[Call] = field(default_factory=list)
    """Calls that ran compiled between this point and the next one."""


class Timeline:
    """The points of one machine, in order."""

    def __init__(
        self,
        machine: SteppedMachine,
        instance: Instance,
        ledger: Ledger,
        hush: Callable[[bool], None] = lambda hushed: None,
    ) -> None:
        """`hush` is called when the guest begins and ends to go over its past."""
        self.machine = machine
        self.ledger = ledger
        self.points: list[Point] = []
        self.skips = False
        """Whether a call shall now run compiled, as it did before."""
        self.repeats = False
        """Whether the guest goes over its past."""
        self.pending: tuple[int, bool] | None = None
        """The floor of the compiled call that runs now or has just ended, and whether it replaced a frame."""
        self.rushing = False
        """Whether the next compiled call replaces the innermost frame."""
        self._instance = instance
        self._hush = hush
        self._marked, self._cost = 0.0, 0.0
        self._interval = INTERVAL

    # Making points

    def begin(self) -> None:
        """Forget the past: the user has changed the guest."""
        self.points.clear()

    def arrived(self) -> None:
        """The machine is between two instructions: make a point if it is time."""
        if self.pending is not None:
            floor, rushed = self.pending
            self.pending = None
            if self.points:
                self.points[-1].calls.append(Call(self.machine.time - 1, floor, rushed))
        if self.is_due():
            self.mark()

    def calls(self) -> None:
        """A call begins that runs compiled."""
        frames = self.machine.frames
        floor = len(frames) if self.rushing else len(frames) - frames[-1].left
        self.pending, self.rushing = (floor, self.rushing), False

    def is_due(self) -> bool:
        if not self.points:
            return True
        last = self.points[-1]
        if self.machine.time - last.time < self._interval and not last.calls:
            return False
        return process_time() - self._marked > SHARE * self._cost and self.machine.time > last.time

    def mark(self) -> None:
        """Make a point."""
        began = process_time()
        machine, last = self.machine, self.points[-1].state if self.points else None
        instances = {id(frame.instance): frame.instance for frame in machine.frames}
        for instance in reachable(self._instance):
            instances[id(instance)] = instance
        values = [value for frame in machine.frames for value in (*frame.locals, *frame.stack)]
        state = taken(instances.values(), values, last)
        frames = tuple([frame.copy() for frame in machine.frames])
        size = size_of(state, last)
        self.points.append(Point(machine.time, frames, state, self.ledger.next, size))
        if sum(point.size for point in self.points) > MOST_BYTES:
            self._thin()
        self._marked = process_time()
        self._cost = self._marked - began

    def _thin(self) -> None:
        """Drop every second point, but neither the first nor the last."""
        kept = self.points[:1]
        for number, point in enumerate(self.points[1:], 1):
            if number % 2 == 0 or point is self.points[-1]:
                kept.append(point)
            else:
                kept[-1].calls += point.calls
        self.points = kept
        self._interval *= 2

    # Going back

    def last_before(self, time: int) -> int:
        """Returns the number of the last point that isn't later than `time`, or 0 if there is none."""
        return max((n for n, point in enumerate(self.points) if point.time <= time), default=0)

    def restore(self, number: int) -> Point:
        """Put the machine back to a point, and forget the later ones."""
        point = self.points[number]
        del self.points[number + 1 :]
        machine = self.machine
        machine.frames[:] = [frame.copy() for frame in point.frames]
        for frame in machine.frames:
            if frame.func.code is not None:  # as it is now, with the breakpoints of now
                frame.code = frame.func.code
        machine.results = ()
        machine.ran, machine.returns, self.pending = point.time, 0, None
        put_back(point.state)
        self.ledger.next = point.entry
        return point

    def to(self, time: int) -> None:
        """Put the machine back to this time, of which everything is known."""
        point = self.restore(self.last_before(time))
        calls, point.calls = point.calls, []
        with self.repeating():
            for call in calls:
                if call.time >= time:
                    break
                self.run(call.time)
                self.skip(call)
            self.run(time)

    def skip(self, call: Call) -> None:
        """Run the call compiled once more."""
        self.skips = True
        try:
            if call.rushed:
                self.rushing = True
                self.machine.rush()
            else:
                self.machine.go(1)
        finally:
            self.skips = False
        self.arrived()

    @contextmanager
    def repeating(self) -> Iterator[None]:
        if self.repeats:
            yield
            return
        self.repeats = True
        self._hush(True)
        try:
            yield
        finally:
            self.repeats = False
            self._hush(False)

    def run(self, until: int, floor: int = -1, visit: Callable[[], None] = lambda: None) -> None:
        """Run step by step to a time, or until no more than `floor` frames are left. `visit` is called
        wherever the machine pauses."""
        machine = self.machine
        while machine.frames and machine.time < until and len(machine.frames) > floor:
            visit()
            machine.floor = floor
            machine.go(min(until - machine.time, self._interval))
            self.arrived()

    def fill(self, number: int, end: int, visit: Callable[[], None] = lambda: None) -> int:
        """Run step by step from a point to the next one (or to the time `end` after the last one), also where
        calls ran compiled. Returns the number of instructions by which all later times are later now."""
        later = self.points[number + 1 :]
        if later:
            end = later[0].time
        point = self.restore(number)
        calls, point.calls = point.calls, []
        more = 0
        with self.repeating():
            for call in calls:
                self.run(call.time + more, visit=visit)
                start = self.machine.time
                visit()
                self.machine.floor = call.floor
                self.machine.go(1)
                self.arrived()
                self.run(ENDLESS, call.floor, visit)
                more += self.machine.time - start - 1
            self.run(end + more, visit=visit)
        for each in later:
            each.time += more
            each.calls = [Call(call.time + more, call.floor, call.rushed) for call in each.calls]
        if later and self.points[-1].time == later[0].time:
            self.points.pop()
        self.points += later
        return more
