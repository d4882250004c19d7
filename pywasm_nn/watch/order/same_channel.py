"""Equal inputs from files that differ: was a channel sent that is the same in all of them?

What is here: `same_channel`. What is not: whether all inputs are equal (`rounds.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.raw_places import columns_in, is_raw
from ..origin.straight import line_through

FEWEST, MOST, DIFFERENT = 8, 1 << 14, 4
"""Elements of an input that is looked for, and the fewest different ones."""
MOST_CHANNELS = 8
KINDS = ("<f8", "<f4", "<i4", "<i2", ">i2", "<u2")
"""Wide ones first: the lower halves of small numbers of 32 bits are the same numbers."""
NEAR = 1e-4
"""How far elements may be from a line over a file's numbers, as a part of their range."""


class Parts(Frozen):
    """The columns or channels of a file, the type of its numbers, and these, [samples, channels]."""

    way: str
    kind: str
    numbers: Any


def same_channel(elements: Any, files: Sequence[bytes]) -> str:
    """Returns the channel of files of which all inputs are, if it is the same in all of them and another one
    never is, or "" if there is none. `elements` are those of each input."""
    flat = elements.reshape(-1).astype("f8")
    if not FEWEST <= flat.size <= MOST or len(numpy.unique(flat)) < DIFFERENT or len(files) < 2:
        return ""
    each = [[*parts_of(data, flat.size)] for data in files]
    for one in each[0]:
        alike = [part.numbers for parts in each for part in parts if part.kind == one.kind]
        if len(alike) < len(files):
            continue
        channels = range(min(part.shape[1] for part in alike))
        sent = [at for at in channels if all(is_over(flat, part[:, at]) for part in alike)]
        differ = [at for at in channels if len({part[:, at].tobytes() for part in alike}) == len(files)]
        if len(sent) == 1 and differ:
            return (
                f"they are {one.way} {sent[0] + 1} of each file, which is the same in all of them, and "
                f"{one.way} {differ[0] + 1} is another in each: was that one meant?"
            )
    return ""


def parts_of(data: bytes, count: int) -> Iterator[Parts]:
    """The columns of a text, or the numbers of several channels in turns, of so many samples each."""
    if not is_raw(data):
        columns = [one for one in columns_in(data) if len(one) == count]
        if len(columns) > 1:
            yield Parts("column", "", numpy.stack(columns, axis=1))
        return
    for kind in KINDS:
        size = count * numpy.dtype(kind).itemsize
        if len(data) % size == 0 and 1 < len(data) // size <= MOST_CHANNELS:
            with numpy.errstate(all="ignore"):  # bytes that are no floats
                numbers = numpy.frombuffer(data, kind).astype("f8").reshape(count, -1)
            yield Parts("channel", kind, numbers)


def is_over(flat: Any, numbers: Any) -> bool:
    """Whether elements are numbers, perhaps scaled and moved."""
    if not numpy.isfinite(numbers).all() or not numpy.ptp(numbers):
        return False
    slope, height = line_through(numbers, flat)
    return bool(slope and (abs(slope * numbers + height - flat) <= NEAR * numpy.ptp(flat)).all())
