"""Files without a header as samples, or as pixels of the size of an input.

What is here: `as_samples`, `as_pixels`, `sides_exchanged`. What is not: formats of cameras (`buffers.py`),
and pictures behind each other (`cut.py`).
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ..changes.sides import are_exchanged, exchanged_said
from ..facts import picture_of
from .buffers import as_laid
from .decoding import Source
from .layouts import packed_of
from .unlabelled import unlabelled
from .waves import raw

BARE = "samples of 16 bits"
"""How messages call samples without a header."""
BATCH = 4
"""The dimensions of a batch of pictures."""
ORDERS = ("bgra", "argb", "abgr", "bgr")
"""Orders of channels that names of files say."""
HEADED = (".wav", ".aif", ".aiff", ".au")
"""Suffixes of sounds with a header, which says the order of bytes: this isn't guessed for them."""


def as_samples(name: str, data: bytes) -> list[Source]:
    """Samples without a header, of a sound or a sensor."""
    found = raw(name, data)
    if found is None:
        is_other = KNOWN.of_file(name) is not None or name.lower().endswith(HEADED) or packed_of(data)
        made = None if is_other else unlabelled(data)
        if made is None:
            return []
        return [Source(name, made.samples, f"{len(made.samples)} {made.said}", others=made.others)]
    said = "the two bytes of each sample are in the opposite order"
    return [Source(name, found[0], f"{len(found[0])} {BARE}", others=((said, found[1]),))]


def as_pixels(name: str, data: bytes, array: Any) -> list[Source]:
    """Bytes without a header as pixels of the size of an input."""
    picture = picture_of(array.shape)
    if picture is None:
        return []
    height, width = picture.height, picture.width
    if array.ndim == BATCH and array.shape[0] > 1 and len(data) == height * width * array.shape[0]:
        pixels = numpy.frombuffer(data, "u1")[: height * width].reshape(height, width, 1)
        said = f"the first of {array.shape[0]} pictures of {width} x {height} raw grey pixels"
        return [Source(name, pixels, said, True, data=data, is_ordered=False)]
    for channels in (3, 4, 1):
        if len(data) == height * width * channels:
            pixels, others = as_laid(numpy.frombuffer(data, "u1"), height, width, channels)
            said = f"{width} x {height} raw pixels"
            order = order_in(name, channels)
            others = tuple((wrong, one[..., order]) for wrong, one in others)
            return [
                Source(
                    name, pixels[..., order], said, True, data=data, others=others,
                    is_ordered=order != [*range(channels)],
                )
            ]  # fmt: skip
    return []


def order_in(name: str, channels: int) -> list[int]:
    """Which bytes of a pixel are red, green, blue and alpha, by a file's name if that says an order."""
    words = {*re.split(r"[^a-z]+", name.lower())}
    said = next((one for one in ORDERS if one in words and len(one) == channels), "rgba"[:channels])
    return [said.index(letter) for letter in "rgba"[:channels]] if channels > 1 else [0]


def sides_exchanged(source: Source) -> str:
    """Returns what is wrong with the sides of pixels that were sent as they lie in a file, or "" if nothing
    is: the sides are those of the input, and what the pixels show may have rows as long as it is high."""
    if not source.said.endswith("raw pixels") or not source.is_picture:
        return ""
    height, width, channels = source.array.shape
    flat = source.array.reshape(-1, channels).mean(axis=1)
    return exchanged_said(height, width) if are_exchanged(flat, height, width, is_known=True) else ""
