"""A file that is read piece by piece, whose last, shorter piece was sent with the end of the one before.

What is here: `kept_end`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.straight import line_of

TYPES = ("<i2", "|u1", "<f4", "<i4", ">i2")
FEWEST, DIFFERENT = 8, 6
"""Elements of the last piece, and different values of what is behind them."""
MOST_BYTES = 1 << 22
STRAIGHT = 1e-4


def kept_end(before: Any, now: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with elements that have those of the input before behind the file's
    last ones, or "" for both if nothing is known to be wrong."""
    differing = numpy.flatnonzero(before != now)
    count = int(differing[-1]) + 1 if len(differing) else 0
    if not FEWEST <= count <= now.size - FEWEST or len(numpy.unique(now[count:])) < DIFFERENT:
        return "", ""
    for name, data in files:
        for kind in TYPES if len(data) <= MOST_BYTES else ():
            # elements at the end of the last piece may be those of the one before by chance
            for last in range(count, min(count + DIFFERENT, now.size)):
                need = numpy.dtype(kind).itemsize * (last + now.size)
                if len(data) < need:
                    break
                there = numpy.frombuffer(data[len(data) - need :], kind).astype("f8")
                rest = now.size - last
                if line_of(numpy.concatenate([before, now[:last]]), there, STRAIGHT) is not None:
                    return name, (
                        f"its first {last:,} elements are the last ones of the file, and the {rest:,} "
                        "behind them are those of the input before: after a read that was cut short the rest "
                        "of the buffer has to be cleared"
                    )
    return "", ""
