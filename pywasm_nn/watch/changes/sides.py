"""Which side of a picture is its rows' length, by how alike pixels are at that distance.

What is here: `are_exchanged`, for pixels in the order of rows. What is not: from which file they come
(`origin/headerless.py`), and in which layout their channels lie (`hints/values.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...records import Frozen

MOST = 1 << 17
"""The rule looks at this many pixels, in the middle of the picture."""
SHORTEST = 12
"""The shortest rows that are compared: shorter ones are alike by chance."""
LESS, NEARER, UNLIKE = 0.6, 0.97, 0.5
"""The most that rows differ, as a part of how much pixels at the other side's distance do, and of those one
pixel beside the row; and the least that pixels at the other side's distance differ, as a part of what any two
do. Of few dark pixels on white most are equal at any distance, so that the deviation says nothing."""
BESIDE, HALFWAY, ROWS, EIGHTH = 0.9, 0.8, 3, 8
"""By so much pixels of one row and of each of the next few are more alike than those an eighth of a row
beside them, and than those half a row further on, where no file says that the elements are a picture."""


class Rows(Frozen):
    """Pixels as numbers, in the order of rows, and how much any two of them differ."""

    flat: Any
    any_two: float

    @classmethod
    def of(cls, flat: Any) -> Rows:
        ordered = numpy.sort(flat)
        weights = 2 * numpy.arange(len(flat)) - (len(flat) - 1)
        return cls(flat, float((weights * ordered).sum()) * 2 / max(1, len(flat)) ** 2)

    def apart(self, distance: int) -> float:
        """Returns how much pixels at a distance differ on average."""
        return float(numpy.abs(self.flat[distance:] - self.flat[:-distance]).mean())


def are_exchanged(flat: Any, height: int, width: int, *, is_known: bool) -> bool:
    """Whether pixels lie in rows as long as the picture is said to be high. `is_known`: they are a
    picture's; else rows further on have to say so, too."""
    flat = flat[max(0, len(flat) - MOST) // 2 :][:MOST]
    if height == width or min(height, width) < SHORTEST or len(flat) <= 2 * max(height, width):
        return False
    rows = Rows.of(flat)
    own, other = rows.apart(width), rows.apart(height)
    near = min(rows.apart(height - 1), rows.apart(height + 1))
    is_like = 0 < other <= min(LESS * own, NEARER * near)  # rows that repeat don't differ at all
    if not is_like or own < UNLIKE * rows.any_two or rows.apart(1) >= own:
        return False
    return is_known or is_seen(rows, height)


def is_seen(rows: Rows, length: int) -> bool:
    """Whether several rows of a length are like each other where they lie, and no two pixels elsewhere."""
    if len(rows.flat) <= 2 * ROWS * length or rows.apart(1) > LESS * rows.any_two:
        return False
    aside = max(2, length // EIGHTH)
    for count in range(1, ROWS + 1):
        at = rows.apart(count * length)
        beside = min(rows.apart(count * length + by) for by in (-aside, aside))
        if at > BESIDE * beside or at > HALFWAY * rows.apart(count * length + length // 2):
            return False
    return True


def exchanged_said(height: int, width: int) -> str:
    """Returns the sentence about a shape whose height and width are exchanged."""
    return (
        f"pixels {height} apart are alike, as those of two rows, and pixels {width} apart aren't: "
        f"they show a picture of {height} x {width} (width x height), and the shape says {width} x {height}: "
        "are height and width exchanged?"
    )
