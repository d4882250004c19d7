"""Which columns of a table say when each line is.

What is here: `is_clock`. What is not: numbers of lines by their headings (`tables.py`), and times that are
texts (`sheets.scanned`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy

TIMES = frozenset({
    "t", "time", "timestamp", "date", "datetime", "ms", "s", "us", "ns", "sec", "secs", "second", "seconds",
    "msec", "millis", "milliseconds", "micros", "elapsed", "tick", "ticks", "epoch", "unix", "clock",
})  # fmt: skip
MANY, EVEN = 16, 0.01
"""So many lines with steps that are all equal say that a column counts."""


def is_clock(numbers: Any, name: str) -> bool:
    """Whether a column goes up from line to line, and is one of times by its name; or, without names, by
    equal steps."""
    steps = numpy.diff(numbers)
    if not len(steps) or not (steps > 0).all():
        return False
    even = len(steps) >= MANY and float(steps.std()) < EVEN * float(steps.mean())
    return bool({*name.replace("(", " ").replace("_", " ").split()} & TIMES) if name else even
