"""Planes of a grid's numbers that are read as if those of a cell lay side by side, or the other way round.

What is here: `misread`. A few cells get the surest one's numbers as they lie, and as they would in the other
layout: what is written moves evenly with the cell in the one that the guest reads. What is not: further maps
beside one of scores (`heatmaps.py`), and rows of boxes (`transposed.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...records import Frozen
from .asked import Asked
from .cell_planes import STEP, Planes, Seen, moved_in, planes_of

WHERE = (0.2, 0.5, 0.8)
"""Where the cells lie that are tried, as parts of all rows."""


class Moves(Frozen):
    """Which numbers move with a cell's column and row, and by how much."""

    across: tuple[int, ...]
    down: tuple[int, ...]
    steps: tuple[float, float]


def misread(asked: Asked) -> str:
    """Returns a hint about the numbers of cells that are read in another layout than theirs, or "" if they
    aren't."""
    planes = planes_of(asked)
    other = planes.laid_otherwise() if planes is not None else None
    for score in planes.scores if planes is not None and other is not None else ():
        assert planes is not None and other is not None
        planes.choose(score)
        other.choose(score)
        if follows(planes):
            return ""
        if follows(other):
            count = len(planes.cells)
            ways = "planes, one for each number", f"{count} numbers side by side for each cell"
            lie, read = ways if planes.is_planar else ways[::-1]
            return (
                f"{planes.what}: what the guest writes of a cell follows its row and column as if the "
                f"answer were {read}; by its shape it has {lie} ({planes.rows} x {planes.columns} cells)"
            )
    return ""


def is_read(seen: Seen) -> bool:
    """Whether what is written of a cell moves with its column and with its row."""
    return bool(seen.step(seen.beside) and seen.step(seen.below)) and not {*seen.beside} & {*seen.below}


def follows(planes: Planes) -> bool:
    """Whether what is written moves evenly with a cell in all parts of the grid."""
    known = planes.said(None)
    found: list[Moves] = []
    for moves in moves_of(planes, len(known)):
        if moves is None:
            return False
        found.append(moves)
    first = found[0]
    return all((one.across, one.down) == (first.across, first.down) for one in found) and all(
        abs(one.steps[axis] - first.steps[axis]) <= abs(first.steps[axis]) / 4
        for one in found
        for axis in (0, 1)
    )


def moves_of(planes: Planes, nothing: int) -> Iterator[Moves | None]:
    """Yields what moves with each of a few cells, or None if a cell's numbers don't move evenly. The guest
    writes `nothing` numbers if no cell has a thing."""
    for part in WHERE:
        at = round(part * (planes.rows - STEP - 1)) * planes.columns + (planes.columns - STEP) // 2
        own = planes.said(at)
        sides = [moved_in(own, planes.said(at + STEP * by)) for by in (1, planes.columns)]
        seen = Seen(own, *sides)
        if len(own) <= nothing or not is_read(seen):
            yield None
            return
        yield Moves((*sides[0],), (*sides[1],), (seen.step(sides[0]), seen.step(sides[1])))
