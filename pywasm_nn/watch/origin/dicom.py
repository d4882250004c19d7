"""Slices in DICOM files that aren't compressed, and what they say of their numbers: how these become
Hounsfield units or other amounts, and which of them are to be seen.

What is here: `scan_in`. What is not: what a guest made of them (`sent/scans.py`). Source:
https://dicom.nema.org/medical/dicom/current/output/chtml/part05/chapter_7.html
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import error, unpack_from
from typing import Any

from ...arrays import numpy
from ...records import Frozen

MAGIC, PREAMBLE = b"DICM", 128
LONG = (b"OB", b"OW", b"OF", b"OD", b"OL", b"SQ", b"UC", b"UN", b"UR", b"UT", b"SV", b"UV", b"OV")
"""Kinds of values whose length has four bytes."""
META = 0x0002
"""The group that is written explicitly whatever the rest is."""
ROWS, COLUMNS, BITS, SIGNED = (0x28, 0x10), (0x28, 0x11), (0x28, 0x100), (0x28, 0x103)
CENTRE, WIDTH, INTERCEPT, SLOPE = (0x28, 0x1050), (0x28, 0x1051), (0x28, 0x1052), (0x28, 0x1053)
PIXELS = (0x7FE0, 0x10)
MOST_TAGS = 4096


class Scan(Frozen):
    """The stored numbers of the first slice, as bytes, [rows, columns], of so many bits; what is multiplied
    and added to make amounts of them; and the windows that the file names, each by its centre and width."""

    data: bytes
    rows: int
    columns: int
    bits: int
    is_signed: bool
    slope: float
    intercept: float
    windows: tuple[tuple[float, float], ...]

    def numbers(self, kind: str = "") -> Any:
        """The stored numbers, also as another type."""
        own = f"<{'i' if self.is_signed else 'u'}{self.bits // 8}"
        return numpy.frombuffer(self.data, kind or own).reshape(self.rows, self.columns).astype("f8")


def scan_in(data: bytes) -> Scan | None:
    """The slice in the bytes of a file; None if there is none."""
    if data[PREAMBLE : PREAMBLE + len(MAGIC)] != MAGIC:
        return None
    found = dict(tags(data))
    try:
        rows, columns, bits, signed = (
            unpack_from("<H", found.get(tag, b"\0\0"))[0] for tag in (ROWS, COLUMNS, BITS, SIGNED)
        )
        size = rows * columns * bits // 8
        pixels = found.get(PIXELS, b"")
        if bits not in (8, 16) or not size or len(pixels) < size:
            return None
        slope = [*amounts(found.get(SLOPE, b"")), 1.0][0]
        intercept = [*amounts(found.get(INTERCEPT, b"")), 0.0][0]
        windows = zip(amounts(found.get(CENTRE, b"")), amounts(found.get(WIDTH, b"")), strict=False)
        return Scan(pixels[:size], rows, columns, bits, signed == 1, slope, intercept, tuple(windows))
    except (ValueError, error):  # a number that is none
        return None


def amounts(value: bytes) -> list[float]:
    """The numbers of a text with backslashes between them."""
    return [float(one) for one in value.decode("latin-1").strip(" \0").split("\\") if one.strip()]


def tags(data: bytes) -> Iterator[tuple[tuple[int, int], bytes]]:
    """The values of a file by their group and element, without those inside of others."""
    at = PREAMBLE + len(MAGIC)
    for _ in range(MOST_TAGS):
        if at + 8 > len(data):
            return
        group, element = unpack_from("<HH", data, at)
        kind = data[at + 4 : at + 6]
        is_named = group == META or (kind.isalpha() and kind.isupper())
        if not is_named:
            (length,), start = unpack_from("<I", data, at + 4), at + 8
        elif kind in LONG:
            (length,), start = unpack_from("<I", data.ljust(at + 12, b"\0"), at + 8), at + 12
        else:
            (length,), start = unpack_from("<H", data, at + 6), at + 8
        if length > len(data) - start:
            return
        yield (group, element), data[start : start + length]
        at = start + length
