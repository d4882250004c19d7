"""Pictures that were shrunk by a guest's own loops: the mean of each box, or one pixel of it. The very
elements are calculated again, as the loops are meant, and as they go wrong: rows that lie as far apart as the
picture is high, or boxes whose sides are exchanged.

What is here: `boxed`. What is not: pictures that are like the input after usual interpolations
(`matching.py`), which needs more pixels than digits have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...records import Frozen
from ..budget import Left
from ..facts import Picture, picture_of
from .colours import GREY_CHANNEL, in_channels
from .decoding import Source
from .matching import Origin
from .ranges import CLOSE, range_of
from .readings import first

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
    """How an input is a picture of one of several files that was shrunk; None if it isn't."""
    shown = (one for sources in files for one in sources if one.is_picture)
    return next(filter(None, (boxed(array, one) for one in shown if left())), None)


def boxed(array: Any, source: Source) -> Origin | None:
    """How an input is a picture that was shrunk; None if it isn't."""
    picture = picture_of(array.shape)
    if picture is None or array.size > MOST_ELEMENTS or array.dtype.kind not in "fiu":
        return None
    pixels = in_channels(source.array)
    height, width = pixels.shape[:2]
    if height * width > MOST_PIXELS or (height <= picture.height and width <= picture.width):
        return None
    own = first(array, picture)
    if len(set(own.reshape(-1).tolist())) < LEVELS:
        return None
    shown = pixels[..., :COLOURS] if picture.channels == COLOURS else pixels[..., GREY_CHANNEL:]
    orders = {"RGB": shown, "BGR": shown[..., ::-1]} if picture.channels == COLOURS else {"": shown}
    for loops in ways(height, width, picture):
        for order, made in orders.items():
            found = lines_of(own, made.astype("f8"), loops)
            if found is None:
                continue
            how = range_of(found, order == "BGR", CLOSE, source.top)
            wrong = "; ".join(filter(None, (loops.wrong, how.wrong)))
            known = None if wrong else how.encoding
            ranges = () if wrong or known else tuple(line[:2] for line in found)
            steps = loops.said, order, how.said
            return Origin(source, steps, wrong, encoding=known, order=order, ranges=ranges)
    return None


def ways(height: int, width: int, picture: Picture) -> Iterator[Loops]:
    """The loops that are meant first, then those that go wrong."""
    import numpy

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


def lines_of(own: Any, shown: Any, loops: Loops) -> list[tuple[float, float, float]] | None:
    """The scale and shift of each channel by which the elements are what the loops give; None if they aren't.
    What lies behind the picture isn't known."""
    import numpy

    begins = loops.rows[:, None] * loops.stride + loops.columns
    ends = begins + (loops.high - 1) * loops.stride + loops.wide
    inside = ends <= shown.shape[0] * shown.shape[1]
    if inside.sum() < max(FEWEST, MOSTLY * inside.size):
        return None
    begins, found = begins[inside], []
    for channel in range(own.shape[2]):
        sums = numpy.concatenate([[0.0], numpy.cumsum(shown[..., channel])])
        rows = begins[None] + numpy.arange(loops.high)[:, None] * loops.stride
        wanted = (sums[rows + loops.wide] - sums[rows]).sum(axis=0) / (loops.high * loops.wide)
        elements = own[..., channel][inside].astype("f8")
        line = line_of(elements, wanted)
        if line is None:
            return None
        found.append(line)
    return found


def line_of(elements: Any, wanted: Any) -> tuple[float, float, float] | None:
    import numpy

    apart = wanted - wanted.mean()
    spread = float((apart * apart).sum())
    if not spread or len(numpy.unique(wanted)) < LEVELS:
        return None
    scale = float(((elements - elements.mean()) * apart).sum()) / spread
    shift = float(elements.mean() - scale * wanted.mean())
    off = float(numpy.abs(scale * wanted + shift - elements).max())
    steps = 1.0 if abs(scale) > 0.5 else 0.0  # elements that are bytes are cut or rounded
    return (scale, shift, 0.0) if off <= EXACT * float(elements.std()) + steps and scale else None
