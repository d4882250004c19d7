"""Straight lines through points by least squares, also where no line is known: without warnings.

What is here: `line_through`. What is not: how well points lie on it (`locating.correlation`).
"""

from __future__ import annotations

from typing import Any

ALMOST_NONE = 1e-24
"""Squares of differences below this part of the squares themselves are errors of rounding."""


def line_through(across: Any, up: Any, weights: Any = 1.0) -> tuple[float, float]:
    """The slope, and the height at 0, of the line nearest to points, of which each counts by its weight.
    Points above each other give the level line through their middle."""
    import numpy

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
