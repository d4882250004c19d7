"""Tells pictures that a guest moved by a pixel or two, as to ask a model several times, from mistakes that
look alike: a picture of something symmetric that was turned, and bytes that were read from another place.

What is not here: finding a turn (`fitting.py`), or another first byte (`pointing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from .locating import correlation
from .resizing import TURNS, resized, swaps
from .straight import line_through

FARTHEST = 2
"""A picture that was moved by more pixels than this isn't like itself turned round."""
SMALLEST = 8
"""A picture that is looked at has so many rows and columns at least."""
ALIKE = 0.9
"""The elements correlate with the moved picture by this at least; a part of it is less like the whole."""
LEAST, NEARER = 0.01, 0.5
"""Where a picture's edges have one colour, the bytes before and behind a row have it, too. So the elements
must differ from those bytes by the part `LEAST` of their deviation, and from the edge by less than the part
`NEARER` of that."""


def is_moved(elements: Any, pixels: Any, turn: str) -> bool:
    """Whether elements [height, width, channels], which seem to be a picture [height, width, colours] with a
    `turn`, are at least as like the picture that is moved by a few pixels instead."""
    high, wide = elements.shape[:2]
    if not turn or min(high, wide) < SMALLEST or swaps(turn):
        return False
    own, there = elements.mean(axis=2), pixels.astype("f4").mean(axis=2)
    if there.shape != own.shape:
        there = resized(there[..., None], high, wide)[..., 0]
    inside = (slice(FARTHEST, -FARTHEST),) * 2
    own, least = own[inside], max(ALIKE, correlation(own[inside], TURNS[turn](there)[inside]))
    return any(correlation(own, moved) >= least for moved in shifted(there))


def shifted(pixels: Any) -> Iterator[Any]:
    """Yields the inside of a picture [height, width], moved by up to `FARTHEST` pixels in each direction."""
    high, wide = pixels.shape
    for top, left in product(range(2 * FARTHEST + 1), repeat=2):
        yield pixels[top : high - 2 * FARTHEST + top, left : wide - 2 * FARTHEST + left]


def has_edges(elements: Any, pixels: Any, by: int, *, late: bool) -> bool:
    """Whether a guest moved a picture [height, width, channels] by whole columns, so that its edge is
    repeated in the columns that became free. Elements that begin `by` bytes too early in the file (or too
    late, if not `late`) have the bytes of the row before (or behind) there."""
    columns, rest = divmod(by, elements.shape[2])
    if rest or not columns:
        return False
    own, there = elements.astype("f8"), pixels[..., : elements.shape[2]].astype("f8")
    if not late:  # the same from right to left, and from the end
        own, there = own[::-1, ::-1], there[::-1, ::-1]
    slope, height = line_through(there[:, :-columns].reshape(-1), own[:, columns:].reshape(-1))
    in_edges = abs(slope * there[:, :1] + height - own[:, :columns]).mean()
    in_file = abs(slope * there[:-1, -columns:] + height - own[1:, :columns]).mean()
    return bool(in_file > LEAST * own.std() and in_edges < NEARER * in_file)
