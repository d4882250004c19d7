"""Decoded pictures whose pixels have another number of bytes than a guest takes them to have: colours read as
grey, and grey as colours.

What is here: `with_other_bytes`. What is not: alpha, which is 3 bytes for 4 or 4 for 3 (`readings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy

COLOURS, ALPHA = 3, 4


def with_other_bytes(pixels: Any) -> Iterator[tuple[str, Any]]:
    """A picture [height, width, channels] as it looks then, with the mistake."""
    height, width, channels = pixels.shape
    if channels == 1:
        flat = numpy.zeros(height * width * COLOURS, pixels.dtype)
        flat[: height * width] = pixels.reshape(-1)
        yield (
            "the picture is grey, 1 byte a pixel, and was read as 3 bytes a pixel",
            flat.reshape(height, width, COLOURS),
        )
        return
    if channels < COLOURS:
        return
    opaque = numpy.full((height, width, 1), 255, "u1")
    alpha = pixels[..., COLOURS:] if channels == ALPHA else opaque
    if channels == ALPHA and (pixels[..., :1] == pixels[..., 1:COLOURS]).all():
        yield from in_pairs(pixels)
    for count, four in ((COLOURS, pixels[..., :COLOURS]), (ALPHA, (pixels[..., :COLOURS], alpha))):
        flat = numpy.concatenate(four, 2) if count == ALPHA else numpy.ascontiguousarray(four)
        grey = flat.reshape(-1)[: height * width].reshape(height, width, 1)
        yield f"the picture has {count} bytes a pixel, and was read as 1 byte a pixel (grey)", grey


def in_pairs(pixels: Any) -> Iterator[tuple[str, Any]]:
    """The same of a grey picture with alpha, for which a decoder gives 2 bytes a pixel."""
    height, width = pixels.shape[:2]
    flat = numpy.zeros(height * width * COLOURS, pixels.dtype)
    pairs = numpy.ascontiguousarray(pixels[..., [0, COLOURS]]).reshape(-1)
    flat[: pairs.size] = pairs
    said = "the picture is grey with alpha, 2 bytes a pixel, and was read as"
    yield f"{said} 3 bytes a pixel", flat.reshape(height, width, COLOURS)
    yield f"{said} 1 byte a pixel", flat[: height * width].reshape(height, width, 1)
