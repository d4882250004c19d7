"""Rows of an input that are runs of a file's bytes: where they begin, and how far they lie apart.

What is here: `runs_of`, for inputs whose elements are the bytes of a file, and not resized. It needs no
decoded picture, so that headers, padding and short reads show. What is not: pictures that were resized
(`matching.py`), and how bytes lie in a file (`layouts.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..changes.encodings import RAW, UNIT, USUAL, Encoding, decoded
from ..facts import Picture
from .buffers import AS_THREE, FOUR, are_of_four
from .layouts import Layout, Packed
from .readings import first

MOST_BYTES = 32 << 20
ROWS = 12
"""So many rows are looked for."""
FEWEST_ROWS = 4
MOST_PLACES = 12
"""A row that is found more often says nothing."""
LIVELY = 5
"""A row with fewer different bytes says nothing."""
MOSTLY = 0.9
"""The part of the rows that must be runs, of those that aren't empty."""
WHOLE = 0.02
"""The farthest that pixels may be from whole numbers, on average."""
REPEATED = (4, 3, 2)
"""How often pixels may be repeated to make a part larger."""
CLEARLY = 0.5
"""Rows that lie below each other differ by this part of what others do."""
MOST_DISTANCES = 512
LARGEST = 8
"""Rows lie at most so many times their length apart."""


class Runs(Frozen):
    """Rows of `length` bytes: the first at `start`, the others `stride` apart. Only the first `filled` rows
    of `rows` are runs, and the rest is empty."""

    start: int
    stride: int
    length: int
    rows: int
    filled: int
    channels: int
    encoding: Encoding
    is_reversed: bool = False

    @property
    def begins(self) -> int:
        """Where the first byte of any row lies."""
        return self.start + min(0, self.stride * (self.rows - 1))

    def __str__(self) -> str:
        """ "rows of 672 bytes from byte 15 on, pixels from 0 to 255"."""
        apart = "" if self.stride == self.length else f", {self.stride} apart,"
        order = ", channels reversed" if self.is_reversed else ""
        rows = f"rows of {self.length} bytes{apart} from byte {self.start} on"
        return f"{rows}{order}, pixels {self.encoding.said}"


def runs_of(array: Any, picture: Picture, data: bytes, top: int = 255) -> Runs | None:
    """Returns the rows of an input as runs of a file's bytes, or None if they aren't. `top` is the value of
    white."""
    if not 0 < len(data) <= MOST_BYTES:
        return None
    for encoding, whole in in_bytes(array, picture, top):
        for is_reversed in (False, True) if picture.channels == 3 else (False,):
            rows = single(whole)
            own = rows[:, :, ::-1] if is_reversed else rows
            found = placed(own.reshape(len(own), -1), data)
            if found is not None:
                start, stride, filled = found
                length = rows.shape[1] * picture.channels
                return Runs(start, stride, length, len(own), filled, picture.channels, encoding, is_reversed)
    return None


def single(rows: Any) -> Any:
    """Pixels [height, width, channels] of which each is there once, if they are repeated a whole number of
    times."""
    for times in REPEATED:
        one = rows[::times, ::times]
        if rows.shape[0] % times or rows.shape[1] % times or len(one) < FEWEST_ROWS:
            continue
        if (one.repeat(times, axis=0).repeat(times, axis=1) == rows).all():
            return one
    return rows


def in_bytes(array: Any, picture: Picture, top: int) -> Iterator[tuple[Encoding, Any]]:
    """The elements as bytes [height, width, channels], by the encodings that make whole numbers of them."""
    if array.dtype.kind in "iu" and array.dtype.itemsize == 1:
        signed = array.dtype.kind == "i"
        own = array.view("|u1") ^ (0x80 if signed else 0)
        yield RAW, first(own, picture).astype("u1")
        return
    planes = array.reshape(-1, *array.shape[-3:])[:1]
    white = () if top == UNIT.deviation[0] else (Encoding(UNIT.said, (0.0,), (float(top),)),)
    for encoding in (*white, *USUAL):
        if not encoding.fits(picture.channels):
            continue
        pixels = first(decoded(planes, encoding, picture), picture)
        low, high = float(pixels.min()), float(pixels.max())
        if low < -0.5 or high > 255.5 or high < LIVELY:
            continue
        if float(abs(pixels - pixels.round()).mean()) < WHOLE:
            yield encoding, pixels.round().astype("u1")
            if picture.channels == 1:
                yield Encoding(f"{encoding.said}, inverted", (), ()), (255 - pixels.round()).astype("u1")


def placed(rows: Any, data: bytes) -> tuple[int, int, int] | None:
    """Where the first row begins in the bytes, how far rows lie apart, and how many are there."""
    length = rows.shape[1]
    if rows.size <= SMALL and len(data) <= SMALL_FILE:
        return placed_small(rows, data)
    lively = [number for number, row in enumerate(rows) if len(set(row[:4096].tolist())) >= LIVELY]
    if len(lively) < FEWEST_ROWS:
        return None
    step = max(1, len(lively) // ROWS)
    places = {number: list(found_at(data, rows[number].tobytes())) for number in lively[::step]}
    known = [number for number, at in places.items() if 0 < len(at) < MOST_PLACES]
    votes: Counter[tuple[int, int]] = Counter()
    for one, other in pairwise(known):
        for start in places[one]:
            for end in places[other]:
                stride, rest = divmod(end - start, other - one)
                if not rest and length // LARGEST <= abs(stride) <= LARGEST * length:
                    votes[start - stride * one, stride] += 1
    if not votes:
        return None
    (start, stride), count = votes.most_common(1)[0]
    if count < min(FEWEST_ROWS - 1, len(known) - 1) or len(known) < FEWEST_ROWS - 1:
        return None
    there = [rows[n].tobytes() == run(data, start + stride * n, length) for n in range(len(rows))]
    filled = len(rows) - empty_end(rows)
    sure = sum(there[:filled]) / max(1, filled)
    is_cut = filled < len(rows) and there[: filled - 1].count(False) == 0
    if not (sure >= MOSTLY or is_cut) or numpy.count_nonzero(there) < FEWEST_ROWS:
        return None
    return start, stride, filled


def placed_small(rows: Any, data: bytes) -> tuple[int, int, int] | None:
    """The same for few rows, which may have few different bytes each: all places are tried, also those from
    which rows reach beyond the file's end."""
    height, length = rows.shape
    if len(set(rows.reshape(-1).tolist())) < LIVELY:
        return None
    strides = range(length // 2, 4 * length + 1)
    file = numpy.frombuffer(data, "u1").astype("i2")
    beyond = numpy.full(strides[-1] * height, -1, "i2")  # which any byte is like
    windows = numpy.lib.stride_tricks.sliding_window_view(numpy.concatenate([file, beyond]), length)
    inside = numpy.clip(len(file) - numpy.arange(len(windows)), 0, length) / length
    there = [((windows == row) | (windows < 0)).all(axis=1) for row in rows]
    best: tuple[float, int, int] | None = None
    for stride in strides:
        same = numpy.ones(len(file), bool)
        for at, row in enumerate(there):
            same &= row[stride * at : stride * at + len(file)]
        for start in numpy.flatnonzero(same).tolist():
            share = float(inside[start : start + stride * height : stride][:height].mean()) if stride else 0.0
            rank = share - abs(stride - length) / 1e3
            if share >= INSIDE and (best is None or rank > best[0]):
                best = rank, start, stride
    return None if best is None else (best[1], best[2], height)


SMALL, SMALL_FILE = 1024, 4096
INSIDE = 0.8
"""The part of a small input that must lie within the file."""


def run(data: bytes, at: int, length: int) -> bytes:
    return data[at : at + length] if at >= 0 else b""


def found_at(data: bytes, row: bytes) -> Iterator[int]:
    """The first places of a row."""
    at = data.find(row)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at
        at = data.find(row, at + 1)


def empty_end(rows: Any) -> int:
    """How many rows at the end are all alike and constant."""
    same = (rows == rows[-1, -1]).all(axis=1)
    count = 0
    while count < len(rows) and same[len(rows) - 1 - count]:
        count += 1
    return count


def mistaken(runs: Runs, layout: Layout | None, read: int, *, is_all: bool) -> str:
    """Returns what is wrong with runs in a file of this layout, of which `read` bytes were read, or "" if
    nothing is. `is_all` says that it was read to its end."""
    if layout is None:
        return "" if is_all else cut_short(runs, read)
    bytes_, own = layout.channels, runs.channels
    if bytes_ < own and runs.stride == runs.length:
        return f"the file has {bytes_} byte a pixel (grey), and {own} bytes were taken for each"
    if bytes_ != own:
        return ""
    if abs(runs.stride) != abs(layout.stride):
        apart, there = abs(runs.stride), abs(layout.stride)
        is_turned = (runs.rows, runs.length) == (layout.width, layout.height * own)
        if is_turned and runs.stride == runs.length and layout.height != layout.width:
            size = (
                f"{layout.width} x {layout.height} pixels, and the shape says {layout.height} x {runs.rows}"
            )
            return f"the file has {size}: are height and width exchanged?"
        if apart % there and (min(apart, runs.length) >= there // 2 or is_part(runs, layout)):
            padded = layout.width * bytes_ < there and apart == layout.width * bytes_
            why = ": the padding at their ends was not passed over" if padded else ""
            return f"rows were read {apart} bytes apart; in the file they lie {there} apart{why}"
        return ""
    by = layout.first - runs.begins
    if by > 0:
        return (
            f"the elements begin {by} bytes before the first pixel: {by} bytes of the file's header are "
            "taken for pixels"
        )
    across = (runs.begins - layout.first) % abs(layout.stride)
    if own > 1 and across % own:
        return (
            f"each row begins {across % own} of {own} bytes behind the beginning of a pixel, so that the "
            f"colours are mixed up: is the column times {own} bytes a pixel?"
        )
    if by < 0 and across + runs.length > layout.width * bytes_:
        early = abs(layout.stride) - across
        header = ": was the header not passed over?" if early == layout.first else ""
        return f"each row begins {early} bytes before a row of the file does{header}"
    return cut_short(runs, read) if not is_all else ""


def in_header(runs: Runs, packed: Packed) -> str:
    """Returns what is wrong with runs that begin in a file's header, or between two of its pictures, or "" if
    nothing is."""
    by = packed.start - runs.begins
    if by > 0 and runs.stride > 0:
        return (
            f"the elements begin {by} bytes before the first pixel: {by} bytes of the file's header "
            f"({packed.kind}, {packed.start} bytes) are taken for pixels"
        )
    size = packed.height * packed.width
    across = -by % size if size else 0
    if not across or runs.stride != runs.length or runs.length * runs.rows != size:
        return ""
    early, where = min((across, "behind the first byte of a picture"), (size - across, "before it"))
    each = f"each picture has {size} bytes, from byte {packed.start} on"
    return f"the elements begin {early} bytes {where}: {each}"


def without_header(runs: Runs, data: bytes) -> str:
    """Returns what is wrong with runs in a file of pixels without a header, whose rows lie farther apart than
    the input's were read, or "" if nothing is. Rows below each other are like each other at that distance
    alone."""
    if runs.stride != runs.length or runs.rows < FEWEST_ROWS:
        return ""
    if is_of_four(runs, data):
        there = runs.length // 3 * FOUR
        return f"{AS_THREE}: rows were read {runs.length} bytes apart, and lie {there} apart"
    file = numpy.frombuffer(data, "u1").astype("i2")
    farther = [
        one  # the last row may have no padding
        for one in range(runs.length + 1, min(len(file) // FEWEST_ROWS, LARGEST * runs.length) + 1)
        if len(file) % one in (0, runs.length) and one % runs.length
    ][:MOST_DISTANCES]
    if not farther:
        return ""

    def apart(stride: int) -> float:
        return float(abs(file[stride:] - file[:-stride]).mean())

    best = min(farther, key=apart)
    if apart(best) >= CLEARLY * apart(runs.stride):
        return ""
    return (
        f"rows were read {runs.stride} bytes apart, one behind the other; by how alike they are, rows of the "
        f"file lie {best} apart, and so do those of a part"
    )


def is_of_four(runs: Runs, data: bytes) -> bool:
    """Whether rows of three bytes a pixel are those of whole rows of pixels of four, with alpha last or
    first. There may be more pixels in a row of the file, of which a part shows the same."""
    body = numpy.frombuffer(data, "u1")[max(0, runs.start) :]
    if runs.channels != 3 or runs.length % 3 or len(data) % (runs.length // 3 * FOUR):
        return False
    return are_of_four(body) or are_of_four(body[1:])


def is_part(runs: Runs, layout: Layout) -> bool:
    """Whether rows that follow each other were to be cut out of a larger picture. A file may also have a
    whole small picture in each of its rows."""
    is_whole = runs.stride == runs.length and layout.stride % (runs.length * runs.rows) == 0
    return runs.stride == runs.length and not is_whole and layout.height >= runs.rows


def cut_short(runs: Runs, read: int) -> str:
    rows, rest = divmod(read - runs.start, runs.stride)
    if runs.filled == runs.rows or runs.stride < 0 or rows >= runs.rows or not rest:
        return ""
    return (
        f"from row {runs.filled} of {runs.rows} on it is empty: only {read:,} bytes of the file were read "
        "(one read may return fewer than asked for)"
    )
