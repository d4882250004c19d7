"""Raw frames whose rows are followed by padding: they lie farther apart than a row is long (the pitch, or
stride, of cameras and decoders).

What is here: `pitched_in`, the pixels of such a frame, as they are and as if rows followed each other. What
is not: frames without padding (`buffers.py`), and inputs that are rows of the file as they are (`runs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..facts import Picture
from ..regex import regex

SIZE_IN_NAME = regex(r"(?<!\d)(\d{2,4})x(\d{2,4})(?!\d)")
ORDERS = {3: ("RGB", (0, 1, 2)), 4: ("RGBA", (0, 1, 2)), 1: ("grey", (0,))}
"""By bytes a pixel, how a frame is called, and its colours."""
FARTHEST = 1.5
"""Rows lie at most so many times their length apart."""
LIKER = 0.6
"""Rows below each other differ by at most this part of what they do if they follow each other."""


class Pitched(Frozen):
    """A frame, and what it looks like if its padding is taken for pixels."""

    said: str
    pixels: Any
    wrong: str
    sheared: Any


def pitched_in(name: str, data: Any, picture: Picture) -> Iterator[Pitched]:
    """The frames that bytes (u8) may be, of the size that the file's name says, or of the input's."""
    sizes = [(int(high), int(wide)) for wide, high in SIZE_IN_NAME.findall(name)]
    for high, wide in dict.fromkeys([*sizes, (picture.height, picture.width)]):
        for count, (order, colours) in ORDERS.items():
            length = wide * count
            pitch = pitch_of(len(data), high, length)
            if not pitch:
                continue
            whole = numpy.zeros(high * pitch, "u1")
            whole[: len(data)] = data
            rows = whole.reshape(high, pitch)[:, :length]
            flat = whole[: high * length].reshape(high, length)
            if unlikeness(rows) > LIKER * unlikeness(flat):
                continue
            pixels, sheared = (one.reshape(high, wide, count)[..., list(colours)] for one in (rows, flat))
            yield Pitched(
                f"{wide} x {high} raw pixels, {order}, rows {pitch} bytes apart",
                pixels,
                f"rows were read {length} bytes apart, one behind the other; "
                f"rows of the file lie {pitch} apart",
                sheared,
            )


def pitch_of(size: int, high: int, length: int) -> int:
    """Returns how far apart rows of so many bytes lie in a file, or 0 if they don't, or follow each other.
    The last row may have no padding."""
    for total, rows in ((size, high), (size - length, high - 1)):
        pitch, rest = divmod(total, rows) if rows > 0 else (0, 1)
        if not rest and length < pitch <= FARTHEST * length:
            return pitch
    return 0


def unlikeness(rows: Any) -> float:
    """By how much bytes differ from those below them, on average."""
    return float(abs(rows[1:].astype("i2") - rows[:-1]).mean())
