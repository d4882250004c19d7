"""Samples of several channels, which lie in turns in a file, brought to another rate as if they were those
of one channel.

What is here: `turns_at`. What is not: samples at the sound's own rate (`sequences.py`). One channel at twice
the rate is nearly the same sound, so that only the very elements show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from .locating import correlation
from .straight import line_through

MOST = 1 << 13
"""So many elements are compared."""
LEAST = 0.9999999
"""The correlation of the very elements."""
AROUND = 4
"""A number that isn't known exactly is off by so many at most."""


def turns_at(own: Any, flat: Any, step: float, begins: Sequence[int]) -> tuple[float, float] | None:
    """Returns the scale and the shift of elements that are samples in turns, every `step` of them, from one
    of some numbers on, or None if they are others."""
    some = own[:MOST]
    for number in dict.fromkeys(one + off for one in begins for off in range(-AROUND, AROUND + 1)):
        for made in ways(flat, number + numpy.arange(len(some)), step) if number >= 0 else ():
            if made.std() and correlation(made, some) > LEAST:
                return line_through(made, some)
    return None


def ways(flat: Any, numbers: Any, step: float) -> Iterator[Any]:
    """Samples at some numbers of steps, by the usual ways to find them: between two along a straight line,
    the one before, the nearest one, and the mean of those until the next step."""
    places = numbers * step
    if places[-1] + step > len(flat):
        return
    yield numpy.interp(places, numpy.arange(len(flat)), flat)
    yield flat[places.astype(int)]
    yield flat[numpy.rint(places).astype(int).clip(0, len(flat) - 1)]
    if step == int(step):
        wide = int(step)
        yield flat[int(places[0]) :][: len(numbers) * wide].reshape(-1, wide).mean(axis=1)
