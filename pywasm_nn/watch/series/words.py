"""Whole numbers of a file without a header, of which each input has some: signed ones taken as unsigned.

What is here: `unsigned_words`.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..sheets.rows import straight
from .packed import jumps_around

TYPES = (("<i2", "<u2"), (">i2", ">u2"))
NARROWER = 8.0
"""Signed numbers reach so many times less far than the same taken as unsigned."""
MOST_BYTES = 1 << 16


def unsigned_words(rows: Any, data: bytes) -> str:
    """Returns what is wrong with inputs, [inputs, elements], that follow each other in a file, or "" if
    nothing is."""
    width = rows.shape[1]
    for signed, unsigned in TYPES:
        size = width * numpy.dtype(signed).itemsize
        if not data or len(data) > MOST_BYTES or len(data) < size * len(rows) or len(data) % size:
            continue
        right, wrong = (
            numpy.frombuffer(data, kind, width * len(rows)).reshape(rows.shape).astype("f8")
            for kind in (signed, unsigned)
        )
        own, other = straight(rows, right).fits.diagonal(), straight(rows, wrong).fits.diagonal()
        for element in numpy.flatnonzero(other & ~own).tolist():
            narrow, wide = numpy.ptp(right[:, element]), numpy.ptp(wrong[:, element])
            is_wrong = wide >= NARROWER * narrow or jumps_around(wrong[:, element], right[:, element])
            if is_wrong:
                at = int(right[:, element].argmin())
                return (
                    f"element {element} of its inputs is from {right[:, element].min():g} to "
                    f"{right[:, element].max():g} in the file, and {right[at, element]:g} was read as "
                    f"{wrong[at, element]:g}: signed numbers were loaded as unsigned ones (load16_u for "
                    "load16_s)"
                )
    return ""
