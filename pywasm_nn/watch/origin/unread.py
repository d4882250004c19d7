"""Files of which only the beginning was read: an input shows where that ends, by what the host has behind it.

What is here: `unread` and `behind`, which give the rest, and `by_whole_file`, which compares an input with
all of the file. What is not: inputs whose rows are runs of the bytes that were read (`runs.py`), and pieces
that follow each other (`order/streams.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...records import changed
from ..budget import Left
from ..facts import picture_of
from .cleared import LEAST, even_rows, is_lively, upper_rows
from .decoding import JPEG, Source
from .interpolating import EXACT
from .kinds import MEDIA
from .layouts import layout_of, packed_of
from .matching import Origin
from .raw_places import STRAIGHT, is_telling
from .read_files import MOST_HEADER, MOST_OF_A_BUFFER, File, sources_of
from .readings import first

STANDARD_INPUT = "standard input"
EMPTY = ("it is not the picture", "it is not the sound")
"""A sentence about an input that is another thing from some element on has one of these beginnings."""
WHY = "bytes of the file were read (one read may return fewer than asked for)"
KINDS, FEWEST = ("<f4", "<f8", "<i2", "<i4"), 16
"""Types of raw numbers, and how many of them are no chance."""
BYTES_A_PIXEL = (3, 4, 1)
Search = Callable[[Any, Sequence[Source], Left], Origin | None]


def by_whole_file(array: Any, files: Sequence[File], search: Search, left: Left) -> Origin | None:
    """How an input came from the last file, if that was not read to its end, and the input is empty where the
    rest would be; or None. `search` finds how an input came from pictures and sounds."""
    read = next((file for file in reversed(files) if file.data and KNOWN.of_file(file.name) is None), None)
    if read is None or read.ended or read.begins or read.data.startswith(JPEG):
        return None
    if not (where := where_empty(array)):
        return None
    if (rest := rest_of(read, MOST_OF_A_BUFFER)) and begins_raw(array, bytes(read.data), rest):
        return Origin(
            Source(read.name, None, read.size()), (), f"{where} it is empty: only {len(read.data):,} {WHY}"
        )
    for whole, is_known in wholes(read, rest, array):
        found = search(array, sources_of(whole, array), left) if left() else None
        if found is None or (found.apart > EXACT and not is_known):
            continue
        if is_cut(array, found) if is_known else not found.wrong and found.encoding is not None:
            return changed(found, wrong=f"{where} it is empty: only {len(read.data):,} {WHY}")
    return None


def is_cut(array: Any, found: Origin) -> bool:
    """Whether an input is all of a file, but for what is empty there, and not in the file."""
    if any(one in found.wrong for one in EMPTY):
        return "; " not in found.wrong
    return not found.wrong and is_lively(found, upper_rows(array))


def where_empty(array: Any) -> str:
    """Which lower or upper rows of a picture, or last elements of another input, are all the same, if others
    aren't: "from row 3 of 8 on", or ""."""
    picture = picture_of(array.shape)
    if picture is None:
        count = filled(array.reshape(-1, 1))
        return f"from element {count:,} on" if count else ""
    rows = first(array, picture)
    if count := filled(rows):
        return f"from row {count} of {len(rows)} on"
    count = upper_rows(array)
    return f"in the first {count} rows of {len(rows)}" if count else ""


def filled(rows: Any) -> int:
    """How many rows there are before the last ones, all of whose elements are the same; 0 if all are, or if
    those are few."""
    count = even_rows(rows[::-1])
    return len(rows) - count if count else 0


def begins_raw(array: Any, data: bytes, rest: bytes) -> bool:
    """Whether the first elements are the numbers of a file, scaled perhaps, as far as these were read, and
    the file has others behind them."""
    flat = array.reshape(-1).astype("f8")
    count = filled(flat.reshape(-1, 1))
    for kind in KINDS:
        size = numpy.dtype(kind).itemsize
        there, more = (numpy.frombuffer(one, kind, len(one) // size) for one in (data, rest))
        if count < FEWEST or len(there) != count or not len(more) or (more == more[0]).all():
            continue
        with numpy.errstate(all="ignore"):  # bytes that are no floats
            known = there.astype("f8")
        if not is_telling(known):
            continue
        high, low = int(known.argmax()), int(known.argmin())
        scale = (flat[high] - flat[low]) / (known[high] - known[low])
        off = abs(flat[:count] - flat[low] - scale * (known - known[low])).max()
        if scale and off <= STRAIGHT * abs(flat[high] - flat[low]):
            return True
    return False


def wholes(read: File, rest: bytes, array: Any) -> Iterator[tuple[File, bool]]:
    """Yields a file with what the host has behind the bytes that were read, and that this is known; or what
    pixels of the input's size would be with nothing behind those bytes."""
    data = bytes(read.data)
    if rest:
        if len(rest) >= LEAST * (len(data) + len(rest)):  # as much as an input has to be empty
            yield with_data(read, data + rest), True
        return
    picture = picture_of(array.shape)
    if picture is None or read.place is not None or has_header(data):
        return
    for count in BYTES_A_PIXEL:
        size = picture.height * picture.width * count
        if -(-len(data) // (picture.width * count)) == filled(first(array, picture)):
            yield with_data(read, data + bytes(size - len(data))), False


def has_header(data: bytes) -> bool:
    """Whether a file is a picture or a sound by its beginning."""
    head = data[:MOST_HEADER]
    return layout_of(head) is not None or packed_of(head) is not None or head.startswith(MEDIA)


def with_data(read: File, data: bytes) -> File:
    file = File(read.name)
    file.read(data, 0)
    return file


def rest_of(file: File, most: int) -> bytes:
    """Returns what the host has behind the bytes that were read, or b"" if the file is larger than `most`."""
    if file.place is not None:
        return behind(file.place, bytes(file.data), most)
    return unread(bytes(file.data), most) if file.name == STANDARD_INPUT else b""


def behind(place: Path, data: bytes, most: int) -> bytes:
    """Returns what follows the bytes that were read in a file of the host's, of at most so many bytes."""
    try:
        whole = place.read_bytes() if place.is_file() and place.stat().st_size <= most else b""
    except OSError:
        return b""
    return whole[len(data) :] if whole.startswith(data) else b""


def unread(begin: bytes, most: int, number: int = 0) -> bytes:
    """Returns what follows the beginning in the standard input (or another descriptor), if that is a file of
    at most so many bytes."""
    try:
        about = os.fstat(number)
        data = os.pread(number, most, 0) if S_ISREG(about.st_mode) and about.st_size <= most else b""
    except (OSError, AttributeError):  # closed, or a system without pread
        return b""
    return data[len(begin) :] if data.startswith(begin) else b""
