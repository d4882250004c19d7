"""Boxes with scores: which of two that are the same does the guest keep?

What is here: `misjudged`. Two rows get the same box, one a smaller score, and no other row any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from ..origin.comparing import are_shares
from ..regex import regex
from ..written.unscored import SCORES
from .asked import NUMBER, Asked, Given, Sent
from .sequences import alphabets

MOSTLY = 0.6
"""So much of all shares the background has on average."""
FEWEST_ROWS, MANY_ROWS, BOX, MOST_WIDTH = 8, 256, 4, 512
LESS, LOWER = 0.85, 1.5
"""By how much a score is smaller: a share times this, a logit less this."""
MORE, SURER, PART = 1.15, 0.3, 0.5
"""By how much a score is larger: the factor of scores that may exceed 1; the part of the way to 1 of shares,
and which part of its row's largest share one must be to grow. A logit grows by `LOWER`."""
UNLIKELY = -20.0
"""The least logit that is tried for nothing: guests may give smaller numbers a meaning of their own."""
ON_PURPOSE = regex(r"\b(?:anchor|candidate|raw|proposal|before|suppress)", re.IGNORECASE)
ALIKE, PIXELS, FEWEST_ALIKE = 0.03, 2.0, 3
"""Boxes of which all numbers are so near, as a part of the largest and in pixels, are the same thing's."""
OVER, SMALLEST, SAME = 0.45, 2.0, 0.85
"""So are two that share so much of their area, if they have sides of so many pixels; and so much more if it
isn't known that the guest keeps two that are equal."""


def misjudged(asked: Asked) -> str:
    """Returns what is wrong with the choice of boxes, or "" if nothing is."""
    boxes = boxes_of(asked)
    if boxes is None or (best := boxes.best) is None:
        return ""
    ways = (
        {best: 1.0},
        {best: LESS},
        {best ^ 1: LESS},
        {best: 1.0, best ^ 1: LESS},
    )
    sure, less, other, both = (asked.said(boxes.made(best, scores)) for scores in ways)
    if None in (sure, less, other, both) or sure in (less, other):
        return ""
    assert sure is not None and less is not None and both is not None and other is not None
    if both in (less, other):
        turned = asked.said(boxes.made(best, {best: LESS, best ^ 1: 1.0}))
        if turned not in (less, other):
            return ""
        return (
            f"{boxes.scores.what}: of two boxes that are the same the guest keeps the one with the smaller "
            "score, whichever comes first: non-maximum suppression begins with the surest"
        )
    one = {*sure.splitlines()}
    for second, judge in (
        (less, are_alike),
        (other, are_same),
    ):  # rows of a grid lie apart with equal numbers
        other_one = {*second.splitlines()}
        if len(one - other_one) == len(other_one - one) == 1 and one ^ other_one <= {*both.splitlines()}:
            return never(asked, boxes, next(iter(one - other_one)), judge)
    return ""


def never(asked: Asked, boxes: Boxes, line: str, judge: Callable[[Row, Row], bool]) -> str:
    """Boxes of the same thing are all written."""
    text = asked.control.text
    said = rows_like(line, text)
    pairs = [pair for pair in combinations(said, 2) if judge(*pair)]
    if len(pairs) < FEWEST_ALIKE or ON_PURPOSE.search(text):
        return ""
    is_grid = judge is are_same
    by_middles = not is_grid and all(is_by_middles(*pair) for pair in pairs)
    what = (
        "; these lie over each other as middles with sizes: are rows compared as if they were corners?"
        if by_middles
        else ": is non-maximum suppression missing?"
    )
    return (
        f"{boxes.scores.what}: the guest writes each box of several that are nearly the same ({len(pairs)} "
        f"pairs of {len(said)} boxes){'' if is_grid else ', even two that are equal'}{what}"
    )


def shape_of(line: str) -> str:
    """A line without its numbers, and the blanks that align them."""
    return " ".join(NUMBER.sub("#", line).split())


def rows_like(line: str, text: str) -> list[tuple[float, ...]]:
    """The numbers of the lines of a text that have the words of this one."""
    rows = [NUMBER.findall(one) for one in text.splitlines() if shape_of(one) == shape_of(line)]
    return [tuple(map(float, row)) for row in rows]


def is_by_middles(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two lines have boxes over each other that are none as corners."""
    pairs = [
        [overlap(*pair) for pair in zip(*map(sides, (one[at : at + BOX], other[at : at + BOX])), strict=True)]
        for at in range(len(one) - BOX + 1)
    ]
    best = max(pairs, key=max)
    return best[1] >= OVER and max(by_corners for by_corners, _ in pairs) == 0


def are_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two lines have nearly the same box: all numbers but at most one, the score; or four numbers in
    a row that are boxes over each other."""
    pairs = [*zip(one, other, strict=True)]
    reach = max(PIXELS, ALIKE * max(map(abs, one)))
    near = sum(abs(a - b) <= reach for a, b in pairs)
    if len(pairs) <= BOX or max(map(abs, one)) <= 2 * BOX:
        return False
    return near == len(pairs) or any(
        max(map(overlap, *map(sides, (one[at : at + BOX], other[at : at + BOX])))) >= OVER
        for at in range(len(pairs) - BOX + 1)
    )


def are_same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two lines have boxes that no suppression keeps both of, and what else they have are the same
    whole numbers (a class), or shares."""
    if len(one) <= BOX or max(map(abs, one)) <= 2 * BOX:
        return False
    for at in range(len(one) - BOX + 1):
        rest = [*zip(one, other, strict=True)]
        boxes = [*zip(*rest[at : at + BOX], strict=True)]
        del rest[at : at + BOX]
        is_same_class = all(a == b or not (a.is_integer() and b.is_integer()) for a, b in rest)
        if is_same_class and max(map(overlap, *map(sides, boxes))) >= SAME:
            return True
    return False


Row = Sequence[float]
Sides = tuple[float, float, float, float]


def sides(box: Sequence[float]) -> list[Sides]:
    """The left, top, right and bottom of a box, if its numbers are two corners, and if they are a middle and
    sizes."""
    x, y, third, fourth = box
    return [(x, y, third, fourth), (x - third / 2, y - fourth / 2, x + third / 2, y + fourth / 2)]


def overlap(one: Sides, other: Sides) -> float:
    """Returns the part of two boxes that both have, or 0 for no boxes."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if min(wide, high, one[2] - one[0], one[3] - one[1], other[2] - other[0], other[3] - other[1]) < SMALLEST:
        return 0.0
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return wide * high / (areas - wide * high)


class Boxes:
    """The outputs with a row for each box."""

    def __init__(self, outputs: Mapping[int, Given], index: int, columns: slice, count: int) -> None:
        self.outputs = outputs
        self.index = index
        self.columns = columns
        self.count = count
        self.scores = outputs[index]

    def rows(self, array: Any) -> Any:
        """A view of an array by rows."""
        lengths = [length for length in array.shape if length != 1] or [1]
        if lengths[0] == self.count:
            return array.reshape(self.count, -1)
        return array.reshape(-1, self.count).T

    def of_things(self) -> Any:
        """The scores of all rows, without that of nothing (the background)."""
        found = self.rows(self.scores.array)[:, self.columns]
        means = found.mean(axis=0)
        if found.dtype.kind == "f" and found.shape[1] > 1 and means.max() >= MOSTLY and are_shares(found):
            found = found.copy()
            found[:, means.argmax()] = 0
        return found

    @property
    def best(self) -> int | None:
        """The row of the surest box, or None if there are no clear scores."""
        found = self.of_things()
        best = int(found.max(axis=1).argmax())
        return best if found[best].max() > found.min() and best ^ 1 < self.count else None

    def made(self, best: int, scores: Mapping[int, float]) -> dict[int, Any]:
        """Answers in which some rows have the surest box, with scores smaller or larger by a factor, others
        none."""
        arrays = {index: one.array.copy() for index, one in self.outputs.items()}
        found = self.rows(arrays[self.index])[:, self.columns]
        row = found[best].copy()
        low = max(found.min(), UNLIKELY) if row.dtype.kind == "f" and row.max() > 0 else found.min()
        for array in arrays.values():
            rows = self.rows(array)
            rows[[*scores]] = rows[best].copy()
        found[:] = low
        for place, factor in scores.items():
            found[place] = changed(row, float(low), factor).astype(found.dtype)
        return arrays


def changed(row: Any, low: float, factor: float) -> Any:
    """Scores of a row that are smaller or larger by a factor, where `low` is the lowest of all."""
    if low < 0:
        return row + LOWER * ((factor > 1) - (factor < 1))
    if factor > 1 and row.max() <= 1:
        return row + SURER * (1 - row) * (row >= PART * row.max())
    return low + factor * (row - low)


def boxes_of(asked: Asked) -> Boxes | None:
    """The outputs that are boxes and scores, if the guest fetches them."""
    if asked.sent and all(is_text(one) for one in asked.sent):
        return None
    outputs = {index: one for index, one in asked.fetched() if one.array.dtype.kind in "fu"}
    if any(map(asked.is_batch, outputs.values())):
        return None
    if any(len(one.lengths) == 2 and alphabets(asked, one.lengths[1]) for one in outputs.values()):
        return None  # rows of letters
    sizes = [[picture.height, picture.width] for picture in asked.pictures]
    if any(one.lengths in sizes for one in outputs.values()):
        return None  # a map over the picture
    for index, one in outputs.items():
        for count, width in ways(one):
            same = {place: other for place, other in outputs.items() if count in other.lengths[:1]}
            if len(outputs) == 1 and BOX < width <= MOST_WIDTH and not are_letters(one):
                return Boxes(outputs, index, slice(BOX, None), count)
            is_beside = len(same) == len(outputs) == 2 and SCORES.search(one.what)
            if is_beside and not width % BOX == 0 < width - 1:
                return Boxes(outputs, index, slice(None), count)
    return None


def are_letters(one: Given) -> bool:
    """Whether an output has the probabilities of classes, together 1, at each of several places, as of
    letters. A row with a box has four numbers more."""
    return len(one.lengths) == 2 and are_shares(one.array.reshape(one.lengths))


def without_scores(asked: Asked) -> dict[int, Any]:
    """Returns answers of many boxes of which none has a score, or {} for others."""
    boxes = boxes_of(asked)
    return boxes.made(0, {}) if boxes is not None and boxes.count >= MANY_ROWS else {}


def is_text(one: Sent) -> bool:
    """Whether an input is of whole numbers of 4 bytes or more, such as of words: no picture."""
    return one.array is not None and one.array.dtype.kind in "iu" and one.array.dtype.itemsize >= WORD


WORD = 4


def ways(one: Given) -> Iterator[tuple[int, int]]:
    """How many rows an output may have, and their length."""
    lengths = one.lengths
    if len(lengths) == 1 and lengths[0] >= FEWEST_ROWS:
        yield lengths[0], 1
    elif len(lengths) == 2 and max(lengths) >= FEWEST_ROWS:
        yield max(lengths), min(lengths)
