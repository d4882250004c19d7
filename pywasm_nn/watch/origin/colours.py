"""Which colour of a picture each channel of an input is.

What is here: the colours of a picture as planes, and the choice among them. What is not: the range
(`ranges.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

from ...arrays import numpy
from .ranges import CLOSE, ROUGHLY, Line, Range, range_of

GREY = (0.299, 0.587, 0.114)
RGB, BGR = (0, 1, 2), (2, 1, 0)
ALL_GREEN = (1, 1, 1)
"""Green is nearly as bright as grey, and people take it for that. No mistake leaves it alone."""
GREY_CHANNEL = 3
"""The channel behind those of colours is grey."""
NAMES = ("R", "G", "B", "Y", "Cb", "Cr", "H", "S", "V")
SPACES = {
    (3, 4, 5): "Y, Cb and Cr, as in JPEG",
    (3, 5, 4): "Y, Cr and Cb",
    (6, 7, 8): "hue, saturation and value",
}
LUMAS = ((3, 4, 5), (3, 5, 4))
"""Places of the kinds of brightness and colour whose channels all have one range."""
ABOUT, APART = 1.3, 0.4
"""Another colour fits about as well if elements differ by this times as much, and so many pixels more."""
POORLY = 2.5
"""Mean differences in pixels at which an element may be another colour than red, green, blue and grey."""
EXACT = 0.75
MOST_ORDERS = 256
ALL_GREY = "all three channels are the same grey, though the picture is coloured"
CENTRED = 1e-5
"""The mean of elements without their own mean, as a part of their deviation: f32 rounds it."""
COLOURED = 5.0
"""The channels of a coloured picture differ by more than this on average."""
Table = list[list[Line] | None]
"""By channel of the input and by colour: scale, shift, difference; None for a channel without the picture."""


def in_channels(pixels: Any) -> Any:
    """A picture as f32 with the channels R, G, B and grey, alpha left out."""
    colours = pixels[..., :3].astype("f4")
    if colours.shape[2] < 3:
        return colours[..., :1].repeat(4, axis=2)
    return numpy.concatenate([colours, (colours @ numpy.array(GREY, "f4"))[..., None]], axis=2)


def shown_in(channels: int, pixels: Any) -> Any:
    """Returns what an input of so many channels shows of a picture: its colours, or grey."""
    made = in_channels(pixels)
    return made[..., :GREY_CHANNEL] if channels == GREY_CHANNEL else made[..., GREY_CHANNEL:]


def in_spaces(made: Any) -> Any:
    """Red, green, blue and grey with Cb, Cr, hue, saturation and value."""
    red, green, blue, grey = (made[..., channel] for channel in range(4))
    high, low = made[..., :3].max(axis=2), made[..., :3].min(axis=2)
    span = high - low
    with numpy.errstate(all="ignore"):
        hue = numpy.where(
            high == red,
            (green - blue) / span,
            numpy.where(high == green, 2 + (blue - red) / span, 4 + (red - green) / span),
        )
        hue = numpy.nan_to_num(hue % 6, nan=0.0, posinf=0.0, neginf=0.0) * 42.5
        saturation = numpy.nan_to_num(span / high, nan=0.0, posinf=0.0) * 255
    more = 128 + (blue - grey) * 0.564, 128 + (red - grey) * 0.713, hue, saturation, high
    return numpy.concatenate([made, numpy.stack(more, 2).astype("f4")], axis=2)


def is_coloured(pixels: Any) -> bool:
    """Whether the channels of a decoded picture differ."""
    if pixels.shape[2] < 3:
        return False
    some = pixels[:: max(1, pixels.shape[0] // 64), :: max(1, pixels.shape[1] // 64), :3].astype("f4")
    return float(abs(some - some.mean(axis=2, keepdims=True)).mean()) > COLOURED


def chosen(table: Table, top: int) -> tuple[tuple[int, ...], Range, bool]:
    """The colour of each channel, the range of all, and whether the colours are certain. Among colours that
    fit about as well, the first are those that give a usual range: of grey pixels all channels fit."""
    options: list[list[int]] = []
    for channel, lines in enumerate(table):
        if lines is None:
            options.append([channel, 2 - channel] if len(table) == 3 else [GREY_CHANNEL])
            continue
        least = min(line[2] for line in lines)
        options.append([c for c, line in enumerate(lines) if line[2] <= ABOUT * least + APART])
    best: tuple[tuple[float, ...], tuple[int, ...], Range] | None = None
    for order in islice(product(*options), MOST_ORDERS):
        own = [None if one is None else one[colour] for one, colour in zip(table, order, strict=True)]
        apart = [line[2] for line in own if line is not None]
        mean = sum(apart) / max(1, len(apart))
        found = range_of(own, order == BGR, CLOSE if mean <= EXACT else ROUGHLY, top)
        known = 0 if found.encoding is not None and not found.wrong else 1 if found.wrong else 2
        rank = (float(known), float(usual(order)), mean)
        if best is None or rank < best[0]:
            best = rank, order, found
    assert best is not None
    return best[1], best[2], all(len(one) == 1 for one in options) and None not in table


def centred(found: Range, elements: Any) -> Range:
    """The range, unless it is a mistake whose numbers come from the mean of the elements themselves, which is
    0 then, as no formula makes it."""
    if not found.wrong or abs(float(elements.mean(dtype="f8"))) > CENTRED * float(elements.std(dtype="f8")):
        return found
    return Range("pixels minus their own mean, scaled")


def usual(order: Sequence[int]) -> int:
    """0 for the most frequent order of channels."""
    ranks = [(GREY_CHANNEL,), RGB, BGR, (GREY_CHANNEL,) * 3, *SPACES]
    return ranks.index(tuple(order)) if tuple(order) in ranks else len(ranks)


def order_said(order: Sequence[int], have: int) -> str:
    """The channels as letters: "RGB"."""
    if have < 3 or set(order) == {GREY_CHANNEL}:
        return "grey"
    return "".join(NAMES[channel] for channel in order)


def begins(order: tuple[int, ...]) -> str:
    """Why red, green and blue may have changed places in turn."""
    in_turn = order[1] == (order[0] + 1) % 3
    return ": does the first pixel begin some bytes too early or too late?" if in_turn else ""


def order_wrong(order: tuple[int, ...], coloured: bool) -> str:
    """Returns what nobody means of an order of channels that is certain, or "" if it may be meant."""
    if len(order) != 3 or order in (RGB, BGR) or not coloured:
        return ""
    if order in SPACES:
        return f"the channels are {SPACES[order]}, and not red, green and blue"
    if order == (GREY_CHANNEL,) * 3:
        return ALL_GREY
    if order == ALL_GREEN:
        return ""
    if len(set(order)) == 1:
        return f"all three channels are {NAMES[order[0]]}"
    for place, channel in enumerate(order):
        if (other := order.index(channel)) != place:
            return f"channel {place} is {NAMES[channel]}, as channel {other} is"
    if sorted(order) == [0, 1, 2]:
        return f"the channels are in the order {order_said(order, 3)}, neither RGB nor BGR{begins(order)}"
    return ""
