"""Inputs of any size that a guest's own loops made of a picture: made smaller until it covers the input, or
until its shorter side is a little longer, of which the middle was cut out. The very elements are calculated
again, so that their range is known exactly, and bytes that were misread are told from the right ones.

What is here: `calculated_in`, and `by_loops` for small inputs as well. What is not: parts at other places,
and the ways of libraries (`matching.py`), and small pictures that are made of whole boxes (`boxed.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..budget import Left
from ..facts import Picture, picture_of
from .as_grey import with_other_bytes
from .boxed import LEVELS, boxed_in, fewest_levels
from .colours import in_channels, shown_in
from .decoding import Source
from .interpolating import EXACT as KNOWN
from .matching import Origin
from .misreadings import misreadings
from .parts import PORTABLE
from .pointing import at_points
from .ranges import CLOSE, Line, range_of
from .readings import first, misread, misstepped
from .straight import lines_of
from .tiny import unturned_wrong

MOST_PICTURES, MOST_PIXELS = 2, 1 << 21
POINTS = 14
"""So many rows and columns of the input are compared first."""
SMALLEST = 8
"""Of so few rows and columns elements are the very pixels that are calculated by no chance."""
LONGER = (8 / 7, 1.0)
"""How much longer the shorter side is than what is cut out: 256 for 224, and as long."""
NEAR, EXACT = 1.2, 0.02
"""How far pixels may be from those that are calculated: before it is known how they were rounded, and then.
"""
FARTHEST, ROUNDED = 1.5, 0.01
"""The part that may be farther, and how far: what lies in the middle may be rounded either way."""
COLOURS, WHITE = 3, 255
Rows = Any
"""Numbers of rows or columns."""


class Size(Frozen):
    """What a picture was resized to, and the first row and column of the middle that was cut out."""

    height: int
    width: int
    top: int
    left: int


def by_loops(
    found: Origin | None, array: Any, files: Sequence[Sequence[Source]], left: Left
) -> Origin | None:
    """Returns what was found of an input, or how a guest's own loops made it of a picture, if that isn't
    known exactly."""
    found = found or boxed_in(array, files, left)
    return found if found is not None and found.apart <= KNOWN else calculated_in(array, files) or found


def calculated_in(array: Any, files: Sequence[Sequence[Source]]) -> Origin | None:
    """Returns how an input is calculated from a picture of one of several files, or None if it isn't. That
    takes little time: at first a few pixels are compared."""
    picture = picture_of(array.shape)
    if picture is None or array.dtype.kind not in "fu" or min(picture.height, picture.width) < SMALLEST:
        return None
    own = first(array, picture)
    is_float = array.dtype.kind == "f"
    shown = (one for sources in files for one in sources if one.is_picture)
    sources = [*islice(shown, MOST_PICTURES)]
    rightly = sources if is_float else []  # bytes have a range that is known
    found = next(filter(None, (calculated(own, picture, one) for one in rightly)), None)
    return found or next(filter(None, (of_misread(own, picture, one) for one in sources)), None)


def calculated(own: Any, picture: Picture, source: Source) -> Origin | None:
    """How elements [height, width, channels] are calculated from a picture, also if its bytes were
    misread."""
    for wrong, array in (("", source.array), *source.others, *unpassed(source), *misreadings(source)):
        height, width = array.shape[:2]
        if height * width > MOST_PIXELS or height < picture.height or width < picture.width:
            continue
        shown = shown_in(own.shape[2], array)
        for size in sizes((height, width), (picture.height, picture.width)):
            for way in WAYS:
                found = compared(own, shown, size, way)
                if found is not None:
                    wrong = wrong or unturned_wrong("", source)
                    return described(found, picture, source, size, (way, wrong))
    return None


def of_misread(own: Any, picture: Picture, source: Source) -> Origin | None:
    """How elements are calculated from a whole picture, decoded rightly, whose pixels were taken to have
    another number of bytes, or its rows to lie at another distance. The first square of a strip may show the
    very pixels of a strip that was misread."""
    array = source.array
    size = Size(picture.height, picture.width, 0, 0)
    if array.shape[0] * array.shape[1] > MOST_PIXELS:
        return None
    if at_points(own, in_channels(array), exactly=True) is not None:
        return None
    stepped = misstepped(array, picture.width)
    wrongly = [
        *misread(array),
        *with_other_bytes(array),
        *(one for one in stepped if is_whole(one[1], array)),
    ]
    for wrong, made in wrongly:
        shown = shown_in(own.shape[2], made)
        for way in WAYS:
            if (found := compared(own, shown, size, way)) is not None:
                return described(found, picture, source, size, (way, wrong))
    return None


def is_whole(made: Any, array: Any) -> bool:
    """Whether a misread picture has as many rows and columns as the right one."""
    return bool(made.shape[:2] == array.shape[:2])


def unpassed(source: Source) -> Iterator[tuple[str, Any]]:
    """The pixels of a PGM or PPM as if its header were the first of them."""
    head = PORTABLE.match(source.data)
    if head is not None and source.top == WHITE:
        read = numpy.frombuffer(source.data, "u1", source.array.size).reshape(source.array.shape)
        yield f"the file's header of {head.end()} bytes was not passed over", read


def sizes(old: tuple[int, int], new: tuple[int, int]) -> Iterator[Size]:
    """Yields what a picture is usually resized to, without a repetition."""
    if old != new:
        yield Size(*new, 0, 0)
    made = []
    for longer, half in product(LONGER, (0.5, 0.0)):
        by = max(round(longer * its) / own for own, its in zip(old, new, strict=True))
        height, width = (int(own * by + half + 1e-9) for own in old)
        if min(height - new[0], width - new[1]) >= 0:
            made.append(Size(height, width, (height - new[0]) // 2, (width - new[1]) // 2))
    yield from dict.fromkeys(one for one in made if (one.height, one.width) not in (old, new))


def nearest(pixels: Any, rows: Rows, columns: Rows, size: Size) -> Any:
    """The pixel at the rounded-down place."""
    return pixels[rows * pixels.shape[0] // size.height][:, columns * pixels.shape[1] // size.width]


def means(pixels: Any, rows: Rows, columns: Rows, size: Size) -> Any:
    """The mean of the pixels that lie below each, whose ends are rounded down."""
    for count, at in ((size.height, rows), (size.width, columns)):
        begins = at * pixels.shape[0] // count
        ends = numpy.maximum(begins + 1, (at + 1) * pixels.shape[0] // count)
        boxes = [pixels[one:other].mean(axis=0, dtype="f8") for one, other in zip(begins, ends, strict=True)]
        pixels = numpy.stack(boxes).swapaxes(0, 1)
    return pixels


def between(shift: float) -> Callable[[Any, Rows, Rows, Size], Any]:
    """Bilinear, from the centre of each pixel, or without that half."""

    def blended(pixels: Any, rows: Rows, columns: Rows, size: Size) -> Any:
        for count, at in ((size.height, rows), (size.width, columns)):
            most = pixels.shape[0] - 1
            places = ((at + shift) * (most + 1) / count - shift).clip(0, most)
            low = places.astype(int)
            part = (places - low).reshape(-1, *[1] * (pixels.ndim - 1))
            mixed = pixels[low] * (1 - part) + pixels[numpy.minimum(low + 1, most)] * part
            pixels = mixed.swapaxes(0, 1)
        return pixels

    return blended


WAYS: dict[str, Callable[[Any, Rows, Rows, Size], Any]] = {
    "the mean of each box": means,
    "nearest pixel": nearest,
    "bilinear": between(0.5),
    "bilinear without half a pixel": between(0.0),
}
"""How loops make the pixels of another size, by name."""


def compared(own: Any, shown: Any, size: Size, way: str) -> tuple[list[Line], str] | None:
    """Returns the scale and shift of each channel, and the order of channels, or None if the elements are
    others."""
    spread = [numpy.unique(numpy.linspace(0, count - 1, POINTS).astype(int)) for count in own.shape[:2]]
    few = WAYS[way](shown, spread[0] + size.top, spread[1] + size.left, size)
    part = own[spread[0]][:, spread[1]]
    orders = {"RGB": (0, 1, 2), "BGR": (2, 1, 0)} if own.shape[2] == COLOURS else {"": (0,)}
    for order, channels in orders.items():
        if near_lines(part, few[..., channels], NEAR) is None:
            continue
        rows, columns = (
            numpy.arange(count) + at for count, at in zip(own.shape[:2], (size.top, size.left), strict=True)
        )
        made = WAYS[way](shown, rows, columns, size)[..., channels]
        for rounded in (made, numpy.floor(made + 1e-9), numpy.floor(made + 0.5)):
            if (found := near_lines(own, rounded, EXACT)) is not None:
                return found, order
    return None


def near_lines(own: Any, made: Any, near: float) -> list[Line] | None:
    """Returns the line of each channel from pixels to elements, if all are so near to it, or None if they
    aren't."""
    if fewest_levels(made) < LEVELS:
        return None
    return lines_of(own, made, lambda off, _: off.max() <= FARTHEST and (off > near).mean() <= ROUNDED)


def described(
    found: tuple[list[Line], str], picture: Picture, source: Source, size: Size, how: tuple[str, str]
) -> Origin:
    """The steps as words. `how` has the way, and what is wrong with the bytes that were read."""
    lines, order = found
    way, misread = how
    range_ = range_of(lines, order == "BGR", CLOSE, source.white)
    wrong = "; ".join(filter(None, (misread, range_.wrong)))
    height, width = source.array.shape[:2]
    tall, wide = picture.height, picture.width
    is_cut = (size.height, size.width) != (tall, wide)
    rows, columns = height / size.height, width / size.width
    part = size.top * rows, size.left * columns, (size.top + tall) * rows, (size.left + wide) * columns
    top, left, bottom, right = (round(one) for one in part)
    layout = "" if picture.channels == 1 else "CHW" if picture.planar else "HWC"
    resized = f"resized to {size.width} x {size.height}, {way}"
    middle = f"the middle {wide} x {tall} of that" if is_cut else ""
    return Origin(
        source,
        (resized, middle, order, layout, range_.said),
        wrong,
        encoding=None if range_.is_reversed or wrong else range_.encoding,
        order=order if source.is_ordered and not misread else "",
        resized=(right - left, bottom - top, wide, tall),
        part=(top, left, bottom, right),
        lies=(0, 0, tall, wide),
        is_reversed=range_.is_reversed and wrong == range_.wrong,
        ranges=() if wrong or range_.encoding else tuple(line[:2] for line in lines),
    )
