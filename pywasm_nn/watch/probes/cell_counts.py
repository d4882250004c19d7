"""Cells of a grid of which only the number is written: is each of several that see the same thing counted?

What is here: `uncounted`. That cells beside each other see the same thing is seen in the answer: their
offsets differ by a cell. What is not: boxes (`kept_boxes.py`), and maps of scores with others beside
(`heatmaps.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...records import Frozen
from ..regex import regex
from .asked import Asked
from .cell_planes import HALF, Planes, planes_of
from .kept_boxes import MOST, PLACES, counts_in
from .suppression import ON_PURPOSE

AREA = regex(r"\b(?:square|block|patch|area|cover|region|grid)", re.IGNORECASE)
"""Words of a guest that counts cells on purpose."""
LESS = 0.95
"""The score of the second of two cells that are tried, as a part of the first one's."""
PAIRS, MOSTLY, NEAR = 3, 0.6, 0.45
"""The fewest pairs of sure cells beside each other, the part of them whose offsets must differ by a cell, and
how far from a cell that difference may be."""
COUNTS = ([1, 1, 2], [1, 1, 1])
"""The counts that a guest writes of the first cell alone, the second alone, and both: if it counts cells, and
if it counts things."""


class Pairs(Frozen):
    """The numbers [pairs, planes] of sure cells, and those of the cells that come next in one direction."""

    first: Any
    second: Any

    def differ(self, plane: int) -> bool:
        """Whether a number is smaller by a cell in most next cells."""
        by = (self.first - self.second)[:, plane]
        return len(by) >= PAIRS and bool((abs(by - 1) <= NEAR).mean() >= MOSTLY)

    def stay(self, plane: int) -> bool:
        """Whether a number is the same in most next cells."""
        return bool((abs(self.first - self.second)[:, plane] <= NEAR).mean() >= MOSTLY)


def uncounted(asked: Asked) -> str:
    """Returns what is wrong if a guest counts cells that see the same thing, or "" if it doesn't."""
    text = asked.control.text
    if not counts_in(text) or any(one.search(text) for one in (ON_PURPOSE, PLACES, AREA)):
        return ""
    planes = planes_of(asked)
    for score in planes.scores if planes is not None else ():
        assert planes is not None
        planes.choose(score)
        across = offset(planes)
        if across >= 0 and (said := counted(asked, planes, across)):
            return f"{planes.what}: {said}"
    return ""


def offset(planes: Planes) -> int:
    """The number of a cell that says how far across its thing lies, if sure cells beside and below each other
    agree on where that is; else -1."""
    beside, below = pairs_of(planes, 1), pairs_of(planes, 0)
    across = [one for one in planes.others if beside.differ(one) and below.stay(one)]
    down = [one for one in planes.others if below.differ(one) and beside.stay(one)]
    return across[0] if len(across) == len(down) == 1 else -1


def pairs_of(planes: Planes, axis: int) -> Pairs:
    """The sure cells whose next one below (0) or beside (1) is sure, too."""
    cells = planes.cells.astype("f8")
    ends = [(cells[:, :-1], cells[:, 1:]), (cells[:, :, :-1], cells[:, :, 1:])][axis]
    sure = [planes.levels(one[planes.score]) >= HALF for one in ends]
    first, second = (one[:, sure[0] & sure[1]].T for one in ends)
    return Pairs(first, second)


def counted(asked: Asked, planes: Planes, across: int) -> str:
    """Whether a number that is written counts two cells beside each other with the same thing."""
    own, next_one = planes.best, planes.best.copy()
    low = float(planes.cells[planes.score].min())
    next_one[across] -= 1
    next_one[planes.score] = low + LESS * (own[planes.score] - low)
    place = planes.place
    ways: Sequence[dict[int, Any]] = (
        {},
        {place: own},
        {place + 1: next_one},
        {place: own, place + 1: next_one},
    )
    counts = [counts_in(planes.text(cells)) for cells in ways]
    found = {
        key: said
        for key, said in counts_in(asked.control.text).items()
        if [one.get(key) for one in counts[1:]] in COUNTS and not counts[0].get(key)
    }
    are_both = all(counts[3][key] > 1 for key in found)
    said = next(iter(found.values()), 0)
    if not are_both or not 1 < said <= MOST:
        return ""
    return (
        f"the guest counts {said}, and 2 if two cells beside each other have one thing at the same place; "
        "in this answer sure cells beside and below each other have offsets that differ by a cell, as they "
        "see the same thing: is each thing counted once (non-maximum suppression)?"
    )
