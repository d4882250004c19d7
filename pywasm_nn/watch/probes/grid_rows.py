"""Answers with a row for each cell of a grid that lies over the input: how many cells does the guest count to
a row of the grid?

What is here: `misdivided`. One cell after the other is made the surest: the one below moves what is written
down, and not across. What is not: maps with dimensions of their own (`cells.py`), and rows that have anchors
(`counted_anchors.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...records import Frozen
from .asked import Asked, Given
from .formulas import numbers

STRIDES = (8, 16, 32, 64, 128)
FEWEST_CELLS, LEAST_SIDE, MOST_CLASSES, MOST_OUTPUTS = 24, 4, 128, 2
SURE = 0.99


class Grid(Frozen):
    """Rows and columns of cells, each so many pixels wide, over an input of a height and width."""

    rows: int
    columns: int
    stride: int
    size: tuple[int, int]

    @property
    def is_cut(self) -> bool:
        """Whether the last cells of its rows lie beyond the input in part."""
        return self.size[1] % self.stride > 0


def misdivided(asked: Asked) -> str:
    """Returns what is wrong with the places of cells that are written, or "" if nothing is known to be
    wrong."""
    sizes = {(one.height, one.width) for one in asked.pictures}
    outputs = dict(asked.fetched()) if len(sizes) == 1 else {}
    size = next(iter(sizes), (0, 0))
    found = [(index, grid) for index, output in outputs.items() for grid in grids_of(output, size)]
    found.sort(key=lambda one: not one[1].is_cut)
    for index, grid in found[:MOST_OUTPUTS]:
        if said := wrong(asked, outputs, index, grid):
            return f"{outputs[index].what}: {said}"
    return ""


def grids_of(output: Given, size: tuple[int, int]) -> Iterator[Grid]:
    """The grid of which an output has a row for each cell, if there is only one such."""
    lengths = output.lengths
    if output.array.dtype.kind != "f" or not 1 <= len(lengths) <= 2 or lengths[0] < FEWEST_CELLS:
        return
    if lengths[1:] and lengths[1] > MOST_CLASSES:
        return
    found = [Grid(-(-size[0] // stride), -(-size[1] // stride), stride, size) for stride in STRIDES]
    known = [one for one in found if one.rows * one.columns == lengths[0]]
    if len(known) == 1 and min(known[0].rows, known[0].columns) >= LEAST_SIDE:
        yield from known


def wrong(asked: Asked, outputs: dict[int, Given], index: int, grid: Grid) -> str:
    """Returns what is wrong with the cells of one output, or "" if nothing is."""
    size = grid.size
    begins = grid.rows // 2 * grid.columns + grid.columns // 3
    empty = {one: given.array * 0 for one, given in outputs.items()}

    def written(by: int) -> list[str]:
        made: Any = empty[index].copy()
        made.reshape(grid.rows * grid.columns, -1)[begins + by, -1] = SURE
        return [word.text for word in numbers(asked.said(empty | {index: made}) or "")]

    def moved(by: int) -> set[int]:
        other = written(by)
        pairs = enumerate(zip(own, other, strict=False))
        return {at for at, (one, two) in pairs if one != two} if len(other) == len(own) else set()

    own = written(0)
    down = moved(grid.columns) if own else set()
    floor = size[1] // grid.stride
    for other, why in ((floor, "rounded down"), (grid.rows, "as many as it has rows")):
        below = moved(other) if len(down) > 1 and other != grid.columns else set()
        if below and below < down:
            return (
                f"the cell below another one is written {other} rows of the answer further on, as if a row "
                f"of the grid had {other} cells ({why}); an input of {size[1]} x {size[0]} has "
                f"{grid.columns} x {grid.rows} cells of {grid.stride} pixels"
            )
    return ""
