"""Boxes in one output, a row for each number or a row for each box: are they read in that order?

What is here: `flipped`. One box alone has a score, as it lies and as it would in the other order. What is
not: rows of classes (`maps.py`, `batches.py`), and what is written of boxes (`drawn.py`).
"""

from __future__ import annotations

from typing import Any

from .asked import NUMBER, Asked
from .suppression import BOX, boxes_of

CHANGE = 0.1


def flipped(asked: Asked) -> str:
    """Returns a hint about boxes that are read as if rows were columns, or "" if they aren't."""
    boxes = boxes_of(asked)
    if boxes is None or len(boxes.outputs) != 1 or (best := boxes.best) is None:
        return ""
    output = boxes.scores
    row = boxes.rows(output.array)[best].astype(output.array.dtype)
    width = len(row)
    if len(output.lengths) != 2 or width in (boxes.count, 1):
        return ""
    by_number = output.lengths[0] == width
    low = min(0.0, float(output.array.min()))

    def said(place: int, numbers: Any, *, as_it_is: bool) -> str:
        """Returns what is written if a box of these numbers alone has a score, in either order."""
        made: Any = output.array.reshape(-1) * 0 + output.array.dtype.type(low)
        rows = (
            made.reshape(width, boxes.count).T if by_number is as_it_is else made.reshape(boxes.count, width)
        )
        rows[place] = numbers
        return asked.text(boxes.index, made.reshape(output.array.shape)) or ""

    changed = row.copy()
    changed[:2] += (CHANGE * boxes.rows(output.array)[:, :2].max()).astype(row.dtype)
    places = [boxes.count // 5, boxes.count // 2, boxes.count - 2]
    other = {said(place, row, as_it_is=False) for place in places}
    if len(other) > 1 or len(NUMBER.findall(next(iter(other)))) < BOX:
        return ""
    if said(places[0], changed, as_it_is=False) in other:
        return ""
    own = {said(place, row, as_it_is=True) for place in places}
    if own & other or any(said(place, changed, as_it_is=True) not in own for place in places[:1]):
        return ""
    lie, read = ("numbers", "boxes") if by_number else ("boxes", "numbers")
    rows_, columns = output.lengths
    return (
        f"{output.what}: what the guest says of boxes follows them as if it had a row for each of its "
        f"{read}; it has a row for each of its {lie} ({rows_} rows of {columns}): are rows and columns "
        "exchanged?"
    )
