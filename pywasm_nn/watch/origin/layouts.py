"""How the pixels of an uncompressed file lie among its bytes.

What is here: `layout_of` for PGM, PPM and BMP, and `packed_of` for files whose numbers follow a header. What
is not: decoding (`decoding.py`), and buffers without a header (`buffers.py`). Sources:
https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage, http://yann.lecun.com/exdb/mnist,
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

from math import prod
from struct import unpack_from

from ...records import Frozen, changed
from ..regex import regex
from .parts import PORTABLE, starts

BITMAP = b"BM"
BITMAP_HEADER = 40
"""The least size of the header that has a compression."""
LEAST_HEADER, MOST_HEADER = 54, 4096
PLAIN = (0, 3)
"""Compressions that are none."""
IDX_WORD, MOST_DIMENSIONS = 4, 4
"""So many bytes are before the dimensions of an IDX file (the last is their number), and in each."""
NPY_LENGTH = {1: ("<H", 8), 2: ("<I", 8), 3: ("<I", 8)}
"""By version, the type and the place of the length of an .npy file's header."""
PAM = regex(rb"P7\n(?:[^\n]*\n){1,12}?ENDHDR\n")
FLOATS = regex(rb"P[Ff]\s+\d+\s+\d+\s+-?[0-9.]+\s")


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


class Packed(Frozen):
    """A file of which the first byte behind its header is at `start`. It has pictures of `height` and `width`
    bytes each, behind each other, if these are not 0."""

    kind: str
    start: int
    height: int = 0
    width: int = 0


def packed_of(data: bytes) -> Packed | None:
    """How numbers lie in a file that is no picture with a layout: IDX (as MNIST), .npy, PAM and PFM."""
    if data[:3] == b"\0\0\x08" and 1 <= data[3] <= MOST_DIMENSIONS:
        start = IDX_WORD * (1 + data[3])
        sizes = unpack_from(f">{data[3]}I", data.ljust(start, b"\0"), IDX_WORD)
        if not prod(sizes) or len(data) <= start:
            return None
        height, width = sizes[1:] if len(sizes) == 3 else (0, 0)
        return Packed("IDX", start, height, width)
    if data[:6] == b"\x93NUMPY" and len(data) > 12 and data[6] in NPY_LENGTH:
        kind, at = NPY_LENGTH[data[6]]
        end = at + (2 if kind == "<H" else 4)
        return Packed(".npy", end + int(unpack_from(kind, data, at)[0]))
    for kind, begins in (("PAM", PAM), ("PFM", FLOATS)):
        if head := begins.match(data):
            return Packed(kind, head.end())
    return None


def nearest_layout(data: bytes, place: int) -> Layout | None:
    """The layout of the picture, of several in a file, whose pixels begin nearest to a place."""
    found = []
    for start in starts(data):
        if (layout := layout_of(data[start : start + MOST_HEADER])) is not None:
            found.append(changed(layout, start=start + layout.start))
    return min(found, key=lambda layout: abs(layout.first - place), default=None)


def layout_of(data: bytes) -> Layout | None:
    """Returns the layout of a file of 8 bits a channel, or None for any other."""
    if head := PORTABLE.match(data):
        channels, width, height = 1 if head[1] == b"5" else 3, int(head[2]), int(head[3])
        if int(head[4]) > 255 or not width * height:
            return None
        return Layout(head.end(), width * channels, width, height, channels)
    found = bitmap_of(data)
    return None if found is None or found.channels == 1 else found


def bitmap_of(data: bytes) -> Layout | None:
    """Returns the layout of a BMP, or None for any other file. One of 8 bits has a single channel, which are
    the numbers of a palette."""
    if data[:2] != BITMAP or len(data) < LEAST_HEADER:
        return None
    start, size, width, height = unpack_from("<IIii", data, 10)
    bits, compression = unpack_from("<HI", data, 28)
    if (
        size < BITMAP_HEADER
        or bits not in (8, 24, 32)
        or compression not in PLAIN
        or width <= 0
        or not height
    ):
        return None
    stride, rows = (width * bits // 8 + 3) // 4 * 4, abs(height)
    top = start if height < 0 else start + stride * (rows - 1)
    return Layout(top, stride if height < 0 else -stride, width, rows, bits // 8, "BGR")
