"""A map with a cell for each place of a picture: does what is said of a cell's row follow its row?

What is here: `exchanged`. One cell is the largest, beside it, below it, and as many elements farther as the
map has rows. What is not: numbers that are rows and columns as they are (`maps.py`).
"""

from __future__ import annotations

from typing import Any

from .asked import NUMBER, Asked, Given

FEWEST = 8


def exchanged(asked: Asked) -> str:
    """Rows and columns of a map that are read in each other's place; "" if they aren't."""
    for index, output in asked.fetched():
        lengths = output.lengths
        if len(lengths) != 2 or min(lengths) < FEWEST or output.array.dtype.kind != "f":
            continue
        height, width = lengths
        place = place_of(height, width)
        if not width % height or place is None:  # a row farther is some columns farther in either reading
            continue
        beside, below, across = (moved(asked, index, output, place, by) for by in (1, width, height))
        if beside and below and not beside & below:
            continue
        if beside and below and across and beside & below and not beside & across:
            return (
                f"{output.what}: what the guest says of the place of its largest element follows it as if "
                f"its rows had {height} elements; they have {width} ({height} rows of {width}): are rows and "
                "columns exchanged?"
            )
    return ""


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
    return frozenset(at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])


def numbers(asked: Asked, index: int, output: Given, place: int) -> list[str]:
    """What is written if this element is the largest, and all elements of other outputs are the same."""
    made: dict[int, Any] = {index: output.filled([place])}
    for number, one in asked.fetched():
        if number != index:
            made[number] = one.array * 0 + one.array.mean().astype(one.array.dtype)
    return NUMBER.findall(asked.said(made) or "")
