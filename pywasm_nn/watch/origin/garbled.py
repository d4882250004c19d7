"""Floats of a file in the other byte order that a guest scaled before it sent them, so that the elements
themselves can't be put right.

What is here: `of_floats_in_other_order`. What is not: elements that are the file's bytes (`readings.py`,
`changes.rereadings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..changes.rereadings import TITLES, is_garbage, is_plausible
from .decoding import Source
from .matching import Origin

MOST_HEADER = 4096
LEAST = 32
"""So few elements are like each other by chance."""
NOTHING, SOME, LARGE = 1e-9, 1e-2, 1e3
"""Numbers below the first leave only what was taken away, one above the second shows the scale, and those
above the last are no usual elements."""
FEWEST = 4
SAME, MOST_OFF = 1e-4, 1e-3


def of_floats_in_other_order(array: Any, files: Sequence[tuple[str, bytes]]) -> Origin | None:
    """Returns how an input of floats that look like bits of something else is the floats at the end of a
    file, read with their bytes in the other order and scaled, or None if it isn't."""
    flat = array.reshape(-1)
    if flat.dtype.kind != "f" or flat.size < LEAST or not is_garbage(flat):
        return None
    for name, data in reversed(files):
        for kind in ("f4", "f8"):
            size = flat.size * numpy.dtype(kind).itemsize
            if not 0 <= len(data) - size <= MOST_HEADER:
                continue
            for own, other in (("<", ">"), (">", "<")):
                read = numpy.frombuffer(data, own + kind, flat.size, len(data) - size)
                meant = numpy.frombuffer(data, other + kind, flat.size, len(data) - size)
                if is_plausible(meant) and not is_plausible(read) and is_scaled(flat, read):
                    order = "big" if other == ">" else "little"
                    wrong = (
                        f"its numbers ({TITLES['<' + kind]}) are {order}-endian, and were read with their "
                        "bytes in the opposite order"
                    )
                    said = f"its {flat.size:,} numbers"
                    return Origin(Source(name, None, f"{len(data):,} bytes"), (said,), wrong)
    return None


def is_scaled(flat: Any, read: Any) -> bool:
    """Whether elements are these numbers but for one scale and shift: all the same where these are nearly 0,
    as many times as large elsewhere, and no numbers where these are none."""
    with numpy.errstate(all="ignore"):
        read, own = read.astype(flat.dtype).astype("f8"), flat.astype("f8")
        finite = numpy.isfinite(own)
        if (numpy.isfinite(read) != finite).mean() > MOST_OFF:
            return False
        size = numpy.where(finite & numpy.isfinite(read), abs(read), 0)
        is_mixed = LEAST <= finite.sum() <= finite.size - LEAST  # infinite in the same places
        if len(numpy.unique(read[size > LARGE])) < FEWEST and not is_mixed:
            return False
        nothing = finite & (size < NOTHING)
        shift = float(numpy.median(own[nothing])) if nothing.any() else 0.0
        at = int(size.argmax())
        scale = (own[at] - shift) / read[at] if size[at] > SOME else 0.0
        near = abs(own - shift - scale * read) <= SAME * (abs(own) + abs(shift))
        return bool((near | ~finite).mean() > 1 - MOST_OFF)
