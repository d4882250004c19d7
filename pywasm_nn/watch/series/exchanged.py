"""Windows of a table's lines whose channels and samples are exchanged, or whose samples are sent twice.

What is here: `in_turns` and `doubled`. What is not: columns of few lines one by one (`origin.lined`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..sheets.sheet import Sheet
from .rings import FEWEST, MOST_COLUMNS, window_of

TIMES = (4, 3, 2)


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
