"""Files that were read in pieces, each of which was put where the one before lies.

What is here: `in_one_place`, which makes what a buffer then holds, and looks for the input in that. What is
not: reads that end early (`runs.py`), and pieces that are sent twice (`order`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from struct import error
from typing import Any, Protocol

from ...arrays import numpy
from ..budget import Left
from ..changes.arrangements import interleaved
from ..facts import picture_of
from .blended import traced_over
from .decoding import decoded
from .headerless import as_pixels
from .interpolating import EXACT
from .layouts import layout_of, packed_of
from .readings import first
from .waves import wave_in
from .windowed import heard_in

SHORTEST, MOST, MOST_HEADER, MOST_TRIED = 32, 1 << 22, 4096, 4
"""Bytes of a piece at least, of a file at most, and of a header; and so many files are tried."""
KINDS = ("u1", "<i2", "<f4", ">i2")
STEPS = 61, 1
"""A few elements are compared first, and then all."""
NEAR, EMPTY = 1e-3, 0.04
"""How far elements may be from what they are made of, as parts of their deviation, and by which part of all
the empty end may be longer or shorter."""


class Pieces(Protocol):
    """A file, and the lengths that were asked for by reads of it."""

    name: str
    data: bytearray
    pieces: set[int]


def in_one_place(array: Any, files: Sequence[Pieces], left: Left) -> str:
    """Returns what is wrong with an input that is what a buffer holds of one of the files that were read last
    if each piece was written over the one before, or "" if it isn't that."""
    bare, room = empty_part(array)
    read = [one for one in reversed(files) if one.pieces and SHORTEST < len(one.data) <= MOST][:MOST_TRIED]
    for file in read if bare > EMPTY else ():
        for size, start, held in buffers(file):
            is_likely = abs(bare - (1 - size / (len(held) - start))) <= EMPTY + room
            if is_likely and (is_flat(array, held, start) or is_shown(array, file.name, held, left)):
                return (
                    f"{file.name} was read in pieces of {size:,} bytes, and its elements are what is left if "
                    "each piece is put where the one before lies, and nothing behind the first: does the "
                    "place where a piece is put move on by what was read?"
                )
    return ""


def empty_part(array: Any) -> tuple[float, float]:
    """Which part of an input at its end, or of the rows of a picture at its upper one, has one value in each
    channel; and by which it may be longer, as rows are whole."""
    picture = picture_of(array.shape)
    if picture is None:
        rows = array.reshape(-1, 1)
    else:
        own = first(array, picture)
        rows = own.reshape(len(own), -1)
        plain = (rows.reshape(own.shape) == own[-1, -1]).all(axis=(1, 2))
        upper = (rows.reshape(own.shape) == own[0, 0]).all(axis=(1, 2))
        most = max(run_of(plain[::-1]), run_of(upper))
        return most / len(rows), 1 / len(rows)
    return run_of((rows[::-1] == rows[-1]).all(axis=1)) / len(rows), 0.0


def run_of(are: Any) -> int:
    """How many of the first are so."""
    return int(are.argmin()) if not are.all() else len(are)


def is_flat(array: Any, held: bytes, start: int) -> bool:
    """Whether elements are those bytes, or numbers of more bytes each, one after the other, in each channel
    times one factor and with one number added."""
    picture = picture_of(array.shape)
    flat = (array if picture is None else interleaved(array, picture)).reshape(-1)
    channels = 1 if picture is None else picture.channels
    for kind in KINDS:
        for begins in {0, start}:
            width = numpy.dtype(kind).itemsize
            if len(held) - begins < width * flat.size:
                continue
            numbers = numpy.frombuffer(held, kind, flat.size, begins)
            parts = [slice(at, None, channels * step) for step in STEPS for at in range(channels)]
            if all(are_lines(numbers[part].astype("f8"), flat[part]) for part in parts):
                return True
    return False


def are_lines(numbers: Any, flat: Any) -> bool:
    """Whether some numbers are others times a factor, and one number more."""
    spread, other = numbers.std(), flat.std()
    if not 0 < spread < numpy.inf or not 0 < other < numpy.inf:
        return False
    return bool(abs((numbers - numbers.mean()) / spread - (flat - flat.mean()) / other).max() <= NEAR)


def is_shown(array: Any, name: str, held: bytes, left: Left) -> bool:
    """Whether an input is a picture or sound of those bytes."""
    source = decoded(name, held) if left() else None
    sources = [source] if source is not None else as_pixels(name, held, array)
    for one in sources if left() else ():
        found = traced_over(array, one, left) if one.is_picture else heard_in(array, one, left)
        if found is not None and not found.wrong and found.apart <= EXACT:
            return True
    return False


def buffers(file: Pieces) -> Iterator[tuple[int, int, bytes]]:
    """What a buffer holds of a file if all pieces were put at its beginning, or behind a header: the length
    of a piece, where the first one begins in the file, and the bytes."""
    data = bytes(file.data)
    header = header_of(data)
    for size in sorted(file.pieces):
        for start in dict.fromkeys((header, 0)):
            if not SHORTEST <= size < len(data) - start:
                continue
            held = bytearray(len(data) - start)
            for at in range(start, len(data), size):
                piece = data[at : at + size]
                held[: len(piece)] = piece
            yield size, start, data[:start] + bytes(held)


def header_of(data: bytes) -> int:
    """Where the numbers of a picture or sound begin."""
    known, packed = layout_of(data[:MOST_HEADER]), packed_of(data[:MOST_HEADER])
    if data[:4] == b"RIFF":
        with suppress(ValueError, error):  # it may have no samples
            return wave_in(data).start
    return known.first if known is not None else packed.start if packed is not None else 0
