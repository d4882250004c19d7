"""Waiting for several things at once, and for input within the guest's time. Imported when a guest
waits.

What is not here: the kinds of waits, and plain sleep (`system.py`).
"""

from __future__ import annotations

import select
from collections.abc import Collection
from dataclasses import dataclass, field

from ..brief import summarised
from .clocks import SECOND
from .codes import EventType, Rights
from .descriptors import POLLABLE
from .errors import Errno, errno_of
from .patience import Patience
from .system import LONGEST_SLEEP, ClockWait, DescriptorWait, Event, System, Wait, piece_of

AT_ONCE: int = getattr(select, "PIPE_BUF", 512)
"""Bytes that a ready pipe accepts without waiting (POSIX's minimum if Python doesn't know)."""
SELECTABLE = 1024
"""The limit of descriptors for select (FD_SETSIZE), used where there is no poll. On Windows, select takes
sockets only, and any number."""
MILLISECOND = SECOND // 1000


def await_ready(number: int, write: bool, patience: Patience) -> None:
    """Wait until a read from (or write to) a host descriptor would not wait, or would fail. Raises
    DeadlineError."""
    numbers = [number]
    while not any(
        ready([] if write else numbers, numbers if write else [], piece_of(LONGEST_SLEEP, patience))
    ):
        pass


def ready(
    inputs: Collection[int], outputs: Collection[int], nanoseconds: int
) -> tuple[Collection[int], Collection[int]]:
    """The host descriptors that can be read and those that can be written, as soon as there are any, or after
    `nanoseconds`. A closed or failed descriptor counts as ready: the read or write reports the error."""
    if not hasattr(select, "poll"):
        if POLLABLE and any(number >= SELECTABLE for number in (*inputs, *outputs)):
            return inputs, outputs
        readable, writable, _ = select.select(inputs, outputs, [], nanoseconds / SECOND)
        return readable, writable
    poll = select.poll()
    for number in {*inputs, *outputs}:
        poll.register(number, select.POLLIN * (number in inputs) | select.POLLOUT * (number in outputs))
    found = dict(poll.poll(-(-nanoseconds // MILLISECOND)))
    failed = ~(select.POLLIN | select.POLLOUT)
    return (
        [number for number in inputs if found.get(number, 0) & (select.POLLIN | failed)],
        [number for number in outputs if found.get(number, 0) & (select.POLLOUT | failed)],
    )


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
