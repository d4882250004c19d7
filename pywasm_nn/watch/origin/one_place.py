"""Files that were read in pieces, each of which was put where the one before lies.

What is here: `in_one_place`, which makes what a buffer then holds, and looks for the input in that. What is
not: reads that end early (`runs.py`), and pieces that are sent twice (`order`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from struct import error
from typing import Any, Protocol

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left
from ..changes.arrangements import interleaved
from ..facts import picture_of
from .blended import traced_over
from .decoding import Source, decoded
from .headerless import as_pixels
from .interpolating import EXACT
from .layouts import layout_of, packed_of
from .readings import first
from .waves import wave_in
from .windowed import heard_in

SHORTEST, MOST, MOST_HEADER, MOST_TRIED, MOST_PIECES = 32, 1 << 22, 4096, 4, 1 << 12
"""Bytes of a piece at least, of a file at most, and of a header; so many files are tried, of so many pieces
at most."""
COLOURS, FOUR = 3, 4
OF_FOUR = (0, 1, 2), (2, 1, 0), (1, 2, 3), (3, 2, 1)
"""Each tuple has the places of red, green and blue (or blue, green and red) among four bytes."""
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
        for piece in buffers(file):
            is_likely = abs(bare - piece.bare) <= EMPTY + room
            if is_likely and (is_flat(array, piece) or is_shown(array, file.name, piece, left)):
                where = (
                    "where the one before lies"
                    if not piece.step
                    else f"{piece.step:,} bytes behind the one before"
                )
                return (
                    f"{file.name} was read in pieces of {piece.size:,} bytes, and its elements are what is "
                    f"left if each piece is put {where}, and nothing behind the last: does the place where a "
                    "piece is put move on by what was read?"
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


def is_flat(array: Any, piece: Held) -> bool:
    """Whether elements are those bytes, or numbers of more bytes each, one after the other, in each channel
    times one factor and with one number added."""
    picture = picture_of(array.shape)
    flat = (array if picture is None else interleaved(array, picture)).reshape(-1)
    channels = 1 if picture is None else picture.channels
    if channels == COLOURS and are_colours(flat, piece):
        return True
    for kind in KINDS:
        for begins in {0, piece.start}:
            width = numpy.dtype(kind).itemsize
            if len(piece.data) - begins < width * flat.size:
                continue
            numbers = numpy.frombuffer(piece.data, kind, flat.size, begins)
            parts = [slice(at, None, channels * step) for step in STEPS for at in range(channels)]
            if all(are_lines(numbers[part].astype("f8"), flat[part]) for part in parts):
                return True
    return False


def are_colours(flat: Any, piece: Held) -> bool:
    """Whether elements are the colours of pixels of four bytes, of which the guest left one out."""
    octets = numpy.frombuffer(piece.data, "u1")[piece.start :]
    count = flat.size // COLOURS
    if len(octets) != FOUR * count:
        return False
    pixels, own = octets.reshape(count, FOUR), flat.reshape(count, COLOURS)
    return any(
        all(
            are_lines(pixels[::step, place].astype("f8"), own[::step, channel].astype("f8"))
            for step in STEPS
            for channel, place in enumerate(order)
        )
        for order in OF_FOUR
    )


def are_lines(numbers: Any, flat: Any) -> bool:
    """Whether some numbers are others times a factor, and one number more."""
    spread, other = numbers.std(), flat.std()
    if not 0 < spread < numpy.inf or not 0 < other < numpy.inf:
        return False
    return bool(abs((numbers - numbers.mean()) / spread - (flat - flat.mean()) / other).max() <= NEAR)


def is_shown(array: Any, name: str, piece: Held, left: Left) -> bool:
    """Whether an input is a picture or sound of those bytes."""
    source = decoded(name, piece.data) if not piece.step and left() else None
    sources = [source] if source is not None else as_pixels(name, piece.data, array)
    for one in map(without_alpha, sources if not piece.step and left() else ()):
        found = traced_over(array, one, left) if one.is_picture else heard_in(array, one, left)
        if found is not None and not found.wrong and found.apart <= EXACT:
            return True
    return False


def without_alpha(source: Source) -> Source:
    """A picture without its alpha, which is 0 where a buffer was never filled."""
    if not source.is_picture or source.array.shape[-1] != FOUR:
        return source
    return changed(source, array=source.array[..., :COLOURS], data=b"", others=())


class Held(Frozen):
    """What a buffer holds of a file of which pieces of a size were put `step` bytes apart, too near to each
    other, from `start` on; up to `end` it was filled."""

    data: bytes
    size: int
    start: int
    step: int
    end: int

    @property
    def bare(self) -> float:
        """The part at the end that was never filled."""
        return 1 - (self.end - self.start) / (len(self.data) - self.start)


def buffers(file: Pieces) -> Iterator[Held]:
    """What a buffer holds of a file if pieces were put over each other at its beginning, or behind a
    header."""
    data = bytes(file.data)
    header = header_of(data)
    sizes = sorted(size for size in file.pieces if size >= SHORTEST)
    for size, start in product(sizes, dict.fromkeys((header, 0))):
        pieces = [data[at : at + size] for at in range(start, len(data), size)]
        if not 1 < len(pieces) <= MOST_PIECES:
            continue
        for step in dict.fromkeys((0, 1, size // 4, size // 2)):
            held = bytearray(len(data))
            held[:start] = data[:start]
            for number, piece in enumerate(pieces):
                at = start + number * step
                held[at : at + len(piece)] = piece
            end = start + max(number * step + len(piece) for number, piece in enumerate(pieces))
            yield Held(bytes(held), size, start, step, end)


def header_of(data: bytes) -> int:
    """Where the numbers of a picture or sound begin."""
    known, packed = layout_of(data[:MOST_HEADER]), packed_of(data[:MOST_HEADER])
    if data[:4] == b"RIFF":
        with suppress(ValueError, error):  # it may have no samples
            return wave_in(data).start
    return known.first if known is not None else packed.start if packed is not None else 0
