"""Differences of numbers of a file that were kept without their sign, so that -3 became 65,533.

What is here: `ran_over`, for the differences of numbers that follow each other, and for those from the first
one or from a constant. What is not: pictures (`planes.wrapped`), and sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.kinds import MEDIA
from ..origin.raw_places import BEGINNINGS
from ..origin.tables import table_in

FEWEST, FEWEST_OF_BYTES, MOST = 4, 8, 1 << 12
"""Elements of an input: of bytes few lie alike by chance."""
DIFFERENT, FEWEST_SMALL = 3, 2
"""So many different differences, one of them below 0, and the fewest above 0 beside them if they were scaled
and moved, too."""
BITS = (16, 32, 8)
SCALES = (1.0, 10.0, 100.0, 1000.0, 60.0, 255.0, 256.0, 65535.0, 65536.0, 32768.0)
"""What differences are divided by."""
MOST_BYTES, MOST_COLUMNS, MOST_LAG, MOST_MOVED = 1 << 16, 12, 4, 1 << 11
"""Bytes of a file, columns of a table, channels that lie in turns, and numbers that are compared with
elements that were moved."""
RAW = ("<u2", "u1", ">u2", "<u4", ">u4")
PART = 1 / 4
"""Differences are hardly ever larger than this part of what a type holds; those below 0 are then above the
other ones by far."""
LIKE, NEAR = 0.999, 0.2
"""The correlation of elements that are looked at closely, and how far they may be from differences."""
ROUNDED = 1e-6


def ran_over(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file from whose numbers an input was made, and what is wrong with it, each "" if nothing
    is."""
    own = array.reshape(-1).astype("f8")
    if not FEWEST <= own.size <= MOST or not numpy.isfinite(own).all():
        return "", ""
    largest = float(own.max())
    tops = [
        (by * own, bits, by)
        for bits in BITS
        if own.size >= (FEWEST_OF_BYTES if bits == min(BITS) else FEWEST)
        for by in SCALES
        if (1 - PART) * 2.0**bits <= by * largest <= 2.0**bits and is_at_the_top(by * own, bits)
    ]
    is_moved = not tops and is_in_two_parts(own)
    for name, data in reversed(files) if tops or is_moved else ():
        for series in series_in(data[:MOST_BYTES]):
            if len(series) <= own.size:
                continue
            for numbers, bits, by in tops:
                if (found := made_of(numbers, series, bits)) is not None:
                    return name, described(found, bits, f", divided by {by:g}" if by > 1 else "")
            if is_moved and len(series) <= MOST_MOVED and (found := scaled_of(own, series)) is not None:
                return name, described(found, BITS[0], ", scaled then")
    return "", ""


def described(right: Any, bits: int, then: str) -> str:
    least = round(float(right.min()))
    return (
        f"its elements are differences of numbers that were kept in {bits} bits without a sign{then}: "
        f"{least:,} became {least + 2**bits:,}: is the type of the difference uint{bits}, which "
        "holds nothing below 0?"
    )


def is_at_the_top(own: Any, bits: int) -> bool:
    """Whether elements are whole numbers at both ends of what so many bits hold, some at the upper one."""
    top = 2.0**bits
    high = own >= (1 - PART) * top
    if own.min() < 0 or (own[~high] > PART * top).any():
        return False
    if bits == max(BITS) and len(numpy.unique(own)) < DIFFERENT:
        return False  # f32 rounds all that are a little below 0 to the same number
    return bool((abs(own - own.round()) <= ROUNDED * own).all())


def is_in_two_parts(own: Any) -> bool:
    """Whether the middle of the range is empty, and several elements are at each end."""
    low, high = float(own.min()), float(own.max())
    below, above = (own <= low + PART * (high - low)), (own >= high - PART * (high - low))
    if low == high or not (below | above).all():
        return False
    return all(len(numpy.unique(own[end])) >= FEWEST_SMALL for end in (below, above))


def series_in(data: bytes) -> Iterator[Any]:
    """The series of whole numbers that a file may have: the lines and columns of a table, or records of one
    width, with channels in turns."""
    table = table_in(data)
    if table is not None:
        numbers = table.numbers
        columns = numbers.T if numbers.shape[1] <= MOST_COLUMNS else ()
        for series in (numbers.reshape(-1), *columns):
            if numpy.isfinite(series).all() and (series == series.round()).all() and series.min() >= 0:
                yield series
        return
    for kind in RAW if not data.startswith((*MEDIA, *BEGINNINGS)) else ():
        width = numpy.dtype(kind).itemsize
        for first in range(min(width, len(data))):
            numbers = numpy.frombuffer(data, kind, (len(data) - first) // width, first).astype("f8")
            for lag in range(1, MOST_LAG + 1) if not first else (1,):
                yield from (numbers[channel::lag] for channel in range(lag))


def made_of(own: Any, series: Any, bits: int) -> Any:
    """Returns the differences that whole numbers should be, or None if they are none of a series: each from
    the number before, in either direction, or all from one number."""
    top = 2.0**bits
    meant = numpy.where(own >= top / 2, own - top, own)
    room = NEAR + ROUNDED * numpy.where(own >= top / 2, top, 0.0)
    steps = numpy.diff(series)
    known = [
        right
        for there in (steps, -steps)
        for place in places_in(there, meant, room)
        for right in (there[place : place + len(own)],)
        if is_telling(right, bits) and ((right < 0) == (own >= top / 2)).all()
    ]
    if known:  # f32 has rounded those of 32 bits, so that they may be several
        return min(known, key=lambda right: float(abs(right).max()))
    is_exact = bits < max(BITS) and is_telling(meant, bits)
    is_there = is_exact and len(places_in(steps, numpy.diff(meant), room[1:] + room[:-1]))
    return meant if is_there else None


def places_in(series: Any, wanted: Any, near: Any) -> list[int]:
    """Where numbers are a part of a series."""
    places = numpy.arange(len(series) - len(wanted) + 1)
    for at, (one, reach) in enumerate(zip(wanted.tolist(), near.tolist(), strict=True)):
        places = places[abs(series[places + at] - one) <= reach]
        if not len(places):
            break
    found: list[int] = places.tolist()
    return found


def scaled_of(own: Any, series: Any) -> Any:
    """Returns the differences of 16 bits that elements should be, which were scaled and moved, or None if
    they are none of a series. Some must be above 0: others are moved by the mean alone."""
    windows = numpy.lib.stride_tricks.sliding_window_view(numpy.diff(series), own.size)
    for right in (windows, -windows):
        for place in like(own, right % 2.0 ** BITS[0]):
            found = right[place]
            if not is_telling(found, BITS[0]) or (found > 0).sum() < FEWEST_SMALL:
                continue
            made = found % 2.0 ** BITS[0]
            slope, height = numpy.polyfit(made, own, 1)
            if slope > 0 and (abs((own - height) / slope - made) <= NEAR).all():
                return found
    return None


def like(own: Any, windows: Any) -> list[int]:
    """The windows with which elements correlate."""
    there, mine = windows - windows.mean(axis=1, keepdims=True), own - own.mean()
    sizes = numpy.linalg.norm(there, axis=1) * numpy.linalg.norm(mine)
    alike = numpy.where(sizes > 0, there @ mine / numpy.where(sizes > 0, sizes, 1.0), 0.0)
    found: list[int] = numpy.flatnonzero(alike > LIKE).tolist()
    return found


def is_telling(right: Any, bits: int) -> bool:
    """Whether differences are small for the type, and some of them below 0."""
    sizes = abs(right)
    return bool(sizes.max() <= PART * 2.0**bits and right.min() < 0 and len(numpy.unique(right)) >= DIFFERENT)
