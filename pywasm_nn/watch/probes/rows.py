"""Boxes and scores of which the guest reads a box at another place than that of its score.

What is here: `misplaced`. One row alone has a score, and numbers of the boxes are changed.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from .asked import Asked
from .suppression import Boxes, boxes_of

CHANGE, BEFORE = 0.3, 15
"""By how much numbers are changed, and how far before the middle the row is, as a part of all: there it has
no number that it would have in columns, too."""
NARROW = {"<f8": "f32, float for double", "<i8": "i32"}
WIDE = {"<f4": "f64, double for float", "<i4": "i64"}
"""By the type of an answer, as what its elements are read if they are taken for half as wide, and for twice
as wide ones."""


class OneScore:
    """A row that alone has a score, beside boxes in output `index`, of which some are made others."""

    def __init__(self, asked: Asked, boxes: Boxes, best: int) -> None:
        self.index = next(one for one in boxes.outputs if one != boxes.index)
        self.row = boxes.count // 2 - boxes.count // BEFORE
        self._asked, self._made = asked, boxes.made(best, {self.row: 1.0})
        self.flat = self._made[self.index]
        self.places = boxes.rows(numbered(self.flat))[self.row]
        """Where the row's own box is."""

    def says(self, change: Any) -> str | None:
        """Returns what is written if these elements are others."""
        array = self.flat.copy().reshape(-1)
        array[change] += (CHANGE * abs(array[change]) + CHANGE * array.std()).astype(array.dtype)
        reply = self._asked.reply(self._made | {self.index: array.reshape(self.flat.shape)})
        return None if reply is None else reply.text


def misplaced(asked: Asked) -> str:
    """Returns a hint if what is said of a box depends on elements of another row, or "" if it doesn't."""
    boxes = boxes_of(asked)
    if boxes is None or len(boxes.outputs) != 2 or (best := boxes.best) is None:
        return ""
    one = OneScore(asked, boxes, best)
    says, places, row, flat = one.says, one.places, one.row, one.flat
    output = boxes.outputs[one.index]
    width = output.array.size // boxes.count
    alone, own = says(places[:0]), says(places)
    if not alone or own != alone or says(slice(None)) in (alone, None):
        return ""
    low, high = 0, flat.size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if says(slice(low, middle)) != alone else (middle, high)
    if wrong := of_another_width(output.array, row * width, low):
        return f"{output.what}: what the guest says of box {row}, by its score, {wrong}"
    where = int(boxes.rows(numbered(flat)).tolist().index(row_of(boxes, flat, low)))
    return (
        f"{output.what}: what the guest says of box {row}, by its score, doesn't depend on row {row} of it, "
        f"but on element {low}, which is in row {where} ({boxes.count} rows of {width}): is the distance "
        "from row to row another?"
    )


def of_another_width(array: Any, first: int, read: int) -> str:
    """Returns what is wrong if the element that is read in place of the first one of a row lies where that
    would be if elements were half as wide, or twice, or "" if it doesn't."""
    kinds = NARROW if read == first // 2 else WIDE if read == 2 * first else {}
    if not first or (other := kinds.get(array.dtype.str, "")) == "":
        return ""
    return (
        f"follows element {read} and not {first}, where its row is: the elements are {array.dtype.name}, of "
        f"{array.itemsize} bytes; are they read as elements of another type ({other})?"
    )


def numbered(array: Any) -> Any:
    return numpy.arange(array.size).reshape(array.shape)


def row_of(boxes: Boxes, array: Any, place: int) -> list[int]:
    """The elements of the row that has this one."""
    rows: list[list[int]] = boxes.rows(numbered(array)).tolist()
    return next(row for row in rows if place in row)
