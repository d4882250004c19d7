"""Pictures whose alpha differs from pixel to pixel, as inputs: with the colours as they are, or blended over
white, black or grey.

What is here: `traced_over`, which tries both, and `over`, which blends. What is not: how an input came from
one of them (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import changed
from ..budget import Left, always
from ..facts import Picture, picture_of
from .calculated import WAYS, Size
from .colours import shown_in
from .decoding import Source
from .interpolating import EXACT
from .matching import Origin, is_swapped, traced
from .ranges import ROUGHLY, Line, range_of
from .readings import first
from .shaped import as_picture
from .straight import lines_of

COLOURS, FOUR, TOP = 3, 4, 255
GROUNDS = (("white", 255), ("black", 0), ("grey", 128))
MOST_AT_ONCE = 1 << 21
"""Bytes of a picture that is blended and resized without a look at the time."""
NEAR, LEAST_SPREAD = 3.0, 4.0
"""A blended picture explains an input if elements are nearer to it on average, in pixels, of which each
channel deviates so much."""


def has_alpha(source: Source) -> bool:
    """Whether a picture has alpha that isn't the same everywhere."""
    array = source.array
    return bool(
        source.is_picture
        and array.ndim == COLOURS
        and array.shape[2] == FOUR
        and array[..., 3].min() < array[..., 3].max()
    )


def over(array: Any, ground: int) -> Any:
    """The colours of pixels [height, width, 4], blended by alpha with a level of grey behind them."""
    alpha = array[..., COLOURS:].astype("f4") / TOP
    return numpy.rint(array[..., :COLOURS] * alpha + ground * (1 - alpha)).astype("u1")


def blended(source: Source) -> Iterator[Source]:
    """A picture over each ground. Its bytes and other readings are left out, which have no blending."""
    for name, ground in GROUNDS:
        said = f"{source.said}, over {name}"
        array = over(source.array, ground)
        yield changed(source, array=array, said=said, data=b"", others=(), with_alpha=source.array)


def traced_over(array: Any, source: Source, left: Left = always) -> Origin | None:
    """How an input came from a picture, with its alpha or without. A likeness of the colours alone that is no
    better than that of the picture over something says nothing of mistakes."""
    plain = traced(as_picture(array, source.array), source, left)
    if not has_alpha(source) or (plain is not None and is_plain(plain)):
        return plain
    found = resized_over(array, source, left) or searched_over(array, source, left)
    if found is not None and (plain is None or plain.wrong or rank(found) < rank(plain)):
        return found
    doubted = plain is not None and plain.apart > EXACT and is_swapped(plain)
    return changed(plain, wrong="", varied="") if plain is not None and doubted else plain


def resized_over(array: Any, source: Source, left: Left) -> Origin | None:
    """Returns how an input is the whole picture over something, resized in one of the usual ways, or None if
    it isn't. Bytes are rounded at different steps, so that elements are near only."""
    picture = picture_of(array.shape)
    if picture is None or array.dtype.kind not in "fiu" or (source.array.size > MOST_AT_ONCE and not left()):
        return None
    own = first(array, picture)
    size = Size(picture.height, picture.width, 0, 0)
    rows, columns = numpy.arange(size.height), numpy.arange(size.width)
    best: Origin | None = None
    for one in blended(source):
        shown = shown_in(own.shape[2], one.array)
        for name, way in WAYS.items():
            made = way(shown, rows, columns, size)
            for order in (1, -1) if own.shape[2] == COLOURS else (1,):
                lines = upward_lines(own, made[..., ::order])
                if lines is None:
                    continue
                found = described(lines, picture, one, name, order)
                best = found if best is None or rank(found) < rank(best) else best
    return best


def upward_lines(own: Any, made: Any) -> list[Line] | None:
    """Returns the line of each channel from pixels to elements, all upwards, or None if elements aren't near
    to them."""
    if own.shape != made.shape or made.std(axis=(0, 1)).min() < LEAST_SPREAD:
        return None
    return lines_of(own, made, lambda off, scale: scale > 0 and off.mean() < NEAR)


def described(lines: list[Line], picture: Picture, source: Source, way: str, order: int) -> Origin:
    """The steps as words."""
    height, width = source.array.shape[:2]
    tall, wide = picture.height, picture.width
    known = range_of(lines, order < 0, ROUGHLY, source.white)
    resized = "" if (height, width) == (tall, wide) else f"resized to {wide} x {tall}, {way}"
    letters = "" if picture.channels == 1 else "RGB"[::order]
    layout = "" if picture.channels == 1 else "CHW" if picture.planar else "HWC"
    return Origin(
        source,
        (resized, letters, layout, known.said),
        encoding=None if known.is_reversed or known.wrong else known.encoding,
        apart=sum(line[2] for line in lines) / len(lines),
    )


def searched_over(array: Any, source: Source, left: Left) -> Origin | None:
    """Returns how an input shows the picture over something at another place, or None if it doesn't."""
    best: Origin | None = None
    for one in blended(source) if left() else ():
        found = traced(as_picture(array, one.array), one, left)
        if found is not None and not found.wrong and (best is None or rank(found) < rank(best)):
            best = found
    return best


def is_plain(origin: Origin) -> bool:
    """Whether an input is the colours of a picture, without doubt."""
    return origin.apart <= EXACT and origin.encoding is not None and not origin.wrong


def rank(origin: Origin) -> tuple[bool, float]:
    """The less, the better an origin explains an input."""
    return origin.encoding is None, origin.apart
