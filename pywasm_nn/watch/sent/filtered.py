"""Whether a picture's pixels are in a range for which a model's first filters were trained, by what these
make of it.

What is here: `beyond`. What is not: reading filters (`nn.formats`), and scales, shifts and normalisations
that say the range themselves (`firsts.py`).

The results of trained filters are a few units apart, and what comes next in a model (ReLU6, SiLU) is made for
such numbers. Of pixels that are 255 times too large they are far apart, and of those that are 255 times too
small not at all.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Filters
from ...nn.tensor import Tensor
from ..changes.arrangements import interleaved
from ..changes.encodings import MEANS, RAW, SIGNED, STANDARD, UNIT, USUAL, Encoding, decoded, encoded, guesses
from ..changes.rereadings import reread
from ..facts import Picture, picture_of

FAR, APART, NOT_APART = 15.0, (0.05, 8.0), 0.01
"""The deviation of results of pixels that are too large, in the right range, and too small."""
OVER, UNDER = 8.0, 0.02
"""The deviation as a part of the filters' heights, of pixels that are too large and too small."""
TIMES = 12.0
"""How many times as large or small results in the wrong range are as in the right one."""
PATCHES, COLOURS = 400, 3


def beyond(filters: Filters, tensor: Tensor, known: Encoding | None) -> str:
    """Returns what is wrong with the range of a picture, which may be `known` by its origin, or "" if nothing
    is known to be wrong."""
    numbers, picture = tensor.numbers(), picture_of(tensor.shape)
    if numbers is None or numbers.dtype.kind != "f" or picture is None:
        return ""
    array = numbers.reshape(tensor.shape)
    if picture.channels != filters.weights.shape[1] or not numpy.isfinite(array).all():
        return ""
    if known is None and picture.channels != COLOURS:
        return ""  # it may be features of a sound
    found = [] if any(reread(array)) else guesses(array, picture)
    sent = known or next(iter(found), None)
    if sent not in USUAL or sent not in found:
        return ""
    high = float(numpy.median(abs(filters.heights)))
    own = spread(filters, array, picture)
    wanted = (UNIT, SIGNED, STANDARD) if own >= FAR else (RAW, MEANS)
    is_large = bool(filters.then) and own >= FAR and own >= OVER * high > 0
    is_small = own <= NOT_APART and own <= UNDER * high
    if not (is_large or is_small):
        return ""
    pixels = decoded(array, sent, picture)
    others = {
        one: spread(filters, encoded(pixels, one, picture), picture) for one in wanted if fits(one, picture)
    }
    right = {one: it for one, it in others.items() if APART[0] <= it <= APART[1] and is_apart(own, it)}
    return sentence(filters, sent, own, right) if right else ""


def fits(encoding: Encoding, picture: Picture) -> bool:
    return encoding.fits(picture.channels)


def is_apart(one: float, other: float) -> bool:
    return max(one, other) >= TIMES * min(one, other)


def spread(filters: Filters, array: Any, picture: Picture) -> float:
    """The deviation of the results of a usual filter, over patches of the first picture."""
    pixels = interleaved(array, picture)[0].astype("f8")
    height, width = filters.weights.shape[2:]
    if pixels.shape[0] < height or pixels.shape[1] < width:
        return 0.0
    patches = numpy.lib.stride_tricks.sliding_window_view(pixels, (height, width), (0, 1))
    rows, columns = patches.shape[:2]
    step = max(1, int((rows * columns / PATCHES) ** 0.5))
    some = patches[::step, ::step].reshape(-1, filters.weights[0].size)
    return float(numpy.median((some @ filters.weights.reshape(len(filters.weights), -1).T).std(axis=0)))


def sentence(filters: Filters, sent: Encoding, own: float, right: dict[Encoding, float]) -> str:
    """The mistake in words."""
    next_ = f"{filters.then}, which comes next, is for small ones" if own >= FAR else ""
    if own >= FAR and filters.top:
        next_ = f"what comes next cuts them at {filters.top:.3g} ({filters.then})"
    size, some = "large" if own >= FAR else "small", min(right.values())
    return (
        f"pixels {sent.said}, as sent, are too {size} for this model: its first filters make numbers of them "
        f"that are {own:.2g} apart{f', and {next_}' if next_ else ''}; of pixels "
        f"{', or '.join(one.said for one in right)} they are {some:.2g} apart or more"
    )
