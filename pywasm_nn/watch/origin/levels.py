"""Elements that depend on the pixels of a picture, but by no line and no usual curve: bytes that ran over,
signs, whole numbers that were divided.

What is here: `by_level`, which looks for a usual part of the picture whose pixels of one level all became the
same element, and says which arithmetic does that, and `ran_over`, the same for the very pixels of a small
picture. What is not: parts that are found by correlation (`locating.py`), and curves that go up all the way
(`curves.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .curves import FEW, LEAST, LEVELS, Curve, left
from .resizing import Geometry, interpolations, resized

EXPLAINED, HALF_EXPLAINED = 0.85, 0.3
"""The part of the elements' variance that levels must explain, at least; and with a rough interpolation."""
STRAIGHT = 0.9
"""If a straight line explains more than this part of the variance, no number ran over."""
WELL = 0.2
"""Arithmetic explains elements if what is left is below this part of what a line leaves."""
FACTORS = (2.0, 1.5, 1.2, 1.25, 1.3, 1.4, 1.6, 1.8, 3.0, 4.0, 2.5, 1.1, 1.75)
EXACTLY = 0.99999
"""If levels explain so much, those of one pixel count, too."""
SLIGHT = 0.04
"""The difference that arithmetic leaves must also be below this part of the range of the elements."""
MOST_STEPS = 12
EQUAL = 0.02
EVEN = 3.0
"""Steps of whole numbers begin so near to multiples of the divisor."""
NOTHING_BELOW = "(a byte holds nothing below 0)"
FARTHEST = 40
"""Means of the colours, which are taken away, differ by no more."""
LEAST_DIVISOR = 100.0
"""Smaller numbers are what people divide by to leave a picture few shades."""
FULL = 250
"""Only what is as bright as this is left by a division by 255."""
HOLDS = "(a byte holds 255 at most)"
FEWEST_LEVELS, EXACT = 5, 0.01
"""The fewest levels of a picture, and how far elements may be from whole numbers."""
MOST_TIMES, MOST_OVER = 64, 0.6
"""The largest factor of levels, and the largest part of the pixels that overflow by it."""
BYTES = ((255.0, 0.0), (256.0, 0.0), (1.0, 0.0), (127.5, 1.0))
"""How bytes become elements: byte / divisor - shift."""
SIGNS = range(LEVELS // 2 - 1, LEVELS // 2 + 2)
"""Numbers that people add to make unsigned bytes of signed ones: 128, and one beside it by mistake."""


class Levels(Frozen):
    """What became of each level of the pixels, and which part of the elements' variance that explains."""

    curve: Curve
    explained: float
    straight: float


def by_level(elements: Any, pixels: Any) -> tuple[str, str]:
    """Returns the mistake in elements [height, width, channels] that come level by level from a usual part of
    a picture [height, width, 4], and how they were made, or "" for both if they don't, or if nobody can
    say."""
    best: tuple[float, str, list[Levels]] | None = None
    for geometry in usual(pixels.shape[:2], elements.shape[:2]):
        rough = explained(elements, geometry.made(pixels, resized, *elements.shape[:2]))
        if rough is not None and mean(rough) < HALF_EXPLAINED:
            continue
        choices = interpolations() if geometry.resizes else {"": resized}
        for name, resize in choices.items():
            found = explained(elements, geometry.made(pixels, resize, *elements.shape[:2]))
            if found is not None and (best is None or mean(found) > best[0]):
                how = ", ".join(filter(None, (geometry.said, name)))
                best = mean(found), how, found
    if best is None or best[0] < EXPLAINED:
        return "", ""
    bent = [one.curve for one in best[2] if one.straight < STRAIGHT]
    said = arithmetic(bent, elements) if bent else ""
    return (said, best[1]) if said else ("", "")


def usual(old: tuple[int, int], new: tuple[int, int]) -> Iterator[Geometry]:
    """The whole of a picture, and its middle in the shape of the input."""
    size = f"{new[1]} x {new[0]}"
    (height, width), (tall, wide) = old, new
    yield Geometry(f"resized to {size}" if old != new else "", (0, 0, height, width), new)
    side = min(height / tall, width / wide)
    high, broad = round(side * tall), round(side * wide)
    top, left_ = (height - high) // 2, (width - broad) // 2
    if (high, broad) != old:
        said = f"the middle {broad} x {high} resized to {size}"
        yield Geometry(said, (top, left_, top + high, left_ + broad), new)


def mean(levels: list[Levels]) -> float:
    return sum(one.explained for one in levels) / len(levels)


def explained(elements: Any, made: Any) -> list[Levels] | None:
    """Each channel over the colours of the picture, in the order of which they explain more."""
    count = elements.shape[2]
    orders = ((0, 1, 2), (2, 1, 0)) if count == 3 else ((3,) * count,)
    found = []
    for order in orders:
        levels = [over(elements[..., at], made[..., colour]) for at, colour in enumerate(order)]
        known = [one for one in levels if one is not None]
        if len(known) == count:
            found.append(known)
    return max(found, key=mean, default=None)


def over(elements: Any, pixels: Any) -> Levels | None:
    """Elements of one channel over pixels."""
    own, levels = elements.reshape(-1).astype("f8"), pixels.reshape(-1)
    if not numpy.isfinite(levels).all() or not own.std():
        return None
    levels = levels.round().clip(0, LEVELS - 1).astype(int)
    counts = numpy.bincount(levels, minlength=LEVELS)
    used = numpy.flatnonzero(counts >= FEW)
    means = numpy.bincount(levels, own, LEVELS) / numpy.maximum(counts, 1)
    variance = float(own.var())
    share = 1 - float(((own - means[levels]) ** 2).mean()) / variance
    if len(used) < LEAST and share > EXACTLY:
        used = numpy.flatnonzero(counts)
    if len(used) < LEAST:
        return None
    line = float(numpy.corrcoef(own, levels)[0, 1] ** 2)
    return Levels(Curve(used.astype("f8"), means[used], counts[used]), share, line)


def arithmetic(curves: Sequence[Curve], elements: Any) -> str:
    """Returns what was wrong with the arithmetic that made elements, in all channels, or "" if none is
    known."""
    if said := steps(curves, elements):
        return said
    best, least = "", SLIGHT
    for said, change in changes(curves, is_above=bool(elements.min() >= 0)):
        apart = max(residue(curve, change(curve.pixels)) for curve in curves)
        if apart < least:
            best, least = said, apart
    own = [jump(curve) for curve in curves]
    if len({*own}) > 1 and max(own) - min(own) <= FARTHEST:
        apart = max(residue(curve, moved(at, curve.pixels)) for at, curve in zip(own, curves, strict=True))
        means = ", ".join(map(str, own))
        if apart < least:
            best = f"pixels minus {means} ran over: those below begin again at 255 {NOTHING_BELOW}"
    return best


def residue(curve: Curve, base: Any) -> float:
    """Returns what a line over these bytes leaves of elements, as a part of their range, or 1 if it isn't
    much less than what one over the pixels leaves."""
    straight = left(curve, curve.elements, curve.pixels)
    range_ = float(numpy.ptp(curve.elements))
    if not range_ or not base.std() or (apart := left(curve, curve.elements, base)) > WELL * straight:
        return 1.0
    return apart / range_


def changes(curves: Sequence[Curve], *, is_above: bool = False) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yields what bytes may have been made of pixels by mistake. What was added shows in the place at which a
    curve jumps. `is_above`: no element is below 0, as signed bytes are: 128 was taken away instead."""
    most, least = HOLDS, NOTHING_BELOW
    jumps = sorted({jump(curve) for curve in curves})
    if not (is_above and LEVELS // 2 in jumps):
        yield "bytes from 128 to 255 were taken as signed (-128 to -1)", negative
    others = (-(-100 * LEVELS // at) / 100 for at in jumps if at > LEVELS // 2 + 1)
    for factor in dict.fromkeys((*FACTORS, *others)):
        above = f"those above {(LEVELS - 1) / factor:.0f} begin again at 0 {most}"
        yield f"pixels times {factor:g} ran over: {above}", partial(multiplied, factor)
    for at in jumps:
        if at == LEVELS // 2 and not is_above:  # which are signs
            continue
        said = (
            f"pixels plus {LEVELS - at} ran over: those above {at - 1} begin again at 0 {most}"
            if at > LEVELS // 2 + 1
            else f"pixels minus {at} ran over: those below {at} begin again at 255 {least}"
        )
        yield said, partial(moved, at)


def jump(curve: Curve) -> int:
    """The level before which the elements change most."""
    steps = abs(curve.elements[1:] - curve.elements[:-1])
    return int(curve.pixels[int(steps.argmax()) + 1])


def negative(pixels: Any) -> Any:
    return numpy.where(pixels > LEVELS // 2 - 1, pixels - LEVELS, pixels)


def multiplied(factor: float, pixels: Any) -> Any:
    return (pixels * factor) % LEVELS


def moved(by: int, pixels: Any) -> Any:
    return (pixels - by) % LEVELS


def steps(curves: Sequence[Curve], elements: Any) -> str:
    """Few different elements, each of as many levels: what a division of whole numbers leaves."""
    values = numpy.unique(elements)
    if not 2 <= len(values) <= MOST_STEPS:
        return ""
    divisors = {divisor(curve, values) for curve in curves}
    count = max(len(curve.pixels) for curve in curves)
    if 0 in divisors or max(divisors) - min(divisors) > EVEN:
        return ""
    return (
        f"its elements have only {len(values)} different values, the pixels {count}: were they divided as "
        f"whole numbers (pixel / {max(divisors)})?"
    )


def divisor(curve: Curve, values: Any) -> int:
    """Returns by what pixels were divided if that left these few elements, or 0 if no division does."""
    nearest = abs(curve.elements[:, None] - values).argmin(axis=1)
    begins = curve.pixels[1:][numpy.diff(nearest) != 0]
    if not 0 < len(begins) < len(values):
        return 0
    if len(values) == 2:
        return int(begins[0]) if begins[0] >= FULL else 0
    by = float(begins[-1]) / len(begins)
    if by < LEAST_DIVISOR:
        return 0
    multiples = by * (1 + numpy.arange(len(begins)))
    is_even = float(abs(begins - multiples).max()) <= EVEN
    is_all = by * len(values) > LEVELS - EVEN and float(numpy.ptp(numpy.diff(values))) < EQUAL * numpy.ptp(
        values
    )
    return round(by) if is_even and is_all else 0


def ran_over(elements: Any, numbers: Any) -> str:
    """Returns the mistake in elements that are the levels of a picture of their size, times a number or plus
    one in bytes that can't hold that, or "" if they aren't. `numbers` are the levels as the file has them."""
    levels, place = numpy.unique(numbers.reshape(-1), return_inverse=True)
    own = elements.reshape(-1).astype("f8")
    if not FEWEST_LEVELS <= len(levels) < len(own) or not numpy.isfinite(own).all():
        return ""
    made = numpy.array([own[place == at][0] for at in range(len(levels))])
    steps = numpy.diff(made)
    if (made[place] != own).any() or (steps >= 0).all() or (steps <= 0).all():
        return ""
    for divisor, shift in BYTES:
        octets = (made + shift) * divisor
        if abs(octets - octets.round()).max() > EXACT or not 0 <= octets.min() <= octets.max() < LEVELS:
            continue
        for said, whole in beyond_a_byte(levels):
            is_over = whole >= LEVELS
            if (whole % LEVELS == octets.round()).all() and 0 < is_over[place].mean() <= MOST_OVER:
                return (
                    f"pixels {said} ran over: those above {levels[~is_over].max()} begin again at 0 {HOLDS}"
                )
    return ""


def beyond_a_byte(levels: Any) -> Iterator[tuple[str, Any]]:
    """Yields whole numbers that may have been made of levels, some of which no byte holds."""
    for factor in (*range(2, MOST_TIMES + 1), *FACTORS):
        yield f"times {factor:g}", numpy.floor(levels * factor + EXACT)
    for more in range(1, LEVELS):
        if more not in SIGNS:
            yield f"plus {more}", levels.astype("i8") + more
