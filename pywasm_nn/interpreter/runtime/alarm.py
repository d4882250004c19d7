"""One thread for all deadlines of the process: it sleeps until the next one is due, and rings its alarm.

What is not here: the effect of an alarm (`deadline.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Lock, Thread
from time import monotonic
from typing import Protocol

ONE_THREAD = ("emscripten", "wasi")
"""Values of `sys.platform` on which Python can't start threads."""
LONGEST = 3600.0
"""The longest single wait in seconds: systems refuse centuries."""


class Alarm(Protocol):
    """An action at a point in time of `time.monotonic`."""

    moment: float

    def ring(self) -> None: ...


class Callback:
    """An alarm that calls a function."""

    __slots__ = ("moment", "ring")

    def __init__(self, moment: float, ring: Callable[[], None]) -> None:
        self.moment = moment
        self.ring = ring


class Clock:
    """The thread and its alarms. The first alarm starts the thread; it is a daemon thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._alarms: set[Alarm] = set()
        self._wakes = 0.0
        """When the thread will wake up next; setting an earlier alarm must notify it."""
        self.threads = 0
        """The number of our own threads, which run no guests."""

    def available(self) -> bool:
        """Whether this Python has threads. Starts our thread, which then runs for ever."""
        return self.threads > 0 or self._start()

    def _start(self) -> bool:
        if sys.platform in ONE_THREAD:
            return False
        with self._lock:
            if not self.threads:
                thread = Thread(target=self._run, name="pywasm-nn deadlines", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return False
                self.threads = 1
        return True

    def set(self, alarm: Alarm) -> None:
        """Ring the alarm at its moment, unless it is cancelled before."""
        with self._lock:
            self._alarms.add(alarm)
            if alarm.moment < self._wakes:
                self._changed.notify()

    def cancel(self, alarm: Alarm) -> None:
        """Remove an alarm: it doesn't start to ring after this."""
        with self._lock:
            self._alarms.discard(alarm)

    def _run(self) -> None:
        while True:
            with self._lock:
                now = monotonic()
                due = [alarm for alarm in self._alarms if alarm.moment <= now]
                self._alarms.difference_update(due)
                if not due:
                    self._wakes = min((alarm.moment for alarm in self._alarms), default=now + LONGEST)
                    self._changed.wait(min(max(self._wakes - now, 0.0), LONGEST))
            for alarm in due:  # without the lock, because `set` waits for it
                with suppress(Exception):  # the others must ring even if one fails
                    alarm.ring()


CLOCK = Clock()
"""One clock is enough for a process. After a fork the child has no thread, so the clock is reset."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CLOCK.__init__)  # type: ignore[misc] # Clock has no subclasses
