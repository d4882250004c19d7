"""Pixels that are read as a text is: bytes that are blanks and line ends there are passed over, and all that
follows moves up.

What is here: `without_blanks`. What is not: texts (`bytewise.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from .bytewise import BLANKS
from .decoding import Source
from .layouts import layout_of
from .parts import PORTABLE

FEWEST = 3
"""So many lost pixels move a small picture visibly."""
BYTE = 255
BITMAP = b"BM"


def without_blanks(source: Source) -> Iterator[tuple[str, Any]]:
    """The pixels [height, width, channels] of a PGM, PPM, BMP or a file without a header, without those that
    look like blanks, and zeros behind the last one, with the mistake. Nothing if such pixels are few, or if
    they are all in the second half."""
    for start, stride, scale in bodies(source):
        height, width, channels = source.array.shape
        body = numpy.frombuffer(source.data, "u1", stride * height, start)
        blank = numpy.isin(body, BLANKS)
        lost = int(blank.sum())
        if lost < FEWEST or blank.argmax() > body.size // 2:
            continue
        kept = numpy.zeros(body.size, "u1")
        kept[: body.size - lost] = body[~blank]
        rows = kept.reshape(height, stride)[:, : width * channels].reshape(height, width, channels)
        is_bitmap = source.data.startswith(BITMAP)
        made = rows[::-1, :, ::-1] if is_bitmap else rows
        said = (
            f"{lost:,} of its {body.size:,} bytes are left out, the ones that are blanks or line ends in a "
            "text (9 to 13, 32), and what follows each moves up: are they read by `>>` (which wants "
            "std::noskipws here; read() is better) or scanf?"
        )
        yield said, made * scale


def bodies(source: Source) -> Iterator[tuple[int, int, float]]:
    """Where the pixels begin in a file, how many bytes a row has, and what makes 255 of white."""
    data, array = source.data, source.array
    length = array[0].size
    if data.startswith(BITMAP):
        layout = layout_of(data)
        if layout is not None and layout.channels == array.shape[2] == 3 and layout.stride < 0:
            yield layout.first, -layout.stride, 1.0
    elif (head := PORTABLE.match(data)) is not None:
        if 0 < int(head[4]) <= BYTE and head.end() + array.size <= len(data):  # else others were added
            yield head.end(), length, BYTE / int(head[4])
    elif len(data) == array.size:
        yield 0, length, 1.0
