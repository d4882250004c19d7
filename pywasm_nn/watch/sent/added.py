"""Pixels that are added to those of the input before, where they were to take their place.

What is here: `Added`. What is not: how an input came from a picture (`origin`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.tensor import Tensor
from ..changes.encodings import SPREAD, USUAL, Encoding, decoded
from ..facts import Picture, picture_of
from ..origin.locating import correlation

MOST_BYTES = 1 << 21
WHITE, NEARLY = 255.0, 0.5
BEYOND, MANY = 5.0, 0.02
"""This part of the pixels lies so far beyond black and white."""
BRIGHTER = 0.9999
"""The correlation of a picture with what makes it brighter, unless it is added as a whole."""


class Added:
    """Keeps the last input of pixels, by input."""

    def __init__(self) -> None:
        self._before: dict[Any, Any] = {}

    def wrong(self, key: Any, tensor: Tensor) -> str:
        """Returns what is wrong with the next input, or "" if nothing is."""
        numbers = tensor.numbers() if tensor.nbytes <= MOST_BYTES else None
        before, picture = self._before.pop(key, None), picture_of(tensor.shape)
        if numbers is None or picture is None or numbers.dtype.kind != "f":
            return ""
        array = numbers.reshape(tensor.shape)
        self._before[key] = array.copy()
        if before is None or before.shape != array.shape or (before == before.reshape(-1)[0]).all():
            return ""
        beyond = {one: part_beyond(decoded(array, one, picture)) for one in fitting(before, picture)}
        narrow = max((narrowness(one) for one, part in beyond.items() if part < MANY), default=0.0)
        rest = array.astype("f8") - before
        is_same = bool((abs(rest - before) <= 1e-6).all())
        if not is_same and abs(correlation(rest, before.astype("f8"))) > BRIGHTER:
            return ""
        for encoding, part in beyond.items():
            # Pixels of another way that is as narrow are a picture of their own.
            if part >= MANY and narrowness(encoding) > narrow and is_of(decoded(rest, encoding, picture)):
                return (
                    f"it is the input before with pixels {encoding.said} added to it, {part:.0%} of "
                    "which are then no such pixels any more: is the buffer added to (+=), and not filled?"
                )
        return ""


def part_beyond(pixels: Any) -> float:
    """Which part of pixels is beyond black and white."""
    return float(((pixels < -BEYOND) | (pixels > WHITE + BEYOND)).mean())


def narrowness(encoding: Encoding) -> float:
    """More if elements lie in a narrower range."""
    return max(encoding.deviation)


def fitting(array: Any, picture: Picture) -> Iterator[Encoding]:
    """The encodings of which an array may be made."""
    for encoding in USUAL:
        if encoding.fits(picture.channels) and is_of(decoded(array, encoding, picture)):
            yield encoding


def is_of(pixels: Any) -> bool:
    """Whether all elements are pixels, which differ."""
    low, high = float(pixels.min()), float(pixels.max())
    return low >= -NEARLY and high <= WHITE + NEARLY and high - low >= SPREAD
