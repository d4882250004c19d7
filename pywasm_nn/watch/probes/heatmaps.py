"""Maps of scores with further maps of sizes, offsets or points: does a guest read these where the cell's
numbers lie, and does it keep one of two cells that have nearly the same box?

What is here: `mispaired` and `unsuppressed`. One cell alone, or one and its neighbour, get a score. What is
not: rows of boxes (`rows.py`, `suppression.py`), and places in a map (`cells.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ...records import Frozen
from .asked import NUMBER, Asked
from .suppression import ON_PURPOSE, are_alike, shape_of

FEWEST, MOST_PLANES = 8, 64
"""Rows and columns of a map, and numbers of each of its cells."""
CHANGE = 1.0
HALF = 0.5
"""A cell is sure if it has so much of the largest score."""
LESS = 0.97
"""How large the score of the neighbour is, as a part of the largest."""


class Maps(Frozen):
    """The index of the scores, their rows and columns, the surest cell, and the further maps by their index,
    with how many numbers a cell has, and whether these lie in planes."""

    index: int
    height: int
    width: int
    cell: int
    others: tuple[tuple[int, int, bool], ...]

    @property
    def size(self) -> int:
        return self.height * self.width

    def places(self, count: int, cell: int, *, in_planes: bool) -> list[int]:
        """Where the numbers of a cell lie."""
        if in_planes:
            return [cell + self.size * at for at in range(count)]
        return [count * cell + at for at in range(count)]


def maps_of(asked: Asked) -> Maps | None:
    """Returns the maps that a guest fetches, or None if there are no scores, or several, or no further
    maps."""
    outputs = [(index, one) for index, one in asked.fetched() if one.array.dtype.kind == "f"]
    scores = [(index, one) for index, one in outputs if len(one.lengths) == 2 and min(one.lengths) >= FEWEST]
    if len(scores) != 1:
        return None
    index, score = scores[0]
    height, width = score.lengths
    others = []
    for other, one in outputs:
        lengths = one.lengths
        if len(lengths) == 3 and lengths[1:] == [height, width] and 2 <= lengths[0] <= MOST_PLANES:
            others.append((other, lengths[0], True))
        elif len(lengths) == 3 and lengths[:2] == [height, width] and 2 <= lengths[2] <= MOST_PLANES:
            others.append((other, lengths[2], False))
    cell = int(score.array.argmax())
    is_inside = 0 < cell % width < width - 1 and cell >= width
    return Maps(index, height, width, cell, tuple(others)) if others and is_inside else None


def scored(asked: Asked, maps: Maps, scores: dict[int, float]) -> Any:
    """The map of scores in which some cells have a part of the largest one, and no other has any."""
    array = asked.outputs[maps.index].array
    low, high = float(array.min()), float(array.max())
    made = (array * 0 + array.dtype.type(low)).reshape(-1)
    for cell, part in scores.items():
        made[cell] = low + part * (high - low)
    return made.reshape(array.shape)


def mispaired(asked: Asked) -> str:
    """Returns what is wrong with the places from which the numbers of a cell are read, or "" if nothing
    is."""
    maps = maps_of(asked)
    for index, count, in_planes in maps.others if maps is not None else ():
        assert maps is not None
        if all(reads_others(asked, maps, index, count, cell) for cell in cells(maps)):
            own, other = "planes", f"{count} numbers after each other for each cell"
            lie, read = (own, other) if in_planes else (other, own)
            output = asked.outputs[index]
            return (
                f"{output.what}: what the guest says of the cell with the largest score follows it as if it "
                f"were {read}; its shape, {list(output.array.shape)}, says {lie}"
            )
    return ""


def cells(maps: Maps) -> Iterator[int]:
    """The surest cell, and one beside it."""
    yield from (maps.cell, maps.cell - 1)


def reads_others(asked: Asked, maps: Maps, index: int, count: int, cell: int) -> bool:
    """Whether what is said of a cell follows numbers where they would lie in the other layout, and not its
    own."""
    in_planes = next(planes for one, _, planes in maps.others if one == index)
    array, score = asked.outputs[index].array, {maps.index: scored(asked, maps, {cell: 1.0})}

    def said(*, in_planes: bool) -> str | None:
        made = array.copy().reshape(-1)
        made[maps.places(count, cell, in_planes=in_planes)] += CHANGE
        return asked.said(score | {index: made.reshape(array.shape)})

    alone = asked.said(score)
    if not alone or NUMBER.search(alone) is None:
        return False
    return said(in_planes=in_planes) == alone and said(in_planes=not in_planes) not in (alone, None)


def unsuppressed(asked: Asked) -> str:
    """Two cells beside each other whose boxes are nearly the same are both said."""
    maps = maps_of(asked)
    if maps is None or ON_PURPOSE.search(asked.control.text) or are_peaks(asked, maps):
        return ""
    first, second = cells(maps)
    others: dict[int, Any] = {}
    for index, count, in_planes in maps.others:
        array = asked.outputs[index].array
        made = array.copy().reshape(-1)
        own, beside = (maps.places(count, cell, in_planes=in_planes) for cell in (first, second))
        made[beside] = made[own]
        others[index] = made.reshape(array.shape)
    ways = ({first: 1.0}, {second: LESS}, {first: 1.0, second: LESS})
    texts = [asked.said(others | {maps.index: scored(asked, maps, scores)}) or "" for scores in ways]
    one, other, both = ({*text.splitlines()} for text in texts)
    pairs = [
        pair
        for pair in product(one - other, other - one)
        if {*pair} <= both and shape_of(pair[0]) == shape_of(pair[1]) and are_alike(*map(numbers, pair))
    ]
    if not pairs:
        return ""
    return (
        f"{asked.outputs[maps.index].what}: of two cells beside each other with nearly the same box the "
        "guest says both: is non-maximum suppression missing?"
    )


def are_peaks(asked: Asked, maps: Maps) -> bool:
    """Whether no two sure cells of the model's own answer lie beside each other: it may keep peaks alone, so
    that nothing is left to suppress."""
    scores = asked.outputs[maps.index].array.reshape(maps.height, maps.width).astype("f8")
    sure = scores >= scores.min() + HALF * (scores.max() - scores.min())
    beside = (sure[1:] & sure[:-1]).any() or (sure[:, 1:] & sure[:, :-1]).any()
    return not beside


def numbers(line: str) -> Sequence[float]:
    return [float(one) for one in NUMBER.findall(line)]
