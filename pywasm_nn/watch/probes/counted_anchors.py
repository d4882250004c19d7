"""Boxes relative to the cells of several grids: how many rows does the guest count to a cell, and which
offset goes across?

What is here: `miscounted`, for models whose rows are known by their number (those of MediaPipe and
RetinaFace), also for the size of cells and their middle. All rows have the same box, and one after the other
is the surest: what is written moves from cell to cell. `exchanged`, where rows of one thing, in cells beside
each other, say which offset goes across. And `middles_of` the cells of all rows.
What is not: whether anchors are added at all (`anchors.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..spoken import Word
from .anchors import BOX, CORNERS, SIZES, relative, said
from .asked import Asked, Given

LAYOUTS = (
    ((8, 2), (16, 6)), ((8, 2), (16, 2), (32, 2)), ((8, 2), (16, 2), (32, 6)), ((4, 1),),
)  # fmt: skip
"""By grid, the stride of a cell, and how many rows each has."""
FEWEST, COUNTS, TOGETHER = 4, (1, 2, 3, 4, 6), 12
"""Numbers of a box, the rows that a guest may count to a cell, and what all of these divide."""
START, FAR = 0.4, 3.0
"""How far down the grid the first row that is tried is, and how many last places a cell is wide at least."""
MOST_GRIDS, OFF = 3, 0.2
"""The most grids that are looked at, and by which part a cell's size may differ from the one expected."""
NONE = (0.0, 0.0, 0.01, 0.01)
"""The numbers of a box so small that it lies in the middle of its cell."""
MOVED = 0.4
"""An offset by which such a box is moved, in usual widths."""
MOST_SURE, LEAST_SURE, PAIRS = 24, 0.5, 3
"""The most of the surest rows that are looked at, the part of the largest score that they have, and how many
pairs of them must be in cells beside each other."""
ALIKE, NEAR, FARTHER = 0.15, 0.06, 3.0
"""By which part sizes of the same thing may differ, by which part of its size its middles are apart, and how
many times as far they are if offsets are exchanged."""

Asking = Callable[[float, tuple[float, ...]], list[Word]]
"""Gives what is written if a row, as a part of all, is the surest, and all have this box."""


class Rows(Frozen):
    """An output with a box in each row, one with its scores, and the `layout` of the grids to whose cells the
    rows belong in pictures of this size."""

    boxes: Given
    scores: Given
    layout: Sequence[tuple[int, int]]
    size: tuple[int, int]
    asking: Asking

    @property
    def count(self) -> int:
        return self.boxes.lengths[0]


def tables_of(asked: Asked) -> Iterator[Rows]:
    """The outputs with boxes relative to cells, each with one that may be their scores."""
    outputs = dict(asked.fetched())
    for index, boxes in outputs.items():
        rows = boxes.lengths[0] if boxes.lengths else 0
        known = known_of(asked, rows)
        width = relative(boxes) if known else 0.0
        for place, scores in outputs.items() if width else ():
            if place != index and scores.array.dtype.kind == "f" and scores.lengths[:1] == [rows]:
                (layout, size), which = known[0], (index, place)
                yield Rows(boxes, scores, layout, size, partial(said, asked, which, width))


def miscounted(asked: Asked) -> str:
    """Returns what is wrong with the cells to which rows are counted, or "" if nothing is known to be
    wrong."""
    for rows in tables_of(asked):
        if wrong := Grids(rows.count, rows.layout, rows.size, rows.asking).wrong():
            return f"{rows.boxes.what}: {wrong}"
    return ""


def exchanged(asked: Asked) -> str:
    """Returns what is wrong if offsets across and down are exchanged, or "" if nothing shows it."""
    for rows in tables_of(asked):
        if len(rows.scores.lengths) > 1:
            continue
        table, scores = rows.boxes.array.reshape(rows.count, -1), rows.scores.array.reshape(-1)
        apart = distances(table, scores, rows.layout, rows.size)
        across = int(apart[1] < apart[0])
        if not FARTHER * apart[across] < apart[1 - across]:
            continue
        if taken_across(rows) == 1 - across:
            near, far = sorted(apart)
            added = ("first", "second")[1 - across]
            return (
                f"{rows.boxes.what}: the guest adds a row's {added} number across and the other one down; "
                f"so rows of one thing, in cells beside each other, are {far:.3g} pixels apart, and "
                f"{near:.2g} the other way round: are x and y exchanged?"
            )
    return ""


def distances(
    table: Any, scores: Any, layout: Sequence[tuple[int, int]], size: tuple[int, int]
) -> tuple[float, float]:
    """How far the middles of one thing are apart that rows in cells beside each other give, in pixels, if the
    first number goes across and if the second one does; (0.0, 0.0) if there are few such rows."""
    best = numpy.argsort(-scores)[:MOST_SURE]
    best = best[scores[best] >= LEAST_SURE * scores[best[0]]]
    cells, found = middles_of(layout, size)[best], []
    for one, other in combinations(range(len(best)), 2):
        sides = table[best[[one, other]], 2:CORNERS].astype("f8")
        away = abs(cells[one] - cells[other])
        if (away > 0).sum() != 1 or sides.min() <= 0 or away.max() > sides.min():
            continue
        if (abs(sides[0] - sides[1]) > ALIKE * sides.max(axis=0)).any():
            continue
        offsets = table[best[one], :2].astype("f8") - table[best[other], :2]
        ways = [float(numpy.hypot(*(cells[one] - cells[other] + way))) for way in (offsets, offsets[::-1])]
        if min(ways) <= NEAR * sides.min():
            found.append(ways)
    if len(found) < PAIRS:
        return 0.0, 0.0
    first, second = numpy.median(found, axis=0)
    return float(first), float(second)


def taken_across(rows: Rows) -> int | None:
    """Which number of a row the guest adds across, 0 or 1, or None if neither is known to be."""
    stride, count = rows.layout[0]
    high, wide = (side // stride for side in rows.size)
    at = (high // 2 * wide + wide // 2) * count
    here = rows.asking(at / rows.count, NONE)
    ways = [rows.asking((at + count) / rows.count, NONE)]
    ways += [rows.asking(at / rows.count, (*box, *NONE[2:])) for box in ((MOVED, 0.0), (0.0, MOVED))]
    if not here or any(len(one) != len(here) for one in ways):
        return None
    beside, first, second = (
        {place for place, pair in enumerate(zip(here, one, strict=True)) if pair[0].text != pair[1].text}
        for one in ways
    )
    if not beside or not first or not second or first & second:
        return None
    return 0 if beside == first else 1 if beside == second else None


def known_of(asked: Asked, rows: int) -> list[tuple[Sequence[tuple[int, int]], tuple[int, int]]]:
    """Returns the layouts that have so many rows for the pictures among inputs, with their heights and
    widths."""
    sizes = [(one.height, one.width) for one in asked.pictures]
    return [(layout, size) for size in sizes for layout in LAYOUTS if rows_of(layout, size) == rows]


def middles_of(layout: Sequence[tuple[int, int]], size: tuple[int, int]) -> Any:
    """The middles, across and down, of the cells of all rows, in the input's pixels."""
    found = []
    for stride, count in layout:
        down, across = numpy.mgrid[: size[0] // stride, : size[1] // stride]
        middles = (numpy.stack([across, down], axis=-1).reshape(-1, 2) + 0.5) * stride
        found.append(middles.repeat(count, axis=0))
    return numpy.concatenate(found)


def in_pixels(boxes: Given, asked: Asked) -> Any:
    """The middles and sizes [rows, 4] of boxes relative to known cells, in the input's pixels, or None for
    others."""
    known = known_of(asked, boxes.lengths[0]) if boxes.lengths and relative(boxes) else []
    rows = boxes.array.reshape(boxes.lengths[0], -1)[:, :CORNERS].astype("f8") if known else None
    if rows is None or (rows[:, 2:] > 0).mean() < SIZES:  # logarithms
        return None
    return numpy.concatenate([rows[:, :2] + middles_of(*known[0]), rows[:, 2:]], axis=1)


def rows_of(layout: Sequence[tuple[int, int]], size: tuple[int, int]) -> int:
    """How many rows a layout has for an input of a height and width."""
    return sum(count * (size[0] // stride) * (size[1] // stride) for stride, count in layout)


class Grids(Frozen):
    """The grids of a layout in an input of a height and width."""

    rows: int
    layout: Sequence[tuple[int, int]]
    size: tuple[int, int]
    asking: Asking

    def wrong(self) -> str:
        """Returns what is wrong with the cells of one of the grids, or "" if nothing is known to be."""
        first = 0.0
        for number, (stride, _) in enumerate(self.layout[:MOST_GRIDS]):
            wrong, wide = self._counted(number)
            if wrong or not wide:
                return wrong
            first = first or wide / stride
            if abs(wide / (first * stride) - 1) > OFF:
                before = self.layout[0][0]
                return (
                    f"the box of the surest row moves by {wide:g} from cell to cell in grid {number + 1}, "
                    f"and by {first * before:g} in the first one; cells of {stride} x {stride} pixels are "
                    f"{stride / before:g} times as wide as those of {before} x {before}: is the size of the "
                    "first grid taken for both?"
                )
        return self._off_the_middle() if first else ""

    def _off_the_middle(self) -> str:
        """Returns what is wrong with the place of a box in its cell, or "" if nothing is. A letterbox may
        move boxes across or down by half a cell, so both places have to be the beginning of the cell."""
        (stride, count), wide = self.layout[0], self.size[1] // self.layout[0][0]
        row, column = (max(2, side // stride - 2) for side in self.size)

        def written(down: int, across: int) -> list[Word]:
            return self.asking((down * wide + across) * count / self.rows, NONE)

        near, beside, below = written(1, 1), written(1, column), written(row, 1)
        across, down = begun_at(near, beside, column), begun_at(near, below, row)
        if across is None or down is None:
            return ""
        word, step = across
        return (
            f"a box without an offset or sides in column {column} of the first grid is written at "
            f"{word.text}, the beginning of its cell; in such grids it is in the middle, at "
            f"{(column + 0.5) * step:g}: is (column + 0.5) * {stride} meant?"
        )

    def _counted(self, number: int) -> tuple[str, float]:
        """What is wrong with the rows of a cell, or "", and how wide a cell is if nothing is."""
        stride, count = self.layout[number]
        high, wide = (side // stride for side in self.size)
        begins = rows_of(self.layout[:number], self.size)
        begins += round(START * high) * wide * count // TOGETHER * TOGETHER

        def written(by: int) -> list[Word]:
            return self.asking((begins + by) / self.rows, BOX)

        own = written(0)
        for by in COUNTS if len(own) >= FEWEST else ():
            once = written(by)
            if [word.text for word in once] == [word.text for word in own]:
                continue
            twice = written(2 * by)
            if not len(once) == len(own) == len(twice) or not are_steps(own, once, twice):
                return "", 0.0
            steps = [other.value - one.value for one, other in zip(own, once, strict=True)]
            if by == count:
                return "", max(steps)
            grid = f" in grid {number + 1}" if number else ""
            return (
                f"the box of the surest row moves to the next cell after {by} row{'s' * (by > 1)}{grid}, if "
                f"all rows have the same numbers; {self.rows} rows of an input of {self.size[1]} x "
                f"{self.size[0]} are {described(self.layout, self.size)}: is the number of rows a cell wrong?"
            ), 0.0
        return "", 0.0


def begun_at(near: Sequence[Word], far: Sequence[Word], cell: int) -> tuple[Word, float] | None:
    """Returns the first number that goes on from cell 1 to a later one, and how wide a cell is in it, if it
    is at the beginning of its cell, and not in the middle."""
    for one, other in zip(near, far, strict=False):
        step = (other.value - one.value) / (cell - 1)
        if abs(step) * (cell - 1) <= FAR * one.unit:
            continue
        begins = one.value - step
        is_middle = abs(begins - 0.5 * step) <= 2 * one.unit
        return (other, step) if abs(begins) <= 1.5 * one.unit and not is_middle else None
    return None


def are_steps(own: Sequence[Word], once: Sequence[Word], twice: Sequence[Word]) -> bool:
    """Whether some numbers go on by the same step each time, and no other one changes."""
    found = 0
    for one, next_, last in zip(own, once, twice, strict=True):
        step = next_.value - one.value
        if abs(last.value - one.value - 2 * step) > 2 * one.unit:
            return False
        found += abs(step) >= FAR * one.unit
    return found > 0


def described(layout: Sequence[tuple[int, int]], size: tuple[int, int]) -> str:
    """Grids in words."""
    return ", ".join(
        f"{count} for each of {size[1] // stride} x {size[0] // stride} cells" for stride, count in layout
    )
