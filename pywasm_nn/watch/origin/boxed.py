"""Pictures that were shrunk by a guest's own loops: the mean of each box, or one pixel of it. The very
elements are calculated again, as the loops are meant, and as they go wrong: rows that lie as far apart as the
picture is high, or boxes whose sides are exchanged.

What is here: `boxed`. What is not: pictures that are like the input after usual interpolations
(`matching.py`), which needs more pixels than digits have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..budget import Left
from ..facts import Picture, picture_of
from .colours import shown_in
from .decoding import Source
from .matching import Origin
from .ranges import CLOSE, Line, range_of
from .readings import first
from .straight import lines_of
from .tiny import unturned_wrong

MOST_ELEMENTS, MOST_PIXELS = 1 << 14, 1 << 21
FEWEST, LEVELS, MOSTLY = 24, 8, 0.3
"""So many elements, of so many different values, and so large a part of all, are calculated."""
EXACT = 2e-3
"""How far elements are from those that are calculated, in parts of their deviation."""
COLOURS = 3


class Loops(Frozen):
    """How a guest goes over a picture: boxes of `high` rows and `wide` pixels, which begin at `rows` and
    `columns`, with `stride` pixels from one row to the next."""

    said: str
    wrong: str
    rows: Any
    columns: Any
    high: int
    wide: int
    stride: int


def boxed_in(array: Any, files: Sequence[Sequence[Source]], left: Left) -> Origin | None:
    """Returns how an input is a picture of one of several files that was shrunk, or None if it isn't."""
    shown = (one for sources in files for one in sources if one.is_picture)
    return next(filter(None, (boxed(array, one) for one in shown if left())), None)


def boxed(array: Any, source: Source) -> Origin | None:
    """Returns how an input is a picture that was shrunk, or None if it isn't."""
    picture = picture_of(array.shape)
    if picture is None or array.size > MOST_ELEMENTS or array.dtype.kind not in "fiu":
        return None
    height, width = source.array.shape[:2]
    if height * width > MOST_PIXELS or (height <= picture.height and width <= picture.width):
        return None
    own = first(array, picture)
    if len(set(own.reshape(-1).tolist())) < LEVELS:
        return None
    shown = shown_in(picture.channels, source.array)
    orders = {"RGB": shown, "BGR": shown[..., ::-1]} if picture.channels == COLOURS else {"": shown}
    for loops in ways(height, width, picture):
        for order, made in orders.items():
            found = lines_by(loops, own, made.astype("f8"))
            if found is None:
                continue
            how = range_of(found, order == "BGR", CLOSE, source.white)
            wrong = "; ".join(filter(None, (loops.wrong, how.wrong, unturned_wrong("", source))))
            known = None if wrong else how.encoding
            ranges = () if wrong or known else tuple(line[:2] for line in found)
            steps = loops.said, order, how.said
            return Origin(source, steps, wrong, encoding=known, order=order, ranges=ranges)
    return None


def ways(height: int, width: int, picture: Picture) -> Iterator[Loops]:
    """The loops that are meant first, then those that go wrong."""
    down, across = numpy.arange(picture.height), numpy.arange(picture.width)
    high, wide = height // picture.height, width // picture.width
    size = f"to {picture.width} x {picture.height}"
    if high and wide:
        yield Loops(f"shrunk {size}, the mean of each box", "", down * high, across * wide, high, wide, width)
    near = down * height // picture.height, across * width // picture.width
    yield Loops(f"shrunk {size}, nearest pixel", "", *near, 1, 1, width)
    if height == width:
        return
    said = f"rows of {width} pixels were looked up {height} pixels apart, which is the height, not the width"
    if high and wide:
        yield Loops(f"shrunk {size}", said, down * high, across * wide, high, wide, height)
    yield Loops(f"shrunk {size}", said, *near, 1, 1, height)
    tall, broad = width // picture.height, height // picture.width
    if tall and broad:
        said = (
            f"{width} x {height} pixels shrink {size} by boxes of {wide} x {high} (width x height), and "
            f"boxes of {broad} x {tall} were taken: height and width are exchanged"
        )
        yield Loops(f"shrunk {size}", said, down * tall, across * broad, tall, broad, width)
        yield Loops(
            f"shrunk {size}", f"{said}, for rows, too", down * tall, across * broad, tall, broad, height
        )
    steps = down * width // picture.height, across * height // picture.width
    said = (
        f"rows were looked up in steps of {width} / {picture.height}, and columns in steps of {height} / "
        f"{picture.width}: height and width are exchanged"
    )
    yield Loops(f"shrunk {size}", said, *steps, 1, 1, width)


def lines_by(loops: Loops, own: Any, shown: Any) -> list[Line] | None:
    """Returns the line of each channel by which the elements are what the loops give, or None if they aren't.
    What lies behind the picture isn't known."""
    begins = loops.rows[:, None] * loops.stride + loops.columns
    ends = begins + (loops.high - 1) * loops.stride + loops.wide
    inside = ends <= shown.shape[0] * shown.shape[1]
    if inside.sum() < max(FEWEST, MOSTLY * inside.size):
        return None
    rows = begins[inside] + numpy.arange(loops.high)[:, None] * loops.stride
    sums = numpy.cumsum(shown.reshape(-1, shown.shape[2]), axis=0)
    sums = numpy.concatenate([numpy.zeros((1, shown.shape[2])), sums])
    wanted = (sums[rows + loops.wide] - sums[rows]).sum(axis=0) / (loops.high * loops.wide)
    reach = EXACT * float(wanted.std(axis=0).min())

    def is_near(off: Any, scale: float) -> bool:
        step = 1 / abs(scale) if abs(scale) > 0.5 else 0.0  # elements that are bytes are cut or rounded
        return bool(off.max() <= reach + step)

    return lines_of(own[inside], wanted, is_near) if fewest_levels(wanted) >= LEVELS else None


def fewest_levels(pixels: Any) -> int:
    """How many different values the channel of pixels [..., channels] that has the fewest has."""
    return min(len(numpy.unique(pixels[..., channel])) for channel in range(pixels.shape[-1]))
