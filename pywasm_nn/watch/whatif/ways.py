"""Ways to make an input of a picture or a sound: as the guest did, and in other usual ranges and rates.

What is here: `of_picture` and `of_sound`, what `beside.py` asks a model about. What is not: asking.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...records import changed
from ..changes.arrangements import as_before, interleaved
from ..changes.encodings import USUAL, Encoding, decoded, encoded
from ..facts import Picture
from .beside import SWAPPED, Make

COLOURS = 3
RATES = (16000, 8000, 22050, 44100, 48000, 11025, 32000)
"""Rates of sounds, those first that models want."""


def of_picture(
    array: Any, picture: Picture, encoding: Encoding, is_bgr: bool
) -> tuple[Any, Make, dict[str, Make]]:
    """The pixels [height, width, channels] of an input, how it was made of them, and other ways."""
    own = oriented(encoding, is_bgr)
    pixels = interleaved(decoded(array, own, picture), picture)[0]

    def to(wanted: Encoding) -> Make:
        row = changed(picture, planar=False)
        return lambda item: as_before(encoded(item[None], wanted, row), picture, array.shape)

    sent, ways = to(own), {}
    for wanted in USUAL if array.dtype.kind == "f" else ():
        if wanted.said != encoding.said and wanted.fits(picture.channels):
            said = f"with pixels {wanted.said} (they were sent {encoding.said})"
            ways[said] = to(oriented(wanted, is_bgr))
    if picture.channels == 1:
        ways[SWAPPED] = lambda item: sent(255 - item)
    elif picture.channels == COLOURS:
        other = to(oriented(encoding, not is_bgr))  # the numbers of a colour go with it
        ways["with the channels reversed"] = lambda item: other(item[..., ::-1])
    return pixels, sent, ways


def oriented(encoding: Encoding, is_bgr: bool) -> Encoding:
    """An encoding with its numbers in the order of the channels."""
    if is_bgr == encoding.is_bgr:
        return encoding
    return changed(encoding, mean=encoding.mean[::-1], deviation=encoding.deviation[::-1], is_bgr=is_bgr)


def of_sound(array: Any, samples: Any, start: int, rate: int) -> tuple[Make, dict[str, Make]]:
    """How an input was made of the samples of a sound, from one on, and how it would be at other rates."""
    flat = array.reshape(-1).astype("f8")
    own = samples[start : start + flat.size].astype("f8")
    scale = float(flat[: own.size] @ own / max(float(own @ own), 1e-30))

    def at(wanted: int) -> Make:
        def make(item: Any) -> Any:
            first = start * wanted // rate
            taken = resampled(item, rate, wanted)[first : first + flat.size] * scale
            return numpy.concatenate([taken, numpy.zeros(flat.size - taken.size)]).reshape(array.shape)

        return make

    ways = {
        f"at {wanted:,} Hz (samples at {rate:,} Hz were sent as they are)": at(wanted)
        for wanted in RATES
        if wanted != rate
    }
    return at(rate), ways


def resampled(samples: Any, rate: int, wanted: int) -> Any:
    """Samples at another rate: means of as many as there are to one, and what lies between."""
    if rate == wanted:
        return samples
    step = rate / wanted
    whole = max(1, round(step))
    count = len(samples) // whole
    means = samples[: count * whole].reshape(count, whole).mean(axis=1)
    if step == whole:
        return means
    places = numpy.arange(int(len(samples) / step)) * step / whole
    return numpy.interp(places, numpy.arange(count), means)
