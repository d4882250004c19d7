"""Whether a detector's boxes begin with their middle, and with x or y, by its answer to the picture's mirror
image: a middle is as far from the other side there, and the left end of a box is not; what goes down stays.

What is here: `by_their_middle` and `place_across`. What is not: what the guest makes of boxes (`drawn.py`,
`crossed_boxes.py`), and numbers of the cells of a grid (`cell_offsets.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
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
Form = Callable[[float, float], tuple[float, float]]
FORMS: Sequence[Form] = (
    lambda first, last: (first, last),
    lambda first, size: (first, first + size),
    lambda middle, size: (middle - size / 2, middle + size / 2),
)
"""Functions that make the ends of a box from its two numbers of a direction, in each form of boxes."""
LIKELY = 0.5
"""The part of a box's smaller side by which it must move in the mirror image: a smaller step may be
chance."""


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


def place_across(boxes: Boxes, mirrored: Mapping[int, Any], width: float) -> int | None:
    """Returns the place of the first number across in a row, 0 or 1, or None if nothing shows it. Boxes may
    have two corners, or sizes with a corner or a middle."""
    if (both := in_both(boxes, mirrored)) is None:
        return None
    own, turned = both
    pairs = [*product(own, turned)]
    ways = [
        (across, any(is_turned(one, other, across, width, form) for one, other in pairs for form in FORMS))
        for across, _ in DIRECTIONS
    ]
    found = [across for across, is_so in ways if is_so]
    return found[0] if len(found) == 1 else None


def is_turned(one: Thing, other: Thing, across: int, width: float, form: Form) -> bool:
    """Whether a thing may be another one of the mirror image, if numbers across are at this place and the one
    behind the next, in this form of boxes."""
    if one.kind != other.kind:
        return False
    first, last, first_again, last_again = (
        end for box in (one.box, other.box) for end in form(*box[across::2])
    )
    down, down_again = (form(*thing.box[1 - across :: 2]) for thing in (one, other))
    long, high = last - first, down[1] - down[0]
    if min(long, high) <= 0 or abs(first - first_again) <= LIKELY * min(long, high):
        return False  # in the middle of the picture
    near = [abs(first + last_again - width), abs(last + first_again - width)]
    near += [abs(a - b) for a, b in zip(down, down_again, strict=True)]
    return max(near) <= CLOSE * min(long, high)


def in_both(boxes: Boxes, mirrored: Mapping[int, Any], cells: Any = 0.0) -> Sequence[Sequence[Thing]] | None:
    """The surest boxes of the picture, and those of its mirror image, or None if these aren't known. `cells`
    is what is added to each row that is relative to a place."""
    outputs = boxes.outputs
    if any(at not in mirrored or mirrored[at].shape != one.array.shape for at, one in outputs.items()):
        return None
    given = {at: Given(one.what, mirrored[at]) for at, one in outputs.items()}
    return [surest(one, cells) for one in (boxes, Boxes(given, boxes.index, boxes.columns, boxes.count))]


def by_their_middle(
    boxes: Boxes, mirrored: Mapping[int, Any], width: float, cells: Any = 0.0
) -> tuple[float, float] | None:
    """Returns the number across of a box that begins with its middle, and the same in the mirror image, or
    None if boxes don't, or nothing shows it. `width` is the input's in the numbers of boxes, and `cells` is
    added to each row."""
    if (both := in_both(boxes, mirrored, cells)) is None:
        return None
    own, turned = both
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


def surest(boxes: Boxes, cells: Any) -> Sequence[Thing]:
    """The boxes of the surest rows, with what is added to each."""
    others = [one for index, one in boxes.outputs.items() if index != boxes.index]
    rows = boxes.rows(others[0].array if others else boxes.scores.array)[:, :BOX].astype("f8") + cells
    scores = boxes.of_things()
    levels = scores.max(axis=1)
    order = numpy.argsort(-levels, kind="stable")[:MOST]
    sure = order[levels[order] >= (levels.min() + levels.max()) / 2]
    return [Thing(int(scores[at].argmax()), rows[at]) for at in sure]
