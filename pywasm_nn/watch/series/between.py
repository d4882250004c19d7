"""Inputs that lie between the pictures of an IDX file: a header of another length was skipped, or a picture
begins where the one before doesn't end.

What is not here: inputs that are pictures of the file (`origin/cut.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..origin.cut import IDX_HEADER, TURNS, idx

LEAST = 8
"""So many different values are found by no chance."""
NEAR = 0.1
"""How far levels may be from whole numbers."""


def between_pictures(array: Any, data: bytes) -> str:
    """Returns what is wrong with an input whose elements are bytes of a file of pictures, from where no
    picture begins, or "" if nothing is."""
    sheet = idx("", data)
    if sheet is None or array.size != sheet.item * sheet.pixels.shape[1]:
        return ""
    levels = levels_of(array)
    if levels is None:
        return ""
    plane, size = levels.reshape(sheet.item, -1), array.size
    for turn in ("", "rows and columns exchanged") if len(plane) == plane.shape[1] else ("",):
        turned = TURNS[turn](plane)
        top = turned.max()
        for own in (turned, turned + 255 - top, top - turned, 255 - turned):
            at = data.find(own.astype("u1").tobytes())
            if at >= 0 and (at - IDX_HEADER) % size:
                return (
                    f"its elements are those from byte {at} on: {where(at, size)} (there are {IDX_HEADER} "
                    f"bytes before the first picture, and {size} in each)"
                )
    return ""


def levels_of(array: Any) -> Any:
    """Returns elements as bytes, the smallest as 0, or None if they aren't such, or few."""
    values, places = numpy.unique(array.astype("f8"), return_inverse=True)
    if not LEAST <= len(values) <= 256:
        return None
    steps = (values - values[0]) / numpy.diff(values).min()
    whole = steps.round()
    if whole[-1] > 255 or abs(steps - whole).max() > NEAR:
        return None
    return whole[places.reshape(-1)]


def where(at: int, size: int) -> str:
    """Where a byte lies among the pictures."""
    number, behind = divmod(at - IDX_HEADER, size)
    if at < IDX_HEADER:
        return f"{IDX_HEADER - at} bytes before picture 1, in the header"
    if behind <= size // 2:
        return f"{behind} bytes behind the beginning of picture {number + 1}"
    return f"{size - behind} bytes before the beginning of picture {number + 2}"
