"""Outlines of what is high in a map of the input, which a guest writes in the input's pixels though the
picture is smaller, or beside the picture's size.

What is here: `undivided`. A block of high elements lies at a place alone, and then farther across and down:
that tells which numbers are columns and rows, and in which pixels. What is not: boxes that the model gives
(`drawn.py`, `gridded.py`).
"""

from __future__ import annotations

from ..spoken import Word
from .asked import Asked, Given
from .drawn import OF_THE_INPUT
from .formulas import numbers
from .gridded import changed, moved
from .outside import beside_size, beyond_picture, is_enlarged, unlike_size

PARTS = 4
"""A block is such a part of the map's height and width, begins there, and is moved by half of that."""


def undivided(asked: Asked) -> str:
    """Returns what is wrong with outlines in the input's pixels of which some lie beyond the picture, or
    beside whose numbers the picture's size is written, or "" if nothing is."""
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    text = asked.control.text
    if placed is None or OF_THE_INPUT.search(text):
        return ""
    if not is_enlarged(placed) and not beside_size(text, placed):  # copies that scan a map take their time
        return ""
    for index, output in asked.fetched():
        if len(output.lengths) != 2 or min(output.lengths) < 2 * PARTS:
            continue
        height, width = output.lengths
        by = placed.input[0] // height
        if placed.input != (by * height, by * width):
            continue
        down, across = height // PARTS // 2, width // PARTS // 2
        own = said(asked, index, output, (0, 0))
        beside, below = (said(asked, index, output, way) for way in ((0, across), (down, 0)))
        if (moved(own, beside), moved(own, below)) != (by * across, by * down):
            continue
        wrong = beyond_picture(text, (changed(own, beside), changed(own, below)), placed)
        wrong = wrong or unlike_size(text, placed, "what lies in a map")
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def said(asked: Asked, index: int, output: Given, way: tuple[int, int]) -> list[Word]:
    """The numbers that are written of a block that lies so far down and across from its first place."""
    (height, width), (down, across) = output.lengths, way
    first, last = height // PARTS + down, 2 * (height // PARTS) + down
    begins, ends = width // PARTS + across, 2 * (width // PARTS) + across
    places = [row * width + column for row in range(first, last) for column in range(begins, ends)]
    return numbers(asked.text(index, output.filled(places)) or "")
