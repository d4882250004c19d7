"""Whether a detector's boxes begin with their middle, by its answer to the picture's mirror image: a middle
is as far from the other side there, and the left end of a box is not.

What is here: `by_their_middle`. What is not: what the guest makes of boxes (`drawn.py`), and numbers of the
cells of a grid (`cell_offsets.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .asked import Given
from .suppression import BOX, Boxes

MOST = 8
"""The number of the surest rows that are looked at."""
CLOSE = 0.2
"""The most by which a middle, or an end, is away from its place in the mirror image, in widths of the box."""
ALIKE = 0.3
"""The part by which width and height of one thing may differ between picture and mirror image."""
DIRECTIONS = ((0, 1), (1, 0))
"""The places in a box of the numbers across and down."""


class Thing(Frozen):
    """A box of a class, as its four numbers."""

    kind: int
    box: Any

    def is_like(self, other: Thing, down: int) -> bool:
        """Whether both may be the same thing at the same height, in the picture and in its mirror image."""
        sizes = [(self.box[at], other.box[at]) for at in (2, 3)]
        is_size = all(min(pair) > 0 and max(pair) - min(pair) <= ALIKE * min(pair) for pair in sizes)
        is_beside = abs(self.box[down] - other.box[down]) <= ALIKE * abs(self.box[down + 2])
        return self.kind == other.kind and is_size and bool(is_beside)


def by_their_middle(boxes: Boxes, mirrored: Mapping[int, Any], width: float) -> tuple[float, float] | None:
    """Returns the number across of a box that begins with its middle, and the same in the mirror image, or
    None if boxes don't, or nothing shows it. `width` is the input's in the numbers of boxes."""
    outputs = boxes.outputs
    if any(at not in mirrored or mirrored[at].shape != one.array.shape for at, one in outputs.items()):
        return None
    given = {at: Given(one.what, mirrored[at]) for at, one in outputs.items()}
    own, turned = (surest(one) for one in (boxes, Boxes(given, boxes.index, boxes.columns, boxes.count)))
    found: list[tuple[float, float]] = []
    for across, down in DIRECTIONS:
        pairs = [[(one, other) for other in turned if one.is_like(other, down)] for one in own]
        apart = [
            [(one.box[across] + other.box[across] - width) / one.box[across + 2] for one, other in few]
            for few in pairs
            if few
        ]
        if any(abs(1 + by) <= CLOSE for few in apart for by in few):
            return None  # these are ends
        if apart and all(min(map(abs, few)) <= CLOSE for few in apart):
            one, other = next(few[0] for few in pairs if few)
            found.append((float(one.box[across]), float(other.box[across])))
    return found[0] if found else None


def surest(boxes: Boxes) -> Sequence[Thing]:
    """The boxes of the surest rows."""
    others = [one for index, one in boxes.outputs.items() if index != boxes.index]
    rows = boxes.rows(others[0].array if others else boxes.scores.array)[:, :BOX].astype("f8")
    scores = boxes.of_things()
    levels = scores.max(axis=1)
    order = numpy.argsort(-levels, kind="stable")[:MOST]
    sure = order[levels[order] >= (levels.min() + levels.max()) / 2]
    return [Thing(int(scores[at].argmax()), rows[at]) for at in sure]
