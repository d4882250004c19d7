"""Heights that a detector gives for cells of a grid, taken for widths.

What is here: `crossed`. To which direction a guest adds a number of a cell is seen in its copies; what the
model means by it, in its answer to a part of the picture that is stretched to twice its height: heights grow
there, and widths hardly do. What is not: rows and columns of the cells themselves (`cell_planes.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..whatif.views import View
from .asked import Asked
from .cell_planes import CHANGES, Planes, Seen
from .cell_sizes import cells_in, compared

PARTS = (View(0.0), View(0.25), View(0.5))
"""The upper, middle and lower half of a picture."""
GROWN, LIKE, LESS = 0.3, 0.75, 0.5
"""By how much heights grow at least, how many of them, and how much widths, as a part of that."""


def crossed(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong with heights that are taken for widths, or "" if nothing is known to be."""
    if not seen.beside or {*seen.beside} & {*seen.below}:
        return ""
    part = max(PARTS, key=lambda one: len(cells_in(planes, one)))
    grown = dict(compared(asked, planes, part))
    heights = [plane for plane, pairs in grown.items() if has_grown(pairs)]
    for height in heights:
        most = LESS * growth(grown[height])
        widths = [plane for plane, pairs in grown.items() if abs(growth(pairs)) <= most]
        if follows(planes, seen, height) != "column":
            continue
        width = next((one for one in widths if follows(planes, seen, one) == "row"), None)
        if width is not None:
            return sentence(planes, (height, width), grown[height])
    return ""


def growth(pairs: Any) -> float:
    """By how much a number of each thing grows, in the middle."""
    return float(numpy.median(pairs[:, 1] - pairs[:, 0]))


def has_grown(pairs: Any) -> bool:
    """Whether nearly all of a number are larger in things that are twice as high."""
    return bool((pairs[:, 1] - pairs[:, 0] >= GROWN).mean() >= LIKE)


def follows(planes: Planes, seen: Seen, plane: int) -> str:
    """Returns whether the numbers that follow this one of a cell follow its column or its row, too, or "" for
    both and neither, and for what only says how far the cell is moved."""
    moved = planes.moved(seen.own, 0, {plane: CHANGES[0]})
    is_place = {*moved} in ({*seen.beside}, {*seen.below}) and seen.step(moved) != 0
    return "" if is_place else seen.direction(moved)


def sentence(planes: Planes, which: tuple[int, int], pairs: Any) -> str:
    """The hint about a height that is taken for a width, and the width for a height."""
    (what, height), (_, width) = map(planes.place_in_output, which)
    own, other = numpy.median(pairs, axis=0)
    return (
        f"{what}: where a part of the picture is stretched to twice its height, number {height} of a cell "
        f"(from 0) grows from {own:.2f} to {other:.2f}, and number {width} hardly does; the guest makes what "
        f"it writes across of number {height}, and down of number {width}: are height and width exchanged?"
    )
