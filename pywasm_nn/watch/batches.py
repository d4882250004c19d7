"""Batches whose pictures should differ, and don't.

What is here: `repeated`, `differ`. What is not: pictures of computes that follow each other (`rounds.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

MOST_ROWS = 256
FEWEST = 48
"""Rows of fewer elements are no pictures."""


def differ(array: Any) -> bool:
    """Whether a batch [pictures, ...] holds several pictures, such as the tiles of one."""
    rows = array[:MOST_ROWS] if array.ndim == 4 else ()
    return len({crc32(row.tobytes()) for row in rows if row.min() < row.max()}) > 1


def repeated(array: Any, pictures: Callable[[], int]) -> str:
    """What is wrong with a batch [pictures, ...] of which some are the same or empty, though at least as many
    different ones were read (`pictures`); "" if nothing is."""
    count = len(array) if array.ndim == 4 else 0
    if not 2 <= count <= MOST_ROWS or array[0].size < FEWEST:
        return ""
    firsts: dict[int, int] = {}
    same, empty = [], []
    for place, row in enumerate(array):
        if row.min() == row.max():
            empty.append(place)
            continue
        first = firsts.setdefault(crc32(row.tobytes()), place)
        if first != place:
            same.append((first, place))
    if not (same or empty) or pictures() < count:
        return ""
    if same:
        one, other = same[0]
        return (
            f"places {one} and {other} of the batch hold the same picture, though {pictures()} different "
            "ones were read: does each place get its own?"
        )
    rest = "" if len(empty) == 1 else f" and {len(empty) - 1} more"
    return f"place {empty[0]} of the batch{rest} is empty, though {pictures()} pictures were read for {count}"
