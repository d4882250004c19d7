"""Elements that come from pixels, but not along a straight line: a gamma, an end that was cut off.

What is here: `bend`, which compares the mean element of each level of pixels with straight and usual bent
lines. What is not: straight lines (`ranges.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..changes.encodings import USUAL
from .straight import line_through

LEVELS = 256
MOST = 65536
"""The values of an input are looked for among so many of its elements, or up to twice as many."""
LEAST = 24
"""So many different pixels are needed."""
FEW = 4
"""Levels with fewer pixels say little."""
BETTER = 0.4
"""A curve explains elements if what is left is below this part of what a straight line leaves."""
BENT = 1.5
"""Elements that are nearer to a straight line, in pixels on average, are on it."""
OTHERWISE = 0.3
"""A part of a picture has other levels than the whole in this share of its pixels at most."""
NEARLY_ALL = 0.95
"""So large a part of elements are the rounded ones of their pixels, of which a resized picture has a few
others."""
MOST_STEPS = 12
"""So many different whole numbers are left of numbers that were small."""
GAMMA = 0.15
"""A power of the pixels explains elements if what is left is below this part of what a straight line leaves.
"""
SIGNED = 127
GAMMA_SAID = ", which models don't want"
"""A hint at a gamma ends with this."""


class Curve(Frozen):
    """The mean element at each level of pixels that occurs, and how many elements there are."""

    pixels: Any
    elements: Any
    counts: Any


def curve_of(elements: Any, pixels: Any) -> tuple[Curve, float, float] | None:
    """Returns the curve through elements over pixels, both flat, with what it and a straight line leave on
    average, or None for too few levels."""
    there = numpy.isfinite(pixels)
    own, levels = elements[there].astype("f8"), pixels[there].round().clip(0, LEVELS - 1).astype(int)
    counts = numpy.bincount(levels, minlength=LEVELS)
    used = numpy.flatnonzero(counts >= FEW)
    if len(used) < LEAST:
        return None
    means = numpy.bincount(levels, own, LEVELS) / numpy.maximum(counts, 1)
    known = counts[levels] >= FEW
    own, levels = own[known], levels[known]
    slope, height = line_through(levels, own)
    straight = float(abs(slope * levels + height - own).mean())
    bent = float(abs(means[levels] - own).mean())
    return Curve(used.astype("f8"), means[used], counts[used]), bent, straight


def bend(elements: Any, pixels: Any) -> str:
    """Returns how elements come from pixels, both flat, where that isn't along a straight line, and nobody
    means it, or "" if they do, or if no usual curve explains them."""
    found = curve_of(elements, pixels)
    if found is None:
        return ""
    curve, bent, straight = found
    slope = abs(float(curve.elements[-1] - curve.elements[0])) / float(curve.pixels[-1] - curve.pixels[0])
    if bent > BETTER * straight or straight < BENT * slope:
        return ""
    rounded = in_steps(elements)
    if rounded and not is_rounding(elements, pixels):
        return ""
    return rounded or cut_off(curve) or with_gamma(curve)


def in_steps(elements: Any) -> str:
    """Whole numbers, which are all that is left of numbers that were small."""
    values = numpy.unique(elements[:: max(1, elements.size // MOST)])
    if not 3 <= len(values) <= MOST_STEPS or bool((values != values.round()).any()) or values[0] >= 0:
        return ""
    return (
        f"its elements are only the {len(values)} whole numbers from {values[0]:.0f} to {values[-1]:.0f}: "
        "they were rounded after they had been scaled"
    )


def are_rounded(elements: Any, pixels: Any) -> bool:
    """Whether each number is about as frequent among elements as among the pixels, if these are scaled in a
    usual way and rounded. Where it lies doesn't matter. Boards, and other planes of few numbers, have their
    numbers more often, or more rarely."""
    own, levels = (flat[:: max(1, flat.size // MOST)].astype("f8") for flat in (elements, pixels))
    for made in rounded_levels(levels):
        values = numpy.union1d(own, made)
        if len(values) > 2 * MOST_STEPS:
            continue
        apart = [abs(float((own == value).mean() - (made == value).mean())) for value in values]
        if sum(apart) / 2 <= OTHERWISE:
            return True
    return False


def is_rounding(elements: Any, pixels: Any) -> bool:
    """The same of elements whose pixels are known: nearly all have the very number. Few shades, an even
    number of levels each, have others."""
    return any(float((elements == made).mean()) >= NEARLY_ALL for made in rounded_levels(pixels))


def rounded_levels(levels: Any) -> Iterator[Any]:
    """Levels of pixels, scaled in each usual way and rounded in each."""
    for one in USUAL:
        for mean, deviation in zip(one.mean, one.deviation, strict=True):
            scaled = (levels - mean) / deviation
            yield from (numpy.rint(scaled), numpy.trunc(scaled), numpy.floor(scaled))


def left(curve: Curve, elements: Any, base: Any) -> float:
    """Returns what a straight line over `base` leaves of elements on average."""
    slope, height = line_through(base, elements, curve.counts)
    apart = abs(slope * base + height - elements)
    return float((apart * curve.counts).sum() / curve.counts.sum())


def cut_off(curve: Curve) -> str:
    """Pixels above 127 that are all the same: they were kept within what signed bytes hold."""
    reach = float(numpy.ptp(curve.elements))
    below = curve.pixels < SIGNED - 4
    above = curve.pixels > SIGNED + 2
    if above.sum() < LEAST or below.sum() < LEAST:
        return ""
    lower = numpy.ptp(curve.elements[below])
    if (
        numpy.ptp(curve.elements[above]) > 0.01 * reach
        or lower < 0.5 * reach
        or is_white(curve.elements.max())
    ):
        return ""
    return "all pixels above 127 are the same: they were cut off at what signed bytes hold"


def is_white(element: float) -> bool:
    """Whether an element is that of white in a usual range: pixels were made brighter, and kept below it."""
    tops = [
        (255 - mean) / deviation
        for one in USUAL
        for mean, deviation in zip(one.mean, one.deviation, strict=True)
    ]
    return any(abs(element - top) < 0.01 * abs(top) for top in tops)


def with_gamma(curve: Curve) -> str:
    """Elements along a power of the pixels."""
    unit = curve.pixels / 255
    linear = numpy.where(unit <= 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4)
    again = numpy.where(
        unit <= 0.0031308, unit * 12.92, 1.055 * numpy.maximum(unit, 1e-9) ** (1 / 2.4) - 0.055
    )
    bases = {
        "were made linear (gamma 2.2)": [linear, unit**2.2],
        "had a gamma of 1/2.2 put on": [again, unit ** (1 / 2.2)],
    }
    straight = left(curve, curve.elements, curve.pixels)
    for said, curves in bases.items():
        if min(left(curve, curve.elements, base) for base in curves) < GAMMA * straight:
            return f"pixels {said}{GAMMA_SAID}"
    return ""
