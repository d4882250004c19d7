"""How an input came from the numbers of a file that a text beside it describes, and which line of that text
a guest overlooked: the order of bytes, how bands lie, the type, the offset, the sides.

What is here: `laid_out`. What is not: reading the text (`rasters.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import PurePath
from typing import Any

from ...arrays import numpy
from ...records import changed
from ..budget import Left
from .decoding import Source
from .matching import Origin
from .rasters import LAYOUTS, Raster, described_in

MOST_BYTES = 1 << 23
LIKE = 0.9999
"""The correlation of the very numbers, scaled in any way."""
LEAST = 48
HUGE, CONSTANT = 1e30, 1e-6
LONG = 4096
"""So many bytes may follow the numbers."""
ROWS = 2
WORDS = {"u": "unsigned", "i": "signed", "f": "floats"}


def laid_out(array: Any, files: Sequence[tuple[str, bytes]], left: Left) -> Origin | None:
    """Returns how an input came from the last file that a text describes, or None if it didn't, or there is
    none."""
    if array.size < LEAST or array.ndim < ROWS or array.dtype.kind not in "fiu":
        return None
    with numpy.errstate(all="ignore"):
        for name, data, raster, header in described(files):
            for wrong, other in (("", raster), *misread(raster, header)):
                planes = shown(array, other)
                if planes is not None and left() and are_of(planes, numbers_of(other, data)):
                    said = f"{raster.width} x {raster.height}, {raster.bands} bands of {raster.kind}"
                    source = Source(name, None, f"{said} by {header}")
                    return Origin(source, (raster.interleave,), wrong)
    return None


def described(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, bytes, Raster, str]]:
    """The names and bytes of files, the last first, with what the texts beside them say, and their names."""
    texts = [(name, data) for name, data in files if b"\0" not in data]
    for name, data in reversed(files):
        own = PurePath(name)
        for header, text in reversed(texts):
            if header == name or PurePath(header).stem not in (own.name, own.stem) or len(data) > MOST_BYTES:
                continue
            raster = described_in(text.decode("latin-1"))
            if raster is not None and 0 <= len(data) - raster.skipped - size_of(raster) <= LONG:
                yield name, data, raster, header


def size_of(raster: Raster) -> int:
    return raster.width * raster.height * raster.bands * int(raster.kind[1])


def misread(raster: Raster, header: str) -> Iterator[tuple[str, Raster]]:
    """Yields the ways in which a guest reads the values if it overlooks one or two lines of a header, each
    with what is wrong then."""
    changes = [("", raster), *of_order(raster, header)]
    layouts = [("", raster.interleave)]
    for layout in LAYOUTS if raster.bands > 1 else ():
        if layout != raster.interleave:
            line = raster.said.get("interleave", "nothing of how bands lie (bsq)")
            layouts.append((f"{header} says {line}, and its bands were read as {layout}", layout))
    for (one, own), (other, layout) in product(changes, layouts):
        if one or other:
            yield "; ".join(filter(None, (one, other))), changed(own, interleave=layout)
    yield from of_types(raster, header)
    if raster.width != raster.height:
        sides = f"{raster.width} samples and {raster.height} lines"
        said = (
            f"{header} says {sides}, and they were read as {raster.height} samples and {raster.width} lines"
        )
        yield said, changed(raster, width=raster.height, height=raster.width)


def of_order(raster: Raster, header: str) -> Iterator[tuple[str, Raster]]:
    """Numbers with their bytes in the opposite order."""
    if raster.kind[1] != "1":
        own, other = ("big", "little") if raster.is_big else ("little", "big")
        line = raster.said.get("order", "nothing of their order")
        said = f"{header} says {line} ({own}-endian), and its numbers were read as {other}-endian"
        yield said, changed(raster, is_big=not raster.is_big)


def of_types(raster: Raster, header: str) -> Iterator[tuple[str, Raster]]:
    """Numbers of another type, and those from the file's beginning where some bytes are no numbers."""
    line = raster.said.get("kind") or raster.said.get("bits", "")
    for letter, bytes_ in product("uif", "1248"):
        kind = letter + bytes_
        if kind != raster.kind and kind not in ("f1", "f2", "u8", "i8"):
            meant, read = (f"{WORDS[one[0]]}, {8 * int(one[1])} bits" for one in (raster.kind, kind))
            said = f"{header} says {line} ({meant}), and its numbers were read as {read}"
            yield said, changed(raster, kind=kind)
    if raster.skipped:
        said = f"{header} says {raster.said['skipped']}, and these bytes were read as numbers"
        yield said, changed(raster, skipped=0)


def shown(array: Any, raster: Raster) -> Any:
    """Returns an input as bands [bands, height, width], or None if its shape isn't that of any of the
    raster's."""
    shape = tuple(length for length in array.shape if length != 1)
    _, height, width = raster.shape
    if shape == (height, width):
        return array.reshape(1, height, width)
    if len(shape) == 3 and shape[1:] == (height, width):
        return array.reshape(shape)
    if len(shape) == 3 and shape[:2] == (height, width):
        return array.reshape(shape).transpose(2, 0, 1)
    if len(shape) == ROWS and shape[0] == height * width:
        return array.reshape(height, width, shape[1]).transpose(2, 0, 1)
    return None


def numbers_of(raster: Raster, data: bytes) -> Any:
    """Returns the numbers as f64, [bands, height, width], or 0 for those behind the end."""
    bands, height, width = raster.shape
    kind = numpy.dtype((">" if raster.is_big else "<") + raster.kind)
    count = bands * height * width
    rest = (len(data) - raster.skipped) // kind.itemsize
    read = numpy.frombuffer(data, kind, min(count, rest), raster.skipped)
    made = numpy.zeros(count)
    made[: len(read)] = read
    if raster.interleave == "bil":
        return made.reshape(height, bands, width).transpose(1, 0, 2)
    if raster.interleave == "bip":
        return made.reshape(height, width, bands).transpose(2, 0, 1)
    return made.reshape(bands, height, width)


def are_of(planes: Any, bands: Any) -> bool:
    """Whether each of some planes is one of the bands, scaled in any way."""
    own, there = centred(planes), centred(bands)
    varied = own.any(axis=1)
    if not varied.any():
        return False
    return bool(((own[varied] @ there.T).max(axis=1) > LIKE).all())


def centred(planes: Any) -> Any:
    """Planes as rows without their means, of length 1; huge numbers, and those that are none, are 0."""
    flat = planes.reshape(len(planes), -1).astype("f8")
    flat = numpy.where(abs(flat) < HUGE, flat, 0)
    size = numpy.linalg.norm(flat, axis=1, keepdims=True)
    flat = flat - flat.mean(axis=1, keepdims=True)
    own = numpy.linalg.norm(flat, axis=1, keepdims=True)
    return numpy.where(own > CONSTANT * size, flat / numpy.maximum(own, 1e-300), 0)
