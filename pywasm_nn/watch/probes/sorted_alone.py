"""Boxes with scores that were sorted without their boxes: the largest score stands beside the box of the
first row.

What is here: `sorted_alone`. One row has the surest score, and its box is changed, and that of the first or
last row. What is not: which of several boxes are kept (`suppression.py`), and layouts (`transposed.py`).
"""

from __future__ import annotations

from typing import Any

from .asked import Asked
from .suppression import BOX, LESS, Boxes, boxes_of

PLACES = (0.35, 0.62)
"""Rows, as parts of their number, of which one is the surest."""
OTHER = (0.8, 0.8, 0.9, 0.9)
"""Factors for the four numbers of a box that make another box of it, whether they are corners or sides."""


def sorted_alone(asked: Asked) -> str:
    """Returns a hint if the first or last row's box is written with the largest score, whichever row has it,
    and the box of the row that has it never, or "" if that isn't so."""
    boxes = boxes_of(asked)
    if boxes is None or (best := boxes.best) is None or output_of_boxes(boxes) is None:
        return ""
    sure = [round(part * boxes.count) for part in PLACES]
    for end in (0, boxes.count - 1):
        if end not in sure and all(is_at_the_end(asked, boxes, best, end, row) for row in sure):
            which = "first" if end == 0 else "last"
            return (
                f"{boxes.scores.what}: whichever of {boxes.count} rows has the largest score, the guest "
                f"writes that score with the box of the {which} row, and the box of the row itself is never "
                "written: were the scores sorted, and the boxes not? Sort the rows' numbers by their scores"
            )
    return ""


def is_at_the_end(asked: Asked, boxes: Boxes, best: int, end: int, row: int) -> bool:
    """Whether the score of a row is written, and with it the box of the row at an end and not its own."""

    def said(scores: dict[int, float], moved: int | None = None) -> str | None:
        made = boxes.made(best, scores)
        if moved is not None:
            move(boxes, made, moved)
        return asked.said(made)

    both = {end: LESS, row: 1.0}
    own = said(both)
    if own is None or not own.strip() or own == said({end: LESS}):
        return False
    return said(both, end) not in (None, own) and said(both, row) == own


def output_of_boxes(boxes: Boxes) -> int | None:
    """The output that has four numbers of each row's box, or None if it isn't known."""
    if len(boxes.outputs) == 1:
        return boxes.index
    others = [index for index in boxes.outputs if index != boxes.index]
    rows = boxes.rows(boxes.outputs[others[0]].array)
    return others[0] if len(others) == 1 and rows.shape[1] >= BOX else None


def move(boxes: Boxes, made: dict[int, Any], row: int) -> None:
    """Give a row another box."""
    index = output_of_boxes(boxes)
    assert index is not None, "asked before"
    boxes.rows(made[index])[row, :BOX] *= OTHER
