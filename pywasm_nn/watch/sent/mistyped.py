"""Inputs whose bytes are elements of another type than the one that was sent with them, which a file shows:
as that type they are its bytes by one scale and shift.

What is here: `mistyped`. What is not: elements that only make sense as another type, whatever they are
(`hints.values`), and larger pictures (`origin.readings`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.tensor import Tensor
from ..changes.rereadings import IN_HALVES, TITLES, upper_halves
from ..origin.layouts import layout_of
from .normalised import EXACT, exact_lines

KINDS = ("<f4", "<f8", "<f2", "|u1", "<i4", "<i2", ">f4", ">f8", ">f2", "<i8")
FEWEST, MOST, MOST_FILES = 24, 1 << 18, 4
"""Elements as they are read, bytes of an input, and files."""
HALF = 1e-3
"""How far elements of half precision are from what they are made of, in parts of the largest."""
UPPER_HALF = 2**-7
"""How far upper halves of floats are from what they are made of, in the same parts: they keep 8 bits."""
LEVELS = 6
"""So many values are the same as a file's by no chance."""
SMALLEST, LARGEST = 1e-4, 1e9
"""The largest element lies between these: bits of whole numbers make less, in proportion to them."""
COLOURS, HEADER = 3, 4096


def mistyped(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with the type of an input that shows nothing of any file as it is, or "" if that
    isn't known."""
    numbers, data = tensor.numbers(), bytes(tensor.view())
    if numbers is None or not FEWEST <= len(data) <= MOST:
        return ""
    sent = numbers.dtype.newbyteorder("<").str
    for name, file in files[-MOST_FILES:]:
        is_picture = layout_of(file[:HEADER]) is not None
        for kind in KINDS:
            own = numpy.dtype(kind)
            if kind == sent or not (is_picture or own.kind == "f") or len(data) % own.itemsize:
                continue  # whole numbers are the bytes of any file that has them
            read = numpy.frombuffer(data, kind)
            if len(read) < FEWEST or not is_usual(read):
                continue
            exact = HALF if read.dtype.itemsize == 2 else EXACT
            if is_shown(read.astype("f8"), file, exact):
                return (
                    f"compared with {name}, the bytes are elements of {titled(kind)}, but were sent as "
                    f"{tensor.dtype.value}: so they are the first {len(read):,} bytes of what it shows"
                )
    return ""


def halved_floats(tensor: Tensor, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with elements of f16 that are the upper halves of floats which a file shows, or
    "" if nothing is."""
    numbers = tensor.numbers()
    read: Any = None if numbers is None or numbers.size > MOST else upper_halves(numbers.reshape(-1))
    for name, file in files[-MOST_FILES:] if read is not None else ():
        if is_shown(read.astype("f8"), file, UPPER_HALF):
            return f"compared with {name}, {IN_HALVES}"
    return ""


def is_shown(read: Any, file: bytes, exact: float) -> bool:
    """Whether elements are the first bytes of what a file shows, by one scale and shift."""
    return any(
        len(numpy.unique(shown)) >= LEVELS and exact_lines(read, shown, channels, exact)
        for channels, shown in shown_by(file, len(read))
    )


def is_usual(read: Any) -> bool:
    """Whether elements are finite and of usual size."""
    with numpy.errstate(all="ignore"):
        sizes = abs(read.astype("f8"))
        return bool(numpy.isfinite(sizes).all() and SMALLEST < sizes.max() < LARGEST)


def titled(kind: str) -> str:
    """A type in words."""
    own = numpy.dtype(kind).newbyteorder("<").str
    return f"{TITLES.get(own, numpy.dtype(kind).name)}{', big-endian' if kind.startswith('>') else ''}"


def shown_by(file: bytes, count: int) -> Iterator[tuple[int, Any]]:
    """How many channels lie in turns, and the first so many bytes of what a file shows, as it lies there and
    channel after channel."""
    layout = layout_of(file[:HEADER])
    octets = numpy.frombuffer(file, "u1")[0 if layout is None else layout.first :]
    if len(octets) < count:
        return
    yield 1, octets[:count]
    if layout is None or layout.channels != COLOURS:
        return
    if not count % COLOURS:
        yield COLOURS, octets[:count]
    for channel in range(COLOURS):
        plane = octets[channel::COLOURS]
        if len(plane) >= count:
            yield 1, plane[:count]
