"""How pixels from 0 to 255 become elements of a tensor: the usual ways, and which of them fits a tensor.

What is here: pure functions of arrays. What is not: the order of elements (`arrangements.py`) and their
types (`rereadings.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..facts import Picture


class Encoding(Frozen):
    """Elements are (pixel - mean) / deviation, with one mean and deviation for all channels or one for each.
    `said` continues "pixels ..."."""

    said: str
    mean: tuple[float, ...] = (0.0,)
    deviation: tuple[float, ...] = (1.0,)
    is_mistake: bool = False
    """Whether nobody means it."""
    is_bgr: bool = False
    """Whether its channels are meant in this order."""

    def fits(self, channels: int) -> bool:
        """Whether it is for so many channels."""
        return len(self.mean) in (1, channels)


IMAGENET = tuple(255 * mean for mean in (0.485, 0.456, 0.406))
IMAGENET_DEVIATION = tuple(255 * deviation for deviation in (0.229, 0.224, 0.225))
CAFFE = (103.939, 116.779, 123.68)

RAW = Encoding("from 0 to 255")
UNIT = Encoding("from 0 to 1", (0.0,), (255.0,))
SIGNED = Encoding("from -1 to 1", (127.5,), (127.5,))
STANDARD = Encoding("by ImageNet's mean and deviation", IMAGENET, IMAGENET_DEVIATION)
MEANS = Encoding("minus Caffe's means", CAFFE, (1.0,) * 3, is_bgr=True)
MNIST = Encoding("by MNIST's mean and deviation", (0.1307 * 255,), (0.3081 * 255,))
HALF = Encoding("from -0.5 to 0.5", (127.5,), (255.0,))
USUAL = (UNIT, SIGNED, STANDARD, RAW, MEANS, MNIST, HALF)
"""What models want, the most frequent first. Source: the preprocessing of torchvision, Keras, Caffe."""

MISTAKEN = (
    Encoding("divided by 255 twice", (0.0,), (255.0 * 255,), True),
    Encoding(
        "by ImageNet's mean and deviation, without the division by 255",
        tuple(mean / 255 for mean in IMAGENET),
        tuple(deviation / 255 for deviation in IMAGENET_DEVIATION),
        True,
    ),
    Encoding(
        "normalised twice by ImageNet's mean and deviation",
        tuple(m + m / 255 * d for m, d in zip(IMAGENET, IMAGENET_DEVIATION, strict=True)),
        tuple(d * d / 255 for d in IMAGENET_DEVIATION),
        True,
    ),
    Encoding("brought to -1..1 twice", (127.5 + 127.5 * 127.5,), (127.5 * 127.5,), True),
    Encoding(
        "brought to 0..1, and then to -1..1 as if they were 0 to 255", (127.5 * 255,), (127.5 * 255,), True
    ),
    Encoding(
        "by ImageNet's mean and deviation after a division by 255 too many",
        tuple(255 * mean for mean in IMAGENET),
        tuple(255 * deviation for deviation in IMAGENET_DEVIATION),
        True,
    ),
    Encoding("minus ImageNet's mean, without the deviation", IMAGENET, (255.0,) * 3),
    Encoding("minus 128", (128.0,), (1.0,)),
)
"""What guests send by mistake; their inverse gives the pixels."""

OVERSHOOT = 9.0
"""Pixels beyond 0 and 255 that bicubic interpolation makes."""
BEYOND = 32.0
"""Pixels beyond 0 and 255 that guests draw themselves, or make brighter: another encoding leaves more."""
SPREAD = 70.0
"""The smallest range of pixels of a picture: less would fit nearly every encoding."""
CONTRAST = 150.0
"""The range of pixels of a picture whose contrast is as usual."""
MOST_GUESSES = 2
WHOLE = 0.01
"""Pixels are whole numbers if they are so near to these on average."""
CHOSEN = (STANDARD, MEANS, MNIST)
OTHER_RANGE = "they look as if sent"


def spread(values: Sequence[float], picture: Picture | None) -> Any:
    """One number for each channel, in a shape that broadcasts with its elements."""
    made = numpy.asarray(values, "f8")
    if len(made) == 1 or picture is None:
        return made
    return made.reshape(-1, 1, 1) if picture.planar else made


def decoded(array: Any, encoding: Encoding, picture: Picture | None) -> Any:
    """The pixels of an encoded array, as f64."""
    mean, deviation = (spread(v, picture) for v in (encoding.mean, encoding.deviation))
    return array.astype("f8") * deviation + mean


def encoded(pixels: Any, encoding: Encoding, picture: Picture | None) -> Any:
    """The elements of pixels in an encoding, as f64."""
    mean, deviation = (spread(v, picture) for v in (encoding.mean, encoding.deviation))
    return (pixels - mean) / deviation


def guesses(array: Any, picture: Picture | None) -> list[Encoding]:
    """The encodings of which the array may be made, the most probable first: its pixels lie between 0 and 255
    and fill a good part of that range."""
    channels = picture.channels if picture else 1
    extremes = channel_extremes(array, picture)
    found = []
    for encoding in (*USUAL, *MISTAKEN):
        if not encoding.fits(channels):
            continue
        ends = [low * d + m for low, m, d in zip(extremes[0], *per_channel(encoding, channels), strict=True)]
        tops = [
            high * d + m for high, m, d in zip(extremes[1], *per_channel(encoding, channels), strict=True)
        ]
        low, high = min(ends), max(tops)
        if low < -OVERSHOOT or high > 255 + OVERSHOOT or high - low < SPREAD:
            continue
        outside = max(0.0, -low) + max(0.0, high - 255)
        fractions = unwhole(sample(array, picture), encoding) > WHOLE
        found.append((fractions, outside > 0.5, low + 255 - high + outside, encoding))
    found.sort(key=lambda one: one[:3])
    return [encoding for *_, encoding in found[:MOST_GUESSES]]


def in_chosen_range(array: Any, picture: Picture | None) -> bool:
    """Whether elements are whole pixels by a mean and a deviation that nobody takes by chance."""
    found = guesses(array, picture)
    return bool(found) and found[0] in CHOSEN and unwhole(sample(array, picture), found[0]) < WHOLE


def has_contrast(array: Any, picture: Picture | None) -> bool:
    """Whether elements are pixels in a usual range with as much contrast as most pictures have: with less, a
    model is less sure of what they show."""
    found = guesses(array, picture)
    pixels = decoded(array, found[0], picture) if found and found[0] in USUAL else array[:0]
    return pixels.size > 0 and float(pixels.max() - pixels.min()) >= CONTRAST


def per_channel(encoding: Encoding, channels: int) -> tuple[list[float], list[float]]:
    """Means and deviations, one for each channel."""
    mean, deviation = encoding.mean, encoding.deviation
    times = channels if len(mean) == 1 else 1
    return list(mean * times), list(deviation * times)


def by_channel(array: Any, picture: Picture | None) -> Any:
    """The elements as [channels, elements]; all as one channel if it is no picture."""
    if picture is None:
        return array.reshape(1, -1)
    if picture.planar:
        planes = array.reshape(-1, picture.channels, picture.height * picture.width)
        return numpy.moveaxis(planes, 1, 0).reshape(picture.channels, -1)
    return array.reshape(-1, picture.channels).T


def channel_extremes(array: Any, picture: Picture | None) -> tuple[list[float], list[float]]:
    """The smallest and the largest element of each channel."""
    channels = by_channel(array, picture)
    return channels.min(axis=1).tolist(), channels.max(axis=1).tolist()


def sample(array: Any, picture: Picture | None) -> Any:
    """Some elements of each channel, as [channels, elements]."""
    channels = by_channel(array, picture)
    return channels[:, :: max(1, channels.shape[1] // 1024)].astype("f8")


def unwhole(some: Any, encoding: Encoding) -> float:
    """The mean distance of decoded elements from whole numbers."""
    mean, deviation = per_channel(encoding, len(some))
    pixels = some * numpy.array(deviation)[:, None] + numpy.array(mean)[:, None]
    return float(abs(pixels - pixels.round()).mean())


def reencoded(array: Any, picture: Picture | None) -> Iterator[tuple[str, Any]]:
    """The array as a guest would send it in another encoding, with a description."""
    channels = picture.channels if picture else 1
    found = guesses(array, picture)
    for guess in found:
        pixels = decoded(array, guess, picture)
        for wanted in USUAL:
            if wanted is not guess and wanted.fits(channels):
                said = f"with pixels {wanted.said} ({OTHER_RANGE} {guess.said})"
                yield said, encoded(pixels, wanted, picture)
    if not found:
        yield from stretched(array)


def stretched(array: Any) -> Iterator[tuple[str, Any]]:
    """The array with its own range brought to a usual one."""
    low, high = float(array.min()), float(array.max())
    unit = (array.astype("f8") - min(0.0, low)) / (high - min(0.0, low))
    said = f"with elements brought from {low:.3g}..{high:.3g} to"
    yield f"{said} 0..1", unit
    yield f"{said} -1..1", 2 * unit - 1
    yield f"{said} 0..255", 255 * unit


def outside(array: Any, picture: Picture, mean: Sequence[float], deviation: Sequence[float]) -> str | None:
    """Returns what is wrong with an input that a model wants as (pixel - mean) / deviation, or None if it may
    be so."""
    wanted = Encoding("", tuple(mean), tuple(deviation))
    if not wanted.fits(picture.channels):
        return None
    lows, highs = channel_extremes(array, picture)
    means, deviations = per_channel(wanted, picture.channels)
    low = min(one * d + m for one, m, d in zip(lows, means, deviations, strict=True))
    high = max(one * d + m for one, m, d in zip(highs, means, deviations, strict=True))
    if not (low < -BEYOND or high > 255 + BEYOND or high - low < FLAT):
        return None
    ends = (0 - means[0]) / deviations[0], (255 - means[0]) / deviations[0]
    return (
        f"the model's metadata wants (pixel - {means[0]:.4g}) / {deviations[0]:.4g}, from {ends[0]:.3g} to "
        f"{ends[1]:.3g}; sent were elements from {min(lows):.3g} to {max(highs):.3g}"
    )


def another(encoding: Encoding, mean: Sequence[float], deviation: Sequence[float]) -> str | None:
    """Returns what is wrong with pixels in a known encoding, where a model wants (pixel - mean) / deviation,
    or None if it is the same."""
    channels = max(len(mean), len(encoding.mean))
    found = per_channel(encoding, channels)
    wanted = per_channel(Encoding("", tuple(mean), tuple(deviation)), channels)
    ends = [[((p - m) / d) for p in (0, 255) for m, d in zip(*one, strict=True)] for one in (found, wanted)]
    reach = max(ends[1]) - min(ends[1])
    if max(abs(a - b) for a, b in zip(*ends, strict=True)) < OTHER * reach:
        return None
    low, high = (0 - mean[0]) / deviation[0], (255 - mean[0]) / deviation[0]
    return (
        f"the model's metadata wants (pixel - {mean[0]:.4g}) / {deviation[0]:.4g}, from {low:.3g} to "
        f"{high:.3g}; sent were pixels {encoding.said}"
    )


OTHER = 0.06
"""Two encodings differ by more than this part of their range."""
FLAT = 6.0
"""Pixels of a picture differ by more than this."""
