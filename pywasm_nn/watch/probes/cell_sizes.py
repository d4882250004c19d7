"""Sizes that a detector gives as logarithms, written as they are.

What is here: `unraised`. Which numbers of a cell are written along a line is seen in copies of the guest;
that they are logarithms is seen in the model's answer to a part of the picture, twice as large: sizes are
doubled there, and their logarithms grow by 0.69. What is not: the places of cells (`cell_planes.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Any

from ...arrays import numpy
from ..spoken import Word
from ..whatif.views import View
from .asked import Asked
from .cell_planes import CHANGES, HALF, NEAR, SURE, Planes, planes_of

PARTS = (View(0.0, 0.0), View(0.0, 0.5), View(0.5, 0.0), View(0.5, 0.5), View(0.25, 0.25))
"""The parts of a picture that a model may be asked about."""
MOST_ASKED, FEWEST = 2, 3
"""So many parts a model is asked about, and so many things are in one."""
BORDER = 2
"""Cells at the end of a grid, in which things are cut off."""
CLOSE, LIKE, FARTHER = 0.2, 0.75, 0.35
"""How near logarithms are to what they should be, how many of them, and how far they are from doubled numbers
in the middle."""


def unraised(asked: Asked) -> str:
    """Returns what is wrong with sizes that are written as they are, or "" if nothing is known to be."""
    planes = planes_of(asked)
    for score in planes.scores if planes is not None else ():
        assert planes is not None
        planes.choose(score)
        own: list[Word] = []
        for part in sorted(PARTS, key=lambda part: -len(cells_in(planes, part)))[:MOST_ASKED]:
            for plane, pairs in logarithms(asked, planes, part):
                own = own or planes.said(planes.place)
                if is_straight(planes, own, plane):
                    return sentence(planes, plane, pairs)
    return ""


def logarithms(asked: Asked, planes: Planes, part: View) -> Iterator[tuple[int, Any]]:
    """The numbers of a cell that are logarithms of sizes, with those of things in a part of the picture."""
    return ((plane, pairs) for plane, pairs in compared(asked, planes, part) if are_logarithms(pairs))


def compared(asked: Asked, planes: Planes, part: View) -> Iterator[tuple[int, Any]]:
    """The numbers of a cell, with those of each thing in a part of the picture as it is, and in it twice as
    large."""
    closer = asked.answer_to(part) if len(cells_in(planes, part)) >= FEWEST else {}
    if any(index not in closer for index in asked.outputs):
        return
    taken = numpy.concatenate(planes.taken(closer))
    for plane in planes.others if taken.shape == planes.cells.shape else ():
        pairs = numpy.array([*pairs_of(planes, taken, part, plane)]).reshape(-1, 2)
        if len(pairs) >= FEWEST:
            yield plane, pairs


def is_straight(planes: Planes, own: Sequence[Word], plane: int) -> bool:
    """Whether a number that is written follows this one of a cell along a line."""
    little, more = (planes.moved(own, 0, {plane: by}) for by in CHANGES)
    for place in {*little} & {*more}:
        first, second = (one[place].value - own[place].value for one in (little, more))
        room = 2 * little[place].unit * max(CHANGES) + abs(NEAR * second)
        if abs(first) > little[place].unit and abs(second - first * CHANGES[1] / CHANGES[0]) <= room:
            return True
    return False


def cells_in(planes: Planes, part: View) -> list[tuple[int, int, int, int]]:
    """The row and column of the cells in which something was found, and where these lie in a part of the
    picture that is twice as large, or in another view."""
    levels = planes.levels(planes.cells[planes.score])
    sure = (levels >= SURE) & (levels >= planes.around(levels))
    found = []
    for row, column in numpy.argwhere(sure).tolist():
        down = row if part.top is None else 2 * (row - part.top * planes.rows)
        across = column if part.left is None else 2 * (column - part.left * planes.columns)
        across = planes.columns - 1 - across if part.is_mirrored else across
        least, more = (0, 0) if part.is_mirrored else (BORDER, BORDER + 1)
        if least <= down < planes.rows - more and least <= across < planes.columns - more:
            found.append((row, column, int(down), int(across)))
    return found


def pairs_of(planes: Planes, taken: Any, part: View, plane: int) -> Iterator[tuple[float, float]]:
    """A number of each cell, and of the surest cell at its place in the enlarged part."""
    levels = planes.levels(taken[planes.score])
    before, behind = (0, 0) if part.is_mirrored else (1, 2)
    for row, column, down, across in cells_in(planes, part):
        top, left = down - before, across - before
        near = levels[top : down + 1 + behind, left : across + 1 + behind]
        below, beside = divmod(int(near.argmax()), near.shape[1])
        if near.max() >= HALF:
            other = taken[plane, top + below, left + beside]
            yield float(planes.cells[plane, row, column]), float(other)


def are_logarithms(pairs: Any) -> bool:
    """Whether numbers grow by the logarithm of 2 where things are twice as large, and are not doubled."""
    own, other = pairs.T
    by_log = abs(other - own - log(2))
    return bool((by_log <= CLOSE).mean() >= LIKE and numpy.median(abs(other - 2 * own)) >= FARTHER)


def sentence(planes: Planes, plane: int, pairs: Any) -> str:
    own, other = numpy.median(pairs, axis=0)
    what, number = planes.place_in_output(plane)
    return (
        f"{what}: the guest writes number {number} of a cell (from 0) without exp; where a part of the "
        f"picture is sent twice as large, that of the {len(pairs)} things in it isn't doubled, but grows "
        f"from {own:.2f} to {other:.2f}, by the logarithm of 2: is it the logarithm of a size?"
    )
