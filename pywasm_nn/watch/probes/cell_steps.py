"""Cells of a grid that a guest takes to be farther apart than they are: the sides of what a cell sees, in
place of the distance from cell to cell.

What is here: `misstepped`. How far what is written moves with each cell is seen in copies of the guest; how
far cells are apart, in the model's answer to the picture moved by some pixels. What is not: places in the
pixels of another size (`cell_pixels.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..whatif.views import View
from .asked import Asked
from .cell_planes import Planes, Seen
from .cells import CELLS

MOVED, FEWEST_TIMES, MOST_CELLS = 16, 4, 8
"""By how many pixels a picture is moved, how many times as large it is at least, and by how many cells the
answer may move then."""
BEYOND, FARTHER = 1.1, 1.4
"""The last cell is so far beyond the picture, and cells are so much farther apart than they are."""
SAME, OTHER, BORDER = 0.98, 0.9, 2
"""How alike the moved scores are, how alike they may be at most if they are moved by another number of cells,
and the cells at each end that see beyond the picture."""


def misstepped(asked: Asked, planes: Planes, seen: Seen) -> str:
    """Returns what is wrong with the distance of cells, or "" if nothing is known to be."""
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    steps = seen.step(seen.beside), seen.step(seen.below)
    if placed is None or min(steps) <= 0 or CELLS.search(asked.control.text):
        return ""
    (height, width), row, column = placed.size, *divmod(planes.place, planes.columns)
    left = planes.columns - 1 - column, planes.rows - 1 - row
    ends = [
        max(seen.own[at].value for at in moved) + step * cells
        for moved, step, cells in zip((seen.beside, seen.below), steps, left, strict=True)
    ]
    is_whole = placed.part == (0, 0, height, width) and placed.lies == (0, 0, *placed.input)
    if not is_whole or not (ends[0] > BEYOND * width and ends[1] > BEYOND * height):
        return ""
    stride = stride_of(asked, planes)
    scales = width / placed.input[1], height / placed.input[0]
    wanted = [stride * scale for scale in scales]
    if not stride or any(one < FARTHER * own for one, own in zip(steps, wanted, strict=True)):
        return ""
    return (
        f"{planes.what}: the guest writes places that move by {steps[0]:.4g} and {steps[1]:.4g} with each "
        f"cell, and the last one lies at {ends[0]:.4g} and {ends[1]:.4g} of {width} x {height} pixels; the "
        f"model's answer moves by a cell if the picture in the input moves by {stride:g}: are cells "
        f"{wanted[0]:.4g} apart, and only as large as {steps[0]:.4g}?"
    )


def stride_of(asked: Asked, planes: Planes) -> float:
    """Returns by how many pixels cells are apart in the input, or 0 if it isn't known."""
    if any(min(one.height, one.width) < FEWEST_TIMES * MOVED for one in asked.pictures):
        return 0.0
    moved = asked.answer_to(View(moved=MOVED))
    if any(index not in moved for index in asked.outputs):
        return 0.0
    taken = numpy.concatenate(planes.taken(moved))
    if taken.shape != planes.cells.shape:
        return 0.0
    own, other = planes.cells[planes.score], taken[planes.score]
    most = min(MOST_CELLS, min(own.shape) - 2 * BORDER - 2)
    alike = {cells: likeness(own, other, cells) for cells in range(most + 1)}
    cells = max(alike, key=alike.__getitem__, default=0)
    beside = [one for at, one in alike.items() if abs(at - cells) == 1]
    is_known = cells > 0 and alike[cells] >= SAME and max(beside) <= OTHER
    return MOVED / cells if is_known else 0.0


def likeness(own: Any, other: Any, cells: int) -> float:
    """How alike scores are to those that lie so many cells farther down and across: at most 1."""
    rows, columns = own.shape
    first = own[BORDER : rows - BORDER - cells, BORDER : columns - BORDER - cells].astype("f8").reshape(-1)
    second = other[BORDER + cells : rows - BORDER, BORDER + cells : columns - BORDER].astype("f8").reshape(-1)
    if not first.std() or not second.std():
        return 0.0
    return float(numpy.corrcoef(first, second)[0, 1])
