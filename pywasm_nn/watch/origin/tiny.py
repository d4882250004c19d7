"""Small pictures, such as digits of 8 x 8: how an input has the very pixels of a file of its size.

What is here: `as_stored`. What is not: pictures that are resized or cut (`matching.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..changes.encodings import Encoding
from .decoding import Source
from .levels import ran_over
from .locating import correlation
from .parts import PORTABLE
from .ranges import CLOSE, range_of
from .resizing import QUARTERS, TURNS, swaps
from .signs import SAID
from .straight import line_through

LARGEST = 24
"""Pictures of more rows or columns can be found in other ways."""
SAME = 0.998
"""The correlation of the same pixels."""
FEWEST_LEVELS = 4
MOST_BYTES = 1 << 14
"""Pictures with more bytes than small ones have are no small pictures."""
MOST_LATE = 64
"""Bytes that may be missing at the beginning."""
COLOURS = 3
HALF, ALMOST = 128, 0.1
"""A byte from `HALF` on is 256 less if it is taken as signed. The difference may be off by `ALMOST`."""
LEAST = 12
"""So few elements are alike by chance."""
LIVELY = 14.0
"""The deviation of pixels that don't all show the same ground."""


class Stored(Frozen):
    """The steps from the file to the input in words, and what is surely wrong with them; `turn` is the part
    of it that says how the picture is turned, and `turned` how that is."""

    steps: tuple[str, ...]
    wrong: str
    encoding: Encoding | None
    turn: str = ""
    turned: str = ""


def as_stored(elements: Any, source: Source, dtype: str) -> Stored | None:
    """How elements [height, width, channels] are the pixels of a picture of their size, or None."""
    pixels = source.array[..., :3].astype("f8")
    if pixels.shape[2] != elements.shape[2]:
        pixels = pixels.mean(axis=2, keepdims=True).repeat(elements.shape[2], axis=2)
    for turn, turned in TURNS.items():
        made = turned(pixels)
        if made.shape != elements.shape:
            continue
        for said, own, wanted in ends(elements, made):
            if correlation(own, wanted) ** 2 < SAME**2 or len(set(wanted.tolist())) < FEWEST_LEVELS:
                continue
            line = line_through(wanted, own)
            found = range_of([(*line, 0.0)], False, CLOSE, source.white)
            turns = turn_wrong(turn, source)
            if wanted.min() >= HALF and abs(line[1] / line[0] + 2 * HALF) < ALMOST:
                return Stored(("level by level",), SAID, None)
            wrong = "; ".join(filter(None, (turns, found.wrong, said)))
            return Stored((turn, found.said), wrong, found.encoding, turns, turn)
        if not turn and (wrong := levels(elements.reshape(-1), made.reshape(-1))):
            return Stored(("few levels",), wrong, None)
    if (found_so := in_each_channel(elements, pixels, source)) is not None:
        return found_so
    if source.array.shape == elements.shape and (wrong := ran_over(elements, in_file(source))):
        return Stored(("level by level",), wrong, None)
    own = elements.reshape(-1).astype("f8")
    return otherwise(elements, source) or beginning(own, source, numpy.dtype(dtype).kind)


def in_each_channel(elements: Any, pixels: Any, source: Source) -> Stored | None:
    """Returns the steps to a picture each channel of which has its own mean and deviation, or None."""
    if elements.shape[2] != COLOURS:
        return None
    for turn, turned in TURNS.items():
        made = turned(pixels)
        if made.shape != elements.shape:
            continue
        for said, there in pixel_ends(elements, made):
            for order in ((0, 1, 2), (2, 1, 0)):
                pairs = [
                    (
                        elements[..., at].reshape(-1)[:there].astype("f8"),
                        made[..., by].reshape(-1)[:there],
                    )
                    for at, by in enumerate(order)
                ]
                if all(is_same(*pair) for pair in pairs):
                    lines = [
                        (*line_through(wanted, own), 0.0) if own.std() else None for own, wanted in pairs
                    ]
                    found = range_of(lines, order[0] > 0, CLOSE, source.white)
                    turns = turn_wrong(turn, source)
                    wrong = "; ".join(filter(None, (turns, found.wrong, said)))
                    return Stored((turn, found.said), wrong, found.encoding, turns, turn)
    return None


def pixel_ends(elements: Any, made: Any) -> Iterator[tuple[str, int]]:
    """How many pixels are compared: all, and those before an end in which all pixels have one colour, though
    the picture goes on. The last one before that end may be read in part."""
    height, width, channels = elements.shape
    yield "", height * width
    own = elements.reshape(-1, channels)
    others = numpy.flatnonzero((own != own[-1]).any(axis=1))
    there = int(others[-1]) if len(others) else 0
    begin, rest = numpy.split(made.reshape(-1, channels), [there + 1])
    is_plain = not begin.std(axis=0).all() or not rest.size or rest.std(axis=0).min() < LIVELY
    if there < LEAST or len(rest) < width or is_plain:
        return
    row = -(-(there + 1) // width)
    said = f"from row {row} of {height} on it is not the picture: all the same"
    yield said + as_many(channels * there, elements.shape), there


def as_many(there: int, shape: tuple[int, ...]) -> str:
    """What to add if about as many bytes are there as a coloured picture has pixels, or "" otherwise."""
    height, width, channels = shape
    if channels == 1 or abs(there - height * width) > channels:
        return ""
    return (
        f" (as many bytes are there as pixels, {height * width} for {channels * height * width}: were the "
        "channels left out of the count?)"
    )


def is_same(own: Any, wanted: Any) -> bool:
    """Whether the elements of a channel are pixels, brighter ones the larger."""
    if not own.std() or not wanted.std():
        return not own.std() and not wanted.std()
    return correlation(own, wanted) >= SAME and len(set(wanted.tolist())) >= FEWEST_LEVELS


def in_file(source: Source) -> Any:
    """The numbers of a picture as its file has them."""
    return (source.array * (source.top / 255)).round().astype("i8")


def otherwise(elements: Any, source: Source) -> Stored | None:
    """Elements that are the pixels which a file seems to have if it is taken for another format."""
    own = elements.reshape(-1).astype("f8")
    for wrong, pixels in source.others:
        wanted = pixels.reshape(-1).astype("f8")
        is_varied = pixels.shape == elements.shape and len(set(wanted.tolist())) >= FEWEST_LEVELS
        is_like = is_varied and correlation(own, wanted) ** 2 >= SAME**2
        if is_like or is_right(in_each_channel(elements, pixels[..., :3].astype("f8"), source)):
            return Stored(("misread",), wrong, None)
    return None


def is_right(stored: Stored | None) -> bool:
    """Whether elements were found, with no mistake, in the order of the file."""
    return stored is not None and not stored.wrong and not stored.turned


def turn_wrong(turn: str, source: Source) -> str:
    """Returns what is wrong with a turn, or "" if the file asks for one. A quarter of a turn is nobody's
    mistake: rows and columns that are exchanged also mirror a picture."""
    if not turn or source.turned or turn in QUARTERS:
        return ""
    return f"the picture is {'in columns (' + turn + ')' if swaps(turn) else turn}"


def unturned_wrong(turn: str, source: Source) -> str:
    """Returns what is wrong with a picture that is sent as it is stored, or "" if its file asks for no
    turn."""
    return (
        "the file asks for its picture to be turned (the tag Orientation of EXIF and TIFF), and it was not"
        if source.turned and not turn
        else ""
    )


def ends(elements: Any, made: Any) -> list[tuple[str, Any, Any]]:
    """Elements and pixels in order: all, and those before an end of equal elements."""
    own, wanted = elements.reshape(-1).astype("f8"), made.reshape(-1)
    others = numpy.flatnonzero(own != own[-1])
    tail = int(others[-1]) + 1 if len(others) else 0
    found = [("", own, wanted)]
    if LEAST <= tail < len(own) and len(set(wanted[tail:].tolist())) > 1:
        value = f"all {own[-1]:.4g}" if own[-1] else "zeros"
        said = f"from element {tail:,} on it is not the picture: {value}{as_many(tail, elements.shape)}"
        found.append((said, own[:tail], wanted[:tail]))
    return found


def levels(own: Any, wanted: Any) -> str:
    """Whether elements are pixels of which only the brightest, or hardly any, levels are left."""
    have, there = numpy.unique(own), numpy.unique(wanted)
    if not 1 < len(have) <= 2 or len(there) < 3 * len(have):
        return ""
    low, high = wanted[own == have[0]], wanted[own == have[1]]
    if low.max() < high.min() and high.min() > 0.98 * wanted.max():
        return (
            f"its elements have only {len(have)} different values, the pixels {len(there)}: were they "
            "divided as whole numbers?"
        )
    return ""


def beginning(own: Any, source: Source, kind: str) -> Stored | None:
    """Elements that are bytes of the file from another place than its first pixel."""
    head = PORTABLE.match(source.data)
    if kind not in "fiu" or head is None or source.array.size > MOST_BYTES:
        return None
    data = numpy.frombuffer(source.data, "u1").astype("f8")
    start, count = head.end(), len(own)
    if len(data) < count or not own.std():
        return None
    sums, squares = (numpy.concatenate([[0.0], numpy.cumsum(one)]) for one in (data, data * data))
    spread = squares[count:] - squares[:-count] - (sums[count:] - sums[:-count]) ** 2 / count
    like = numpy.correlate(data, own - own.mean(), "valid")
    like /= numpy.sqrt(numpy.maximum(spread, 1e-9) * count) * own.std()
    for at in numpy.flatnonzero(like > SAME):
        if at != start and at - start < MOST_LATE:  # what lies farther behind is another part, or picture
            by = start - int(at)
            what = "of the file's header are" if by > 0 else "too few are"
            said = f"the elements begin {abs(by)} bytes {'before' if by > 0 else 'after'} the first pixel"
            return Stored(
                (f"bytes {at} to {at + count - 1}",),
                f"{said}: {abs(by)} bytes {what} taken for pixels",
                None,
            )
    return None
