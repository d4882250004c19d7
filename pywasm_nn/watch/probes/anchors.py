"""Boxes that a model gives relative to places of its map (anchors): are they written as they are?

What is here: `unanchored`. Of two answers with the same numbers in all rows another row is the surest: boxes
that were brought to their anchors lie elsewhere. What is not: middles that are taken for corners
(`drawn.py`), and boxes that the model itself has brought to their places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..spoken import Word
from .asked import Asked, Given
from .formulas import numbers

FEWEST_ROWS, CORNERS, MOST_COLUMNS = 64, 4, 32
MIXED = 0.2
"""At least so many of the first two numbers of all rows are below 0, and above, if they are relative."""
SIZES = 0.95
"""This part of the next two numbers must be above 0, as sizes are, if no name says what the output has."""
NAMED = regex(r"box|regress|loc|delta|offset|anchor|rect", re.IGNORECASE)
PLACES = 0.21, 0.78
"""The surest rows, as parts of all."""
BOX, OTHER = (0.31, 0.23, 1.37, 1.61), (0.47, 0.13, 1.73, 1.19)
"""Two boxes, in parts of the usual width."""


def unanchored(asked: Asked) -> str:
    """Returns what is wrong with the boxes that are written, or "" if nothing is."""
    outputs = dict(asked.fetched())
    for index, boxes in outputs.items():
        width = relative(boxes)
        for place, scores in outputs.items() if width else ():
            rows = boxes.lengths[0]
            is_score = place != index and scores.array.dtype.kind == "f" and scores.lengths[:1] == [rows]
            if is_score and is_written(asked, (index, place), width):
                below = (boxes.array.reshape(rows, -1)[:, :2] < 0).mean()
                return (
                    f"{boxes.what}: the guest writes the same box whichever of the {rows} rows is the "
                    "surest, if all have the same numbers: the first two are relative to the place of the "
                    f"row in the model's map (its anchor; {below:.0%} of them are below 0), which is to be "
                    "added, and the next two are usually a width and a height, not the other corner"
                )
    return ""


def relative(boxes: Given) -> float:
    """Returns the usual width of boxes whose places are relative, or 0 for others."""
    array, lengths = boxes.array, boxes.lengths
    if array.dtype.kind != "f" or len(lengths) != 2 or not numpy.isfinite(array).all():
        return 0.0
    rows = array.reshape(lengths)
    if lengths[0] < FEWEST_ROWS or not CORNERS <= lengths[1] <= MOST_COLUMNS:
        return 0.0
    below = (rows[:, :2] < 0).mean(axis=0)
    is_mixed = bool(((below >= MIXED) & (below <= 1 - MIXED)).all())
    is_mixed &= bool(NAMED.search(boxes.what)) or bool((rows[:, 2:CORNERS] > 0).mean() > SIZES)
    return float(numpy.median(abs(rows[:, 2:CORNERS]))) if is_mixed else 0.0


def is_written(asked: Asked, which: tuple[int, int], width: float) -> bool:
    """Whether the box of the surest row is written, the same wherever the row is."""
    texts = [said(asked, which, width, part, BOX) for part in PLACES]
    if not texts[0] or any(len(one) != len(texts[0]) for one in texts):
        return False
    same = [at for at, (one, other) in enumerate(zip(*texts, strict=True)) if one.text == other.text]
    moved = said(asked, which, width, PLACES[0], OTHER)
    if len(moved) != len(texts[0]):
        return False
    pairs = zip(texts[0], moved, strict=True)
    followed = [at for at, (one, other) in enumerate(pairs) if one.text != other.text]
    return len(followed) >= CORNERS and {*followed} <= {*same}


def said(
    asked: Asked, which: tuple[int, int], width: float, part: float, box: tuple[float, ...]
) -> list[Word]:
    """The numbers that are written if a row is the surest, and all rows have this box."""
    boxes, scores = (asked.outputs[one] for one in which)
    rows, columns = boxes.lengths
    made: Any = boxes.array.reshape(rows, columns).copy()
    made[:, :CORNERS] = [width * one for one in box]
    made[:, CORNERS:] = width
    size = scores.array.size // rows
    surest = scores.filled([round(part * rows) * size + size - 1], clearly=True)
    changes: Mapping[int, Any] = {which[0]: made.reshape(boxes.array.shape), which[1]: surest}
    return numbers(asked.said(changes) or "")
