"""Features that are made of sounds: short-time spectra, bands, logarithms.

What is here: `Recipe`, which says how features are made, and the parts of it (frames, windows, banks of
bands). What is not: finding the recipe of an input (`features.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...records import Frozen

HTK, SLANEY, MELS, BINS, GROUPS = "HTK", "Slaney", "HTK, in mel", "bins", "groups"
"""Banks of triangles over frequencies, over mels as in TensorFlow and Kaldi, the FFT's bins, and means of
as many bins each."""
HANN, HAMMING, BLACKMAN, POVEY, NONE = "Hann", "Hamming", "Blackman", "Povey", "none"
ROOT = "the root of Hann"
"""A window for frames that add up to the sound again if it is applied before and after."""
BREAK, STEP = 1000.0, 27.0
"""Slaney's mel is linear up to this frequency, and above it has so many mels to a factor of 6.4."""
PRE_EMPHASIS = 0.97
CENTRED = "the mean taken away"
ALONE, MANY = 1 << 18, 8
"""Products of at most so many steps are made by one thread: waiting for another takes longer."""


class Bank(Frozen):
    """Bands: their kind and number, from which frequency to which, at which rate, and whether each is divided
    by its width (as in librosa)."""

    kind: str
    count: int
    low: float
    high: float
    rate: int
    by_width: bool = False

    def __str__(self) -> str:
        if self.kind == BINS:
            return f"{self.count} frequencies"
        if self.kind == GROUPS:
            return f"{self.count} bands of the same width from {self.low:,.0f} to {self.high:,.0f} Hz"
        return f"{self.count} mel bands ({self.kind}) from {self.low:,.0f} to {self.high:,.0f} Hz"


class Recipe(Frozen):
    """How features are made of samples. `length` is that of a window, `size` that of the FFT, `first` the
    sample where the first window begins."""

    length: int
    size: int
    hop: int
    first: int
    window: str
    bank: Bank
    before: str = ""
    """What was done with the samples before, one of BEFORE."""

    def __str__(self) -> str:
        how = "without a window" if self.window == NONE else f"{self.window}'s window"
        frames = f"frames of {self.length} samples every {self.hop}"
        return ", ".join(filter(None, (frames, how, self.before, str(self.bank))))


@lru_cache(64)
def window_of(name: str, length: int) -> Any:
    if name == NONE:
        return numpy.ones(length)
    turn = 2 * numpy.pi * numpy.arange(length) / length
    if name == HAMMING:
        return 0.54 - 0.46 * numpy.cos(turn)
    if name == BLACKMAN:
        return 0.42 - 0.5 * numpy.cos(turn) + 0.08 * numpy.cos(2 * turn)
    hann = 0.5 - 0.5 * numpy.cos(turn)
    powers = {POVEY: 0.85, ROOT: 0.5}
    return hann ** powers.get(name, 1.0)


def emphasised(samples: Any) -> Any:
    return numpy.append(samples[:1], samples[1:] - PRE_EMPHASIS * samples[:-1])


def centred(samples: Any) -> Any:
    return samples - samples.mean()


BEFORE: dict[str, Callable[[Any], Any]] = {
    "": lambda samples: samples,
    CENTRED: centred,
    "after pre-emphasis": emphasised,
}


def framed(samples: Any, recipe: Recipe, chosen: Any) -> Any:
    """The samples of the chosen frames, zeros beyond the sound."""
    starts = recipe.first + chosen * recipe.hop
    places = starts[:, None] + numpy.arange(recipe.length)
    if starts[0] >= 0 and starts[-1] + recipe.length <= len(samples):
        return samples[places]
    within = (places >= 0) & (places < len(samples))
    return numpy.where(within, samples[numpy.clip(places, 0, len(samples) - 1)], 0.0)


def powers(samples: Any, recipe: Recipe, chosen: Any) -> Any:
    """The power of each frequency in the chosen frames."""
    frames = framed(samples, recipe, chosen) * window_of(recipe.window, recipe.length)
    spectrum = numpy.fft.rfft(frames, recipe.size, axis=1)
    power: Any = spectrum.real**2 + spectrum.imag**2
    return power


def banded(power: Any, recipe: Recipe, *, magnitude: bool = False) -> Any:
    """The power (or the magnitude) in each band."""
    bank = weights(recipe.bank, recipe.size)
    made = numpy.sqrt(power) if magnitude else power
    rows = max(1, ALONE // bank.size)
    if len(made) > MANY * rows:
        return made @ bank
    return numpy.concatenate([made[at : at + rows] @ bank for at in range(0, len(made), rows)])


def mel(kind: str, hertz: Any) -> Any:
    if kind != SLANEY:
        return 2595 * numpy.log10(1 + numpy.asarray(hertz, "f8") / 700)
    hertz = numpy.asarray(hertz, "f8")
    above = numpy.log(numpy.maximum(hertz, 1) / BREAK) * STEP / numpy.log(6.4)
    return numpy.where(hertz < BREAK, hertz * 3 / 200, BREAK * 3 / 200 + above)


def hertz(kind: str, mels: Any) -> Any:
    if kind != SLANEY:
        return 700 * (10 ** (mels / 2595) - 1)
    knee = BREAK * 3 / 200
    return numpy.where(mels < knee, mels * 200 / 3, BREAK * numpy.exp((mels - knee) * numpy.log(6.4) / STEP))


@lru_cache(512)
def weights(bank: Bank, size: int) -> Any:
    """A bank as a matrix, [frequencies, bands]."""
    if bank.kind == BINS:
        return numpy.eye(size // 2 + 1, bank.count)
    if bank.kind == GROUPS:
        first, end = (round(one * size / bank.rate) for one in (bank.low, bank.high))
        wide = (end - first) // bank.count
        made = numpy.zeros((size // 2 + 1, bank.count))
        made[first:end] = numpy.repeat(numpy.eye(bank.count), wide, axis=0) / wide
        return made
    edges = numpy.linspace(mel(bank.kind, bank.low), mel(bank.kind, bank.high), bank.count + 2)
    at = numpy.arange(size // 2 + 1) * bank.rate / size
    if bank.kind == MELS:
        at = mel(HTK, at)
    else:
        edges = hertz(bank.kind, edges)
    rising = (at[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - at[:, None]) / (edges[2:] - edges[1:-1])
    made = numpy.maximum(0, numpy.minimum(rising, falling))
    return made * 2 / (edges[2:] - edges[:-2]) if bank.by_width else made
