"""What a picture in a file looks like if its bytes are read in a wrong way that its format invites: rows of a
bitmap without their padding, 16-bit samples in the other byte order.

What is here: `misreadings` of a source. What is not: mistakes that any decoded picture allows
(`readings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from .decoding import Source, deep, indexed
from .layouts import bitmap_of, layout_of
from .long_headers import from_byte_54
from .skipping import without_blanks
from .tagged import deep_tagged

BYTES, COLOURS = 256, 3
LOWER = "only the lower byte of each sample (16 bits) was read, or kept in a byte"


def misreadings(source: Source, levels: int = 1 << 16) -> Iterator[tuple[str, Any]]:
    """Pixels [height, width, channels] in the range of those of the source, with the mistake; not those of
    `Source.others`. `levels` is how many values the elements have."""
    if source.data[:2] == b"BM":
        yield from from_byte_54(source.data, None)
        yield from bitmaps(source.data)
    yield from without_blanks(source)
    samples = deep(source.data) or deep_tagged(source.data)
    if samples is not None:
        several = [*sixteen(*samples)]
        few = (
            levels <= BYTES < len(set(samples[0].reshape(-1).tolist()))
        )  # bytes swapped are as many as before
        yield from sorted(several, key=lambda one: few and one[0] != LOWER)


def bitmaps(data: bytes) -> Iterator[tuple[str, Any]]:
    """Rows of a bitmap as if they followed each other, or as if its header were pixels."""
    numbered = indexed(data)
    layout = layout_of(data) if numbered is None else bitmap_of(data)
    if layout is None or (layout.channels < COLOURS and numbered is None):
        return
    length = layout.width * layout.channels
    flat = numpy.frombuffer(data, "u1")

    def rows(start: int, stride: int) -> Any:
        size = stride * layout.height
        there = numpy.zeros(size, "u1")
        part = flat[start : start + size]
        there[: part.size] = part
        made = there.reshape(layout.height, stride)[:: 1 if layout.stride > 0 else -1, :length]
        if numbered is not None:
            return numbered[1][made][..., 2::-1]
        return made.reshape(layout.height, layout.width, layout.channels)[..., 2::-1]

    padded = abs(layout.stride)
    if padded != length:
        said = f"the padding at the end of rows was not passed over: {length} bytes for {padded}"
        made = rows(layout.first, length)
        yield said, made
        yield f"{said}; and the picture is upside down", made[::-1]
    if numbered is not None:
        return  # what is before its pixels is a palette, too (`decoding.paletted`)
    by = layout.first
    said = f"the file's header of {by} bytes was not passed over"
    made = rows(0, padded)
    yield said, made
    yield f"{said}; and the picture is upside down", made[::-1]


def sixteen(samples: Any, top: int) -> Iterator[tuple[str, Any]]:
    """Samples of 16 bits [height, width, channels] in other ways."""
    swapped = samples.byteswap()
    yield (
        "the two bytes of each sample (16 bits) are in the wrong order (files begin with the high one)",
        swapped.astype("f4") * (255 / top),
    )
    yield LOWER, (samples & 255).astype("f4")
    pairs = samples.astype(">u2").view("u1").reshape(len(samples), -1, samples.shape[2])
    flat = pairs.reshape(-1)[: samples.size].reshape(samples.shape)
    yield "each sample has 16 bits, and its two bytes were taken for two", flat.astype("f4")
    signed = samples.astype("<i2").astype("f4") * (255 / top)
    if signed.min() < 0:
        yield "samples of 16 bits from 32,768 on were taken as negative", signed
