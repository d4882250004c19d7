"""BMP files whose header is longer than 40 bytes (versions 4 and 5 have 108 and 124, and masks of colours may
follow), read as if it had 40: the palette or the pixels are taken from byte 54 on.

What is here: `from_byte_54`. What is not: other mistakes with palettes (`decoding.py`) and
headers (`misreadings.py`). Source: https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-header-types
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from
from typing import Any

from ...arrays import numpy
from .layouts import layout_of

PLAIN, HEADER, FILE_HEADER, ENTRY = 54, 40, 14, 4
BITMAP = b"BM"


def from_byte_54(data: bytes, numbers: Any) -> Iterator[tuple[str, Any]]:
    """Pixels [height, width, 3] of such a file, read so, with what is wrong. `numbers` [height, width] are
    those in its palette; None if it has none."""
    if not data.startswith(BITMAP) or len(data) <= PLAIN:
        return
    (size,) = unpack_from("<I", data, FILE_HEADER)
    if numbers is not None:
        if size == HEADER:
            return
        there = numpy.zeros((256, ENTRY), "u1")
        kept = numpy.frombuffer(data[PLAIN : PLAIN + there.size], "u1")
        there.reshape(-1)[: len(kept)] = kept
        said = (
            f"its palette was taken from byte {PLAIN}, as if the header had {HEADER} bytes: it has {size}, "
            f"and the palette begins at byte {FILE_HEADER + size}"
        )
        yield said, there[numbers][..., 2::-1]
        return
    layout = layout_of(data)
    if layout is None or layout.first <= PLAIN or layout.channels < 3:
        return
    stride = abs(layout.stride)
    if len(data) < PLAIN + stride * layout.height:
        return
    rows = numpy.frombuffer(data, "u1", stride * layout.height, PLAIN).reshape(layout.height, stride)
    pixels = rows[:, : layout.width * layout.channels].reshape(layout.height, layout.width, -1)[..., 2::-1]
    said = (
        f"its pixels were taken from byte {PLAIN}, right behind a header of {HEADER} bytes: they begin at "
        f"byte {layout.first}, as the file says"
    )
    yield said, pixels[::-1] if layout.stride < 0 else pixels
