"""Small pictures side by side in one picture (a strip or a sheet of letters, digits, faces), read as if each
lay behind the one before.

What is here: `one_after_another`. What is not: parts at the wrong distance (`sent/tiles.py`), and a single
input in whose first rows there is something (`runs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Any

from ...arrays import numpy
from ..changes.arrangements import interleaved
from ..facts import SMALLEST, Picture, picture_of
from .straight import line_of

MOST_PIXELS, LEVELS = 1 << 20, 5
"""Pixels of a sheet, and different ones of what was read."""
NEAR = 2e-3
FOLLOWING = "all pixels of each followed its first one"


def one_after_another(array: Any, sheet: tuple[str, Any] | None) -> str:
    """Returns what is wrong with an input of pictures, each of which is as many pixels of a sheet as it has,
    one behind the other, or "" if it isn't so. `sheet` is a name and pixels."""
    if sheet is None:
        return ""
    name, pixels = sheet
    ways = ((array, own) for own in [picture_of(array.shape)] if own is not None)
    every = (*ways, *in_rows(array, *pixels.shape[:2]))
    return next(filter(None, (behind(made, own, name, pixels) for made, own in every)), "")


def in_rows(array: Any, tall: int, wide: int) -> Iterator[tuple[Any, Picture]]:
    """Grey pictures without a dimension of channels, [..., height, width], and such as are all pixels in one
    row, which may be as high as the sheet, or square; but for whole rows of the sheet, or parts of one."""
    if picture_of(array.shape) is not None or not array.ndim:
        return
    count = array.shape[-1]
    sides = [(tall, count // tall), (isqrt(count),) * 2]
    if array.ndim > 2:
        sides, count = [array.shape[-2:]], array.shape[-2] * count
    elif count % wide == 0 or wide % count == 0:
        return
    for height, width in dict.fromkeys(sides):
        if height * width == count and min(height, width) >= SMALLEST:
            yield array.reshape(-1, height, width, 1), Picture(1, height, width, planar=False)


def behind(array: Any, own: Picture, name: str, pixels: Any) -> str:
    """Returns what is wrong if each picture of this form is pixels of a sheet that follow each other, which
    begin where the one before ends, or beside it in the first row, or ""."""
    tall, wide = pixels.shape[:2]
    columns, beside = divmod(wide, own.width)
    rows, below = divmod(tall, own.height)
    if columns < 2 or rows < 1 or beside or below or tall * wide > MOST_PIXELS:
        return ""
    elements = interleaved(array, own).reshape(-1, own.height * own.width, own.channels).astype("f8")
    there = of_channels(pixels, own.channels)
    if there is None or len(elements) > rows * columns or len(numpy.unique(elements)) < LEVELS:
        return ""
    flat, count = there.reshape(-1, own.channels), own.height * own.width
    ways = (count, rows * columns, "each lay behind the one before"), (own.width, columns, FOLLOWING)
    for step, last, how in ways:
        pieces = numpy.stack([flat[at : at + count] for at in range(0, last * step, step)])
        for first in range(last - len(elements) + 1):
            part = pieces[first : first + len(elements)]
            if len(numpy.unique(part)) < LEVELS or not line_of(elements.ravel(), part.ravel(), NEAR):
                continue
            return (
                f"the pictures of {own.width} x {own.height} stand side by side in {name} ({wide} x {tall} "
                f"pixels), and were read as if {how}: the rows of one lie {wide} pixels apart, and not "
                f"{own.width}"
            )
    return ""


def of_channels(pixels: Any, channels: int) -> Any:
    """Returns pixels [height, width, channels] with so many channels, or None if there are others."""
    there = pixels if pixels.ndim > 2 else pixels[..., None]
    if channels == 1 and there.shape[2] > 1:
        is_grey = (there[..., :3] == there[..., :1]).all()
        return there[..., :1].astype("f8") if is_grey else None
    return there[..., :channels].astype("f8") if there.shape[2] >= channels else None
