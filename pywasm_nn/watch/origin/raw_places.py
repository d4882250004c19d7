"""Where numbers lie among the raw ones of a file, scaled and moved.

What is here: `places`, which looks for a window of numbers, whether a file has raw ones, and `numbers_in`,
what files may hold as such types, and tables as columns. What is not: of which type they are, and what is
wrong with that (`series/raw_windows.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from .kinds import MEDIA
from .tables import table_in

DIFFERENT, MOST_PLACES = 8, 64
"""The fewest different elements of a window, and the most places at which three of them fit."""
STRAIGHT = 1e-5
"""How far elements may be from a straight line over the numbers, as a part of their range."""
MOVED = 1e-4
"""How far from 0 a straight line is there where the numbers are 0, as a part of the elements' range."""
BEGINNINGS = (b"\x93NUMPY", b"PK", b"\0asm")
"""How other files begin that have no raw numbers."""
WRITTEN = bytes(one for one in range(256) if one >= 32 or one in b"\t\n\v\f\r\x1a\x1b")
"""Bytes that texts have. Counts around 1,100 have no byte that is 0, and many that are 4 or 5."""


def numbers_in(
    files: Sequence[tuple[str, bytes]], kinds: Sequence[str], most: int = 3, most_bytes: int = 1 << 17
) -> Iterator[tuple[str, Any]]:
    """Yields the names of the last files and their numbers, as f64: raw ones as each of some types, if all
    are finite, and the columns of tables."""
    for name, data in [one for one in reversed(files) if KNOWN.of_file(one[0]) is None][:most]:
        if not is_raw(data):
            yield from ((name, column) for column in columns_in(data[: most_bytes + 1]))
            continue
        for kind in kinds:
            count = min(len(data), most_bytes) // numpy.dtype(kind).itemsize
            with numpy.errstate(all="ignore"):  # bytes that are no floats
                numbers = numpy.frombuffer(data, kind, count).astype("f8")
            if numpy.isfinite(numbers).all():
                yield name, numbers


@lru_cache(8)
def columns_in(data: bytes) -> tuple[Any, ...]:
    """The columns of a table in which all are numbers, or () of another file."""
    table = table_in(data)
    return () if table is None else tuple([one for one in table.numbers.T if numpy.isfinite(one).all()])


def is_raw(data: bytes) -> bool:
    """Whether a file is no text, and has no header that is known."""
    return bool(data.translate(None, WRITTEN)) and not data.startswith((*MEDIA, *BEGINNINGS))


def is_telling(column: Any) -> bool:
    """Whether elements are nowhere by chance."""
    return bool(numpy.isfinite(column).all()) and len(numpy.unique(column)) >= DIFFERENT


def places(column: Any, numbers: Any, apart: int) -> Iterator[tuple[int, bool]]:
    """The bytes at which a column begins whose elements are so many bytes apart, scaled, and whether they
    were moved, too."""
    last = len(numbers) - (len(column) - 1) * apart
    if last <= 0:
        return
    high, low = int(column.argmax()), int(column.argmin())
    middle = int(abs(column - (column[high] + column[low]) / 2).argmin())
    size = column[high] - column[low]
    top, bottom, between = (numbers[at * apart :][:last] for at in (high, low, middle))
    off = abs((between - bottom) * size - (column[middle] - column[low]) * (top - bottom))
    fits = (top > bottom) & (off <= STRAIGHT * size * (top - bottom))
    for begins in numpy.flatnonzero(fits)[:MOST_PLACES].tolist():
        there = numbers[begins : begins + len(column) * apart : apart]
        factor = size / (there[high] - there[low])
        if abs(column - column[low] - factor * (there - there[low])).max() <= STRAIGHT * size:
            yield begins, bool(abs(column[low] - factor * there[low]) > MOVED * max(size, abs(column[low])))
