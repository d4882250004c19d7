"""What is wrong with features that a guest made of a sound, and how they would be otherwise.

What is here: `spectral`, which says how an input was made of a sound (`features.py`), also of one that was
misread (`sequences.py`, `frames.py`), and `Otherwise`, the same features by other recipes, to ask the model
about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen, changed
from ..budget import Left, always
from .bases import formulas, in_other_bases
from .decoding import Source
from .features import Features, by_halves, features_of
from .frames import in_frames
from .matching import Origin
from .sequences import readings
from .spectra import BEFORE, BINS, NONE, banded, powers

SURE = 0.9995
"""The correlation of a recipe of which a mistake is said."""
STEEP = 0.05
FLOOR, QUIET, STEEPER = 1e-6, 1e-10, 2.0
"""Programs add the first number to powers before the logarithm, and the second before decibels."""
WHOLE = 32768
LARGE = 50.0
"""Powers of which the largest is so many times the middle one are far from what models take."""
UNLOGGED = "its bands are powers, the largest {:,.0f} times the middle one: was the logarithm forgotten?"
LOGARITHMS = {1.0: "ln", 0.4343: "log10", 4.343: "decibels (10 log10)", 8.686: "decibels (20 log10)"}


class Otherwise(Frozen):
    """The features of a sound by other recipes: what was done, and the elements in the input's shape."""

    found: Features
    samples: Any
    shape: tuple[int, ...]

    @property
    def elements(self) -> Any:
        """The elements that were sent."""
        return self._laid(self.found.layout.frames)

    def fitting(self) -> Iterator[tuple[str, Any]]:
        """With a hop with which the frames take up the whole sound, if they don't."""
        recipe = self.found.recipe
        for hop in hops_that_fit(self.found, len(self.samples)):
            said = f"with frames every {hop} samples (not {recipe.hop}), which take up the whole sound,"
            yield said, self._made(changed(self.found, recipe=changed(recipe, hop=hop)))

    def changes(self) -> Iterator[tuple[str, Any]]:
        """With samples in the other range, and with other logarithms."""
        found = self.found
        yield from in_other_bases(found, self.elements)
        yield from self.in_other_range()
        for slope, said in LOGARITHMS.items():
            if not found.is_log or abs(found.slope / slope - 1) > STEEP:
                floor = found.floor or FLOOR
                other = changed(found, is_log=True, slope=slope, height=0.0, floor=floor)
                yield f"with {said} of the power", self._made(changed(other, is_magnitude=False))

    def in_other_range(self) -> Iterator[tuple[str, Any]]:
        """With samples that were divided by 32768, if they weren't, and the other way round."""
        found = self.found
        whole = 2 * math.log(WHOLE) * found.slope / (1 + found.is_magnitude)
        floor = QUIET if found.slope > STEEPER else FLOOR
        if found.is_log and abs(found.height / whole - 1) < STEEP:
            divided = changed(found, height=found.height - whole, floor=max(found.floor, floor))
            yield "with samples divided by 32768", self._made(divided)
        elif (
            found.is_log
            and abs(found.height / whole) < STEEP
            and not any(one.more for one in formulas(found))
        ):
            times = changed(found, height=found.height + whole, floor=found.floor / WHOLE**2)
            yield "with samples from -32768 to 32767, not divided,", self._made(times)

    def _made(self, found: Features) -> Any:
        """The elements by a recipe, of all frames."""
        count = len(found.layout.frames)
        recipe = found.recipe
        power = powers(BEFORE[recipe.before](self.samples), recipe, numpy.arange(count))
        made = banded(power, recipe, magnitude=found.is_magnitude)
        if found.is_log:
            made = found.slope * numpy.log(numpy.maximum(made, 1e-30) + found.floor) + found.height
        else:
            made = numpy.exp(found.height) * made**found.slope
        return self._laid(made)

    def _laid(self, frames: Any) -> Any:
        """Frames of bands in the input's shape."""
        made = frames[:, ::-1] if self.found.layout.reverse else frames
        return (made.T if self.found.layout.is_turned else made).reshape(self.shape)


def hops_that_fit(found: Features, samples: int) -> list[int]:
    """Other hops, half or twice as long, with which the frames take up all samples."""
    recipe, count = found.recipe, len(found.layout.frames)

    def fits(hop: int) -> bool:
        return count in (1 + (samples - recipe.length) // hop, 1 + samples // hop, -(-samples // hop))

    return [] if fits(recipe.hop) else [hop for hop in (2 * recipe.hop, recipe.hop // 2) if hop and fits(hop)]


def spectral(array: Any, source: Source, left: Left = always) -> Origin | None:
    """Returns how an input of frames and bands was made of a sound, or None if that isn't found."""
    if source.is_picture or not source.rate:
        return None
    with numpy.errstate(all="ignore"):
        if (frames := in_frames(array, source, left)) is not None:
            return frames
        known = [*readings(source)]
        searches = [(by_halves, one) for one in known] + [(features_of, one) for one in known]
        for search, reading in searches:
            found = search(array, reading.samples, source.rate, left, quickly=bool(reading.wrong))
            if found is not None and (not reading.wrong or found.like > SURE):
                wrong = reading.wrong or (wrong_with(found, source) if found.like > SURE else "")
                steps = (f"{reading.said}{len(found.layout.frames)} {found.recipe}", level_said(found))
                more = None if wrong else Otherwise(found, reading.samples, array.shape)
                return Origin(source, steps, wrong or unlogged(found), otherwise=more)
            if not left():
                break
    return None


def unlogged(found: Features) -> str:
    """Returns what is said of powers of mel bands, if the model doesn't take their logarithm itself, or "" of
    other features."""
    frames = found.layout.frames
    middle = float(numpy.median(frames))
    if found.is_log or found.is_magnitude or found.recipe.bank.kind == BINS or abs(found.slope - 1) > STEEP:
        return ""
    times = float(frames.max()) / middle if middle > 0 else 0.0
    return UNLOGGED.format(times) if times > LARGE else ""


def wrong_with(found: Features, source: Source) -> str:
    """Returns what nobody means of how features were made, or "" if all of it may be meant."""
    recipe = found.recipe
    said = []
    if found.layout.wrong:
        said.append(found.layout.wrong)
    if found.layout.reverse:
        said.append("its bands are in the reversed order, the highest first")
    if recipe.window == NONE and recipe.hop < recipe.length:
        said.append("no window (such as Hann's) was applied to the frames, which overlap")
    if recipe.bank.rate != source.rate and recipe.bank.kind != BINS:
        said.append(
            f"its bands are those for samples at {recipe.bank.rate:,} Hz, and these are at {source.rate:,} Hz"
        )
    return "; ".join(filter(None, [*said, too_soon(found, source), too_near(found, source)]))


def too_near(found: Features, source: Source) -> str:
    """Returns a hint about frames that begin one sample apart, or "" if they don't."""
    recipe, count = found.recipe, len(found.layout.frames)
    if recipe.hop > 1:
        return ""
    used, whole = (count - 1 + recipe.length) / source.rate, len(source.array) / source.rate
    return (
        f"its {count} frames of {recipe.length} samples begin 1 sample apart, and are hardly more than one "
        f"({used:.2g} s of {whole:.2g} s): is the number of the frame "
        "to be multiplied by the hop?"
    )


def too_soon(found: Features, source: Source) -> str:
    """Returns a hint about frames that end early in a sound, and would take it up whole at a usual lower
    rate, or "" if they don't."""
    count, samples = len(found.layout.frames), len(source.array)
    ends = found.recipe.hop * (count - 1) + found.recipe.length
    for rate in LOWER if source.rate >= HIGH else ():
        if 2 * rate <= source.rate and abs(ends * source.rate / (samples * rate) - 1) < STEEP:
            return (
                f"its {count} frames end after {ends:,} of {samples:,} samples, and would take up all of the "
                f"sound at {rate:,} Hz; it is at {source.rate:,} Hz: was it to be resampled?"
            )
    return ""


HIGH, LOWER = 32000, (8000, 16000, 22050, 24000)
"""Rates at which sounds are stored, and lower ones that models take."""


def level_said(found: Features) -> str:
    what = "magnitude" if found.is_magnitude else "power"
    if not found.is_log:
        return f"the {what}" + ("" if abs(found.slope - 1) < STEEP else f" to {found.slope:.2g}")
    slope = min(LOGARITHMS, key=lambda one: abs(found.slope / one - 1))
    if abs(found.slope / slope - 1) > STEEP:
        return f"{found.slope:.3g} x ln of the {what}, {found.height:+.3g}"
    shift = "" if abs(found.height) < STEEP else f", {found.height:+.3g}"
    return f"{LOGARITHMS[slope]} of the {what}{shift}"
