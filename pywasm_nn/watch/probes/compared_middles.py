"""Boxes with a middle and a size, of which a guest drops those that lie over each other: does it compare them
as what they are?

What is here: `as_corners`. Two rows get the same box, one whose numbers can't be two corners, and one whose
numbers can. What is not: guests that keep both in any case (`suppression.py`, `kept_boxes.py`).
"""

from __future__ import annotations

from typing import Any

from .asked import Asked
from .suppression import BOX, LESS, Boxes, boxes_of

HALF = 0.5
"""A row is sure if it has so much of the largest score."""
FEWEST = 8
"""The fewest rows with boxes."""


def as_corners(asked: Asked) -> str:
    """Returns a hint if the guest drops one of two equal boxes only where their numbers could be corners, or
    "" if it doesn't."""
    boxes = boxes_of(asked)
    if boxes is None or boxes.count < FEWEST or (best := boxes.best) is None:
        return ""
    index = table_of(boxes)
    middle = a_middle(boxes, index) if index is not None else None
    if index is None or middle is None:
        return ""

    def said(box: Any, *rows: tuple[int, float]) -> str | None:
        """Returns what the guest writes if these rows alone have scores, and have this box."""
        arrays = boxes.made(best, dict(rows))
        boxes.rows(arrays[index])[[best, best ^ 1], :BOX] = box
        return asked.said(arrays)

    sure, less = (best, 1.0), (best ^ 1, LESS)
    alone, both, other = said(middle, sure), said(middle, sure, less), said(middle, less)
    if None in (alone, both, other) or both in (alone, other):
        return ""
    corners = middle[[2, 3, 0, 1]]
    one = said(corners, sure)
    if one is None or one != said(corners, sure, less) or one == said(corners):
        return ""
    x, y, wide, high = (f"{float(one):.4g}" for one in middle)
    return (
        f"{boxes.outputs[index].what}: the guest keeps two equal boxes {x}, {y}, {wide}, {high}, and of two "
        f"equal ones {wide}, {high}, {x}, {y} it drops one: non-maximum suppression compares the middle and "
        "size of a box as if they were two corners"
    )


def table_of(boxes: Boxes) -> int | None:
    """Returns the output whose rows begin with boxes, or None if there is none."""
    others = [index for index in boxes.outputs if index != boxes.index]
    index = others[0] if others else boxes.index
    array = boxes.outputs[index].array
    width = boxes.rows(array).shape[1]
    is_table = array.dtype.kind == "f" and (width == BOX if others else width > BOX)
    return index if is_table else None


def a_middle(boxes: Boxes, index: int) -> Any:
    """Returns the box of a sure row that can't be two corners, if all sure rows may be middles with sizes, or
    None."""
    rows = boxes.rows(boxes.outputs[index].array)[:, :BOX]
    scores = boxes.of_things().max(axis=1)
    sure = rows[scores >= scores.min() + HALF * (scores.max() - scores.min())]
    if not (sure[:, 2:] > 0).all():
        return None
    found = sure[(sure[:, 2:] < sure[:, :2]).all(axis=1)]
    return found[0].copy() if len(found) else None
