"""The colours of a film's frames: red, green and blue that were made of brightness (Y), U and V, with U and V
exchanged.

What is here: `exchanged_chroma`. Green has more of V than of U in all usual ways to make colours, whatever
range the elements have, and whether red or blue comes first. What is not: frames of cameras, without a header
(`origin.buffers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any

from ...arrays import numpy
from .films import Film

COLOURS, GREEN = 3, 1
MOST_FRAMES, MOST_INPUTS, FEW, POINTS, LEAST = 96, 3, 3, 400, 40
"""Frames of a film and of an input that are compared, the nearest ones, and pixels of each; the fewest that
count."""
LIVELY = 3.0
"""U and V must vary by so much."""
TOGETHER = 0.95
"""The correlation of U and V must be less than this."""
CUT = 0.02
"""Elements so near to the ends of the range, as parts of it, may have been cut off there."""
NEAR = 0.06
"""How far elements may be from a sum of Y, U and V, as a part of their deviation."""
RIGHT = ((-0.344, -0.714), (-0.187, -0.468), (-0.165, -0.571))
"""How much of U and V green has for each part of Y, by BT.601, BT.709 and BT.2020."""
CLOSE = 0.08
Way = Callable[[Any, tuple[Any, Any], tuple[int, int]], Any]


def exchanged_chroma(array: Any, name: str, data: bytes, film: Film) -> str:
    """Returns what is wrong with the colours of an input that shows frames of a film, or "" if nothing is."""
    if film.chroma is None:
        return ""
    for plane in islice(greens(array), MOST_INPUTS):
        rows, columns = spread(plane.shape)
        own = plane[rows, columns].astype("f8")
        room = CUT * numpy.ptp(own)
        whole = (own > own.min() + room) & (own < own.max() - room)
        if whole.sum() < LEAST or not own[whole].std():
            continue
        found = nearest_frame(own, whole, frames_in(data, film), (rows, columns), plane.shape)
        if found is None:
            continue
        blue, red = found
        if not is_near((red, blue)) or is_near(found):
            return ""
        return (
            f"compared with {name}, U and V are exchanged: its green has {blue:.2f} of U and {red:.2f} of V "
            f"for each part of Y, and {red:.2f} and {blue:.2f} are usual; in Y4M the plane of U comes first, "
            "then V"
        )
    return ""


def greens(array: Any) -> Iterator[Any]:
    """The green of each frame of an input, [height, width]."""
    lengths = [one for one in array.shape if one != 1]
    if COLOURS not in lengths or len(lengths) not in (COLOURS, COLOURS + 1):
        return
    axis = len(lengths) - 1 if lengths[-1] == COLOURS else lengths.index(COLOURS)
    green = array.reshape(lengths).take(GREEN, axis=axis)
    yield from green if green.ndim == COLOURS else (green,)


def spread(shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The rows and columns of some pixels."""
    order = numpy.random.default_rng(0)
    return order.integers(0, shape[0], POINTS), order.integers(0, shape[1], POINTS)


def planes_of(data: bytes, film: Film, start: int) -> list[Any] | None:
    """Returns y, U and V of a frame, or None if the file ends before."""
    assert film.chroma is not None
    half = tuple(-(-side // by) for side, by in zip((film.height, film.width), film.chroma, strict=True))
    found = []
    for high, wide in ((film.height, film.width), half, half):
        if start + high * wide > len(data):
            return None
        found.append(numpy.frombuffer(data, "u1", high * wide, start).reshape(high, wide))
        start += high * wide
    return found


def are_telling(one: Any, other: Any) -> bool:
    """Whether U and V vary, and don't go together."""
    if min(one.std(), other.std()) < LIVELY:
        return False
    return bool(abs(numpy.corrcoef(one.reshape(-1), other.reshape(-1))[0, 1]) < TOGETHER)


def frames_in(data: bytes, film: Film) -> list[list[Any]]:
    """The frames of a film whose colours tell something, as Y, U and V."""
    found = (planes_of(data, film, start) for start in film.starts[:MOST_FRAMES])
    return [planes for planes in found if planes is not None and are_telling(*planes[1:])]


def nearest_frame(
    own: Any, whole: Any, frames: list[list[Any]], places: tuple[Any, Any], size: tuple[int, int]
) -> tuple[float, float] | None:
    """Returns how much of U and V elements have for each part of Y, in the frame that they are nearest to, or
    None if they are no sum of these. `whole` says which elements were not cut off."""

    def fit(planes: list[Any], way: Sequence[Way]) -> tuple[float, Any]:
        made = [way[at > 0](plane, places, size)[whole] for at, plane in enumerate(planes)]
        columns = numpy.stack([*made, numpy.ones(len(made[0]))], axis=1)
        shares, *_ = numpy.linalg.lstsq(columns, own[whole], rcond=None)
        return float(numpy.median(abs(columns @ shares - own[whole]))), shares

    first = sorted(frames, key=lambda planes: fit(planes, (box, box))[0])[:FEW]
    fits = [fit(planes, way) for planes in first for way in product((nearest, box), repeat=2)]
    off, shares = min(fits, key=lambda one: one[0], default=(1.0, None))
    if shares is None or off >= NEAR * own[whole].std() or shares[0] <= 0:
        return None
    return float(shares[1] / shares[0]), float(shares[2] / shares[0])


def nearest(plane: Any, places: tuple[Any, Any], size: tuple[int, int]) -> Any:
    """The pixels of a plane below those of an input of a size."""
    rows, columns = (at * side // own for at, side, own in zip(places, plane.shape, size, strict=True))
    return plane[rows, columns].astype("f8")


def box(plane: Any, places: tuple[Any, Any], size: tuple[int, int]) -> Any:
    """The mean of four pixels around the middle of each."""
    middle = [(at + 0.5) * side / own - 0.5 for at, side, own in zip(places, plane.shape, size, strict=True)]
    low = [at.clip(0).astype(int) for at in middle]
    high = [(one + 1).clip(0, side - 1) for one, side in zip(low, plane.shape, strict=True)]
    corners = [plane[one, other].astype("f8") for one in (low[0], high[0]) for other in (low[1], high[1])]
    return sum(corners) / len(corners)


def is_near(shares: tuple[float, float]) -> bool:
    return any(all(abs(a - b) < CLOSE for a, b in zip(shares, one, strict=True)) for one in RIGHT)
