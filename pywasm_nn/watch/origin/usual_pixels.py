"""Elements that are as near to the pixels of a picture in a usual range as to any line over them: pictures of
few colours, or of hardly any contrast, have no line of their own.

What is here: `in_usual_range`. What is not: lines (`ranges.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..changes.encodings import USUAL
from .colours import BGR, RGB
from .ranges import Range

NEAR, CLEARLY = 1.0, 2.0
"""How far elements may be from pixels on average, and how much farther in the other order, in levels."""
COLOURS, MOSTLY = 3, 0.5


def in_usual_range(elements: Any, made: Any) -> tuple[tuple[int, ...], Range, bool] | None:
    """The order of channels and the range of elements [height, width, 3] that are pixels of a picture of
    their size, and whether the order is certain; None if they aren't in a usual range."""
    known = numpy.isfinite(made[..., :COLOURS]).all(axis=2)  # beside a smaller picture there is none
    if elements.shape[2] != COLOURS or known.mean() < MOSTLY:
        return None
    found = []
    for encoding in USUAL:
        for order in (RGB, BGR):
            step = 1 if (order == BGR) == encoding.is_bgr or len(encoding.mean) == 1 else -1
            mean, deviation = (numpy.array(one[::step]) for one in (encoding.mean, encoding.deviation))
            pixels = elements.astype("f8") * deviation + mean
            off = float(numpy.abs(pixels - made[..., list(order)])[known].mean())
            found.append((off, order, Range(f"pixels {encoding.said}", "", encoding)))
    off, order, range_ = min(found, key=lambda one: one[0])
    if off > NEAR:
        return None
    other = min(one[0] for one in found if one[1] != order)
    return order, range_, other >= off + CLEARLY
