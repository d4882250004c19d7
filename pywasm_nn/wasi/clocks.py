"""The sources of a guest's time.

What is not here: waiting for several things at once (`system.py`), reproducible time (`deterministic.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from ..records import Frozen
from .codes import ClockId

SECOND = 1_000_000_000
HAS_THREAD_TIME = hasattr(time, "thread_time_ns")
"""False in Pyodide, where the process has one thread, so process time is thread time."""
CLOCK_NAMES: dict[ClockId, Literal["time", "monotonic", "process_time", "thread_time"]] = {
    ClockId.REALTIME: "time",
    ClockId.MONOTONIC: "monotonic",
    ClockId.PROCESS_CPUTIME: "process_time",
    ClockId.THREAD_CPUTIME: "thread_time" if HAS_THREAD_TIME else "process_time",
}


class Clocks(Frozen):
    """Sources of time in nanoseconds. `sleep` takes seconds; it must be interruptible by signals."""

    realtime: Callable[[], int] = time.time_ns
    monotonic: Callable[[], int] = time.monotonic_ns
    process: Callable[[], int] = time.process_time_ns
    thread: Callable[[], int] = time.thread_time_ns if HAS_THREAD_TIME else time.process_time_ns
    sleep: Callable[[float], None] = time.sleep
    resolution: int | None = None
    """Nanoseconds between readings that can differ; None: the resolution that the host reports."""

    def resolution_of(self, clock: ClockId) -> int:
        """The resolution of a clock in nanoseconds, at least 1."""
        if self.resolution is not None:
            return self.resolution
        return max(round(time.get_clock_info(CLOCK_NAMES[clock]).resolution * SECOND), 1)


REAL_CLOCKS = Clocks()
