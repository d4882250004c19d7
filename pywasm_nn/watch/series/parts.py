"""Which points of a file are sent, where a model takes fewer than it has.

What is here: `parts`. What is not: what became of them (`clouds.py`, `axes.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy


def parts(count: int, length: int) -> Iterator[Any]:
    """Which of so many points are taken: the first ones, or some at equal distances."""
    steps = numpy.arange(count)
    yield steps
    if length > count:
        yield (steps * (length / count)).astype("i8")
        yield steps * (length // count)
        yield numpy.linspace(0, length - 1, count).astype("i8")
        yield numpy.linspace(0, length - 1, count).round().astype("i8")
