"""A map with a cell for each place of a picture: does what is said of a cell's row follow its row?

What is here: `exchanged`, for which one cell is the largest, beside it, below it, and as many elements
farther as the map has rows; and `unscaled`. What is not: numbers that are rows and columns as they are
(`maps.py`).
"""

from __future__ import annotations

import re
from typing import Any

from ..regex import regex
from .asked import NUMBER, Asked, Given, places_that_differ
from .outside import size_in

FEWEST, CHANNELS = 8, 4
CELLS = regex(r"cell|grid|block|tile|patch|stride|\b(?:heat|score|feature)?[ _-]?map\b", re.IGNORECASE)
"""Words for places that are no pixels."""


def exchanged(asked: Asked) -> str:
    """Returns a hint about rows and columns of a map that are read in each other's place, or "" if they
    aren't."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) != 2 or min(lengths) < FEWEST or output.array.dtype.kind != "f":
            continue
        height, width = lengths
        if asked.is_batch(output):
            continue
        place = place_of(height, width)
        if not width % height or place is None:  # a row farther is some columns farther in either reading
            continue
        beside, below, across = (moved(asked, index, output, place, by) for by in (1, width, height))
        if beside - below and below - beside:
            continue
        if beside - across and across - beside:
            return (
                f"{output.what}: what the guest says of the place of its largest element follows it as if "
                f"its rows had {height} elements; they have {width} ({height} rows of {width}): are rows and "
                "columns exchanged?"
            )
    return ""


def unscaled(asked: Asked) -> str:
    """Returns a hint about a place in a smaller map that is written beside the size of the picture, or "" if
    there is none."""
    for index, output in asked.fetched():
        if len(output.lengths) != 2 or min(output.lengths) < FEWEST or output.array.dtype.kind != "f":
            continue
        height, width = output.lengths
        for by in strides(asked, height, width):
            if size_in(asked.control.text, width, height):
                continue  # the size to which places belong is said
            size = size_in(asked.control.text, by * width, by * height)
            if size and not CELLS.search(asked.control.text) and are_cells(asked, index, output):
                return (
                    f"{output.what}: the guest says places as columns and rows of the answer ({width} x "
                    f'{height}), and writes "{size}", the size of the input, beside them: are they not '
                    f"multiplied by {by}, the model's stride?"
                )
    return ""


def strides(asked: Asked, height: int, width: int) -> list[int]:
    """By how much pictures among the inputs are larger than a map."""
    found = []
    for one in asked.sent:
        lengths = [length for length in one.shape if length > CHANNELS]
        by = lengths[0] // height if len(lengths) == 2 else 0
        if by > 1 and lengths == [by * height, by * width]:
            found.append(by)
    return found


def are_cells(asked: Asked, index: int, output: Given) -> bool:
    """Whether two numbers are always the column and the row of the largest element."""
    height, width = output.lengths
    for row, column in ((1, 3), (height // 2, width - 2), (height - 2, width // 3)):
        said = [float(one) for one in numbers(asked, index, output, row * width + column)]
        if not {row, column} <= {*said}:
            return False
    return True


def place_of(height: int, width: int) -> int | None:
    """An element that may be moved by some rows and columns, in either reading."""
    for place in range(height * width // 3, height * width - max(height, width) - 1):
        inside = place % width + 1 < width and place % height + 1 < height
        if inside and place // width + 1 < height and place // height + 1 < width:
            return place
    return None


def moved(asked: Asked, index: int, output: Given, place: int, by: int) -> frozenset[int]:
    """Which of the numbers that are written change if the largest element moves by so many."""
    one, other = (numbers(asked, index, output, at) for at in (place, place + by))
    if not one or len(one) != len(other):
        return frozenset()
    return frozenset(places_that_differ(one, other))


def numbers(asked: Asked, index: int, output: Given, place: int) -> list[str]:
    """Returns what is written if this element is the largest, and all elements of other outputs are the
    same."""
    made: dict[int, Any] = {index: output.filled([place])}
    for number, one in asked.fetched():
        if number != index:
            made[number] = one.array * 0 + one.array.mean().astype(one.array.dtype)
    return NUMBER.findall(asked.said(made) or "")
