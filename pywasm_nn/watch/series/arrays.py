"""Arrays of numpy (.npy) that a guest reads wrongly, and records that it reads at another distance.

What is here: `misread_array`, `padded_records`, and `as_halves`, numbers of 2 bytes that fill half an input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...npy import MAGIC, stored_in
from ..origin.straight import line_of

MOST_BYTES = 1 << 22
FEWEST = 12
STRAIGHT = 1e-5
TINY, LARGE = 1e-6, 1e6
"""Numbers of records are within these, or 0."""
NEARLY_ALL, HARDLY = 0.98, 0.9
MOST_PADDING = 7
LOOKED = 6
MOST_HEADER = 8
HALF = 2
"""Bytes of an f16."""
TINY_HALF, LARGE_HALF = 1e-5, 1e4
"""Numbers that were meant as f16 are within these, or 0."""


def misread_array(array: Any, data: bytes) -> str:
    """Returns what is wrong with an input that came from a .npy file, or "" if nothing is."""
    if not data.startswith(MAGIC) or len(data) > MOST_BYTES or array.size < FEWEST:
        return ""
    try:
        found = stored_in(data)
    except ValueError:
        return ""
    if found.raw.dtype.kind not in "fiu":
        return ""
    begin = data.find(array.tobytes()) if found.raw.dtype == array.dtype else -1
    if 0 < begin < found.begins:
        return (
            f"its elements begin at byte {begin} of the file, and the array's at byte {found.begins}: "
            f"{found.begins - begin} bytes of the header were taken for elements (its length is in the file)"
        )
    lengths = tuple(length for length in array.shape if length != 1)
    shape = tuple(length for length in found.shape if length != 1)
    if not found.is_fortran or len(shape) != 2 or shape[0] == shape[1] or array.size != found.raw.size:
        return ""
    right = found.raw.reshape(found.shape, order="F").reshape(shape)
    wrong = found.raw.reshape(shape)
    own = array.reshape(lengths)

    def is_made_of(stored: Any) -> bool:
        both = (one for one in (stored, stored.T) if one.shape == own.shape)
        return any(line_of(own, one, STRAIGHT) is not None for one in both)

    if not is_made_of(right) and is_made_of(wrong):
        return (
            f"the file says fortran_order, so that its elements lie column by column; they were taken row by "
            f"row, as {shape[0]} rows of {shape[1]}"
        )
    return ""


def as_halves(array: Any, data: bytes) -> str:
    """Returns what is wrong with an input of f32 whose first half is a file's bytes as they are, where the
    file has as many numbers of 2 bytes (f16) as the input has elements, or "" if nothing is."""
    if array.dtype.str != "<f4" or array.size < FEWEST or len(data) != HALF * array.size:
        return ""
    own = array.tobytes()
    if not own.startswith(data) or any(own[len(data) :]):
        return ""
    read = numpy.frombuffer(data, "<f2").astype("f4")
    size = abs(read)
    if not ((size == 0) | ((size > TINY_HALF) & (size < LARGE_HALF))).all() or not read.std():
        return ""
    return (
        f"its first {len(data):,} of {len(own):,} bytes are all of the file's, and zeros follow: these are "
        f"{array.size:,} numbers of 2 bytes (f16), of which the first is {read[0]:.4g}, and as f32 it is "
        f"{array.reshape(-1)[0]:.4g}: each has to be converted"
    )


def padded_records(rows: Any, data: bytes) -> str:
    """Returns what is wrong with samples, [samples, channels], that were read from records at a fixed
    distance, or "" if nothing is. At the right distance all numbers are usual ones."""
    if rows.dtype.str != "<f4" or len(rows) < LOOKED or len(data) < rows.nbytes:
        return ""
    first = data.find(rows[0].tobytes())
    apart = data.find(rows[1].tobytes(), first + 1) - first if first >= 0 else -1
    width = rows[0].nbytes
    if not width < apart <= width + 2 * MOST_PADDING:
        return ""
    if any(data[first + apart * at :][:width] != row.tobytes() for at, row in enumerate(rows)):
        return ""
    if usual(data, first % apart, apart, rows.shape[1]) > HARDLY:
        return ""
    for by, begin in distances(apart, width):
        if len(data) % by == 0 and usual(data, begin, by, rows.shape[1]) >= NEARLY_ALL:
            return (
                f"records were read {apart} bytes apart; {len(data) // by:,} records of {by} bytes fill the "
                f"file, and at that distance all numbers are usual ones: a struct has {apart - by} bytes of "
                "padding, which a file of packed records lacks"
            )
    return ""


def distances(apart: int, width: int) -> Iterator[tuple[int, int]]:
    """Smaller distances of records, and where their numbers begin."""
    for by in range(apart - 1, max(width, apart - MOST_PADDING) - 1, -1):
        for begin in range(min(MOST_HEADER, by - width) + 1):
            yield by, begin


def usual(data: bytes, begin: int, apart: int, count: int) -> float:
    """The part of the numbers of records that are neither tiny nor large."""
    records = (len(data) - begin - 4 * count) // apart + 1
    places = begin + apart * numpy.arange(records)[:, None] + numpy.arange(4 * count)
    numbers = numpy.frombuffer(numpy.frombuffer(data, "u1")[places].tobytes(), "<f4")
    size = abs(numbers)
    return float(((size == 0) | ((size > TINY) & (size < LARGE))).mean())
