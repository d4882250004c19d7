"""Small pictures whose bytes were read as signed ones, and then brought to any range, also with black and
white swapped.

What is here: `as_signed`. What is not: larger pictures (`levels.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from .curves import LEVELS
from .decoding import Source
from .levels import negative
from .locating import correlation

SAID = "bytes from 128 to 255 were taken as signed (-128 to -1)"
SAME, OTHER = 0.9999, 0.99
"""The correlation with what signed bytes are, and the most with what the bytes are."""
FEWEST, SHARE = 6, 0.05
"""Different levels of a picture, and the part of it that is below 128, and that is above."""


def as_signed(elements: Any, source: Source) -> bool:
    """Whether elements [height, width, channels] are a line over a picture's bytes as signed ones."""
    pixels = source.array[..., :3].astype("f8")
    if pixels.shape != elements.shape or source.top != LEVELS - 1 or len(numpy.unique(pixels)) < FEWEST:
        return False
    if not SHARE <= (pixels >= LEVELS // 2).mean() <= 1 - SHARE:
        return False
    for own in (elements, elements[..., ::-1]):
        pairs = [
            (own[..., at].reshape(-1).astype("f8"), pixels[..., at].reshape(-1))
            for at in range(pixels.shape[2])
        ]
        signed = min(abs(correlation(one, negative(other))) for one, other in pairs)
        plain = max(abs(correlation(one, other)) for one, other in pairs)
        if signed > SAME and plain < OTHER:
            return True
    return False
