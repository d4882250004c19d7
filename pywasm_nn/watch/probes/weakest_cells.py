"""Maps of scores without boxes, of which a guest keeps one of several cells that are near to each other: is
it the surest one?

What is here: `weakest`. Two cells beside each other get scores of one class, and no other cell has any. What
is not: rows of boxes (`suppression.py`), and guests that keep both (`heatmaps.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..origin.comparing import are_shares
from .asked import NUMBER, Asked, Given

FEWEST, MOST_CLASSES = 8, 64
"""Rows and columns of a map, and its classes."""
LESS = 0.97
"""How large the smaller score is, as a part of the largest."""
MOSTLY = 0.6
"""A class that has so much of all shares on average is nothing (the background)."""


class Planes:
    """A map of scores: the output's index, and its classes, rows and columns."""

    def __init__(self, index: int, output: Given) -> None:
        self.index, self.output = index, output
        own = output.planes(output.array).astype("f8")
        self.low, self.high = float(own.min()), float(own.max())
        means = own.mean(axis=(1, 2))
        if len(own) > 1 and means.max() >= MOSTLY and are_shares(own.transpose(1, 2, 0)):
            own[means.argmax()] = self.low
        _, height, width = own.shape
        self.kind, cell = divmod(int(own.argmax()), height * width)
        self.row, self.column = divmod(cell, width)
        if self.column == width - 1:
            self.column -= 1

    def made(self, *scores: float) -> dict[int, Any]:
        """An answer in which the surest cell and the one right of it have parts of the largest score."""
        array = self.output.array.copy()
        planes = self.output.planes(array)
        planes[:] = self.low
        for column, part in enumerate(scores, self.column):
            planes[self.kind, self.row, column] = self.low + part * (self.high - self.low)
        return {self.index: array}


def planes_of(asked: Asked) -> Planes | None:
    """Returns the only output that a guest fetches, if it is a map of scores, or None."""
    fetched = [*asked.fetched()]
    if len(fetched) != 1:
        return None
    index, output = fetched[0]
    lengths = output.lengths
    sides = sorted(lengths)[-2:]
    is_map = len(lengths) == 2 or (len(lengths) == 3 and min(lengths) in (lengths[0], lengths[-1]))
    if output.array.dtype.kind != "f" or not is_map or sides[0] < FEWEST:
        return None
    if len(lengths) == 3 and min(lengths) > MOST_CLASSES:
        return None
    return (
        None if asked.is_batch(output) or output.array.min() == output.array.max() else Planes(index, output)
    )


def weakest(asked: Asked) -> str:
    """Returns a hint if of two cells that are near the guest keeps the one with the smaller score, whichever
    that is, or "" if it doesn't."""
    planes = planes_of(asked)
    if planes is None or NUMBER.search(asked.control.text) is None:
        return ""
    ways: Mapping[str, tuple[float, float]] = {
        "first": (LESS, 0.0),
        "second": (0.0, LESS),
        "first weaker": (LESS, 1.0),
        "second weaker": (1.0, LESS),
    }
    said = {way: asked.said(planes.made(*scores)) for way, scores in ways.items()}
    if said["first"] == said["second"] or None in said.values():
        return ""
    if said["first"] != said["first weaker"] or said["second"] != said["second weaker"]:
        return ""
    return (
        f"{planes.output.what}: of two cells beside each other the guest keeps the one with the smaller "
        "score, whichever comes first: non-maximum suppression begins with the surest"
    )
