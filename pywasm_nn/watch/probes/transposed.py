"""Boxes in columns that a guest reads as if they lay in rows, or the other way round.

What is here: `transposed`. One box alone is given, where the model puts it and where it would lie in the
other layout, at several places. What is not: maps of classes (`maps.py`), and boxes and scores that are two
outputs (`rows.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .asked import Asked
from .formulas import numbers
from .suppression import Boxes, boxes_of

FEWEST_ROWS, TIMES = 64, 2
"""So many boxes, and so many times as many as a box has numbers, are known to be boxes."""
PLACES = (0.33, 0.55, 0.8)
"""Where boxes are put, the first as a part of those that are before the scores if columns were rows."""
SURE = 0.95
PART = 0.5
"""Numbers of a box that are so much of the largest score are scores, too."""
BOX, APART = 4, 0.4
"""Numbers of a box, and what those of another one are multiplied by, so that the two lie apart."""
MANY = 0.2
"""A guest that writes so many of its numbers of no scores at all may take something else for scores."""


def transposed(asked: Asked) -> str:
    """Returns a hint if a guest only finds a box whose numbers lie as in the other layout, or "" if it finds
    others."""
    boxes = boxes_of(asked)
    if boxes is None or len(boxes.outputs) > 1 or (best := boxes.best) is None:
        return ""
    array = boxes.scores.array
    width = array.size // boxes.count
    if array.dtype.kind != "f" or boxes.count < max(FEWEST_ROWS, TIMES * width):
        return ""
    said = asked.said(boxes.made(best, {}))
    if said is None or len(numbers(said)) < MANY * len(numbers(asked.control.text)):
        return ""
    for row in rows_of(boxes, best):
        if follows(asked, boxes, row, turned=False):
            return ""
        if follows(asked, boxes, row, turned=True):
            return told(boxes, width)
    return ""


def told(boxes: Boxes, width: int) -> str:
    """The hint."""
    rows, columns = boxes.scores.lengths
    shape = ",".join(map(str, boxes.scores.array.shape))
    in_columns, in_rows = f"k * {boxes.count} + i", f"i * {width} + k"
    right, wrong = (in_columns, in_rows) if rows == width else (in_rows, in_columns)
    return (
        f"{boxes.scores.what}: the answer [{shape}] is read as if it were {columns} rows of {rows}; it has "
        f"{rows} rows of {columns}: number k of box i is element {right}, and not {wrong} (rows and columns "
        "are exchanged: is it to be transposed?)"
    )


def rows_of(boxes: Boxes, best: int) -> list[Any]:
    """The surest box with a sure score; and with a score of any object before those of classes, too."""
    row = boxes.rows(boxes.scores.array)[best].copy()
    scores = row[boxes.columns]
    if scores.max() <= 1 and scores.min() >= 0:
        scores[scores >= PART * scores.max()] = SURE
    object_, first = row.copy(), boxes.columns.start or 0
    object_[first] = max(SURE, float(scores.max()))
    return [row] if object_[first] == row[first] else [row, object_]


def follows(asked: Asked, boxes: Boxes, row: Any, *, turned: bool) -> bool:
    """Whether the same is written wherever a box lies, and another thing of none, and of two."""
    first = PLACES[0] * (BOX / len(row) if turned else 1.0)
    places = [round(part * boxes.count) for part in (first, *PLACES[1:])]
    other = row.copy()
    other[:BOX] *= APART
    ways: list[dict[int, Any]] = [{place: row} for place in places]
    own = asked.said({boxes.index: alone(boxes, ways[0], turned=turned)})
    if own is None or any(
        asked.said({boxes.index: alone(boxes, way, turned=turned)}) != own for way in ways[1:]
    ):
        return False
    others: list[dict[int, Any]] = [{}, {places[0]: row, places[2]: other}]
    return all(asked.said({boxes.index: alone(boxes, way, turned=turned)}) != own for way in others)


def alone(boxes: Boxes, rows: Mapping[int, Any], *, turned: bool) -> Any:
    """An answer with these boxes alone, in its own layout, or in the other one."""
    import numpy

    array = boxes.scores.array
    table = numpy.zeros((boxes.count, array.size // boxes.count), array.dtype)
    table[:, boxes.columns] = min(0.0, float(boxes.rows(array)[:, boxes.columns].min()))
    for place, row in rows.items():
        table[place] = row
    is_in_rows = (boxes.scores.lengths[0] == boxes.count) is not turned
    return numpy.ascontiguousarray(table if is_in_rows else table.T).reshape(array.shape)
