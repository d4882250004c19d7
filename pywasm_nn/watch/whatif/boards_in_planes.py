"""Boards whose squares are zeros and ones: a plane for each kind of mark, perhaps one for free squares, each
plane behind the other or square by square, in any shape.

What is here: `planes_of`, which gives the marks and makes an input of others. What is not: two planes along
an axis of their own (`sides_to_move.py`), and what the model is asked (`verdicts_on_boards.py`).
"""

from __future__ import annotations

from math import isqrt
from typing import Any

from ...arrays import numpy
from ...records import Frozen

FEWEST, MOST = 9, 361
"""Squares of a board."""
TWO, THREE = 2, 3


class Planes(Frozen):
    """How an input has a board: with so many planes, `behind` each other or square by square, and the places
    of the two kinds of marks among them."""

    count: int
    behind: bool
    kinds: tuple[int, int]

    def taken(self, array: Any) -> Any:
        """The planes of an input, [planes, squares]."""
        flat = array.reshape(-1).astype("f8")
        return flat.reshape(self.count, -1) if self.behind else flat.reshape(-1, self.count).T

    def marks(self, array: Any) -> Any:
        """The marks of an input, [rows, columns]: 1 and -1, and 0 for free squares."""
        planes, (first, second) = self.taken(array), self.kinds
        side = isqrt(planes.shape[1])
        return (planes[first] - planes[second]).reshape(side, side)

    def made(self, marks: Any, array: Any) -> Any:
        """An input like another one with these marks."""
        flat = marks.reshape(-1)
        planes = numpy.stack([flat == 0] * self.count)
        for place, mark in zip(self.kinds, (1, -1), strict=True):
            planes[place] = flat == mark
        return (planes if self.behind else planes.T).reshape(array.shape).astype(array.dtype)

    def fits(self, array: Any) -> bool:
        """Whether an input has a board in this way, on which both sides moved in turns."""
        planes = self.taken(array)
        sums, counts = planes.sum(axis=0), planes.sum(axis=1)
        is_each = bool((sums == 1).all()) if self.count == THREE else float(sums.max()) <= 1
        return is_each and abs(float(counts[self.kinds[0]] - counts[self.kinds[1]])) <= 1


WAYS = [
    Planes(count, behind, kinds)
    for count, kinds in ((THREE, (0, 1)), (THREE, (1, 2)), (TWO, (0, 1)))
    for behind in (True, False)
]


def planes_of(array: Any) -> Planes | None:
    """Returns how an input has a square board in planes, or None if it has none."""
    if not {*array.reshape(-1).tolist()} <= {0, 1}:
        return None
    for way in WAYS:
        squares = array.size // way.count
        is_board = array.size == way.count * isqrt(squares) ** 2 and FEWEST <= squares <= MOST
        if is_board and way.fits(array):
            return way
    return None
