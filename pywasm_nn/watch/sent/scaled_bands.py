"""Spectra of a sound that should have a mean of about 0 and a deviation of about 1, by a mean and a deviation
that the guest has, and don't: not scaled, other logarithms than those of the mean, or samples of 16 bits that
were not divided.

What is here: `badly_scaled`. What is not: how a spectrum was made (`origin.spectral`). One sound may be far
louder or softer than usual, so that something is said only where one other step makes its elements usual.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin import Origin
from ..origin.features import Features
from ..origin.spectral import LOGARITHMS, STEEP, WHOLE
from ..regex import regex
from ..sheets.scaler_files import SAYS, lists_of

MOST_FILE, BYTES = 1 << 13, 2
"""Bytes of a file of means and deviations, and of a sample."""
NUMBER = regex(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
MEAN = regex(r"(?:mean|mu|avg|average)[^\w+.-]{1,4}([-+]?[\d.]+(?:e[-+]?\d+)?)", re.IGNORECASE)
DEVIATION = regex(
    r"(?:std_?(?:dev)?|sd|sigma|dev|deviation|scale)[^\w+.-]{1,4}(\d[\d.]*(?:e[-+]?\d+)?)", re.IGNORECASE
)
FAR, WIDE = 2.0, 2.2
"""Elements whose mean is so far from 0, or whose deviation is so large, are not scaled."""
FARTHER = 2.5
"""Where no mean and deviation are known, elements must be so far from 0, or deviate so much."""
NEAR, LEAST, MOST = 1.5, 0.3, 2.0
"""How far the mean of scaled elements may be from 0, and their deviation."""
OFF = 0.05
"""How far elements may be from what a mean and a deviation make of powers, as a part of that, or in
deviations."""


PLAIN = regex(
    r"norm|normali[sz]\w*|stats?|statistics|means?|stds?|stddev|and|deviations?|scal\w*|standard|global|cmvn"
    r"|mu|sigma|params|features?"
)
"""Words of the names of such files that say nothing else."""


class Scale(Frozen):
    """A mean and a deviation, and the file that has them."""

    file: str
    mean: float
    deviation: float


class Level(Frozen):
    """The mean and the deviation of elements."""

    mean: float
    deviation: float

    @property
    def is_scaled(self) -> bool:
        return abs(self.mean) <= NEAR and LEAST <= self.deviation <= MOST

    @property
    def is_far(self) -> bool:
        return abs(self.mean) > FAR or self.deviation > WIDE

    def __str__(self) -> str:
        return f"a mean of {self.mean:.2g} and a deviation of {self.deviation:.2g}"

    def moved(self, times: float, by: float) -> Level:
        """The level of what elements are times a number, and another one."""
        return Level(self.mean * times + by, self.deviation * times)


def badly_scaled(
    found: Origin,
    files: Sequence[tuple[str, bytes]],
    unread: Iterable[tuple[str, bytes]],
    names: Sequence[str],
) -> str:
    """Returns what is wrong with the level of a spectrum, or "" if nothing is known to be. `unread` are files
    that the guest could read and didn't, and `names` those of the model and the input."""
    made = None if found.otherwise is None or found.wrong else found.otherwise.found
    if made is None or not made.is_log or made.is_magnitude:
        return ""
    frames = made.layout.frames
    own = Level(float(frames.mean()), float(frames.std()))
    may_be_whole = found.source.width == BYTES and not found.source.is_float
    if not own.is_far:
        return ""
    for scale in scales_in(files):
        said = as_it_is(made, own, scale) or by_other_logarithms(made, own, scale, may_be_whole=may_be_whole)
        if said:
            return said
    said = by_lists(made, own, files) or (undivided(made, own) if may_be_whole else "")
    return said or (never_read(made, own, unread, names) if is_plain(made) else "")


def never_read(made: Features, own: Level, unread: Iterable[tuple[str, bytes]], names: Sequence[str]) -> str:
    """Logarithms that were not scaled by the mean and deviation of a file that was never read, whose name
    says nothing but that it has these, or that it is for this model."""
    known = {word for name in names for word in words_of(name)}
    of_it = [
        (f"{name}, which was never read,", data)
        for name, data in unread
        if known.issuperset(words_of(name.rpartition(".")[0]))
    ]
    said = (as_it_is(made, own, scale) for scale in scales_in(of_it))
    return next(filter(None, said), "") or by_lists(made, own, of_it)


def words_of(name: str) -> set[str]:
    """The words of a name but those for a mean and a deviation."""
    return {word for word in re.findall("[a-z]+", name.lower()) if not PLAIN.fullmatch(word)}


def scales_in(files: Sequence[tuple[str, bytes]]) -> Iterator[Scale]:
    """A mean and a deviation of all elements, in files that name them."""
    for name, data in files:
        text = data.decode("utf-8", "replace") if len(data) <= MOST_FILE and b"\0" not in data else ""
        if not SAYS.search(name) and not SAYS.search(text):
            continue
        numbers = [float(one) for one in NUMBER.findall(text)]
        mean, deviation = MEAN.search(text), DEVIATION.search(text)
        if len(numbers) == 2 and numbers[1] > 0:
            yield Scale(name, *numbers)
        elif mean is not None and deviation is not None:
            yield Scale(name, float(mean[1]), float(deviation[1]))


def is_plain(made: Features) -> bool:
    """Whether elements are logarithms of powers as they are."""
    return any(abs(made.slope / slope - 1) < STEEP for slope in LOGARITHMS) and abs(made.height) < 1


def as_it_is(made: Features, own: Level, scale: Scale) -> str:
    """Logarithms that were not scaled."""
    other = own.moved(1 / scale.deviation, -scale.mean / scale.deviation)
    if not is_plain(made) or not other.is_scaled:
        return ""
    return (
        f"{scale.file} has a mean ({scale.mean:g}) and a deviation ({scale.deviation:g}), and its elements "
        f"are logarithms as they are, with {own}: was (x - mean) / deviation forgotten?"
    )


def by_other_logarithms(made: Features, own: Level, scale: Scale, *, may_be_whole: bool) -> str:
    """Logarithms that were scaled by the mean and deviation of others, or of those of divided samples."""
    slope = min(LOGARITHMS, key=lambda one: abs(made.slope * scale.deviation / one - 1))
    if abs(made.slope * scale.deviation / slope - 1) > STEEP:
        return ""
    more = made.height * scale.deviation + scale.mean
    whole = 2 * math.log(WHOLE) * slope
    if may_be_whole and abs(more - whole) < OFF * whole:
        other = own.moved(1, -whole / scale.deviation)
        return (
            not_divided(own, other, f", by the mean and deviation of {scale.file},")
            if other.is_scaled
            else ""
        )
    if abs(more) > OFF * scale.deviation + OFF:
        return ""
    ways = []
    for wanted, said in LOGARITHMS.items():
        times = wanted / slope
        other = own.moved(times, scale.mean / scale.deviation * (times - 1))
        if other.is_scaled:
            ways.append((abs(math.log(other.deviation)), said, other))
    if not ways:
        return ""
    _, said, other = min(ways, key=lambda one: one[0])
    return (
        f"{LOGARITHMS[slope]} of the power was scaled by the mean ({scale.mean:g}) and deviation "
        f"({scale.deviation:g}) of {scale.file}, and has {own}; {said} would have {other}: are they those of "
        f"{said}?"
    )


def not_divided(own: Level, other: Level, by: str) -> str:
    return (
        f"samples were not divided by 32768 before the spectrum: its logarithms were scaled{by}, and have "
        f"{own}; of samples from -1 to 1 they would have {other}"
    )


def undivided(made: Features, own: Level) -> str:
    """Logarithms that were scaled by a mean and a deviation that nobody knows, of samples of 16 bits."""
    if any(abs(made.slope / slope - 1) < STEEP for slope in LOGARITHMS) or own.mean < FARTHER:
        return ""
    other = own.moved(1, -2 * math.log(WHOLE) * made.slope)
    return not_divided(own, other, " by a mean and a deviation") if other.is_scaled else ""


def by_lists(made: Features, own: Level, files: Sequence[tuple[str, bytes]]) -> str:
    """Logarithms that were not scaled by the mean and deviation of each band."""
    frames: Any = made.layout.frames
    if not is_plain(made):
        return ""
    for lists in lists_of(files, frames.shape[1]):
        if lists.is_named and lists.fits(frames):
            other = (frames - lists.means) / lists.deviations
            if Level(float(other.mean()), float(numpy.std(other))).is_scaled:
                return (
                    f"{lists.where} has a mean and a deviation for each of {frames.shape[1]} bands, and its "
                    f"elements are logarithms as they are, with {own}: was (x - mean) / deviation forgotten?"
                )
    return ""
