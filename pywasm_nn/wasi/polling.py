"""Waiting for several things at once, and for input no longer than the guest has time. Imported when a guest
waits.

What is not here: what can be waited for, and plain sleep (`system.py`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from select import select

from ..brief import summarised
from .clocks import SECOND
from .codes import EventType, Rights
from .errors import Errno, errno_of
from .system import LONGEST_SLEEP, ClockWait, DescriptorWait, Event, Patience, System, Wait, piece_of

SELECTABLE = 1024
"""Descriptors that select takes (FD_SETSIZE)."""


def selectable(number: int) -> bool:
    """Whether select can be asked about a descriptor of the host's."""
    return number < SELECTABLE and os.name != "nt"


def await_readable(number: int, patience: Patience) -> None:
    """Wait until reading from a descriptor of the host's doesn't wait, if select can be asked about it."""
    while selectable(number):
        if select([number], [], [], piece_of(LONGEST_SLEEP, patience) / SECOND)[0]:
            return


@summarised
@dataclass(slots=True)
class Polled:
    """The state of one poll: events that are there, and what is waited for."""

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
        # Where select can't ask, whoever reads then waits: on Windows it knows sockets only, elsewhere small
        # numbers.
        if number is None or not selectable(number):
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
        """Sleep as long as nothing has happened, then collect everything that has."""
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
        """Wait for readiness, at most so long; None is for ever."""
        while True:
            piece = piece_of(LONGEST_SLEEP if nanoseconds is None else nanoseconds, self.patience)
            readable, writable, _ = select(list(self.inputs), list(self.outputs), [], piece / SECOND)
            for number in readable:
                self.events += map(self.event, self.inputs[number])
            for number in writable:
                self.events += map(self.event, self.outputs[number])
            nanoseconds = None if nanoseconds is None else nanoseconds - piece
            if readable or writable or nanoseconds == 0:
                return
