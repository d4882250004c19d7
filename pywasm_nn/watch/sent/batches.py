"""Batches whose pictures should differ, and don't.

What is here: `repeated`, `differ`, `items_in`. What is not: pictures of computes that follow each other
(`order/rounds.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from zlib import crc32

from ..origin.cut import Sheet

MOST_ROWS = 256
FEWEST = 48
"""Rows of fewer elements are no pictures."""


def differ(array: Any) -> bool:
    """Whether a batch [pictures, ...] holds several pictures, such as the tiles of one."""
    rows = array[:MOST_ROWS] if array.ndim == 4 else ()
    return len({crc32(row.tobytes()) for row in rows if row.min() < row.max()}) > 1


def items_in(sheets: Iterable[Sheet], count: int) -> int:
    """Returns how many pictures lie behind each other in a file, if all differ, none is empty, and whole
    batches of so many can be made of them, or 0 if there is no such file. Bytes without a header have to be
    one batch."""
    for sheet in sheets:
        starts = range(0, len(sheet.pixels), sheet.item) if sheet.item else ()
        if not starts or len(starts) % count or (len(starts) != count and not sheet.source.is_ordered):
            continue
        items = [sheet.pixels[at : at + sheet.item] for at in starts]
        different = {crc32(item.tobytes()) for item in items if item.min() < item.max()}
        if len(different) == len(items):
            return len(items)
    return 0


def is_last(array: Any, left: int) -> bool:
    """Tells whether a batch is the last of several, for which so many pictures are left: these differ, and
    the rest is filled with the last one, the first one or a single number."""
    own, rest = array[:left], array[left:]
    if not left or len({row.tobytes() for row in own}) < left or any(row.min() == row.max() for row in own):
        return False
    fills = (own[-1], own[0], rest[0].reshape(-1)[0])
    return any(bool((rest == one).all()) for one in fills)


def repeated(array: Any, pictures: Callable[[], int], items: Callable[[int], int] = lambda count: 0) -> str:
    """Returns what is wrong with a batch [pictures, ...] of which some are the same or empty, though at least
    as many different ones were read, or "" if nothing is. These are `pictures`, or `items` of a file of
    several."""
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
    if not (same or empty):
        return ""
    read = max(pictures(), items(count))
    if read < count or is_last(array, read % count):
        return ""
    if same:
        one, other = same[0]
        return (
            f"places {one} and {other} of the batch hold the same picture, though {read} different "
            "ones were read: does each place get its own?"
        )
    rest = "" if len(empty) == 1 else f" and {len(empty) - 1} more"
    return f"place {empty[0]} of the batch{rest} is empty, though {read} pictures were read for {count}"
