"""How the pixels of an uncompressed file lie among its bytes.

What is here: `layout_of` for PGM, PPM and BMP. What is not: decoding (`decoding.py`), and buffers without a
header (`buffers.py`). Source for BMP:
https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage
"""

from __future__ import annotations

from struct import unpack_from

from ...records import Frozen, changed
from .parts import PORTABLE, starts

BITMAP = b"BM"
BITMAP_HEADER = 40
"""The least size of the header that has a compression."""
LEAST_HEADER, MOST_HEADER = 54, 4096
PLAIN = (0, 3)
"""Compressions that are none."""


class Layout(Frozen):
    """Rows of `width` pixels of `channels` bytes. The top row begins at `start`; the others follow each
    `stride` bytes, backwards if that is negative. `order` is that of the channels."""

    start: int
    stride: int
    width: int
    height: int
    channels: int
    order: str = "RGB"

    @property
    def first(self) -> int:
        """Where the first byte of any pixel lies."""
        return self.start + min(0, self.stride * (self.height - 1))


def nearest_layout(data: bytes, place: int) -> Layout | None:
    """The layout of the picture, of several in a file, whose pixels begin nearest to a place."""
    found = []
    for start in starts(data):
        if (layout := layout_of(data[start : start + MOST_HEADER])) is not None:
            found.append(changed(layout, start=start + layout.start))
    return min(found, key=lambda layout: abs(layout.first - place), default=None)


def layout_of(data: bytes) -> Layout | None:
    """The layout of a file of 8 bits a channel; None for any other."""
    if head := PORTABLE.match(data):
        channels, width, height = 1 if head[1] == b"5" else 3, int(head[2]), int(head[3])
        if int(head[4]) > 255 or not width * height:
            return None
        return Layout(head.end(), width * channels, width, height, channels)
    if data[:2] == BITMAP and len(data) >= LEAST_HEADER:
        start, size, width, height = unpack_from("<IIii", data, 10)
        bits, compression = unpack_from("<HI", data, 28)
        if size < BITMAP_HEADER or bits not in (8, 24, 32) or compression not in PLAIN or width <= 0:
            return None
        stride, rows = (width * bits // 8 + 3) // 4 * 4, abs(height)
        if not rows or (bits == 8):
            return None  # numbers of a palette
        top = start if height < 0 else start + stride * (rows - 1)
        return Layout(top, stride if height < 0 else -stride, width, rows, bits // 8, "BGR")
    return None
