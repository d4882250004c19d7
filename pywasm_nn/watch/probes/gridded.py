"""Boxes that a model gives relative to the cells of three grids, one behind the other: how far apart does the
guest write the same box of two cells?

What is here: `misscaled`. One row alone has a score, then another one of the same grid with the same numbers:
what is written moves by their distance in cells times the stride, in the picture's pixels. What is not: boxes
that the model itself has brought to their places, which don't move (`drawn.py`), and those of anchors
(`anchors.py`).
"""

from __future__ import annotations

from ..spoken import Word
from .asked import Asked, Placed
from .cells import CELLS
from .drawn import OF_THE_INPUT
from .formulas import numbers
from .outside import beyond_picture, size_in
from .suppression import Boxes, boxes_of

STRIDES = (8, 16, 32)
START, APART = 0.34, 0.25
"""Where the first cell is, and how far the other is from it, as parts of a grid."""
RELATIVE = 16.0
"""The usual place of a box in its cell is smaller, in cells."""
NEAR = 0.02
LARGER = 1.05
"""A picture is so much larger or smaller than where it lies in the input that boxes of the two differ."""


class Grid:
    """The middle one of three grids: where it `begins` among the rows, and its `height` and `width`."""

    stride = STRIDES[1]

    def __init__(self, height: int, width: int) -> None:
        """The input's height and width in pixels."""
        sizes = [(height // stride, width // stride) for stride in STRIDES]
        self.rows = sum(high * wide for high, wide in sizes)
        self.begins = sizes[0][0] * sizes[0][1]
        self.height, self.width = sizes[1]

    def row(self, down: int, across: int) -> int:
        """The row of a cell that lies so far from the first one that is tried."""
        top, left = round(START * self.height), round(START * self.width)
        return self.begins + (top + down) * self.width + left + across

    @property
    def steps(self) -> tuple[int, int]:
        return max(2, round(APART * self.width)), max(2, round(APART * self.height))


def misscaled(asked: Asked) -> str:
    """Returns what is wrong with how boxes are brought from their cells to the picture, or "" if nothing
    is."""
    boxes = boxes_of(asked)
    placed = next((one.placed for one in asked.sent if one.placed is not None), None)
    if boxes is None or placed is None or len(boxes.outputs) > 1 or (best := boxes.best) is None:
        return ""
    grid = Grid(*placed.input)
    places = abs(boxes.rows(boxes.scores.array)[:, :2].astype("f8"))
    if grid.rows != boxes.count or float(places.mean()) > RELATIVE:
        return ""
    across, down = grid.steps
    own, beside, below = (said(asked, boxes, best, grid.row(*by)) for by in ((0, 0), (0, across), (down, 0)))
    moves = moved(own, beside) / across, moved(own, below) / down
    wrong = sentence(asked, boxes, placed, moves)
    is_by = all(abs(one - grid.stride) <= NEAR * grid.stride for one in moves)
    if wrong or not is_by or OF_THE_INPUT.search(asked.control.text):
        return wrong
    said_beyond = beyond_picture(asked.control.text, (changed(own, beside), changed(own, below)), placed)
    return said_beyond and f"{boxes.scores.what}: {said_beyond}"


def said(asked: Asked, boxes: Boxes, best: int, place: int) -> list[Word]:
    """The numbers that are written if this row has the surest one's, and it alone."""
    made = boxes.made(best, {})
    rows = boxes.rows(made[boxes.index])
    rows[place] = boxes.rows(boxes.scores.array)[best]
    return numbers(asked.said(made) or "")


def moved(one: list[Word], other: list[Word]) -> float:
    """Returns by how much numbers differ, if all that differ do by the same, or 0 if they don't."""
    if len(one) != len(other):
        return 0.0
    pairs = [(b.value - a.value, a.unit) for a, b in zip(one, other, strict=True) if a.value != b.value]
    if not pairs:
        return 0.0
    by = sum(change for change, _ in pairs) / len(pairs)
    return by if all(abs(change - by) <= 1.01 * unit for change, unit in pairs) else 0.0


def changed(one: list[Word], other: list[Word]) -> list[int]:
    """Which numbers differ, or [] if there aren't as many of both, as where time was over."""
    if len(one) != len(other):
        return []
    return [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a.value != b.value]


def sentence(asked: Asked, boxes: Boxes, placed: Placed, moves: tuple[float, float]) -> str:
    """Returns what is wrong if boxes move by so much for each cell, across and down, or "" if that is not
    so."""
    top, left, bottom, right = placed.part
    scales = (right - left) / placed.lies[3], (bottom - top) / placed.lies[2]
    stride = Grid.stride

    def is_by(factors: tuple[float, float]) -> bool:
        return all(
            abs(own - by) <= NEAR * by + 0.1 * min(by, 1.0) for own, by in zip(moves, factors, strict=True)
        )

    pixels = stride * scales[0], stride * scales[1]
    if is_by(pixels):
        return ""
    if CELLS.search(text := asked.control.text):
        return ""
    if is_by((1.0, 1.0)) or is_by(scales):
        return (
            f"{boxes.scores.what}: the same box of the next cell of a grid is written {moves[0]:.3g} pixels "
            f"farther; the model's places are in cells of {', '.join(map(str, STRIDES))} pixels: is "
            "(number + cell) not multiplied by the grid's stride?"
        )
    (height, width), (high, wide) = placed.size, placed.input
    beside, own = size_in(text, width, height), size_in(text, wide, high)
    is_other = not own and all(max(scale, 1 / scale) > LARGER for scale in scales)
    if not beside or not is_other or OF_THE_INPUT.search(text) or not is_by((stride, stride)):
        return ""
    return (
        f"{boxes.scores.what}: the guest writes boxes in the {wide} x {high} pixels of the input, and beside "
        f'them "{beside}", the size of the picture, which lies there as {placed.lies[3]} x '
        f"{placed.lies[2]}: are they not multiplied by {scales[0]:.4g}?"
    )
