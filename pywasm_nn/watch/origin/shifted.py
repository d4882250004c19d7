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
"""A picture that was moved by more pixels isn't like itself turned round."""
SMALLEST = 8
"""Rows or columns of the smallest picture that is looked at."""
ALIKE = 0.9
"""The least correlation with the picture that was moved; a part of it isn't so like the whole."""

LEAST, NEARER = 0.01, 0.5
"""Edges of one colour are those of the rows before and behind, too: the elements must differ from these by
this part of their deviation, and by half as much from the edge."""


def is_moved(elements: Any, pixels: Any, turn: str) -> bool:
    """Whether elements [height, width, channels] are at least as like the picture [height, width, colours]
    moved by a few pixels as the turned one, if it was turned."""
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
    """The inside of a picture [height, width], moved by up to `FARTHEST` pixels in each direction."""
    high, wide = pixels.shape
    for top, left in product(range(2 * FARTHEST + 1), repeat=2):
        yield pixels[top : high - 2 * FARTHEST + top, left : wide - 2 * FARTHEST + left]


def has_edges(elements: Any, pixels: Any, by: int, *, late: bool) -> bool:
    """Whether a picture [height, width, channels] was moved by whole columns: what came in beside it repeats
    its edge, and isn't what lies in the file `by` bytes before or (`late` False) behind."""
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
