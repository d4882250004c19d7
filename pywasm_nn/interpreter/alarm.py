"""One thread for all deadlines of the process: it sleeps until the next one, and rings.

What is not here: what ringing means (`meter.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic

ONE_THREAD = ("emscripten", "wasi")
"""Platforms, as `sys.platform` names them, on which Python can't start threads."""
LONGEST = 3600.0
"""Seconds of one wait: systems refuse centuries."""


class Alarm:
    """Something to call at a moment of `time.monotonic`."""

    __slots__ = ("moment", "ring")

    def __init__(self, moment: float, ring: Callable[[], None]) -> None:
        self.moment = moment
        self.ring = ring


class Clock:
    """The thread and its alarms. It is started by the first, and doesn't keep the process alive."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._alarms: set[Alarm] = set()
        self._wakes = 0.0
        """When the thread will look next; alarms before that must wake it."""
        self._thread: Thread | None = None

    def available(self) -> bool:
        """Whether this Python has threads; starts ours."""
        if sys.platform in ONE_THREAD:
            return False
        with self._changed:
            if self._thread is None or not self._thread.is_alive():
                thread = Thread(target=self._run, name="pywasm-nn deadlines", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return False
                self._thread = thread
        return True

    @property
    def threads(self) -> int:
        """How many threads are ours, which run no guests."""
        return int(self._thread is not None)

    def set(self, alarm: Alarm) -> None:
        """Ring it at its moment, unless it is cancelled before."""
        with self._changed:
            self._alarms.add(alarm)
            if alarm.moment < self._wakes:
                self._changed.notify()

    def cancel(self, alarm: Alarm) -> None:
        """It doesn't begin to ring after this."""
        with self._changed:
            self._alarms.discard(alarm)

    def _run(self) -> None:
        while True:
            with self._changed:
                now = monotonic()
                due = [alarm for alarm in self._alarms if alarm.moment <= now]
                self._alarms.difference_update(due)
                if not due:
                    self._wakes = min((alarm.moment for alarm in self._alarms), default=now + LONGEST)
                    self._changed.wait(min(max(self._wakes - now, 0.0), LONGEST))
            for alarm in due:  # without the lock, which those who set alarms wait for
                alarm.ring()


CLOCK = Clock()
"""One thread is enough for a process, and a process that forked has none: it begins anew."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CLOCK.__init__)  # type: ignore[misc] # nobody derives from Clock
