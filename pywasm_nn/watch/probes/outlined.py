"""Outlines of what is high in a map of the input, which a guest writes in the input's pixels though the
picture is smaller, or beside the picture's size; or from the beginning of a part of the picture.

What is here: `undivided`. A block of high elements lies at a place alone, and then farther across and down:
that tells which numbers are columns and rows, and in which pixels. What is not: boxes that the model gives
(`drawn.py`, `gridded.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..spoken import Word
from .asked import Asked, Given, Placed
from .drawn import OF_THE_INPUT
from .formulas import numbers
from .gridded import changed, moved
from .outside import beside_size, beyond_picture, is_enlarged, is_of_all, unlike_size

NEAR, FAR = 0.05, 4
"""A block moves as expected within this part of a cell, and a part begins at least this many cells inside."""
PARTS = 4
"""A block is such a part of the map's height and width, begins there, and is moved by half of that."""


def undivided(asked: Asked) -> str:
    """Returns what is wrong with outlines in the input's pixels of which some lie beyond the picture, or
    beside whose numbers the picture's size is written, or "" if nothing is."""
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    text = asked.control.text
    if placed is None or OF_THE_INPUT.search(text):
        return ""
    is_cut = placed.lies == (0, 0, *placed.input) and max(placed.part[:2]) > 0 and is_of_all(text, placed)
    if not is_cut and not is_enlarged(placed) and not beside_size(text, placed):
        return ""  # copies that scan a map take their time
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
        places = changed(own, beside), changed(own, below)
        moves = moved(own, beside) / across, moved(own, below) / down
        if is_cut:
            ends = [[word.value for word in (own[at] for at in some)] for some in places]
            wrong = unmoved(placed, (width, height), moves, ends)
        else:
            wrong = beyond_picture(text, places, placed) or unlike_size(text, placed, "what lies in a map")
            wrong = wrong if all(one == by for one in moves) else ""
        if wrong:
            return f"{output.what}: {wrong}"
    return ""


def unmoved(
    placed: Placed, map_: tuple[int, int], moves: tuple[float, float], ends: Sequence[Sequence[float]]
) -> str:
    """Returns what is wrong with the ends, across and down, of a block in a map that shows a part of a
    picture, if they are counted from the beginning of that part, or "" if they aren't."""
    top, left, bottom, right = placed.part
    (high, wide), is_far = placed.input, []
    for size, move, some, start, side, own in zip(
        map_, moves, ends, (left, top), (right - left, bottom - top), (wide, high), strict=True
    ):
        cell = next((one for one in (own / size, side / size) if abs(move - one) <= NEAR * one), 0.0)
        begins, after = size // PARTS * cell, 2 * (size // PARTS) * cell
        if not cell or not some or any(not begins - 2 * cell <= one <= after + 2 * cell for one in some):
            return ""
        is_far.append(start > FAR * cell)
    if not any(is_far):
        return ""
    return (
        f"what lies in the map is written from the beginning of the part that the input shows, which is "
        f"column {left}, row {top} of the picture ({placed.size[1]} x {placed.size[0]}), and said to be of "
        "the whole: is that not added to x and y?"
    )


def said(asked: Asked, index: int, output: Given, way: tuple[int, int]) -> list[Word]:
    """The numbers that are written of a block that lies so far down and across from its first place."""
    (height, width), (down, across) = output.lengths, way
    first, last = height // PARTS + down, 2 * (height // PARTS) + down
    begins, ends = width // PARTS + across, 2 * (width // PARTS) + across
    places = [row * width + column for row in range(first, last) for column in range(begins, ends)]
    return numbers(asked.text(index, output.filled(places)) or "")
