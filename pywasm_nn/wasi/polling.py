"""Waiting for several things at once. Imported when a guest waits.

What is not here: the kinds of waits (`waits.py`), one descriptor (`ready.py`), and plain sleep (`system.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..brief import summarised
from .codes import EventType, Rights
from .errors import Errno, errno_of
from .patience import Patience
from .ready import ready
from .waits import LONGEST_SLEEP, ClockWait, DescriptorWait, Event, Wait, piece_of

if TYPE_CHECKING:
    from .system import System


@summarised
@dataclass(slots=True)
class Polled:
    """The state of one poll: events that have happened, and pending waits."""

    system: System
    patience: Patience
    events: list[Event] = field(default_factory=list)
    timers: list[tuple[int, ClockWait]] = field(default_factory=list)
    inputs: dict[int, list[DescriptorWait]] = field(default_factory=dict)
    outputs: dict[int, list[DescriptorWait]] = field(default_factory=dict)

    def add(self, wait: Wait) -> None:
        if isinstance(wait, ClockWait):
            start = self.system.now(wait.clock) if wait.absolute else 0
            self.timers.append((max(wait.nanoseconds - start, 0), wait))
        else:
            self.add_descriptor(wait)

    def add_descriptor(self, wait: DescriptorWait) -> None:
        writing = wait.type is EventType.FD_WRITE
        descriptor = self.system.descriptor(wait.descriptor, Rights.POLL_FD_READWRITE)
        number = descriptor.ready(writing)
        if number is None:
            self.events.append(self.event(wait))
        else:
            (self.outputs if writing else self.inputs).setdefault(number, []).append(wait)

    def event(self, wait: DescriptorWait) -> Event:
        try:
            count = (
                0 if wait.type is EventType.FD_WRITE else self.system.descriptor(wait.descriptor).waiting()
            )
        except OSError as error:
            return Event(wait.userdata, wait.type, errno_of(error))
        return Event(wait.userdata, wait.type, Errno.SUCCESS, count)

    def wait(self) -> list[Event]:
        """Sleep until something has happened, then collect all events."""
        shortest = min((left for left, _ in self.timers), default=None)
        patience = 0 if self.events else shortest
        if self.inputs or self.outputs:
            self.wait_for_descriptors(patience)
        elif patience:
            self.system.sleep(patience, self.patience)
        if not self.events or shortest == 0:
            self.events += [Event(wait.userdata, wait.type) for left, wait in self.timers if left == shortest]
        return self.events

    def wait_for_descriptors(self, nanoseconds: int | None) -> None:
        """Wait until a descriptor is ready, at most so long; None means for ever."""
        while True:
            piece = piece_of(LONGEST_SLEEP if nanoseconds is None else nanoseconds, self.patience)
            readable, writable = ready(self.inputs, self.outputs, piece)
            for number in readable:
                self.events += map(self.event, self.inputs[number])
            for number in writable:
                self.events += map(self.event, self.outputs[number])
            nanoseconds = None if nanoseconds is None else nanoseconds - piece
            if readable or writable or nanoseconds == 0:
                return
