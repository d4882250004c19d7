"""Changes of the order of elements: channels, layout, rows and columns, four bytes a pixel, sheared rows.

What is here: pure functions from an array in the shape of a picture to the array that a guest without the
mistake would have sent. What is not: the values of elements (`encodings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..facts import Picture
from .encodings import RAW, decoded, encoded, guesses

FARTHEST = 64
"""Rows are sheared by at most so many pixels."""
MOST_ROWS, FEWEST_ROWS = 256, 12
"""So many rows are examined at most, and are needed."""
NEARER = 0.92
"""Rows at the right distance differ by less than this part of what they differ at others."""
SEAM, NO_SEAM = 3.0, 0.6
"""The ends of rows stand out by more than this if rows are cut rightly, and if they are cut wrongly by less
than this part of that."""
OFTEN = 0.6
"""They stand out in more than this part of the rows."""
SMOOTHER = 0.8
"""A picture in the right layout is rough by less than this part of what it is in the wrong one."""
TURNED = "with rows and columns swapped"
SAME = 0.004
"""Alpha changes by less than this part of what colours change: by rounding."""


def told_by_elements(array: Any, picture: Picture) -> Iterator[tuple[str, Any]]:
    """The array in orders for which the elements themselves speak, with descriptions."""
    for found in (alpha_ignored(array, picture), unsheared(array, picture)):
        if found is not None:
            yield found


def rearranged(array: Any, picture: Picture) -> Iterator[tuple[str, Any]]:
    """The array in other orders, with descriptions."""
    pixels = interleaved(array, picture)
    if picture.channels >= 3:
        order = [2, 1, 0, *range(3, picture.channels)]
        yield "with the channels reversed", as_before(pixels[..., order], picture, array.shape)
        other = other_layout(array, picture)
        if roughness(other, picture) < SMOOTHER * roughness(array, picture):
            yield "read in the other layout (NCHW and NHWC swapped)", other
    yield TURNED, as_before(transposed(pixels, picture), picture, array.shape)
    if picture.channels == 1:
        yield "with black and white swapped", array.min() + (array.max() - array)


def roughness(array: Any, picture: Picture) -> float:
    """The `unevenness` of an input, of the first picture of a batch."""
    return unevenness(interleaved(array, picture)[0])


def unevenness(pixels: Any) -> float:
    """The mean difference of pixels [height, width, channels] to those beside and below them."""
    own = pixels.astype("f4")
    return float(abs(numpy.diff(own, axis=0)).mean() + abs(numpy.diff(own, axis=1)).mean())


def interleaved(array: Any, picture: Picture) -> Any:
    """The pixels as [n, height, width, channels]."""
    size = picture.channels, picture.height, picture.width
    if picture.planar:
        return array.reshape(-1, *size).transpose(0, 2, 3, 1)
    return array.reshape(-1, picture.height, picture.width, picture.channels)


def as_before(pixels: Any, picture: Picture, shape: tuple[int, ...]) -> Any:
    """Pixels [n, height, width, channels] in the shape and layout of the input."""
    return (pixels.transpose(0, 3, 1, 2) if picture.planar else pixels).reshape(shape)


def other_layout(array: Any, picture: Picture) -> Any:
    """The elements, which were laid out in the other layout, in that of the shape."""
    size = picture.height, picture.width, picture.channels
    if picture.planar:
        return array.reshape(-1, *size).transpose(0, 3, 1, 2).reshape(array.shape)
    flat = array.reshape(-1, picture.channels, picture.height, picture.width)
    return flat.transpose(0, 2, 3, 1).reshape(array.shape)


def transposed(pixels: Any, picture: Picture) -> Any:
    """Pixels that were sent column by column, row by row."""
    columns = pixels.reshape(-1, picture.width, picture.height, picture.channels)
    return columns.transpose(0, 2, 1, 3)


def alpha_ignored(array: Any, picture: Picture) -> tuple[str, Any] | None:
    """Pixels of which every fourth element is the same: a picture of four bytes a pixel was copied as if it
    had three, and then encoded, its channels perhaps reversed."""
    if picture.channels != 3:
        return None
    kinds = [encoding for encoding in guesses(array, picture) if len(encoding.mean) > 1]
    for encoding in (RAW, *kinds):
        pixels = interleaved(decoded(array, encoding, picture), picture)
        for step in (1, -1):
            found = without_alpha(pixels[..., ::step], picture)
            if found is not None:
                alpha, made = found
                again = encoded(as_before(made[..., ::step], picture, array.shape), encoding, picture)
                said = f"without every fourth element, which is always {alpha:.4g}"
                return f"{said} (4 bytes a pixel were taken for 3)", again
    return None


def without_alpha(pixels: Any, picture: Picture) -> tuple[float, Any] | None:
    """The value of every fourth element if it is always the same, and the pixels without these elements;
    missing rows repeat the last."""
    count = len(pixels)
    flat = pixels.reshape(count, -1)
    flat = flat[:, : flat.shape[1] // 4 * 4].reshape(count, -1, 4)
    few = flat[:, :64]
    if float(numpy.ptp(few[..., 3])) > SAME * float(numpy.ptp(flat[..., :3])):
        return None
    alpha, others = flat[..., 3], flat[..., :3]
    lively = min(float(numpy.ptp(others[..., channel])) for channel in range(3))
    if float(numpy.ptp(alpha)) > SAME * lively:
        return None
    rows = flat.shape[1] // picture.width
    made = others[:, : rows * picture.width].reshape(count, rows, picture.width, 3)
    filled = numpy.repeat(made[:, -1:], picture.height - rows, axis=1)
    return float(alpha.flat[0]), numpy.concatenate([made, filled], axis=1)


def unsheared(array: Any, picture: Picture) -> tuple[str, Any] | None:
    """Pixels whose rows lie at another distance than the width: with padding after each, or cut off."""
    pixels = interleaved(array, picture)
    distance = row_distance(pixels[0])
    if distance is None:
        return None
    count, width, channels = len(pixels), picture.width, picture.channels
    flat = pixels.reshape(count, -1, channels)
    rows = flat.shape[1] // distance
    kept = min(distance, width)
    made = flat[:, : rows * distance].reshape(count, rows, distance, channels)[:, :, :kept]
    made = made[:, : picture.height]
    beyond = (0, picture.height - made.shape[1]), (0, width - kept)
    made = numpy.pad(made, ((0, 0), *beyond, (0, 0)), mode="edge")
    said = f"with rows {distance} pixels apart and not {width} (as sent they are sheared)"
    return said, as_before(made, picture, array.shape)


def row_distance(pixels: Any) -> int | None:
    """Returns the distance of rows in pixels, if it is clearly not the width, or None if it is. Rows that
    come again after some others, as features of a steady tone do, are alike at a multiple of the width, and
    those of a tone that rises or falls nearly there.

    Where a row ends and the next begins, pixels differ more than within rows. So there is a column with large
    differences to the next if rows are cut at the right distance, and none if they are cut at a wrong one.
    """
    width = pixels.shape[1]
    flat = pixels.reshape(-1, pixels.shape[2])[: MOST_ROWS * width].astype("f4")
    if len(flat) < FEWEST_ROWS * (width + FARTHEST):
        return None
    steps = abs(numpy.diff(flat, axis=0)).mean(axis=1)
    near = range(max(8, width - FARTHEST), width + FARTHEST + 1)
    apart = {d: float(abs(flat[d:] - flat[:-d]).mean()) for d in near}
    best = min(apart, key=apart.__getitem__)
    typical = sorted(apart.values())[len(apart) // 2]
    alike = 0 < apart[best] < NEARER * min(typical, apart[width])
    multiple = round(best / width)
    if abs(best - multiple * width) < max(1, multiple) or not alike:
        return None
    ends, often = seam(steps, best)
    stands_out = ends > SEAM and often > OFTEN and seam(steps, width)[0] < NO_SEAM * ends
    return best if stands_out else None


def seam(steps: Any, distance: int) -> tuple[float, float]:
    """How much larger differences are in the column with the largest than in the middle one, if rows are cut
    at this distance; and in which part of the rows they are larger there."""
    rows = len(steps) // distance
    cut = steps[: rows * distance].reshape(rows, distance)
    columns = cut.mean(axis=0)
    usual = max(float(numpy.median(columns)), 1e-9)
    column = int(columns.argmax())
    return float(columns[column]) / usual, float((cut[:, column] > 2 * usual).mean())
