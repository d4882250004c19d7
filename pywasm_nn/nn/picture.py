"""Tensors as pictures, if their shape is that of a picture.

What is here: which shapes count as pictures, and how elements become shades. What is not: reading picture
files (`cli.picture`), and embedding pictures in a page (`markup`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..records import Frozen

SMALLEST, LARGEST = 4, 8192
"""The smallest and largest number of rows and columns of a picture."""
LONGEST = 4
"""The largest ratio of width to height or height to width: [1,128,768] is no picture."""
CHANNELS = (1, 3, 4)
MOST_PIXELS = 256
"""The longest side; larger pictures lose rows and columns."""
DARKEST = 127
"""A picture with elements from 0 to 255 has an element greater than this; others are stretched."""
FARTHEST = 1e300
"""Larger values are clipped to this."""
BROADEST = 128
"""The smallest width on the screen; smaller pictures are enlarged."""


class Picture(Frozen):
    """Rows of pixels, one byte a channel; `said` tells which elements are black and white."""

    width: int
    height: int
    channels: int
    pixels: bytes
    said: str

    def png(self) -> bytes:
        from ..markup import png  # where tensors are used, few programs look at them

        return png(self.width, self.height, self.channels, self.pixels)

    @property
    def shown_width(self) -> int:
        """The width on the screen: a multiple of the picture's own width."""
        return self.width * max(1, BROADEST // self.width)

    def url(self) -> str:
        from ..markup import data_url

        return data_url(self.png())

    def html(self) -> str:
        from ..markup import image

        return image(self.png(), f"as a picture, {self.said}", self.shown_width)


def layout(shape: Sequence[int]) -> str | None:
    """The order of the last dimensions of a picture, "HW", "HWC" or "CHW"; None if the tensor is no picture.

    All earlier dimensions are batches. A tensor of two dimensions is a picture with one channel.
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
    """The picture in a numpy array of numbers, the first of a batch; None if it is no picture."""
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
    """Elements as shades from 0 to 255, and a text that names the values of black and white: 0 and 1 or 0 and
    255 if the elements have that range, else the smallest and the largest element."""
    import numpy

    values = numpy.nan_to_num(pixels.astype("f8"), nan=0.0, posinf=0.0, neginf=0.0).clip(-FARTHEST, FARTHEST)
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low >= 0 and (pixels.dtype.name == "uint8" or DARKEST < high <= 255):
        low, high = 0.0, 255.0
    scale = 255 / (high - low) if high > low else 0.0
    return ((values - low) * scale).round().astype("u1"), f"black is {low:.3g}, white is {high:.3g}"
