"""Samples of a sound that were read as if each had another number of bits than the file's header says.

What is here: `as_other_bits`. What is not: bytes in the other order, and samples that were taken with or
without a sign (`sequences.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import Any

from ...arrays import numpy
from .big_endian import AIFF, AU
from .decoding import Source
from .waves import MOST, whole

WIDTHS = (2, 1, 3, 4)
"""Bytes of whole numbers, the most usual first."""
HALVED = 2, 4
"""Two samples read as one are the higher one, but for a hair: every second sample may also be left out."""
MOST_CHANNELS = 2
WIDE = 3, 4
"""Bytes of samples whose upper ones may be lost."""
READ_AS = " were read as "
NEAR = 0.02
"""How far the logarithm of a scale may be from a whole number: some divide by 32767."""
SHIFTED = 0.02
"""How far, in parts of half of the range, samples may be moved by rounding."""
FLOATS = ("f4", "f8")
SIZE = 1e6
"""Floats that are none are larger than this somewhere."""


def as_other_bits(source: Source, body: bytes) -> Iterator[tuple[str, Any]]:
    """Yields what is wrong, and the samples in -1..1. `body` has the file's ones, the lower byte of each
    first."""
    if source.law:
        return
    is_turned = source.data.startswith((AU, AIFF))
    own, width = ("floats" if source.is_float else "whole numbers"), source.width
    stored = in_order(body, width) if is_turned else body
    for bytes_ in WIDTHS:
        read = stored[: min(len(stored), bytes_ * MOST) // bytes_ * bytes_]
        read = in_order(read, bytes_) if is_turned else read
        if (bytes_ == width and not source.is_float) or (width, bytes_) == HALVED:
            continue
        kind = "whole numbers" if bytes_ == width else f"{8 * bytes_} bits"
        said = f"samples of {8 * width} bits ({own}){READ_AS}{kind}"
        yield from ((said, one) for one in in_channels(whole(read, bytes_), source))
        if bytes_ == 1:
            yield said, numpy.frombuffer(read, "i1") / 128.0
    if width in WIDE and not source.is_float:
        yield from of_wide(source, stored, is_turned=is_turned)
    for kind in FLOATS:
        bytes_ = numpy.dtype(kind).itemsize
        read = stored[: len(stored) // bytes_ * bytes_]
        floats = numpy.frombuffer(read, (">" if is_turned else "<") + kind)
        if (bytes_ == width and source.is_float) or not is_number(floats):
            continue
        said = f"samples of {8 * width} bits ({own}){READ_AS}floats of {8 * bytes_} bits"
        yield from ((said, one) for one in in_channels(floats.astype("f8"), source))


def of_wide(source: Source, stored: bytes, *, is_turned: bool) -> Iterator[tuple[str, Any]]:
    """Samples of 24 or 32 bits in the other byte order, of their lower 16 bits alone, and of lower bytes with
    a sign. `stored` has their bytes as the file has them."""
    width = source.width
    lowest = in_order(stored, width) if is_turned else stored
    count = min(len(stored) // width, MOST)
    octets = numpy.frombuffer(lowest, "u1", count * width).reshape(-1, width)
    own, order = f"samples of {8 * width} bits{READ_AS}", "little" if is_turned else "big"
    other = whole(octets[:, ::-1].tobytes(), width)
    made = [(f"{own}if their bytes were in the opposite order ({order}-endian)", other)]
    made.append((f"{own}their lower 16 bits: the upper ones were lost", whole(octets[:, :2].tobytes(), 2)))
    signed = octets.view("i1").astype("i8")
    places = [1 << 8 * place for place in range(width)]
    joined = numpy.bitwise_or.reduce(signed * places, axis=1)
    made.append((f'{own}bytes with a sign each (char), joined by "or"', joined / (1 << 8 * width - 1)))
    yield from ((said, one) for said, read in made for one in in_channels(read, source))


def is_power(scale: float) -> bool:
    """Whether a scale is a power of 2: what samples of one number of bits are divided by where those of
    another were meant."""
    return scale > 0 and abs(log2(scale) - round(log2(scale))) < NEAR


def is_centred(scale: float, shift: float) -> bool:
    """Whether samples were only scaled, or moved by half of their range, as those without a sign are: any
    that hardly move somewhere are like others, at another height."""
    return min(abs(abs(shift) - height * scale) for height in (0, 1)) < SHIFTED * scale


def in_channels(read: Any, source: Source) -> Iterator[Any]:
    """Samples as they follow each other, and those of each of a few channels, and their mean."""
    yield read
    count = source.array.shape[1] if source.array.ndim > 1 else 1
    if 1 < count <= MOST_CHANNELS:
        apart = read[: len(read) // count * count].reshape(-1, count)
        yield from (*apart.T, apart.mean(axis=1))


def in_order(body: bytes, width: int) -> bytes:
    """The bytes of numbers in the opposite order."""
    octets = numpy.frombuffer(body, "u1", len(body) // width * width)
    return octets.reshape(-1, width)[:, ::-1].tobytes()


def is_number(floats: Any) -> bool:
    """Whether all floats are finite, and small enough for samples of some range."""
    return bool(floats.size and numpy.isfinite(floats).all() and abs(floats).max() < SIZE)
