"""One thread for all deadlines of the process: it sleeps until the next one, and rings.

What is not here: what ringing means (`meter.py`).
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
"""Platforms, as `sys.platform` names them, on which Python can't start threads."""
LONGEST = 3600.0
"""Seconds of one wait: systems refuse centuries."""


class Alarm(Protocol):
    """Something that happens at a moment of `time.monotonic`."""

    moment: float

    def ring(self) -> None: ...


class Callback:
    """The alarm that calls something."""

    __slots__ = ("moment", "ring")

    def __init__(self, moment: float, ring: Callable[[], None]) -> None:
        self.moment = moment
        self.ring = ring


class Clock:
    """The thread and its alarms. It is started by the first, and doesn't keep the process alive."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._alarms: set[Alarm] = set()
        self._wakes = 0.0
        """When the thread will look next; alarms before that must wake it."""
        self.threads = 0
        """How many threads are ours, which run no guests."""

    def available(self) -> bool:
        """Whether this Python has threads; starts ours, which runs from then on."""
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
        """Ring it at its moment, unless it is cancelled before."""
        with self._lock:
            self._alarms.add(alarm)
            if alarm.moment < self._wakes:
                self._changed.notify()

    def cancel(self, alarm: Alarm) -> None:
        """It doesn't begin to ring after this."""
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
            for alarm in due:  # without the lock, which those who set alarms wait for
                with suppress(Exception):  # one that fails is no reason to forget the others
                    alarm.ring()


CLOCK = Clock()
"""One thread is enough for a process, and a process that forked has none: it begins anew."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CLOCK.__init__)  # type: ignore[misc] # nobody derives from Clock
