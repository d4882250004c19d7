"""Samples that a guest takes from byte 44 of a WAV file on, whose header is longer: of one channel of
several, or every n-th of them.

What is here: `from_byte_44`, which compares the very elements. What is not: samples that follow each other in
the file, also in another range (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .decoding import Source
from .waves import whole

HEADER = 44
"""Bytes of the usual header, which has nothing but a format."""
FEWEST, MOST = 64, 1 << 16
"""The fewest elements that are compared, and the most."""
DIFFERENT, DIFFERENT_OF_HEADER = 32, 3
"""So many different values aren't equal by chance: among all elements, or among those of the header."""
STEPS = (1, 2, 3, 4, 5, 6)
"""How many samples of a channel one is taken of."""
RANGES = (1.0, 32768.0, 32767 / 32768, 32768 / 32767)
"""Samples from -1 to 1 are divided by one of these numbers to be the elements."""


class Reading(Frozen):
    """Which samples these are in words, how many bytes each is behind the one before, where the first one
    begins, and their values from -1 to 1."""

    said: str
    apart: int
    begins: int
    values: Any


def from_byte_44(flat: Any, source: Source) -> str:
    """Returns what is wrong with elements that begin at byte 44 of a file with a longer header, or "" if they
    don't."""
    if source.start <= HEADER or not source.rate or source.law or not source.data:
        return ""
    own = flat[:MOST]
    if len(own) < FEWEST or not own.any():
        return ""
    for reading in readings(source, len(own)):
        head = -(-(source.start - reading.begins) // reading.apart)
        count = min(len(own), len(reading.values))
        if not 0 < head < count or not own[:head].any() or own[count:].any():
            continue
        is_varied = len(numpy.unique(own[:count])) >= DIFFERENT
        if not is_varied and len(numpy.unique(own[:head])) < DIFFERENT_OF_HEADER:
            continue
        for divisor in RANGES:
            if numpy.allclose(own[:count] / divisor, reading.values[:count], rtol=1e-4, atol=1e-7):
                return wrong_with(source, reading)
    return ""


def wrong_with(source: Source, reading: Reading) -> str:
    """The mistake in words."""
    rest = source.start - HEADER
    moved = rest % source.frame
    also = ""
    if moved % source.width:
        also = ", and all of them begin within a sample"
    elif moved:
        also = ", and the channels behind them change their places"
    return (
        f"the file's header has {source.start} bytes and {HEADER} were skipped: {reading.said}the first "
        f"{rest} bytes are no samples{also} (look for the chunk 'data')"
    )


def readings(source: Source, most: int) -> Iterator[Reading]:
    """Yields what a guest may take for samples of a file, from byte 44 on: at most so many of them."""
    width, channels = source.width, 1 if source.array.ndim == 1 else source.array.shape[1]
    frame = width * channels
    body = source.data[HEADER : HEADER + frame * (most * STEPS[-1] + 1)]
    samples = values_of(body[: len(body) // frame * frame], source).reshape(-1, channels)
    for step in STEPS:
        part = samples[::step]
        for channel in range(channels):
            said = f"of channel {channel}, " if channels > 1 else ""
            yield Reading(said, frame * step, HEADER + channel * width, part[:, channel])
        if channels > 1:
            yield Reading("of the mean of the channels, ", frame * step, HEADER, part.mean(axis=1))


def values_of(body: bytes, source: Source) -> Any:
    """Samples of a file's type as f64, from -1 to 1."""
    if source.is_float:
        return numpy.nan_to_num(numpy.frombuffer(body, f"<f{source.width}").astype("f8"))
    return whole(body, source.width).astype("f8")
