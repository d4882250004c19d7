"""Offsets across that a detector gives for cells of a grid, taken for offsets down.

What is here: `crossed`. To which direction a guest adds a number of a cell is seen in its copies; what the
model means by it, in its answer to the picture's mirror image: offsets across change their direction there,
and those down stay as they are. What is not: heights and widths (`cell_sides.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..whatif.views import MIRRORED
from .asked import Asked
from .cell_planes import CHANGES, Planes, Seen
from .cell_sizes import compared

LEAST = 0.1
"""By how much a mirrored number differs at least, in the mean."""
LESS = 0.5
"""How much nearer numbers are to those of their kind than to those of the other."""


def crossed(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong with offsets across that are added to rows, or "" if nothing is known to be."""
    if not seen.beside or {*seen.beside} & {*seen.below}:
        return ""

    def taken(plane: int) -> str:
        """Returns which of column and row the guest adds this number of a cell to."""
        return seen.direction(planes.moved(seen.own, 0, {plane: CHANGES[0]}))

    found = dict(compared(asked, planes, MIRRORED))
    across = [plane for plane, pairs in found.items() if is_mirrored(pairs)]
    down = [plane for plane, pairs in found.items() if stays(pairs)]
    for plane in across:
        if taken(plane) != "row":
            continue
        what, own = planes.place_in_output(plane)
        beside = [one for one in down if planes.place_in_output(one)[0] == what]
        other = next((one for one in beside if taken(one) == "column"), None)
        if other is not None:
            return (
                f"{what}: in the picture's mirror image number {own} of a cell (from 0) has the opposite "
                f"direction, and number {planes.place_in_output(other)[1]} is the same; the guest adds the "
                "one to the row and the other to the column: are offsets across and down exchanged?"
            )
    return ""


def distances(pairs: Any) -> tuple[float, float]:
    """How far numbers are from being the same in the mirror image, and from having the opposite direction
    there: by their sign, or as shares of a cell."""
    own, other = pairs.T
    turned = [numpy.abs(own + other - whole).mean() for whole in (0, 1)]
    return float(numpy.abs(own - other).mean()), float(min(turned))


def is_mirrored(pairs: Any) -> bool:
    same, turned = distances(pairs)
    return same >= LEAST and turned <= LESS * same


def stays(pairs: Any) -> bool:
    same, turned = distances(pairs)
    return turned >= LEAST and same <= LESS * turned
