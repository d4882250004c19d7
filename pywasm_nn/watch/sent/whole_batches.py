"""Batches of pictures of which every one lies otherwise than in the file or files that were read: planes of a
colour over the whole batch, and rows as a bitmap stores them.

What is here: `misplaced`. What is not: pictures that are the same or empty (`batches.py`), and single
pictures (`origin`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import changed
from ..facts import picture_of
from ..origin.cut import Sheet, cut
from ..origin.straight import line_within

COLOURS, MOST = 3, 16
"""Channels of a picture, and pictures of a batch that is looked at."""
EXACT = 1e-3
"""How far elements are from those that are calculated, in parts of a channel's deviation."""
ORDERS = ((0, 1, 2), (2, 1, 0))
BITMAP, HEIGHT = b"BM", slice(22, 26)
"""How a bitmap begins, and where it has its height, below 0 if its first row is the upper one."""
TURN = "upside down"


def misplaced(array: Any, sheets: Iterable[Sheet], pictures: Sequence[tuple[str, Any]]) -> str:
    """Returns what is wrong with all pictures of a batch [pictures, ...], or "" if nothing is. `pictures` are
    names and pixels of those that were read, each from a file of its own."""
    own = picture_of(array.shape) if array.ndim == COLOURS + 1 and array.dtype.kind == "f" else None
    if own is None or not 2 <= len(array) <= MOST:
        return ""
    known = [*sheets]
    if own.planar and own.channels == COLOURS and len(array) != COLOURS:
        for name, pixels in together(array.shape, known, pictures):
            if are_of(by_colour(array), pixels) and not are_of(array.transpose(0, 2, 3, 1), pixels):
                return (
                    f"compared with {name}, its elements lie channel, picture, row, column, and the shape "
                    f"says picture, channel, row, column: the element of picture n is at (n * {COLOURS} + c)"
                    f" * {own.height * own.width}, and not at (c * {len(array)} + n) * "
                    f"{own.height * own.width}"
                )
    for sheet in known:
        if is_from_below(sheet) and are_upside_down(array, sheet, is_planar=own.planar):
            return (
                f"compared with {sheet.source.name}, all {len(array)} pictures of the batch are {TURN}: a "
                "bitmap (BMP) stores its rows from the lowest one on"
            )
    return ""


def together(
    shape: Sequence[int], sheets: Sequence[Sheet], pictures: Sequence[tuple[str, Any]]
) -> Iterator[tuple[str, Any]]:
    """Pixels [pictures, height, width, 3] that a batch of this shape, in planes, may have, with names."""
    count, _, height, width = shape
    size = (height, width, COLOURS)
    for sheet in sheets:
        if sheet.item == height and sheet.pixels.shape == (count * height, width, COLOURS):
            yield sheet.source.name, sheet.pixels.reshape(count, *size)
    last = pictures[-count:]
    if len(last) == count and all(one.shape == size for _, one in last):
        yield f"{last[0][0]} to {last[-1][0]}", numpy.stack([one for _, one in last])


def by_colour(array: Any) -> Any:
    """The pictures [pictures, height, width, channels] of elements that lie channel after channel."""
    count, channels, height, width = array.shape
    return array.reshape(channels, count, height, width).transpose(1, 2, 3, 0)


def are_of(made: Any, pixels: Any) -> bool:
    """Whether each channel of pictures is one of the pixels', but for a scale and a shift."""
    for order in ORDERS:
        for channel, place in enumerate(order):
            own = made[..., channel].reshape(-1).astype("f8")
            line = line_within(own, pixels[..., place].reshape(-1).astype("f8"), EXACT * own.std())
            if line is None or line[0] <= 0:
                break
        else:
            return True
    return False


def is_from_below(sheet: Sheet) -> bool:
    """Whether the file of a sheet has its lowest row first."""
    data = sheet.source.data
    return data[:2] == BITMAP and not sheet.item and int.from_bytes(data[HEIGHT], "little", signed=True) > 0


def are_upside_down(array: Any, sheet: Sheet, *, is_planar: bool) -> bool:
    """Whether each picture of a batch is a part of a sheet with its rows in the other order. Such as look the
    same in both orders tell nothing."""
    found, pixels, down = 0, sheet.pixels, 1 if is_planar else 0
    if array.shape[-1] == 1 or array.shape[1] == 1:
        if (pixels != pixels[..., :1]).any():
            return False
        sheet = changed(sheet, pixels=pixels[..., :1])  # a palette of grey
    for row in array:
        if not row.std() or (row == numpy.flip(row, down)).all():
            continue
        origin = cut(row[None], sheet, ("", TURN))
        if origin is None or origin.turn != TURN:
            return False
        found += 1
    return found > 1
