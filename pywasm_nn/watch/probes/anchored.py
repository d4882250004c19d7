"""Boxes and scores of detectors with anchors (SSD and its like): corners taken for middles and sizes, and
offsets that are not scaled by the usual variances.

What is here: `as_middles`, `as_corners` and `unvaried`. One row alone gets a score. What is not: the score of
nothing taken for one of something (`of_nothing.py`), offsets to which no anchor is added (`anchors.py`), and
scales of the picture (`drawn.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.comparing import are_shares
from ..regex import regex
from .asked import Asked, Given
from .formulas import numbers
from .suppression import boxes_of

FEWEST, CORNERS, MOST_CLASSES = 64, 4, 256
MOSTLY = 0.6
"""So much of all shares the background has on average."""
ALL_CORNERS = 0.98
"""The least part of the rows whose second corner lies beyond the first."""
FEW_CORNERS = 0.9
"""More rows than this part look like corners if they are."""
JOINED = regex(
    r"(-?\d+(?:\.\d+)?)[ ,x]+(-?\d+(?:\.\d+)?)[\])]? ?(?:to|->|\.\.+|-|\u2013|\u2014)"
    r" ?[\[(]?(-?\d+(?:\.\d+)?)[ ,x]+(-?\d+(?:\.\d+)?)"
)
"""Two points that are written as the ends of something."""
BOX, STEP = (0.42, 0.4, 0.56, 0.54), 0.04
"""A box as corners, which is one as a middle and sizes, too, and by how much its numbers are changed."""
NEAR = 0.2
MIXED = 0.12
"""At least so many of the first two numbers of all rows are below 0, and above, if they are relative."""
ROWS, FEWEST_ROWS = 6, 3
"""So many of the surest rows are looked at, and so many of them must be boxes of the same thing."""
NEARER, SHARE = 3.0, 0.6
"""By how much boxes of the same thing must lie nearer to each other with variances, and the least score of
those rows, as a part of the best."""
VARIANCES = (0.1, 0.1, 0.2, 0.2)


class Rows(Frozen):
    """Outputs `index` of boxes and `scores` with as many rows, whose column `nothing` is the background."""

    index: int
    boxes: Given
    scores: int
    shares: Given
    nothing: int

    @property
    def table(self) -> Any:
        return self.boxes.array.reshape(-1, CORNERS)

    @property
    def score(self) -> Any:
        """The surest score of each row but that of nothing."""
        rows = self.shares.array.reshape(len(self.table), -1)
        return numpy.delete(rows, self.nothing, axis=1).max(axis=1)

    @property
    def column(self) -> int:
        """The column of what is there most often but for nothing."""
        means = self.shares.array.reshape(len(self.table), -1).mean(axis=0)
        means[self.nothing] = -1
        return int(means.argmax())

    def made(self, row: int | None, table: Any = None) -> dict[int, Any]:
        """Answers in which this row alone has something; None: no row has."""
        boxes = self.table if table is None else table.astype(self.boxes.array.dtype)
        shares = self._shares(self.nothing, self.column, row)
        return {self.index: boxes.reshape(self.boxes.array.shape), self.scores: shares}

    def _shares(self, of_all: int, of_one: int, row: int | None) -> Any:
        """Scores of which all rows have 1 in a column, and one has it in another."""
        made = numpy.zeros_like(self.shares.array.reshape(len(self.table), -1))
        made[:, of_all] = 1
        if row is not None:
            made[row] = 0
            made[row, of_one] = 1
        return made.reshape(self.shares.array.shape)


def rows_of(fetched: Iterable[tuple[int, Given]]) -> Rows | None:
    """Returns the boxes and scores among outputs, or None if there are none, or the scores have no
    background."""
    outputs = {index: one for index, one in fetched if one.array.dtype.kind == "f"}
    for index, boxes in outputs.items():
        lengths = boxes.lengths
        if len(lengths) != 2 or lengths[1] != CORNERS or lengths[0] < FEWEST:
            continue
        for place, shares in outputs.items():
            if place == index or shares.lengths[:1] != lengths[:1] or len(shares.lengths) != 2:
                continue
            table = shares.array.reshape(lengths[0], -1)
            means = table.mean(axis=0)
            if are_shares(table) and table.shape[1] <= MOST_CLASSES and means.max() >= MOSTLY:
                return Rows(index, boxes, place, shares, int(means.argmax()))
    return None


class Alone(Frozen):
    """The boxes [rows, 4] of an output, and what is written if the surest row alone has something, and a box
    that is given, as numbers."""

    what: str
    table: Any
    say: Callable[[Sequence[float]], list[float]]

    @property
    def cornered(self) -> float:
        """The part of the rows whose second corner lies beyond the first, if they are corners."""
        table = self.table
        return float(((table[:, 2] > table[:, 0]) & (table[:, 3] > table[:, 1])).mean())

    @property
    def is_relative(self) -> bool:
        """Whether many of the first two numbers are below 0, as offsets from a place are, and no corners."""
        return bool((self.table[:, :2] < 0).mean() >= MIXED)

    def factors(self) -> list[list[float]]:
        """Returns by how much each number that is written changes with each number of the box, or [] if that
        can't be said."""
        wide = float(abs(self.table).max())
        scale = 1.0 if wide <= 2 else wide
        own = self.say([scale * one for one in BOX])
        moved = [
            self.say([scale * (one + STEP * (at == place)) for at, one in enumerate(BOX)])
            for place in range(CORNERS)
        ]
        if not own or any(len(one) != len(own) for one in moved):
            return []
        return [[other - one for one, other in zip(own, its, strict=True)] for its in moved]


def alone_of(asked: Asked) -> Alone | None:
    """Returns the boxes of a detector's answer, of scores beside them or in the same rows, or None if there
    are none."""
    rows = rows_of(asked.fetched())
    if rows is not None:
        row = int(rows.score.argmax())
        return Alone(rows.boxes.what, rows.table, lambda box: said(asked, rows, row, box))
    boxes = boxes_of(asked)
    if boxes is None or len(boxes.outputs) > 1 or boxes.count < FEWEST:
        return None
    table = boxes.rows(boxes.scores.array)
    shares = [
        at for at in range(CORNERS, table.shape[1]) if 0 <= table[:, at].min() <= table[:, at].max() <= 1
    ]
    if not shares:  # a class, whose number is no score, may stand beside it
        return None
    best = int(table[:, shares].max(axis=1).argmax())

    def say(box: Sequence[float]) -> list[float]:
        made = boxes.made(best, {best: 1.0})
        boxes.rows(made[boxes.index])[best, :CORNERS] = box
        return [word.value for word in numbers(asked.said(made) or "")]

    return Alone(boxes.scores.what, table[:, :CORNERS], say)


def as_middles(asked: Asked) -> str:
    """Returns what is wrong if corners are written as if they were a middle and sizes, or "" if they
    aren't."""
    alone = alone_of(asked)
    are_ends = alone is not None and alone.cornered >= ALL_CORNERS and not alone.is_relative
    factors = alone.factors() if alone is not None and are_ends else []
    count = len(factors[0]) if factors else 0
    if alone is None or not all(any(is_half(factors, at, axis) for at in range(count)) for axis in (0, 1)):
        return ""
    return (
        f"{alone.what}: the guest takes half of the third and fourth number of a row away from the first "
        "two, as of a middle and sizes; in nearly all rows the third is larger than the first, and the "
        "fourth than the second: they are two corners"
    )


def as_corners(asked: Asked) -> str:
    """Returns what is wrong if a middle and sizes are written as if they were two corners, or "" if they
    aren't."""
    joined = [tuple(map(float, one)) for one in JOINED.findall(asked.control.text)]
    turned = [one for one in joined if one[2] <= one[0] or one[3] <= one[1]]
    alone = alone_of(asked) if turned else None
    if alone is None or alone.cornered > FEW_CORNERS or (alone.table[:, 2:] > 0).mean() < ALL_CORNERS:
        return ""
    factors = alone.factors()
    for first in range(len(factors[0]) - CORNERS + 1 if factors else 0):
        part = [one[first : first + CORNERS] for one in factors]
        own = [abs(part[at][at]) for at in range(CORNERS)]
        others = [abs(part[at][to]) for at in range(CORNERS) for to in range(CORNERS) if at != to]
        if min(own) > 0 and max(others) <= NEAR * min(own):
            box = "{:g},{:g} and {:g},{:g}".format(*turned[0])
            return (
                f"{alone.what}: the guest writes the four numbers of a row as two corners, such as {box}, of "
                "which the second does not lie beyond the first: in this answer they are a middle, a width "
                "and a height"
            )
    return ""


def is_half(factors: Sequence[Sequence[float]], at: int, axis: int) -> bool:
    """Whether a number is one of a box less half of the number two places behind it."""
    by, other = factors[axis][at], factors[axis + 2][at]
    across = max(abs(factors[1 - axis][at]), abs(factors[3 - axis][at]))
    return by > 0 and abs(other + by / 2) <= NEAR * by and across <= NEAR * by


def said(
    asked: Asked, rows: Rows, row: int, box: Sequence[float] | None = None, by: Any = None
) -> list[float]:
    """The numbers that are written if this row alone has something; with this box, or with all multiplied."""
    table = rows.table.copy() if by is None else rows.table * by
    if box is not None:
        table[row] = box
    return [word.value for word in numbers(asked.said(rows.made(row, table)) or "")]


def unvaried(asked: Asked) -> str:
    """Returns what is wrong if offsets to anchors are not scaled by the usual variances, or "" if nothing
    shows it."""
    rows = rows_of(asked.fetched())
    if rows is None:
        return ""
    below = (rows.table[:, :2] < 0).mean(axis=0)
    if not ((below >= MIXED) & (below <= 1 - MIXED)).all():
        return ""
    score = rows.score
    best = [int(one) for one in numpy.argsort(-score)[:ROWS] if score[one] >= SHARE * score.max()]
    if len(best) < FEWEST_ROWS or said(asked, rows, best[0], by=0.0) == said(asked, rows, best[-1], by=0.0):
        return ""  # the place of the row counts for nothing
    ways = (numpy.array(VARIANCES), 1 / numpy.array(VARIANCES))
    plain = [said(asked, rows, one) for one in best]
    for scale, what in zip(ways, ("not", "wrongly"), strict=True):
        found = [said(asked, rows, one, by=scale) for one in best]
        if len({len(one) for one in (*plain, *found)}) != 1 or not plain[0]:
            return ""
        apart, nearer = (numpy.array(one) - numpy.array(one)[:1] for one in (plain, found))
        moves = (numpy.array(plain) != numpy.array(found)).any(axis=0)
        far, near = (abs(one[1:, moves]).max(axis=1) for one in (apart, nearer))
        same = numpy.argsort(near)[: max(FEWEST_ROWS - 1, len(near) // 2)]
        if (
            moves.sum() >= CORNERS
            and far.any()
            and (far[same] >= NEARER * numpy.maximum(near[same], 1)).all()
        ):
            return sentence(rows, what, float(far[same].mean()), float(near[same].mean()), len(same) + 1)
    return ""


def sentence(rows: Rows, what: str, far: float, near: float, count: int) -> str:
    variances = f"{VARIANCES[0]:g} and {VARIANCES[2]:g}"
    how = "times" if what == "not" else "divided by"
    return (
        f"{rows.boxes.what}: the boxes that the guest writes of {count} of the surest rows lie {far:.3g} "
        f"pixels apart; with offsets {how} {variances} they are nearly the same ({near:.2g}), as rows of "
        f"one thing are: are offsets {what} multiplied by the variances?"
    )
