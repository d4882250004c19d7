"""Compares an input with a picture piece by piece, in small copies in which all interpolations are alike.

What is here: `Fit`, `compared`, and the parts of an input that can be compared. What is not: finding the part
of the picture (`locating.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .locating import blocks, correlation
from .readings import Reading
from .resizing import INTERPOLATIONS, Geometry, resized

CHUNKS = 64
"""An input is compared in so many pieces, in the order of its elements."""
COARSE = 56
"""Pictures are compared at about so many rows and columns."""
LIKE = 0.9
"""The correlation of pieces that show the same."""
LEAST_SPREAD = 2.0
"""Pieces whose pixels deviate by less say nothing."""
LEAST_FILLED = 16
"""A part of the input below this share of it can't be found."""


class Fit(Frozen):
    """A way from the picture to the elements: which channel of the picture each channel is, and the
    correlations of the pieces that say anything, by channel and number."""

    geometry: Geometry
    order: tuple[int, ...]
    alike: dict[tuple[int, int], float]
    sharp: bool = False
    """Whether the pieces are of all pixels, and not of a small copy."""

    @property
    def share(self) -> float:
        """The part of the pieces that are alike."""
        return sum(value > LIKE for value in self.alike.values()) / max(1, len(self.alike))


def spread_out(template: Any, part: tuple[slice, slice], size: tuple[int, int]) -> tuple[Any, Any]:
    """A part of an input in the whole of it, and where it is filled."""
    whole, filled = numpy.zeros(size, "f4"), numpy.zeros(size, "f4")
    whole[part], filled[part] = template, 1
    return whole, filled


def compared(geometry: Geometry, elements: Any, pixels: Any, part: tuple[slice, slice]) -> Fit:
    """A geometry with the pieces of a part that are alike, compared in small copies."""
    made = coarse(geometry.made(pixels, averaged, *elements.shape[:2]))
    rough = coarse(elements)
    order = order_of(rough, made)
    step = max(1, min(elements.shape[:2]) // COARSE)
    rows = part[0].start // step, -(-part[0].stop // step)
    return Fit(geometry, order, alike(rough, made[..., list(order)], rows))


def sharply(geometry: Geometry, elements: Any, pixels: Any) -> Fit | None:
    """A geometry with pieces that are alike in every pixel: of pictures whose neighbouring pixels are not."""
    best: Fit | None = None
    for resize in (INTERPOLATIONS if geometry.resizes else {"": resized}).values():
        made = geometry.made(pixels, resize, *elements.shape[:2])
        order = order_of(elements, made)
        fit = Fit(geometry, order, alike(elements, made[..., list(order)], (0, len(elements))), True)
        best = fit if best is None or fit.share > best.share else best
    return best


def averaged(picture: Any, height: int, width: int) -> Any:
    """A picture resized for a rough comparison: averaged over whole pixels first, then interpolated."""
    down = max(1, round(picture.shape[0] / height)), max(1, round(picture.shape[1] / width))
    return resized(blocks(picture, *down), height, width)


def coarse(picture: Any) -> Any:
    step = max(1, min(picture.shape[:2]) // COARSE)
    return blocks(picture, step, step)


def order_of(elements: Any, made: Any) -> tuple[int, ...]:
    """Returns, for each channel of the elements, the channel of the picture that it is most like."""
    there = elements.reshape(len(elements), -1).std(axis=1) > 0  # rows that something fills
    elements, made = elements[there], made[there]
    found = []
    for channel in range(elements.shape[2]):
        likeness = [finite_correlation(elements[..., channel], made[..., other]) for other in range(4)]
        found.append(max(range(4), key=likeness.__getitem__))
    return tuple(found)


def finite_correlation(one: Any, other: Any) -> float:
    """How much two arrays go together where the other is finite, also if one is inverted."""
    a, b = one.reshape(-1), other.reshape(-1)
    there = numpy.isfinite(b)
    return abs(correlation(a[there].astype("f8"), b[there].astype("f8"))) if there.any() else 0.0


def pieces_of(height: int, channels: int) -> list[Any]:
    """Rows in pieces, so that there are about CHUNKS pieces in all channels."""
    return numpy.array_split(numpy.arange(height), max(1, min(height // 2, CHUNKS // channels)))


def alike(elements: Any, pixels: Any, rows: tuple[int, int]) -> dict[tuple[int, int], float]:
    """The correlation of elements and pixels in each piece, channel by channel; pieces of pixels that are
    nearly constant, or empty, are left out."""
    found: dict[tuple[int, int], float] = {}
    for channel in range(pixels.shape[2]):
        if not elements[..., channel].std():
            continue
        for block, chunk in enumerate(pieces_of(pixels.shape[0], pixels.shape[2])):
            if chunk[-1] < rows[0] or chunk[0] >= rows[1]:
                continue
            part = pixels[chunk, :, channel]
            there = numpy.isfinite(part)
            if there.sum() >= 16 and float(part[there].std()) >= LEAST_SPREAD:
                found[channel, block] = finite_correlation(elements[chunk, :, channel], part)
    return found


def rows_alike(fit: Fit, shape: tuple[int, ...]) -> dict[int, Any]:
    """The rows of each channel whose pieces are alike; channels without any are left out."""
    height, width, channels = shape
    step = 1 if fit.sharp else max(1, min(height, width) // COARSE)
    pieces = pieces_of(height // step, channels)
    found: dict[int, list[Any]] = {}
    for (channel, block), value in fit.alike.items():
        if value > LIKE:
            chunk = pieces[block]
            found.setdefault(channel, []).append(numpy.arange(chunk[0] * step, (chunk[-1] + 1) * step))
    return {channel: numpy.sort(numpy.concatenate(rows)) for channel, rows in found.items()}


def templates(elements: Any) -> Iterator[tuple[tuple[slice, slice], Any]]:
    """Parts of the input without empty borders, as one plane: of all channels that reach as far as any,
    and of each alone."""
    extents = [extent(elements[..., channel]) for channel in range(elements.shape[2])]
    sizes = [
        0 if one is None else (one[0].stop - one[0].start) * (one[1].stop - one[1].start) for one in extents
    ]
    largest = max(sizes)
    part = extents[sizes.index(largest)]
    if part is None or largest * LEAST_FILLED < elements[..., 0].size:
        return
    full = [channel for channel, size in enumerate(sizes) if size > 0.9 * largest]
    planes = elements[..., full][part]
    spread = planes.reshape(-1, len(full)).std(axis=0)
    yield part, (planes / numpy.maximum(spread, 1e-30)).mean(axis=2).astype("f4")
    if len(full) > 1:
        for number in range(len(full)):
            yield part, planes[..., number]


def varying(elements: Any) -> list[int]:
    """The channels whose elements differ."""
    return [channel for channel in range(elements.shape[2]) if elements[..., channel].std()]


def extent(plane: Any) -> tuple[slice, slice] | None:
    """The rows and columns within which elements differ from their neighbours."""
    rows = numpy.flatnonzero((plane[:, 1:] != plane[:, :-1]).any(axis=1))
    if len(rows) < 8:
        return None
    inner = plane[rows[0] : rows[-1] + 1]
    columns = numpy.flatnonzero((inner[1:] != inner[:-1]).any(axis=0))
    if len(columns) < 8:
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def smoothness_of(reading: Reading) -> float:
    """How much the pixels of a reading are like their neighbours."""
    return max((smoothness(template) for _, template in islice(templates(reading.pixels), 1)), default=-1.0)


def smoothness(plane: Any) -> float:
    """How much pixels are like those beside and below them, as a correlation."""
    beside = correlation(plane[:, 1:].reshape(-1), plane[:, :-1].reshape(-1))
    below = correlation(plane[1:].reshape(-1), plane[:-1].reshape(-1))
    return least if (least := min(beside, below)) == least else -1.0  # NaN: huge elements
