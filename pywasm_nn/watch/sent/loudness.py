"""Features of a sound that are powers, where the input's name says logarithms, also if nobody knows how they
were made.

What is here: `not_logarithms`. What is not: features whose recipe is found (`sounds.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from .sounds import OF_LOGARITHMS

FEWEST, FEWEST_BANDS = 256, 8
RANGE, MIDDLE = 1e4, 50.0
"""How many times as large as the smallest and as the middle one the largest of powers is, at least."""
OF_ONE, LARGE = range(32, 1025), 8.0
"""A single spectrum has `OF_ONE` frequencies, and its largest power or size is at least `LARGE`: ln(1 +
size), which is also next to 0 where it is quiet, is hardly so large."""
OTHER = ("logit", "login", "logo", "logic")
"""Words that begin like logarithms."""


def not_logarithms(name: str, array: Any) -> str:
    """Returns what is wrong with elements of an input of this name, or "" if nothing is. Logarithms, also if
    they were moved and scaled to be above 0, are spread evenly; powers are nearly all next to 0."""
    lengths = [length for length in array.shape if length != 1]
    is_named = OF_LOGARITHMS.search(name) and not any(word in name.lower() for word in OTHER)
    is_one = len(lengths) == 1
    if not is_named or array.dtype.kind != "f" or not lengths:
        return ""
    if array.size not in OF_ONE if is_one else array.size < FEWEST:
        return ""
    if len(lengths) > 2 or min(lengths) < FEWEST_BANDS or not numpy.isfinite(array).all():
        return ""
    low, middle, high = (float(one) for one in numpy.quantile(array.astype("f8"), (0.02, 0.5, 1)))
    if low <= 0 or high < MIDDLE * middle or (high < LARGE if is_one else high < RANGE * low):
        return ""
    kind = "sizes or powers" if is_one else "powers"
    return (
        f'"{name}" says logarithms, and its elements are {kind}: all are above 0, half of them below '
        f"{middle:.2g}, and the largest is {high:.0f}"
    )
