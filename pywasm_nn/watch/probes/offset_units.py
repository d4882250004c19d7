"""Boxes relative to places of a model's map (anchors): are places and offsets added in the same unit?

What is here: `unlike_units`. All rows have the same box, and one after the other is the surest: that tells
how far apart places are written; then the box is moved, which tells how much an offset counts. What is not:
whether a place is added at all (`anchors.py`), and how many rows a cell has (`counted_anchors.py`).
"""

from __future__ import annotations

from functools import partial

from ...arrays import numpy
from .anchors import CORNERS, SIZES, relative, said
from .asked import Asked, Given
from .counted_anchors import Asking, known_of

PARTS = (0.05, 0.5, 0.97)
"""The surest rows, as parts of all."""
HERE, NONE, MOVED = 0.5, (0.0, 0.0, 0.01, 0.01), 1.0
FEWEST = 2
"""So many written numbers must be places."""
SURE = 12
"""So many of the surest rows are looked at."""
FAR, SMALL, LARGE = 4.0, 0.05, 2.5
"""A box is so many times as large as all places are apart if its unit is another one; in the right one it is
a part of that."""


def unlike_units(asked: Asked) -> str:
    """Returns what is wrong if offsets are added to places in another unit, or "" if nothing shows it."""
    outputs = dict(asked.fetched())
    sides = [side for one in asked.pictures for side in (one.width, one.height)]
    for index, boxes in outputs.items():
        width = relative(boxes) if sides else 0.0
        for place, scores in outputs.items() if width else ():
            is_score = place != index and scores.array.dtype.kind == "f"
            if is_score and scores.lengths == boxes.lengths[:1] and (size := usual_size(boxes, scores)):
                apart, factor = written(partial(said, asked, (index, place), width), width)
                if apart and (
                    way := unit(
                        size * factor / apart, max(sides), is_known=bool(known_of(asked, boxes.lengths[0]))
                    )
                ):
                    return (
                        f"{boxes.what}: the places of rows that the guest writes are up to {apart:.4g} apart "
                        f"if all have the same box, and the boxes of the surest rows are {size * factor:.4g} "
                        f"large beside that: are a row's numbers pixels of the input, and to be {way}?"
                    )
    return ""


def unit(size: float, side: int, *, is_known: bool) -> str:
    """Returns what boxes of a size, as a part of how far all places are apart, have to be, or "" if nothing.
    `is_known`: the numbers of rows are known to be pixels."""
    if size >= FAR and SMALL <= size / side <= LARGE:
        return f"divided by {side} before they are added"
    if is_known and 0 < size <= 1 / FAR**2 and SMALL <= size * side <= LARGE:
        return f"added to places in pixels before anything is divided by {side}"
    return ""


def usual_size(boxes: Given, scores: Given) -> float:
    """How wide and high the boxes of the surest rows are, in their own unit; 0 if these are no sizes."""
    rows = boxes.array.reshape(boxes.lengths[0], -1)[:, 2:CORNERS].astype("f8")
    best = numpy.argsort(-scores.array.reshape(-1))[:SURE]
    return float(numpy.median(rows[best])) if (rows > 0).mean() > SIZES else 0.0


def written(ask: Asking, width: float) -> tuple[float, float]:
    """How far apart the places of rows are written, and how much an offset that is larger by 1 counts there;
    zeros if that can't be said."""
    texts = [ask(part, NONE) for part in PARTS]
    own, across, down = (ask(HERE, (*by, *NONE[2:])) for by in ((0.0, 0.0), (MOVED, 0.0), (0.0, MOVED)))
    if not own or len({len(one) for one in (*texts, own, across, down)}) > 1:
        return 0.0, 0.0
    found = []
    for place, word in enumerate(own):
        values = [one[place].value for one in texts]
        moves = [abs(one[place].value - word.value) for one in (across, down)]
        if min(max(values) - min(values), max(moves)) > 2 * word.unit > 0 == round(min(moves) / word.unit):
            found.append((max(values) - min(values), max(moves) / (MOVED * width)))
    if len(found) < FEWEST:
        return 0.0, 0.0
    apart, factor = numpy.median(found, axis=0)
    return float(apart), float(factor)
