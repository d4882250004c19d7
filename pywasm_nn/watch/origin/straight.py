"""Straight lines through points by least squares, also where no line is known: without warnings.

What is here: `line_through`, the lines and factors that all elements are near to (`line_within`, `line_of`,
`lines_of` for the channels of pixels, `factor_of`), and `straightness`, which finds lines of tables. What is
not: how alike others are (`locating.correlation`), and lines through the smallest and the largest number
alone, as of bytes, which differ from these in their last digits (`sent/normalised.py`,
`sent/raw_numbers.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays import numpy
from .ranges import Line

MOST_STARTS = 512
"""Lines of a table at which inputs may begin."""
ALMOST_NONE = 1e-24
"""Squares of differences below this part of the squares themselves are errors of rounding."""


def line_through(across: Any, up: Any, weights: Any = 1.0) -> tuple[float, float]:
    """The slope, and the height at 0, of the line nearest to points, of which each counts by its weight.
    Points above each other give the level line through their middle."""
    with numpy.errstate(over="ignore", invalid="ignore"):  # bytes that were read as another type
        weights = numpy.broadcast_to(numpy.asarray(weights, "f8"), numpy.shape(across))
        total = float(weights.sum())
        across, up = numpy.asarray(across, "f8"), numpy.asarray(up, "f8")
        middle, level = float((weights * across).sum() / total), float((weights * up).sum() / total)
        apart = across - middle
        spread = float((weights * apart * apart).sum())
        if not spread > ALMOST_NONE * float((weights * across * across).sum()):
            return 0.0, level
        slope = float((weights * apart * (up - level)).sum()) / spread
        return slope, level - slope * middle


def line_of(own: Any, there: Any, near: float) -> tuple[float, float] | None:
    """Returns the slope and the height of the line from numbers to elements, or None if there is none that
    all are as near to as this part of the elements' range."""
    return line_within(own, there, near * float(numpy.ptp(own)))


def line_within(own: Any, there: Any, room: float) -> tuple[float, float] | None:
    """Returns the slope and the height of the line from numbers to elements, or None if an element is farther
    from it than `room`, or if it is level."""
    slope, height = line_through(there, own) if numpy.isfinite(there).all() else (0.0, 0.0)
    if not slope or not (abs(slope * there + height - own) <= room).all():
        return None
    return slope, height


def factor_of(own: Any, there: Any, near: float) -> float:
    """Returns what numbers were multiplied by to be elements, or 0 if these are others, or all are 0. They
    may differ by this part of the largest."""
    if own.size != there.size or not numpy.isfinite(there).all() or not there.any():
        return 0.0
    there = there.astype("f8")
    factor = float((own * there).sum() / (there * there).sum())
    return factor if abs(own - factor * there).max() <= near * abs(own).max() else 0.0


def lines_of(own: Any, pixels: Any, is_near: Callable[[Any, float], bool]) -> list[Line] | None:
    """Returns the line of each channel from pixels [..., channels] to elements of that shape, or None if a
    channel has none. `is_near` gets the distances of a channel's elements from its line, in pixels, and its
    scale, and says whether they are small enough."""
    found = []
    for channel in range(own.shape[-1]):
        elements, there = (one[..., channel].reshape(-1).astype("f8") for one in (own, pixels))
        scale, shift = line_through(there, elements)
        apart = abs(there + (shift - elements) / scale) if scale else None
        if apart is None or not is_near(apart, scale):
            return None
        found.append((scale, shift, float(apart.mean())))
    return found


def straightness(numbers: Any, rows: Any) -> Any:
    """How straight inputs [inputs, elements] lie over the lines of a table from each line on, [line, column,
    element]: the sizes of their correlations, and 0 where one isn't known."""
    windows = numpy.lib.stride_tricks.sliding_window_view(numbers, len(rows), axis=0)[:MOST_STARTS]
    with numpy.errstate(all="ignore"):
        levels = windows - windows.mean(axis=2, keepdims=True)
        levels = numpy.nan_to_num(levels / numpy.linalg.norm(levels, axis=2, keepdims=True))
        own = rows - rows.mean(axis=0)
        own = numpy.nan_to_num(own / numpy.linalg.norm(own, axis=0))
    return abs(levels @ own)
