"""Small inputs whose elements are pixels of a file as they lie there: a part of a sheet or strip, or one of
several pictures behind each other.

What is here: `cut`, which says from where they are, how they are turned, in which order of channels and in
which range. What is not: parts that are resized (`origin`), and the distances of parts (`sent/tiles.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import unpack
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..facts import Picture, picture_of, picture_or_square
from .buffers import AS_THREE, FOUR, are_of_four
from .colours import BGR, GREY_CHANNEL, RGB, order_said
from .decoding import NUMBERED, Source
from .matching import Origin, part_wrong
from .ranges import CLOSE, range_of
from .readings import first
from .resizing import Geometry
from .shaped import in_rows
from .straight import line_through
from .tiny import LARGEST as TINY

IDX, IDX_HEADER = b"\0\0\x08\x03", 16
"""Pictures of bytes behind each other, as those of MNIST (http://yann.lecun.com/exdb/mnist)."""
IN_COLUMNS = ("emnist", "letters", "balanced", "byclass", "bymerge")
"""Words in names of files of EMNIST, whose pictures lie in columns
(https://www.nist.gov/itl/products-and-services/emnist-dataset): to exchange rows and columns is right."""
MOST_ITEMS = 4096
MOST_PRODUCTS = 1 << 21
"""So many products are made to find one part."""
LARGEST, LEAST = 64, 48
"""The most rows and columns of a part, and the fewest pixels that are found by no chance."""
SAME, APART = 0.9999, 0.05
"""The correlation of the same pixels, and how far, in pixels, they may be from those of the file."""
FAINT = 0.3
"""The corner of a picture deviates by at most this part of what all of it does."""
LEVELS = 4
"""A part has at least so many different pixels."""
TURNS = {
    "": lambda pixels: pixels,
    "rows and columns exchanged": lambda pixels: pixels.swapaxes(0, 1),
    "upside down": lambda pixels: pixels[::-1],
    "mirrored": lambda pixels: pixels[:, ::-1],
    "turned by 180 degrees": lambda pixels: pixels[::-1, ::-1],
}
"""How an input has to be turned to lie in the file; each is its own inverse."""


class Sheet(Frozen):
    """Pixels [height, width, channels] of a file. If it has several pictures, of `item` rows each, a part is
    one of these. `wrong`: what was done to the file's bytes, if a part is one of these pixels."""

    source: Source
    pixels: Any
    item: int = 0
    wrong: str = ""


def numbered(source: Source) -> Iterator[Sheet]:
    """The numbers of a picture's palette in place of its colours, if no colour rises as they do."""
    for said, numbers in source.others:
        if said == NUMBERED:
            ways = (source.array[..., at].astype("f8") for at in range(source.array.shape[2]))
            if not any(line_of(one, numbers[..., 0].astype("f8")) for one in ways):
                yield Sheet(source, numbers, wrong=said)


def idx(name: str, data: bytes) -> Sheet | None:
    """Returns the pictures of an IDX file, one below the other, or None if it is no such one."""
    if not data.startswith(IDX) or len(data) < IDX_HEADER:
        return None
    count, height, width = unpack(">III", data[4:IDX_HEADER])
    size = height * width
    if not size or min(height, width) < 2:
        return None
    there = min(count, MOST_ITEMS, (len(data) - IDX_HEADER) // size)
    pixels = numpy.frombuffer(data, "u1", there * size, IDX_HEADER).reshape(there * height, width, 1)
    said = f"{count} pictures of {width} x {height} pixels"
    return Sheet(Source(name, pixels, said, True), pixels, height) if there else None


def behind_each_other(name: str, data: bytes, shape: Sequence[int]) -> Iterator[Sheet]:
    """Pictures of the size of an input of a shape, behind each other in a file: those of an IDX file, or in a
    file of several without a header."""
    if (found := idx(name, data)) is not None:
        yield found
    own = picture_or_square(shape)
    if own is None or found is not None:
        return
    fewest = 2 if picture_of(shape) is not None else 1  # one alone is found by its shape (`headerless.py`)
    size, flat = own.height * own.width, numpy.frombuffer(data, "u1")
    sheets = [(channels, flat.size // (size * channels), "") for channels in {own.channels, FOUR}]
    if own.channels == 3 and not flat.size % (size * FOUR) and are_of_four(flat):
        sheets.insert(0, (3, flat.size // (size * 3), AS_THREE))
    for channels, count, wrong in sheets:
        whole = flat[: count * size * channels]
        if not fewest <= count <= MOST_ITEMS or (whole.size < flat.size and not wrong):
            continue
        pixels = whole.reshape(count * own.height, own.width, channels)[..., :3]
        size_said = f"{own.width} x {own.height} raw pixels"
        said = size_said if count == 1 else f"{count} pictures of {size_said}"
        yield Sheet(Source(name, pixels, said, True, is_ordered=False), pixels, own.height, wrong)


def cut(
    array: Any, sheet: Sheet, turns: Sequence[str] = tuple(TURNS), last: tuple[int, int] = (0, -1)
) -> Origin | None:
    """Returns how an input is a part of a sheet, turned in one of these ways, or None if it is none. Of equal
    parts it is the next behind the `last` row and column."""
    if array.size == sheet.item * sheet.pixels.shape[1]:
        array = in_rows(array, sheet.item, sheet.pixels.shape[1])
    own = picture_of(array.shape)
    if own is None or array.size != own.height * own.width * own.channels:
        return None
    elements = first(array, own)
    if own.height * own.width < LEAST or max(own.height, own.width) > LARGEST:
        return None
    channels = sheet.pixels.shape[2]
    if own.channels not in (1, channels) or (own.channels == 1 and channels != 1):
        return None
    for turn in turns:
        part = TURNS[turn](elements)
        if turn == "rows and columns exchanged" and own.height != own.width:
            continue
        for order in (RGB, BGR) if channels == 3 else ((GREY_CHANNEL,),):
            plane = sheet.pixels[..., order[0] if channels == 3 else 0].astype("f8")
            place = found_at(part[..., 0].astype("f8"), plane, last, sheet.item)
            if place is not None and (found := described(part, sheet, place, order, turn, own)) is not None:
                other = described(part, sheet, place, BGR, turn, own) if order == RGB else None
                return found if other is None else likelier(found, other)
    return divided(elements, sheet, last, own)


def likelier(found: Origin, other: Origin) -> Origin:
    """The one of two orders of channels that gives a usual range, of two that fit: of few colours, one may be
    another and a constant more. If both do or neither does, the order isn't known."""
    if (found.encoding is None) != (other.encoding is None):
        return found if other.encoding is None else other
    return changed(found, order="")


def found_at(tile: Any, pixels: Any, last: tuple[int, int], item: int = 0) -> tuple[int, int] | None:
    """Returns the row and column at which pixels are a tile's, but for scale and shift, or None if they are
    nowhere. Of several places it is the next after the last. Pictures of `item` rows each are compared as
    wholes."""
    own = tile - tile.mean()
    size = float(numpy.sqrt((own * own).sum()))
    if not size or not numpy.isfinite(size):
        return None
    (height, width), (tall, wide) = tile.shape, pixels.shape
    if item:
        if (height, width) != (item, wide):
            return None
        rows = pixels.reshape(-1, item * wide)
        sums, squares, products = rows.sum(axis=1), (rows * rows).sum(axis=1), rows @ own.reshape(-1)
        like = abs(products) / (numpy.sqrt(numpy.maximum(squares - sums**2 / tile.size, 1e-9)) * size)
        places = [(int(at) * item, 0) for at in numpy.flatnonzero(like > SAME)]
    else:
        if height > tall or width > wide:
            return None
        if tile.size * (tall - height + 1) * (wide - width + 1) > MOST_PRODUCTS:
            return None
        windows = numpy.lib.stride_tricks.sliding_window_view(pixels, tile.shape)
        sums, products = windows.sum(axis=(2, 3)), numpy.tensordot(windows, own, 2)
        squares = numpy.einsum("yxij,yxij->yx", windows, windows)
        like = abs(products) / (numpy.sqrt(numpy.maximum(squares - sums**2 / tile.size, 1e-9)) * size)
        places = [(int(row), int(column)) for row, column in numpy.argwhere(like > SAME)]
    return min(places, key=lambda place: (place <= last, place), default=None)


def region(sheet: Sheet, place: tuple[int, int], own: Picture) -> Any:
    height, width = own.height, own.width
    return sheet.pixels[place[0] : place[0] + height, place[1] : place[1] + width].astype("f8")


def described(
    part: Any, sheet: Sheet, place: tuple[int, int], order: tuple[int, ...], turn: str, own: Picture
) -> Origin | None:
    """Returns the steps from a place of a sheet to a part of it that was found in one channel, or None if the
    others are something else."""
    there = region(sheet, place, own)
    if len(numpy.unique(there)) < LEVELS:
        return None
    lines = []
    for channel in range(own.channels):
        line = line_of(
            part[..., channel].astype("f8"), there[..., order[channel] if own.channels == 3 else 0]
        )
        if line is None:
            return None
        lines.append(line if line[0] else None)
    if not any(lines):
        return None
    found = range_of(lines, order == BGR, CLOSE, sheet.source.white)
    wrong = "; ".join(filter(None, (sheet.wrong, turned_wrong(turn, sheet), found.wrong)))
    steps = (
        place_said(place, own, sheet),
        turn,
        order_said(order, 3) if own.channels == 3 else "",
        found.said,
    )
    bottom, right = place[0] + own.height, place[1] + own.width
    geometry = Geometry("", (*place, bottom, right), (own.height, own.width), turned=turn)
    is_one = max(own.height, own.width) <= TINY and not is_faint(there, sheet.pixels)
    return Origin(
        sheet.source,
        steps,
        wrong,
        "" if wrong or turn or sheet.item or is_one else part_wrong(geometry, sheet.source),
        encoding=None if found.is_reversed else found.encoding,
        order=order_said(order, 3) if own.channels == 3 else "",
        varied=turned_wrong(turn, sheet),
        turn=turn,
        part=(place[0], place[1], bottom, right),
        lies=None if turn else (0, 0, own.height, own.width),
    )


def is_faint(part: Any, pixels: Any) -> bool:
    """Whether a small part shows hardly anything of what the whole picture shows. Another one may be the
    first of several, such as digits, and wanted alone."""
    return float(part.std(axis=(0, 1)).max()) <= FAINT * float(pixels.std(axis=(0, 1)).max())


def line_of(own: Any, pixels: Any) -> tuple[float, float, float] | None:
    """Returns scale and shift of elements that are pixels, the scale 0 if both are constant, or None if they
    are others."""
    if not pixels.std():
        return (0.0, 0.0, 0.0) if not own.std() else None
    scale, shift = line_through(pixels, own)
    if not scale:
        return None
    apart = float(abs((own - shift) / scale - pixels).max())
    return (scale, shift, apart) if apart < APART else None


def turned_wrong(turn: str, sheet: Sheet) -> str:
    if not turn:
        return ""
    if turn.startswith("rows"):
        if sheet.item and any(word in sheet.source.name.lower() for word in IN_COLUMNS):
            return ""
        return "rows and columns are exchanged: the picture is in columns"
    return f"the picture is {turn}"


def place_said(place: tuple[int, int], own: Picture, sheet: Sheet) -> str:
    if 0 < sheet.item < len(sheet.pixels):
        return f"picture {place[0] // sheet.item + 1}"
    if sheet.pixels.shape[:2] == (own.height, own.width):
        return ""
    return f"its part at column {place[1]}, row {place[0]} of {own.width} x {own.height}"


def divided(elements: Any, sheet: Sheet, last: tuple[int, int], own: Picture) -> Origin | None:
    """An input of two values, of which one stands for white: pixels were divided as whole numbers."""
    values = numpy.unique(elements)
    if len(values) != 2 or sheet.pixels.shape[2] != own.channels:
        return None
    white = (sheet.pixels >= sheet.source.top).astype("f8")
    place = found_at(elements[..., 0].astype("f8"), white[..., 0], last, sheet.item)
    if place is None:
        return None
    there = region(sheet, place, own)
    levels = len(numpy.unique(there))
    same = (elements == values[1]) == (there >= sheet.source.top)
    if levels <= 2 * LEVELS or not same.all():
        return None
    wrong = (
        f"its elements have only 2 different values, the pixels {levels}: were they divided as whole numbers "
        "(pixel / 255 is 0 or 1)?"
    )
    return Origin(sheet.source, (place_said(place, own, sheet), "few levels"), wrong)
