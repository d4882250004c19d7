"""Features whose bands are groups of as many neighbouring frequencies each, as people make them by hand.

What is here: `grouped`, which tries such bands where no usual ones fit, also with gaps between the frames.
What is not: usual recipes, and refining one (`features.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..budget import Left
from .locating import correlation
from .spectra import GROUPS, HANN, Bank, Recipe, powers

LENGTHS = (256, 320, 400, 480, 512, 640, 800, 1024, 2048)
HOPS = (128, 160, 200, 240, 256, 320, 400, 441, 480, 512, 600, 640, 800, 1000, 1024)
SECONDS = (0.01, 0.02, 0.025, 0.032, 0.04, 0.05)
BASES = (1.0, 2.302585, 0.2302585)
FARTHEST = 2.0
"""Frames are at most so many times their length apart."""
TRIED, REFINED, MOST_FIRST, MOST_WIDE = 12, 2, 1, 32
LOUD, LIKE, LOUDNESS = 0.35, 0.97, 0.8
"""The part of the elements that may be at a floor; the correlation of bands that are refined, and of the
frames' loudness with the sound's."""
STILL = 0.12
"""Frames that differ from the next ones by less than this part of their deviation hardly change."""
WHOLE = 0.05
"""The part of a sound that frames may leave out at its end."""
HALVES = (256, 512, 1024, 2048)
"""Lengths of frames, half of one apart, as people write them who make a spectrum by hand."""
TINY = 1e-20
QUIET, FEWEST = 0.15, 32
"""The part of the range above a floor at which elements are compared, and so many at least."""


def loudness(frames: Any) -> list[Any]:
    """How loud frames are by their bands: on average, and together, if these are natural or decimal
    logarithms, or decibels."""
    top = frames.max()
    return [frames.mean(axis=1)] + [
        numpy.log(numpy.exp(by * (frames - top)).sum(axis=1) + TINY) for by in BASES
    ]


def around(rows: Any) -> Any:
    """Rows around 0, and of length 1."""
    own = rows - rows.mean(axis=1, keepdims=True)
    return own / numpy.maximum(numpy.linalg.norm(own, axis=1, keepdims=True), TINY)


def are_still(frames: Any) -> bool:
    """Whether frames hardly change from one to the next, as those do that begin one sample apart."""
    spread = float(frames.std(axis=0).mean())
    return spread > 0 and float(abs(frames[1:] - frames[:-1]).mean()) < STILL * spread


def places(samples: Any, rate: int, frames: Any) -> list[tuple[int, int]]:
    """Lengths and distances of frames that are loud where those of an input are; if none are, as where a
    sound was misread, those that take up all of it."""
    levels = loudness(frames)
    count = len(frames)
    still = [(length, 1) for length in LENGTHS if length + count <= len(samples)] if are_still(frames) else []
    waves = samples - samples.mean(), numpy.diff(samples, prepend=samples[:1])
    sums = [numpy.concatenate([[0.0], numpy.cumsum(one * one)]) for one in waves]
    normal = around(numpy.stack(levels))
    hops = {*HOPS, *(round(rate * one) for one in SECONDS), len(samples) // count}
    found, whole = [], []
    for length in LENGTHS:
        for hop in {*hops, length, length // 2}:
            if not length / 8 <= hop <= FARTHEST * length or hop * (count - 1) > len(samples):
                continue
            rest = abs(hop * (count - 1) + length - len(samples))
            if hop in (length, length // 2) and rest < WHOLE * len(samples):
                whole.append((length, hop))
            starts = (numpy.arange(count) * hop).clip(0, len(samples))
            ends = (starts + length).clip(0, len(samples))
            level = numpy.log(numpy.stack([one[ends] - one[starts] + 1e-9 * one[-1] + TINY for one in sums]))
            likes = (normal @ around(level).T).max(axis=1)
            found.append((float(likes[0]), float(likes[1:].max()), length, hop))
    best = [sorted(found, key=lambda one: -one[by])[:TRIED] for by in (0, 1)]
    loud = [one[2:] for one in dict.fromkeys(best[0] + best[1]) if max(one[:2]) > LOUDNESS]
    return [*still, *(loud or whole)]


def halves(samples: Any, frames: Any) -> list[tuple[int, int]]:
    """Lengths and distances of frames half of one apart that take up all of a sound: these are tried at once,
    as few of them do. A band for each frequency is no group."""
    count, bands = frames.shape
    long = [one for one in HALVES if one // 2 > bands]
    return [(one, one // 2) for one in long if count == 1 + (len(samples) - one) // (one // 2)]


def groups(frames: Any, power: Any) -> Iterator[tuple[float, int, int]]:
    """How like bands of so many frequencies from one on are: correlation, the first, how many."""
    bands = frames.shape[1]
    loud = frames > max(numpy.quantile(frames, LOUD), frames.min() + QUIET * numpy.ptp(frames))
    if loud.sum() < FEWEST:
        return
    sums = numpy.concatenate([numpy.zeros((len(power), 1)), numpy.cumsum(power, axis=1)], axis=1)
    for wide in range(1, min(MOST_WIDE, power.shape[1] // bands) + 1):
        for first in range(MOST_FIRST + 1):
            if first + wide * bands > power.shape[1]:
                continue
            edges = sums[:, first : first + wide * bands + 1 : wide]
            made = numpy.log(numpy.maximum(numpy.diff(edges, axis=1), TINY))
            yield correlation(made[loud], frames[loud]), first, wide


def grouped(
    frames: Any, samples: Any, rate: int, left: Left, *, at_once: bool = False
) -> list[tuple[Recipe, bool]]:
    """The recipes of such bands that come nearest to frames of logarithms, and whether the bands come in the
    reversed order. `at_once`: only of frames that take up all of a sound by halves."""
    bands, found = frames.shape[1], []
    tried = halves(samples, frames) if at_once else places(samples, rate, frames) if frames.std() else []
    for length, hop in tried:
        size = 1 << (length - 1).bit_length()
        for one in dict.fromkeys((size, length)):
            if not left() or one // 2 + 1 < bands:
                continue
            base = Recipe(length, one, hop, 0, HANN, Bank(GROUPS, bands, 0.0, rate / 2, rate))
            power = powers(samples, base, numpy.arange(len(frames)))
            for is_reversed, own in enumerate((frames, frames[:, ::-1])):
                like, first, wide = max(groups(own, power), default=(0.0, 0, 1))
                low, high = (at * rate / one for at in (first, first + wide * bands))
                found.append((like, -is_reversed, length, one, hop, low, high))
                if like > LIKE:
                    break
    best = sorted((one for one in found if one[0] > LIKE), reverse=True)[:REFINED]
    return [
        (Recipe(length, size, hop, 0, HANN, Bank(GROUPS, bands, low, high, rate)), bool(reverse))
        for _, reverse, length, size, hop, low, high in best
    ]
