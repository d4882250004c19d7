"""Inputs that come bit by bit from a picture in black and white, of 8 pixels in each byte (PBM, BMP and TIFF
of one bit): the order of bits, the padding of rows, bits that stay where they lie in the byte.

What is here: `BitsRead`, for pictures of the input's size. What is not: whether 1 is black or white, which
models want either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import unpack_from
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ...records import Frozen
from ..facts import picture_of
from ..origin.readings import first
from ..origin.straight import line_within
from ..origin.tagged import directory
from ..regex import regex

PORTABLE = regex(rb"P4\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)\s")
MOST_HEADER, MOST_FILES, MOST = 4096, 4, 1 << 20
BITMAP_HEADER = 54
LEAST_PIXELS, CLEARLY = 64, 0.02
"""Pixels of a picture, and the part of them that must differ from those that are read rightly."""
NEAR, LEVELS = 1e-5, 4
AS_BYTES = "each of its bytes, which has 8 pixels, was taken for one"
EARLY = 16
"""So many bytes before or after the first one are tried."""


class Bits(Frozen):
    """Rows of `width` pixels, each of `stride` bytes, from byte `start` of a file on, as `kind` has them."""

    kind: str
    start: int
    width: int
    height: int
    stride: int
    is_upward: bool = False

    def rows(self, data: bytes) -> Any:
        """The bytes of all rows, [height, stride], the top row first."""
        body = numpy.frombuffer(data, "u1", self.stride * self.height, self.start)
        rows = body.reshape(self.height, self.stride)
        return rows[::-1] if self.is_upward else rows


class BitsRead:
    """Gives a sentence after an input, once."""

    def __init__(self) -> None:
        self._said: set[Any] = set()

    def wrong(self, key: Any, tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
        """Returns what is wrong with an input that is a picture of bits, or "" if nothing is."""
        said = "" if key in self._said else misread_bits(tensor, files)
        self._said |= {key} if said else set()
        return said


def misread_bits(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input that is a picture of bits, or "" if nothing is."""
    picture, numbers = picture_of(tensor.shape), tensor.numbers()
    if numbers is None or not LEAST_PIXELS <= numbers.size <= MOST:
        return ""
    array = numbers.reshape(tensor.shape)
    plane = first(array, picture)[..., 0].reshape(-1) if picture is not None else numbers
    for name, data in files[-MOST_FILES:]:
        bits = bits_in(data)
        if bits is None or bits.width * bits.height != plane.size:
            continue
        is_whole = len(data) >= bits.start + bits.stride * bits.height
        if is_whole and (said := misread(plane.astype("f8"), bits, data)):
            return f"compared with {name}, {said}"
    return ""


def bits_in(data: bytes) -> Bits | None:
    """Returns where the pixels of a picture of one bit each lie, or None for other files."""
    if head := PORTABLE.match(data[:MOST_HEADER]):
        width, height = int(head[1]), int(head[2])
        return Bits("PBM", head.end(), width, height, (width + 7) // 8)
    if data[:2] == b"BM" and len(data) >= BITMAP_HEADER:
        start, _, width, height = unpack_from("<IIii", data, 10)
        (bits,) = unpack_from("<H", data, 28)
        stride = (width + 31) // 32 * 4
        return Bits("BMP", start, width, abs(height), stride, height > 0) if bits == 1 else None
    try:
        found = directory(data)
    except Exception:  # a broken file has no pixels
        return None
    if found is None or found.bits != 1 or len(found.strips) > 1:
        return None
    return Bits("TIFF", found.strips[0], found.width, found.height, found.stride)


def misread(plane: Any, bits: Bits, data: bytes) -> str:
    """Returns what is wrong with pixels, row after row, or "" if nothing is."""
    low, high = float(plane.min()), float(plane.max())
    right = unpacked(bits.rows(data), bits.width)
    if low == high or right.min() == right.max():
        return ""
    ones = plane == high
    if (ones == right).all() or (ones != right).all():
        return ""
    if (ones | (plane == low)).all():
        for said, made in of_two_levels(bits, data):
            count = min(made.size, ones.size)
            there, own = made[:count], ones[:count]
            if (there != right[:count]).mean() >= CLEARLY and ((own == there).all() or (own != there).all()):
                return said
        return ""
    for said, levels in of_many_levels(bits, data, right):
        count = min(levels.size, plane.size)
        there, own = levels[:count], plane[:count]
        if min(len(numpy.unique(there)), len(numpy.unique(own))) < LEVELS:
            continue
        if line_within(own, there, NEAR * (high - low)) is not None:
            return said
    return ""


def unpacked(rows: Any, width: int, order: Any = "big") -> Any:
    """The bits of rows of bytes, one row after the other, as booleans."""
    return numpy.unpackbits(rows, axis=1, bitorder=order)[:, :width].reshape(-1).astype(bool)


def of_two_levels(bits: Bits, data: bytes) -> Iterator[tuple[str, Any]]:
    """Pixels as mistakes read them, 0 or 1, or the first ones of them, with what is wrong."""
    rows, size = bits.rows(data), bits.width * bits.height
    lowest = (
        f"the pixels of each byte were taken from its lowest bit on; {bits.kind} has the leftmost pixel in "
        "the highest bit (128 >> x % 8)"
    )
    yield lowest, unpacked(rows, bits.width, "little")
    for order, also in (("big", ""), ("little", f"; and {lowest}")):
        flat = unpacked(rows.reshape(1, -1), rows.size * 8, order)
        if bits.width % 8:
            said = (
                f"rows were read {bits.width} bits apart; in {bits.kind} each row begins with a byte of its "
                f"own, so that they lie {8 * bits.stride} bits apart"
            )
            yield said + also, flat[:size]
            short = bits.width // 8
            if short:
                apart = numpy.lib.stride_tricks.sliding_window_view(rows.reshape(-1), bits.stride)
                said = (
                    f"rows were read {short} bytes apart (width / 8, rounded down); they lie {bits.stride} "
                    "bytes apart"
                )
                yield said + also, unpacked(apart[: short * bits.height : short], bits.width, order)
    for by in range(-EARLY, EARLY + 1) if not bits.is_upward else ():
        start = bits.start + by
        if by and start >= 0 and start + rows.size <= len(data):
            where = "before" if by < 0 else "behind"
            said = f"its pixels were read from {abs(by)} bytes {where} the first one on"
            moved = numpy.frombuffer(data, "u1", rows.size, start).reshape(rows.shape)
            yield said, unpacked(moved, bits.width)
    if rows.size >= LEAST_PIXELS and (rows == 0).any():
        yield AS_BYTES, rows.reshape(-1) != 0


def of_many_levels(bits: Bits, data: bytes, right: Any) -> Iterator[tuple[str, Any]]:
    """Numbers as mistakes leave them of pixels, with what is wrong."""
    columns = numpy.arange(bits.width * bits.height) % bits.width % 8
    said = (
        "its bits were masked, and not brought to 0 or 1: ones are 1, 2, 4 to 128, by where they lie in the "
        "byte; shift them down, or compare them with 0"
    )
    yield said, right * (128 >> columns).astype("f8")
    rows = bits.rows(data)
    yield said, unpacked(rows, bits.width, "little") * (1 << columns).astype("f8")
    yield AS_BYTES, rows.reshape(-1).astype("f8")
