"""Samples of 16 bits in a file of which an input was made with their bytes exchanged, or of one byte of each.

What is here: `misread`. Which way is right, the caller says, who knows how the elements should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...arrays import numpy
from .normalised import exact_line
from .scalers import span

MOST_BYTES, MOST_STARTS = 1 << 22, 64
HEADERS = (0, 4, 8, 12, 16, 20, 24, 32, 44, 64, 128, 256, 512)
EXACT = 2e-5
WHOLE = {"<": "little-endian", ">": "big-endian"}


def misread(own: Any, data: bytes, fits: Callable[[Any], bool]) -> str:
    """Returns what is wrong with elements that a scale and shift made of a file's samples in a wrong reading,
    where the same scale and shift of the right reading `fits`, or "" if nothing is."""
    if len(data) > MOST_BYTES:
        return ""
    for start in starts(len(data), own.size):
        octets = numpy.frombuffer(data, "u1", 2 * own.size, start)
        words = {order: numpy.frombuffer(data, order + "u2", own.size, start).astype("i4") for order in WHOLE}
        lines = {order: exact_line(own, there, EXACT) for order, there in words.items()}
        for order, other in (("<", ">"), (">", "<")):
            line, there = lines[other], words[order]
            if line is None or lines[order] is not None or not fits(there * line[0] + line[1]):
                continue
            return (
                f"its samples of 16 bits were read as {WHOLE[other]}, and are {WHOLE[order]}: so the "
                f"elements would be {span(there * line[0] + line[1])}"
            )
        for at, which in ((0, "first"), (1, "second")):
            line = exact_line(own, octets[at::2].astype("i4"), EXACT)
            if line is None:
                continue
            for order, there in words.items():
                if fits(there * line[0] + line[1]):
                    return (
                        f"only the {which} byte of each of its samples of 16 bits was read: with both "
                        f"({WHOLE[order]}) the elements would be {span(there * line[0] + line[1])}"
                    )
    return ""


def starts(length: int, count: int) -> Iterator[int]:
    """Where so many samples may begin: after usual headers, or so that some such parts end the file."""
    step, seen = 2 * count, set()
    for at in (*HEADERS, length % step):
        for start in range(at, length - step + 1, step)[: MOST_STARTS // len(HEADERS)]:
            if start not in seen:
                seen.add(start)
                yield start
