"""Boxes with scores: which of two that are the same does the guest keep?

What is here: `misjudged`. Two rows get the same box, one a smaller score, and no other row any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from .asked import NUMBER, Asked, Given

FEWEST_ROWS, BOX, MOST_WIDTH = 8, 4, 512
NAMED = re.compile(r"score|conf|prob|class|logit", re.IGNORECASE)
LESS, LOWER = 0.85, 1.5
"""By how much a score is smaller: a share times this, a logit less this."""
ON_PURPOSE = re.compile(r"\b(?:anchor|candidate|raw|proposal|before|suppress)", re.IGNORECASE)
ALIKE, PIXELS, FEWEST_ALIKE = 0.03, 2.0, 3
"""Boxes of which all numbers are so near, as a part of the largest and in pixels, are the same thing's."""


def misjudged(asked: Asked) -> str:
    """What is wrong with the choice of boxes; "" if nothing is known to be."""
    boxes = boxes_of(asked)
    if boxes is None or (best := boxes.best) is None:
        return ""
    ways = (
        {best: 1.0},
        {best: LESS},
        {best ^ 1: LESS},
        {best: 1.0, best ^ 1: LESS},
        {best: LESS, best ^ 1: 1.0},
    )
    sure, less, other, both, turned = (asked.said(boxes.made(best, scores)) for scores in ways)
    if None in (sure, less, other, both, turned) or sure in (less, other):
        return ""
    assert sure is not None and less is not None and both is not None
    if both in (less, other) and turned in (less, other):
        return (
            f"{boxes.scores.what}: of two boxes that are the same the guest keeps the one with the smaller "
            "score, whichever comes first: non-maximum suppression begins with the surest"
        )
    one, other_one = {*sure.splitlines()}, {*less.splitlines()}
    if len(one - other_one) == len(other_one - one) == 1 and one ^ other_one <= {*both.splitlines()}:
        return never(asked, boxes, next(iter(one - other_one)))
    return ""


def never(asked: Asked, boxes: Boxes, line: str) -> str:
    """Boxes of the same thing are all written."""
    shape, text = NUMBER.sub("#", line), asked.control.text
    rows = [NUMBER.findall(one) for one in text.splitlines() if NUMBER.sub("#", one) == shape]
    said = [tuple(map(float, row)) for row in rows]
    alike = sum(are_alike(*pair) for pair in combinations(said, 2))
    if alike < FEWEST_ALIKE or ON_PURPOSE.search(text):
        return ""
    return (
        f"{boxes.scores.what}: the guest writes each box of several that are nearly the same ({alike} pairs "
        f"of {len(said)} boxes), even two that are equal: is non-maximum suppression missing?"
    )


def are_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two lines have nearly the same box: all numbers but at most one, the score."""
    pairs = [*zip(one, other, strict=True)]
    reach = max(PIXELS, ALIKE * max(map(abs, one)))
    near = sum(abs(a - b) <= reach for a, b in pairs)
    return len(pairs) > BOX and near == len(pairs) and max(map(abs, one)) > 2 * BOX


class Boxes:
    """The outputs with a row for each box."""

    def __init__(self, outputs: Mapping[int, Given], index: int, columns: slice, count: int) -> None:
        self.outputs = outputs
        self.index = index
        self._columns = columns
        self.count = count
        self.scores = outputs[index]

    def rows(self, array: Any) -> Any:
        """A view of an array by rows."""
        lengths = [length for length in array.shape if length != 1] or [1]
        if lengths[0] == self.count:
            return array.reshape(self.count, -1)
        return array.reshape(-1, self.count).T

    @property
    def best(self) -> int | None:
        """The row of the surest box; None if there are no clear scores."""
        found = self.rows(self.scores.array)[:, self._columns]
        best = int(found.max(axis=1).argmax())
        return best if found[best].max() > found.min() and best ^ 1 < self.count else None

    def made(self, best: int, scores: Mapping[int, float]) -> dict[int, Any]:
        """Answers in which some rows have the surest box, with scores smaller by a factor, others none."""
        arrays = {index: one.array.copy() for index, one in self.outputs.items()}
        found = self.rows(arrays[self.index])[:, self._columns]
        low, row = found.min(), found[best].copy()
        for array in arrays.values():
            rows = self.rows(array)
            rows[[*scores]] = rows[best].copy()
        found[:] = low
        for place, factor in scores.items():
            lowered = low + factor * (row - low) if low >= 0 else row - LOWER * (factor < 1)
            found[place] = lowered.astype(found.dtype)
        return arrays


def boxes_of(asked: Asked) -> Boxes | None:
    """The outputs that are boxes and scores, if the guest fetches them."""
    outputs = {index: one for index, one in asked.fetched() if one.array.dtype.kind in "fu"}
    for index, one in outputs.items():
        for count, width in ways(one):
            same = {place: other for place, other in outputs.items() if count in other.lengths[:1]}
            if len(outputs) == 1 and BOX < width <= MOST_WIDTH:
                return Boxes(outputs, index, slice(BOX, None), count)
            if len(same) == len(outputs) == 2 and NAMED.search(one.what) and not width % BOX == 0 < width - 1:
                return Boxes(outputs, index, slice(None), count)
    return None


def ways(one: Given) -> Iterator[tuple[int, int]]:
    """How many rows an output may have, and their length."""
    lengths = one.lengths
    if len(lengths) == 1 and lengths[0] >= FEWEST_ROWS:
        yield lengths[0], 1
    elif len(lengths) == 2 and max(lengths) >= FEWEST_ROWS:
        yield max(lengths), min(lengths)
