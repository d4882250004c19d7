"""Which range of pixels a model wants, by what it does with them first: a scale and shift of its own, or the
mean and deviation that its first layer saw in training.

What is here: `unwanted`. What is not: reading models (`nn.formats`), and what they say in so many words
(`evidence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from ...nn.formats.format import First
from ..changes.encodings import CAFFE, IMAGENET, RAW, USUAL, Encoding, per_channel

NEAR = 0.03, 2.5
"""How far a range may be from a usual one, relatively, and in pixels."""
SMALL = 0.02
"""A model that only multiplies by less than this makes pixels up to 255 smaller; by more, anything."""
MEANS, DEVIATIONS, TYPICAL = (25.0, 235.0), (20.0, 115.0), 62.0
"""Pixels of the pictures of a data set have a mean and deviation between these, and a deviation near this."""
ABOUT = log(1.8)
LIKE = 0.25, 2.5
"""A range is like another if they differ in the middle by this part of the first one's deviation, and in the
deviation by this factor: pictures in the one are within what a model saw in the other, and many programs send
-1..1 where training took ImageNet's numbers."""
CHANNELS = 3
ORDERED = (IMAGENET, CAFFE[::-1], (123.0, 117.0, 104.0))
"""Means of red, green and blue that differ enough to tell the order."""
EXACTLY = 0.005


def unwanted(first: First, sent: Encoding) -> str:
    """Returns what is wrong with pixels in this encoding, by what the model does with them first, or "" if
    nothing is."""
    own = wanted(first)
    if own and sent.said not in {one.said for one, _ in own}:
        encoding, made = own[0]
        return (
            f"the model begins with a scale and shift of its own that make pixels {made.said} of pixels "
            f"{encoding.said}; sent were pixels {sent.said}"
        )
    if not first.trained or is_possible(first, sent):
        return ""
    possible = [one for one in USUAL if is_possible(first, one)]
    if not possible:
        return ""
    # Of those with a usual deviation, the first is the most frequent.
    best = min(possible, key=lambda one: max(ABOUT, abs(log(moments(first, one)[1] / TYPICAL))))
    if is_like(sent, best):
        return ""
    mean, deviation = (sum(numbers) / len(numbers) for numbers in first.trained)
    return (
        f"the model's first layer was trained on elements with mean {mean:.2g} and deviation "
        f"{deviation:.2g}, as of pixels {best.said}; sent were pixels {sent.said}"
    )


def order_of(first: First | None) -> str:
    """Returns the order of channels for which a model takes the usual means away, "RGB" or "BGR", or "" if it
    takes others, or none."""
    if first is None or not first.changes or len({*first.shift}) < CHANNELS:
        return ""
    means = [-shift / scale for scale, shift in zip(first.scale, first.shift, strict=True)]
    for usual in ORDERED:
        for unit in (1.0, 255.0):
            own = [one / unit for one in usual]
            for order, there in (("RGB", own), ("BGR", own[::-1])):
                if all(
                    abs(one - mean) <= EXACTLY * abs(mean) for one, mean in zip(means, there, strict=True)
                ):
                    return order
    return ""


def wanted(first: First) -> list[tuple[Encoding, Encoding]]:
    """Usual encodings of which the model makes another usual one."""
    if not first.changes or (not any(first.shift) and max(map(abs, first.scale)) > SMALL):
        return []
    pairs = []
    for encoding in USUAL:
        mean, deviation = per_channel(encoding, CHANNELS)
        made = made_of(encoding, first)
        found = [one for one in USUAL if one is not RAW and is_near(made, one)]
        if found and not is_near((mean, deviation), found[0]):
            pairs.append((encoding, found[0]))
    return pairs


def made_of(encoding: Encoding, first: First) -> tuple[Sequence[float], Sequence[float]]:
    """Means and deviations of pixels after the model's scale and shift."""
    mean, deviation = per_channel(encoding, CHANNELS)
    after = [d / a for d, a in zip(deviation, first.scale, strict=True)]
    return [m - b * d for m, b, d in zip(mean, first.shift, after, strict=True)], after


def is_near(made: tuple[Sequence[float], Sequence[float]], encoding: Encoding) -> bool:
    relative, pixels = NEAR
    mean, deviation = per_channel(encoding, CHANNELS)
    return all(
        abs(d - e) <= relative * e and abs(m - n) <= pixels
        for m, d, n, e in zip(*made, mean, deviation, strict=True)
    )


def is_possible(first: First, encoding: Encoding) -> bool:
    """Whether pictures in an encoding have the mean and deviation with which the first layer was trained."""
    if not first.trained or not encoding.fits(CHANNELS):
        return True
    pixels, width = moments(first, encoding)
    return MEANS[0] <= pixels <= MEANS[1] and DEVIATIONS[0] <= width <= DEVIATIONS[1]


def is_like(sent: Encoding, best: Encoding) -> bool:
    """Whether a model that was trained on pixels in the second encoding knows those in the first, too."""
    (means, deviations), (others, widths) = (per_channel(one, CHANNELS) for one in (sent, best))
    apart, wider = LIKE
    return all(
        abs(m - n) <= apart * d and 1 / wider <= d / e <= wider
        for m, d, n, e in zip(means, deviations, others, widths, strict=True)
    )


def moments(first: First, encoding: Encoding) -> tuple[float, float]:
    """Mean and deviation of the pixels with which the first layer was trained, in an encoding."""
    assert first.trained is not None
    mean, deviation = per_channel(encoding, CHANNELS)
    average, spread = first.trained
    pixels = sum(a * d + m for a, m, d in zip(average, mean, deviation, strict=True)) / CHANNELS
    return pixels, sum(s * d for s, d in zip(spread, deviation, strict=True)) / CHANNELS
