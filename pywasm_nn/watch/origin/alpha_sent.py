"""Frames of 4 bytes a pixel without a header, of which the alpha was sent as one of three colours: a frame
that is RGBA was read as ARGB, or the other way round.

What is here: `alpha_sent`. What is not: 4 bytes a pixel that were taken for 3 (`readings.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ..changes.encodings import USUAL
from ..facts import picture_of
from .readings import first
from .straight import line_within

COLOURS, FOUR = 3, 4
ALPHAS = (255, 0)
FEWEST, LEVELS = 48, 4
"""Pixels, and values of a colour among them."""
EXACT = 1e-3
"""How far elements are from those that are calculated, in parts of a colour's deviation."""
ORDINALS = ("first", "second", "third", "fourth")


def alpha_sent(array: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with an input of three channels, one of which is the alpha of a frame, or "" if
    nothing is."""
    picture = picture_of(array.shape)
    if picture is None or picture.channels != COLOURS or picture.height * picture.width < FEWEST:
        return ""
    own = first(array, picture).reshape(-1, COLOURS).astype("f8")
    constant = [channel for channel in range(COLOURS) if (own[:, channel] == own[0, channel]).all()]
    if len(constant) != 1:
        return ""
    for name, data in files:
        is_frame = len(data) == len(own) * FOUR and KNOWN.of_file(name) is None
        if is_frame and (said := taken(own, constant[0], data)):
            return f"compared with {name}, {said}"
    return ""


def taken(own: Any, channel: int, data: bytes) -> str:
    """Whether the channel with one value is the alpha of pixels whose colours are the others."""
    pixels = numpy.frombuffer(data, "u1").reshape(-1, FOUR).astype("f8")
    same = (pixels == pixels[0]).all(axis=0)
    alphas = [place for place in range(FOUR) if same[place] and pixels[0, place] in ALPHAS]
    if len(alphas) != 1 or not may_be(float(own[0, channel]), pixels[0, alphas[0]]):
        return ""
    places = {place: which(own[:, place], pixels, alphas[0]) for place in range(COLOURS) if place != channel}
    if None in places.values() or len({*places.values()}) < len(places):
        return ""
    others = " and ".join(f"channel {place} is the {ORDINALS[at or 0]} one" for place, at in places.items())
    value = f"{pixels[0, alphas[0]]:.0f} in all of them"
    return (
        f"channel {channel} is the {ORDINALS[alphas[0]]} of 4 bytes a pixel, which is {value}: alpha was "
        f"taken for a colour; {others}"
    )


def may_be(element: float, alpha: float) -> bool:
    """Whether an element is alpha in a usual range."""
    known = [pair for one in USUAL for pair in zip(one.mean, one.deviation, strict=True)]
    return any(abs((alpha - mean) / by - element) <= EXACT * max(1.0, abs(element)) for mean, by in known)


def which(elements: Any, pixels: Any, alpha: int) -> int | None:
    """Returns which byte of each pixel elements are, by a scale and a shift, or None if they are no
    colour's."""
    for place in range(FOUR):
        shown = pixels[:, place]
        if place == alpha or len(numpy.unique(shown)) < LEVELS:
            continue
        line = line_within(elements, shown, EXACT * elements.std())
        if line is not None and line[0] > 0:
            return place
    return None
