"""Ways to make an input of bytes of a picture, for a model that says what a step of it stands for (scale and
zero point): pixels in a usual range, in these steps, where a guest sends others.

What is here: `of_quantised`. What is not: inputs of floats (`ways.py`), and lines of tables
(`sent/unquantised.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from .beside import BY_STEPS, Make

RANGES = {"from 0 to 1": (0.0, 1.0), "from -1 to 1": (-1.0, 1.0)}
TOPS = (1, 16, 31, 63, 127, 255)
"""What white is in pictures of 1, 4, 5, 6, 7 and 8 bits; digits of 8 x 8 that are known widely have 16."""
EXACT = 0.51
"""Elements that are rounded differ by less from what they are made of."""
LEAST_STEPS = 16
"""The least width of a range, in steps of the quantised type."""
FEWEST_LEVELS = 4


def of_quantised(array: Any, pixels: Any, affine: tuple[float, int]) -> tuple[Make, dict[str, Make]] | None:
    """Returns how bytes [...] were made of pixels [height, width, channels] that are as many and in the same
    order, and other ways by scale and zero point, or None if they weren't made by a scale and a shift."""
    low, high = (float(one(pixels)) for one in (numpy.min, numpy.max))
    own, shown = array.reshape(-1).astype("f8"), pixels.reshape(-1).astype("f8")
    if own.size != shown.size or len(numpy.unique(shown)) < FEWEST_LEVELS:
        return None
    times = (own[shown.argmax()] - own[shown.argmin()]) / (high - low)
    shift = own[shown.argmin()] - times * low
    if times <= 0 or abs(shown * times + shift - own).max() > EXACT:
        return None
    limits = numpy.iinfo(array.dtype)
    top = next(one for one in TOPS if one >= high)

    def to(slope: float, height: float) -> Make:
        return lambda item: (slope * item + height).round().clip(limits.min, limits.max).reshape(array.shape)

    scale, zero = affine
    ways: dict[str, Make] = {}
    for said, (first, last) in RANGES.items():
        slope, height = (last - first) / top / scale, first / scale + zero
        ends = height, height + slope * top
        fits = limits.min - 1 <= ends[0] and ends[1] <= limits.max + 1 and ends[1] - ends[0] >= LEAST_STEPS
        if fits and max(abs(ends[0] - shift), abs(ends[1] - shift - times * top)) > 1:
            by = f"{BY_STEPS} (pixel x {slope:.4g} {height:+.4g}; they were sent x {times:.4g} {shift:+.4g})"
            ways[f"with pixels {said} {by}"] = to(slope, height)
    return (to(times, shift), ways) if ways else None
