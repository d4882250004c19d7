"""Windows of a table's lines whose channels and samples are exchanged, or whose samples are sent twice.

What is here: `in_turns`, `lines_taken_for_places` and `doubled`. What is not: columns of few lines one by one
(`origin.lined`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from ...arrays import numpy
from ..origin.straight import factor_of
from ..sheets.sheet import Sheet, number_of
from ..surroundings import text_in
from .rings import FEWEST, MOST_COLUMNS, window_of

TIMES = (4, 3, 2)
MOST_NUMBERS, MOST_TEXT, STRAIGHT = 1 << 14, 1 << 18, 1e-5


def in_turns(array: Any, sheets: Sequence[Sheet]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window whose elements lie line by line where its shape says
    channel by channel, or the other way round, or "" for both if nothing is known to be wrong."""
    lengths = [length for length in array.shape if length != 1]
    if len(lengths) != 2 or lengths[0] == lengths[1] or min(lengths) > MOST_COLUMNS:
        return "", ""
    plain, flat = array.reshape(lengths), array.reshape(-1)
    channels, count = min(lengths), max(lengths)
    is_planar = lengths[0] == channels
    own = plain.T if is_planar else plain
    other = flat.reshape(count, channels) if is_planar else flat.reshape(channels, count).T
    if count < FEWEST:
        return "", ""
    for sheet in sheets:
        if window_of(own, sheet.numbers) is not None:
            return "", ""
        found = window_of(numpy.ascontiguousarray(other), sheet.numbers)
        if found is not None and not found.turned:
            lie, say = f"line by line ({channels} numbers each)", f"channel by channel ({count} samples each)"
            lie, say = (lie, say) if is_planar else (say, lie)
            return sheet.name, (
                f"its elements are lines {found.start + 1} to {found.start + count}, and lie {lie}; the "
                f"shape {list(array.shape)} says {say}: they have to be transposed"
            )
    return "", ""


def lines_taken_for_places(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window that has the numbers of a text in their order, a line
    of which is a channel, where the shape says that a channel's numbers are apart; "" for both if that is not
    so."""
    lengths = [length for length in array.shape if length != 1]
    if len(lengths) != 2 or array.size > MOST_NUMBERS or array.dtype.kind != "f":
        return "", ""
    width, count = lengths
    if not 1 < count <= MOST_COLUMNS or width < max(FEWEST, 2 * count):
        return "", ""
    flat = array.reshape(-1).astype("f8")
    for name, data in files:
        for block in (one for one in blocks_in(data) if one.shape[1] == width):
            for start in range(len(block) - count + 1):
                if factor_of(flat, block[start : start + count].reshape(-1), STRAIGHT):
                    return name, (
                        f"its elements are {count} lines of {width} numbers, one behind the other; the shape "
                        f"{list(array.shape)} says {width} places of {count} numbers: they have to be "
                        "transposed"
                    )
    return "", ""


@lru_cache(16)
def blocks_in(data: bytes) -> tuple[Any, ...]:
    """The lines of a text that follow each other and have as many numbers, as arrays."""
    rows = [[number_of(one) for one in line.replace(",", " ").split()]
            for line in text_in(data, MOST_TEXT).splitlines()]  # fmt: skip
    known = [row if row and all(one == one for one in row) else [] for row in rows]
    groups = ([*group] for _, group in groupby(known, key=len))
    return tuple(numpy.array(group, "f8") for group in groups if group[0])


def repeats(samples: Any) -> int:
    """Returns how often each sample stands behind itself, or 1 for once."""
    for times in TIMES:
        part = samples[::times]
        if len(samples) % times or len(part) < FEWEST:
            continue
        if all((samples[by::times] == part).all() for by in range(times)) and (part[1:] != part[:-1]).any():
            return times
    return 1


def doubled(samples: Any, sheets: Sequence[Sheet]) -> tuple[str, int, int, int]:
    """The file, its lines, how often each sample was sent, and the line of the first; zeros if once."""
    times = repeats(samples)
    for sheet in sheets if times > 1 else ():
        found = window_of(samples[::times], sheet.numbers)
        if found is not None and not found.turned:
            return sheet.name, len(sheet.rows), times, found.start
    return "", 0, 0, 0
