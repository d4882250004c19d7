"""Boxes relative to the cells of several grids: how many rows does the guest count to a cell?

What is here: `miscounted`, for models whose rows are known by their number (those of MediaPipe and
RetinaFace). All rows have the same box, and one after the other is the surest: what is written moves from
cell to cell.
What is not: whether anchors are added at all (`anchors.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..facts import picture_of
from ..spoken import Word
from .anchors import BOX, relative, said
from .asked import Asked

LAYOUTS = (((8, 2), (16, 6)), ((8, 2), (16, 2), (32, 2)))
"""By grid, the stride of a cell, and how many rows each has."""
FEWEST, COUNTS, TOGETHER = 4, (1, 2, 3, 4, 6), 12
"""Numbers of a box, the rows that a guest may count to a cell, and what all of these divide."""
START, FAR = 0.4, 3.0
"""How far down the grid the first row that is tried is, and how many last places a cell is wide at least."""


def miscounted(asked: Asked) -> str:
    """Returns what is wrong with the cells to which rows are counted, or "" if nothing is known to be
    wrong."""
    outputs = dict(asked.fetched())
    pictures = [one for sent in asked.sent if (one := picture_of(sent.shape)) is not None]
    for index, boxes in outputs.items():
        rows = boxes.lengths[0] if boxes.lengths else 0
        sizes = [(one.height, one.width) for one in pictures]
        known = [(layout, size) for size in sizes for layout in LAYOUTS if rows_of(layout, size) == rows]
        width = relative(boxes) if known else 0.0
        for place, scores in outputs.items() if width else ():
            if place == index or scores.array.dtype.kind != "f" or scores.lengths[:1] != [rows]:
                continue
            (layout, size), which = known[0], (index, place)
            if wrong := first_grid(asked, which, width, rows, layout, size):
                return f"{boxes.what}: {wrong}"
    return ""


def rows_of(layout: Sequence[tuple[int, int]], size: tuple[int, int]) -> int:
    """How many rows a layout has for an input of a height and width."""
    return sum(count * (size[0] // stride) * (size[1] // stride) for stride, count in layout)


def first_grid(
    asked: Asked,
    which: tuple[int, int],
    width: float,
    rows: int,
    layout: Sequence[tuple[int, int]],
    size: tuple[int, int],
) -> str:
    """Returns what is wrong with the rows of the first grid, or "" if nothing is."""
    stride, count = layout[0]
    begins = round(START * (size[0] // stride)) * (size[1] // stride) * count // TOGETHER * TOGETHER

    def written(by: int) -> list[Word]:
        return said(asked, which, width, (begins + by) / rows, BOX)

    own = written(0)
    for by in COUNTS if len(own) >= FEWEST else ():
        once = written(by)
        if [word.text for word in once] == [word.text for word in own]:
            continue
        twice = written(2 * by) if by != count else []
        if not len(once) == len(own) == len(twice) or not are_steps(own, once, twice):
            return ""
        return (
            f"the box of the surest row moves to the next cell after {by} row{'s' * (by > 1)}, if all rows "
            f"have the same numbers; {rows} rows of an input of {size[1]} x {size[0]} are "
            f"{described(layout, size)}: is the number of rows a cell wrong?"
        )
    return ""


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
