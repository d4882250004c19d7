"""Tensors as pictures, where they are pictures.

What is here: which shapes are taken for a picture, and how elements become shades. What is not: reading
picture files (`cli.picture`), and how a picture is put into a page (`markup`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..brief import summarised
from ..markup import data_url, image, png

SMALLEST, LARGEST = 4, 8192
"""Rows and columns of a picture."""
LONGEST = 4
"""No picture is more than so many times as wide as high, or the other way round: [1,128,768] is none."""
CHANNELS = (1, 3, 4)
MOST_PIXELS = 256
"""Larger pictures lose rows and columns until no side is longer."""
DARKEST = 127
"""A picture from 0 to 255 has something lighter than this; elements up to less are stretched."""
FARTHEST = 1e300
"""Shades are told apart up to here."""
BROADEST = 128
"""Smaller pictures are shown at least about so wide."""


@summarised
@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of pixels, a byte a channel; `said` tells which elements are black and white."""

    width: int
    height: int
    channels: int
    pixels: bytes
    said: str

    def png(self) -> bytes:
        return png(self.width, self.height, self.channels, self.pixels)

    @property
    def shown_width(self) -> int:
        """Pixels of the screen: a whole multiple of its own."""
        return self.width * max(1, BROADEST // self.width)

    def url(self) -> str:
        return data_url(self.png())

    def html(self) -> str:
        return image(self.png(), f"as a picture, {self.said}", self.shown_width)


def layout(shape: Sequence[int]) -> str | None:
    """How the last dimensions of a picture lie, as "HW", "HWC" or "CHW"; None if the tensor is no picture.

    All dimensions before are batches. Two dimensions alone are a picture of one channel.
    """
    if len(shape) == 2 and fits(*shape):
        return "HW"
    if len(shape) < 3:
        return None
    first, middle, last = shape[-3:]
    if first in CHANNELS and fits(middle, last):
        return "CHW"
    return "HWC" if last in CHANNELS and fits(first, middle) else None


def fits(height: int, width: int) -> bool:
    sides = sorted((height, width))
    return sides[0] >= SMALLEST and sides[1] <= min(LARGEST, sides[0] * LONGEST)


def picture_of(elements: Any) -> Picture | None:
    """The picture that a numpy array of numbers is, of a batch the first; None if it is none."""
    import numpy

    found = layout(elements.shape)
    if found is None or not elements.size:
        return None
    pixels = elements.reshape(-1, *elements.shape[-len(found) :])[0]
    if found == "CHW":
        pixels = numpy.moveaxis(pixels, 0, -1)
    height, width = pixels.shape[:2]
    step = -(-max(height, width) // MOST_PIXELS)
    pixels = pixels[::step, ::step].reshape(-(-height // step), -(-width // step), -1)
    shades, said = shaded(pixels)
    height, width, channels = shades.shape
    return Picture(width, height, channels, shades.tobytes(), said)


def shaded(pixels: Any) -> tuple[Any, str]:
    """Elements as shades from 0 to 255, and in words which are black and white: 0 and 255 where that is the
    range, or 0 and 1, else the smallest and the largest."""
    import numpy

    values = numpy.nan_to_num(pixels.astype("f8"), nan=0.0, posinf=0.0, neginf=0.0).clip(-FARTHEST, FARTHEST)
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low >= 0 and (pixels.dtype.name == "uint8" or DARKEST < high <= 255):
        low, high = 0.0, 255.0
    scale = 255 / (high - low) if high > low else 0.0
    return ((values - low) * scale).round().astype("u1"), f"black is {low:.3g}, white is {high:.3g}"
