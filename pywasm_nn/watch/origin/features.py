"""Works out how an input of frames and bands was made of a sound: hop, window, bands, logarithm, layout.

What is here: `features_of`, which tries usual recipes (`spectra.py`) on some frames, and refines those that
come near. What is not: samples as they are (`sequences.py`), and what is wrong with a recipe (`spectral.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left
from .edges import nearest_bank
from .grouped import are_still, grouped
from .locating import correlation
from .spectra import (
    BEFORE,
    BINS,
    BLACKMAN,
    CENTRED,
    GROUPS,
    HAMMING,
    HANN,
    HTK,
    MELS,
    NONE,
    POVEY,
    ROOT,
    SLANEY,
    Bank,
    Recipe,
    banded,
    powers,
)
from .straight import line_through

FEWEST = 8
"""Frames and bands that show a recipe."""
MOST = 1 << 18
SOME = 16
"""So many frames are compared at first."""
NEAR, LIKE = 0.9, 0.995
"""The correlation of recipes that are refined, and of one that is found."""
ALMOST = 0.99999
"""The correlation at which no further recipes of this length are tried."""
MOST_BANDS = 128
NEARLY, EXACTLY = 0.96, 0.9999
"""The correlations at which the edges of the bands may be others, and at which they are right."""
WINDOWS = (HANN, NONE, HAMMING, POVEY, ROOT, BLACKMAN)
OFF_ZERO = 0.02
"""The mean, in deviations, of samples that are around 0."""
REFINED = 4
TRIED = 60
"""So many recipes are tried, for each layout."""
SILENT = 1e-10
LOUD = 0.35
"""The part of the elements that may be at the floor of the logarithm."""
FLOORS = (0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1.0)
FITTING, WHOLLY = 0.98, 1 - 1e-10
"""The correlation with one of these floors from which on those of powers that were divided, or added up, are
tried, too, and at which no other fits better."""
MILLISECONDS = (0.005, 0.008, 0.01, 0.0125, 0.016, 0.02, 0.025, 0.03, 0.032, 0.04, 0.064)
LENGTHS = (256, 320, 400, 480, 512, 640, 1024, 2048)
HOPS = (64, 80, 128, 160, 200, 256, 320, 400, 512, 1024)


class Layout(Frozen):
    """Elements as [frames, bands]. `wrong` is the mistake that was made if they lie so. `reverse`: the bands
    come in the reversed order."""

    frames: Any
    wrong: str = ""
    reverse: bool = False
    is_turned: bool = False
    """Whether the shape has the bands before the frames."""


class Features(Frozen):
    """A recipe that an input was made by, and how like: the elements are `slope` x ln(power + `floor`) +
    `height` (`is_log`), or exp(`height`) x power to `slope`."""

    recipe: Recipe
    layout: Layout
    like: float
    is_log: bool
    slope: float
    height: float
    floor: float = 0.0
    is_magnitude: bool = False


def layouts(array: Any) -> Iterator[Layout]:
    """Frames and bands of an input, the usual layouts first. The larger dimension may be either."""
    shape = [length for length in array.shape if length != 1]
    if len(shape) != 2 or min(shape) < FEWEST or array.size > MOST:
        return
    plain = array.reshape(shape).astype("f8")
    one, other = shape
    yield Layout(plain)
    yield Layout(plain.T, is_turned=True)
    if one == other:
        return
    said = (
        f"the shape says {one} x {other}, the elements lie as {other} x {one}: frames and bands are swapped"
    )
    turned = array.reshape(other, one).astype("f8")
    yield Layout(turned, said)
    yield Layout(numpy.ascontiguousarray(turned.T), said)


def lengths(rate: int, bands: int) -> list[tuple[int, int]]:
    """Usual lengths of windows, and of their FFT."""
    found: dict[tuple[int, int], None] = {}
    for length in (*(round(rate * one) for one in MILLISECONDS[5:]), *LENGTHS):
        sizes = (1 << (length - 1).bit_length(), length)
        for size in sizes:
            if size // 2 + 1 >= bands:
                found[length, size] = None
    return list(found)


def hops(rate: int, length: int, count: int, frames: int) -> list[int]:
    """Hops with which so many frames take up a whole sound of `count` samples, and usual ones."""
    whole = [round((count - length) / (frames - 1)), round(count / frames), count // (frames - 1)]
    usual = [*(round(rate * one) for one in MILLISECONDS), *HOPS, length // 2, length // 4, length]
    most = min(length, (count + length) / frames) * 1.02
    return list(dict.fromkeys(hop for hop in (*whole, *usual) if length / 8 <= hop <= most))


def banks(bands: int, size: int, rate: int) -> list[Bank]:
    """Usual banks of so many bands."""
    half = rate / 2
    if bands in (size // 2 + 1, size // 2):
        return [Bank(BINS, bands, 0, half, rate)]
    if bands > 256:
        return []
    found = [Bank(kind, bands, low, half, rate) for kind in (HTK, SLANEY) for low in (0.0, 20.0)]
    found += [Bank(MELS, bands, low, half, rate) for low in (0.0, 20.0)]
    highs = [high for high in (4000.0, 7600.0, 8000.0) if high < half]
    found += [
        Bank(kind, bands, low, high, rate) for high in highs for kind in (HTK, MELS) for low in (0.0, 80.0)
    ]
    found += [Bank(MELS, bands, 125.0, high, rate) for high in (7500.0, 7600.0, 3800.0) if high <= half]
    found += [Bank(HTK, bands, 0.0, other / 2, other) for other in (16000, 22050, 44100) if other != rate]
    return [*found, *(changed(one, by_width=True) for one in found if one.kind == SLANEY)]


def levels(frames: Any) -> Iterator[tuple[bool, Any]]:
    """The elements as logarithms of powers: as they are, or their logarithm."""
    if frames.min() >= 0:
        yield False, numpy.log(numpy.maximum(frames, 1e-30))
    yield True, frames


class Near(Frozen):
    """A recipe that comes near, with the correlation in some frames."""

    like: float
    is_log: bool
    reverse: bool
    recipe: Recipe


class Level(Frozen):
    """The loud elements of some frames as logarithms, around 0 and of length 1: `made_so` multiplies what a
    recipe makes of these frames in either order of bands. `loud`: which elements."""

    is_log: bool
    made_so: Any
    loud: Any


class Some(Frozen):
    """Some frames of an input: which, and readings of their elements as logarithms."""

    chosen: Any
    read: Sequence[Level]

    def near(self, power: Any, several: Sequence[Recipe]) -> list[Near]:
        """How like the bands of recipes that differ in their banks are at best: as logarithms or as they are,
        of powers or magnitudes, in either order."""
        best = [(0.0, True, False)] * len(several)
        for magnitude in (False, True):
            bands = [banded(power, one, magnitude=magnitude) for one in several]
            made = numpy.log(numpy.stack(bands) + 1e-20)
            for level in self.read:
                for reverse, own in enumerate((made, made[..., ::-1])):
                    likes = correlations(own[:, level.loud], level.made_so)
                    found = [(float(like), level.is_log, bool(reverse)) for like in likes]
                    best = list(map(max, best, found))
        return [Near(*one, recipe) for one, recipe in zip(best, several, strict=True)]


def correlations(rows: Any, direction: Any) -> Any:
    """The correlation of each row with numbers around 0 and of length 1."""
    length = numpy.sqrt(numpy.maximum((rows * rows).sum(axis=1) - rows.shape[1] * rows.mean(axis=1) ** 2, 0))
    return rows @ direction / numpy.maximum(length, 1e-30)


def some_of(layout: Layout) -> Some:
    count = len(layout.frames)
    edge = min(2, count // 4)
    chosen = numpy.unique(numpy.linspace(edge, count - 1 - edge, SOME).astype(int))
    read = []
    for is_log, level in levels(layout.frames[chosen]):
        loud = level > numpy.quantile(level, LOUD)
        if loud.sum() >= FEWEST**2 / 2 and level[loud].std() > 0:
            own = level[loud] - level[loud].mean()
            read.append(Level(is_log, own / numpy.sqrt((own * own).sum()), loud))
    return Some(chosen, read)


def screened(layout: Layout, samples: Any, rate: int, left: Left, *, quickly: bool = False) -> list[Near]:
    """Recipes that come near, the nearest first: hops and lengths with a few banks, and then other banks.
    `quickly`: only with the most usual windows and banks."""
    some = some_of(layout)
    found: list[Near] = []
    ways = recipes(layout, len(samples), rate, quickly) if some.read else ()
    for recipe, of in loudest(layout, samples, ways):
        power = powers(samples, recipe, some.chosen)
        several = [changed(recipe, bank=bank) for bank in of]
        found.append(max(some.near(power, several), key=lambda one: one.like))
        if found[-1].like > ALMOST or not left():
            break
    found.sort(key=lambda one: -one.like)
    more = [one for near in found[:REFINED] for one in others(some, samples, near, left)]
    return sorted((one for one in more if one.like > NEAR), key=lambda one: -one.like)


def loudest(
    layout: Layout, samples: Any, ways: Iterable[tuple[Recipe, Sequence[Bank]]]
) -> list[tuple[Recipe, Sequence[Bank]]]:
    """Returns the recipes whose frames are loud where the frames of the input are, the most alike first: that
    takes a sum where trying a recipe takes a spectrum."""
    sums = numpy.concatenate([[0.0], numpy.cumsum(samples * samples)])
    own = [frames.mean(axis=1) for _, frames in levels(layout.frames)]
    own = [(one - one.mean()) / max(float(one.std()) * numpy.sqrt(len(one)), 1e-30) for one in own]
    known: dict[tuple[int, int, int], float] = {}

    def alike(recipe: Recipe) -> float:
        key = recipe.length, recipe.hop, recipe.first
        if key not in known:
            starts = recipe.first + numpy.arange(len(layout.frames)) * recipe.hop
            ends = (starts + recipe.length).clip(0, len(samples))
            energy = sums[ends] - sums[starts.clip(0, len(samples))]
            level = numpy.log(energy + SILENT * sums[-1])[None]
            known[key] = max(float(correlations(level, one)[0]) for one in own)
        return known[key]

    return sorted(ways, key=lambda one: -alike(one[0]))[:TRIED]


def recipes(
    layout: Layout, samples: int, rate: int, quickly: bool
) -> Iterator[tuple[Recipe, Sequence[Bank]]]:
    """Recipes with a few banks."""
    count, bands = layout.frames.shape
    is_still = are_still(layout.frames)
    for length, size in lengths(rate, bands):
        if size == length and size & (size - 1) and 2 * bands < size:
            continue  # told apart from the next power of two with the banks
        all_of = banks(bands, size, rate)
        of = [one for one in all_of if one.rate != rate or one.kind == SLANEY][: 0 if quickly else None]
        of = [*all_of[:1], *(one for one in of if not one.low and one.high == one.rate / 2)]
        ways = product((0,) if quickly else (0, -(length // 2)), (HANN,) if quickly else (HANN, NONE))
        apart = [*([1] if is_still else []), *hops(rate, length, samples, count)]
        for hop, (first, window) in product(apart if all_of else (), [*ways]):
            yield Recipe(length, size, hop, first, window, of[0]), of


def others(some: Some, samples: Any, near: Near, left: Left) -> Iterator[Near]:
    """A recipe with other banks, sizes and places."""
    if near.like < NEAR * NEAR:
        return
    old = near.recipe
    firsts = {old.first: None, (old.size - old.length) // 2: None, (old.hop - old.length) // 2: None}
    for size, first in product(dict.fromkeys((old.size, old.length)), firsts):
        base = changed(old, size=size, first=first)
        power = powers(samples, base, some.chosen)
        of = banks(old.bank.count, size, old.bank.rate)
        yield from some.near(power, [changed(base, bank=bank) for bank in of]) if of else ()
        if not left():
            return


def refined(given: Layout, samples: Any, near: Near) -> Features | None:
    """Returns the recipe with the window, the place and the floor that fit best, or None if none fits."""
    recipe, is_log = near.recipe, near.is_log
    layout = changed(given, frames=given.frames[:, ::-1], reverse=True) if near.reverse else given
    count = len(layout.frames)
    inside = numpy.arange(count)
    begins = recipe.first + inside * recipe.hop
    inside = inside[(begins >= 0) & (begins + recipe.length <= len(samples))]
    if len(inside) < FEWEST:
        return None
    best: Features | None = None
    ends = int(recipe.first + inside[-1] * recipe.hop + recipe.length)
    for (before, read), window in product(prepared(samples, ends), WINDOWS):
        tried = changed(recipe, window=window, before=before)
        power = powers(read, tried, inside)
        for magnitude in (False, True):
            made = banded(power, tried, magnitude=magnitude)
            found = fitted(
                changed(layout, frames=layout.frames[inside]), made, tried, is_log, magnitude=magnitude
            )
            if found is not None and (best is None or found.like > best.like):
                best = changed(found, is_magnitude=magnitude)
    return None if best is None else changed(best, layout=layout)


def levels_of(samples: Any) -> list[Any]:
    """The samples as they are, and around 0 if they are around another number."""
    mean = samples.mean()
    return [samples] if abs(mean) < OFF_ZERO * samples.std() else [samples, samples - mean]


def prepared(samples: Any, ends: int) -> list[tuple[str, Any]]:
    """The samples as they may have been changed before, also by the mean of those up to the last frame."""
    found = [(name, change(samples)) for name, change in BEFORE.items()]
    return [*found, (CENTRED, samples - samples[:ends].mean())]


def scales(recipe: Recipe, *, magnitude: bool = False) -> list[float]:
    """The factors by which programs multiply the powers (or magnitudes) of a recipe before they add a floor:
    1, one over the length of frames, or its square. The powers of a group of frequencies may be added up."""
    bank = recipe.bank
    wide = round((bank.high - bank.low) * recipe.size / bank.rate) // bank.count if bank.kind == GROUPS else 1
    long = 1 / recipe.size
    parts = (1.0, long) if magnitude else (1.0, long, long * long)
    return [by * times for times in dict.fromkeys((1.0, float(wide))) for by in parts]


def fitted(
    layout: Layout, made: Any, recipe: Recipe, is_log: bool, *, magnitude: bool = False
) -> Features | None:
    """How elements depend on the powers (or magnitudes) of a recipe: with which floor, slope and height."""
    own = layout.frames.reshape(-1)
    flat = made.reshape(-1)
    if not is_log:
        loud = (own > 0) & (flat > 0)
        if loud.sum() < FEWEST**2 or not numpy.log(flat[loud]).std() > 0:
            return None
        slope, height = line_through(numpy.log(flat[loud]), numpy.log(own[loud]))
        like = correlation(numpy.log(flat[loud]), numpy.log(own[loud]))
        return Features(recipe, layout, like, False, slope, height)
    above = numpy.maximum(flat, 1e-30)

    def best(floors: Iterable[float]) -> tuple[float, float]:
        return max(((correlation(numpy.log(above + one), own), one) for one in floors), default=(0.0, 0.0))

    like, floor = best(FLOORS)
    if FITTING < like < WHOLLY:
        times = scales(recipe, magnitude=magnitude)
        like, floor = max((like, floor), best(one / by for by in times for one in FLOORS if one))
    slope, height = line_through(numpy.log(above + floor), own)
    return Features(recipe, layout, like, True, slope, height, floor)


def can_be_features(array: Any, samples: Any, rate: int) -> bool:
    """Whether an input may be made of a sound."""
    is_long = len(samples) >= 1024 and rate >= 4000  # shorter ones, or lower, are other numbers
    return bool(array.dtype.kind == "f" and is_long and numpy.isfinite(array).all())


def features_of(array: Any, samples: Any, rate: int, left: Left, *, quickly: bool = False) -> Features | None:
    """Returns how an input was made of a sound, or None if that isn't found. `quickly`: only by usual
    recipes."""
    if not can_be_features(array, samples, rate):
        return None
    for layout in layouts(array):
        if quickly and layout.wrong:
            continue
        near = [
            one
            for level in levels_of(samples)
            for one in screened(layout, level, rate, left, quickly=quickly)
        ]
        near.sort(key=lambda one: -one.like)
        found = [refined(layout, samples, one) for one in near[:REFINED]]
        best = max(filter(None, found), key=lambda one: one.like, default=None)
        if best is not None and best.like > NEARLY and not quickly:
            best = with_edges(best, layout, samples, rate, left)
        if (best is None or best.like <= LIKE) and not quickly:
            best = by_usual(layout, samples, rate, left) or best
        if best is not None and best.like > LIKE:
            return best
        if not left():
            break
    return by_groups(array, samples, rate, left, quickly=quickly)


def by_usual(layout: Layout, samples: Any, rate: int, left: Left) -> Features | None:
    """The same by the most usual frames that take up the whole sound, with any edges of bands: a tone is in
    other bands by the edges alone, so that no recipe comes near."""
    count, bands = layout.frames.shape
    for length, hop in (
        (rate // 40, rate // 100),
        (4 * rate // 125, rate // 100),
        (4 * rate // 125, 2 * rate // 125),
    ):
        size = 1 << (length - 1).bit_length()
        if count != 1 + (len(samples) - length) // hop or bands > MOST_BANDS or not left():
            continue
        bank = Bank(HTK, bands, 0.0, rate / 2, rate)
        near = Features(Recipe(length, size, hop, 0, HANN, bank), layout, 0.0, True, 1.0, 0.0)
        found = with_edges(near, layout, samples, rate, left)
        if found.like > LIKE:
            return found
    return None


def with_edges(found: Features, given: Layout, samples: Any, rate: int, left: Left) -> Features:
    """The same with bands between other frequencies, if these fit better."""
    recipe, some = found.recipe, some_of(given)
    if found.like > EXACTLY or recipe.bank.kind not in (HTK, MELS, SLANEY) or recipe.bank.rate != rate:
        return found
    level = next((one for one in some.read if one.is_log == found.is_log), None)
    if level is None:
        return found
    power, direction, loud = (
        powers(BEFORE[recipe.before](samples), recipe, some.chosen),
        level.made_so,
        level.loud,
    )

    def likes(banks: Sequence[Bank]) -> list[float]:
        several = [banded(power, changed(recipe, bank=bank), magnitude=found.is_magnitude) for bank in banks]
        made = numpy.log(numpy.stack(several) + 1e-20)
        own = made[..., ::-1] if found.layout.reverse else made
        return [float(like) for like in correlations(own[:, loud], direction)]

    other = changed(recipe, bank=nearest_bank(recipe.bank, likes, left))
    if other == recipe:
        return found
    better = refined(given, samples, Near(1.0, found.is_log, found.layout.reverse, other))
    return better if better is not None and better.like > found.like else found


def by_halves(array: Any, samples: Any, rate: int, left: Left, *, quickly: bool) -> Features | None:
    """The same by groups of frequencies in frames half of one apart, if these are exactly so. That takes no
    time: trying all usual recipes before leaves none, where one inference takes none either."""
    if not can_be_features(array, samples, rate):
        return None
    found = by_groups(array, samples, rate, left, quickly=quickly, at_once=True)
    return found if found is not None and found.like > EXACTLY else None


def by_groups(
    array: Any, samples: Any, rate: int, left: Left, *, quickly: bool, at_once: bool = False
) -> Features | None:
    """The same by bands that are groups of neighbouring frequencies; `at_once` as in `grouped`."""
    best: Features | None = None
    for layout in layouts(array):
        if (quickly and layout.wrong) or not left() or best is not None:
            continue
        for recipe, is_reversed in grouped(layout.frames, samples, rate, left, at_once=at_once):
            found = refined(layout, samples, Near(1.0, True, is_reversed, recipe))
            if found is not None and found.like > max(LIKE, best.like if best else 0.0):
                best = found
            if best is not None and best.like > ALMOST:
                return best
    return best
