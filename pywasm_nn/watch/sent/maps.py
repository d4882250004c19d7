"""Maps, pictures, windows and the like, against the one mean and deviation by which a model itself scales all
of its elements first, or those of each element, if these are nearly alike: those in another unit, that were
scaled before, or that were read in the wrong order of bytes.

What is here: `Maps`. What is not: models that wanted usual pixels (`firsts.py`), and tables, of which each
element has a mean (`scalers.py`, `wanted.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

from ...arrays import numpy
from ...nn.formats import KNOWN
from ...nn.formats.format import Column, First
from ...nn.tensor import Tensor
from ..origin.tables import SENTINELS
from ..regex import regex
from ..surroundings import Files
from .firsts import wanted
from .samples import misread
from .scalers import TO_CELSIUS, UNITS, Conversion, is_usual, span

LOOKS, FEWEST, MOST = 4, 16, 1 << 20
"""Tensors of each input, and elements, that are looked at."""
MOST_FILES = 4
WIDE = 4.0
"""Elements of more deviations than this are doubtful, too."""
HINTED, FAR, EVERY = 3.0, 8.0, 5.0
"""How many deviations elements are away on average: if the guest has the numbers of its mistake, and if it
hasn't; and each of them at least, if nobody knows what was meant."""
LEAST_WIDTH = 0.02
"""The width, in deviations, of elements that aren't all alike."""
AROUND, WIDTHS, NARROW = 3.0, (0.02, 4.0), 0.5
"""The mean and deviation of elements that were scaled, and the width that they have in the model."""
MOST_MARKS, FEWEST_MARKS, BEYOND_ALL = 0.25, 3, 1000.0
"""The part of the elements that may stand for missing numbers; and how many equal ones, so many deviations
away, do so whichever number they are."""
MARKS = SENTINELS | {-99999.0}
SAME = 1e-5
ALIKE, WIDER = 1.0, 2.0
"""The means of all elements are apart by so many deviations at most, and these are by such a factor."""
NOISE = 0.1
"""Neighbours that are less alike than this are noise."""
ABSOLUTE = 273.15
SHARES: Conversion = ("divided by 255", lambda x: x / 255)
KELVINS: tuple[Conversion, ...] = (
    ("made 10 times smaller before 273.15 is taken away", lambda x: (x + ABSOLUTE) / 10 - ABSOLUTE),
    ("made 100 times smaller before 273.15 is taken away", lambda x: (x + ABSOLUTE) / 100 - ABSOLUTE),
    ("divided by 100, less 273.15 (hundredths of kelvins to Celsius)", lambda x: x / 100 - ABSOLUTE),
    ("divided by 10, less 273.15 (tenths of kelvins to Celsius)", lambda x: x / 10 - ABSOLUTE),
    SHARES,
    ("divided by 32,768", lambda x: x / 32768),
)
"""What else brings elements back to the unit of a mean."""
PARTS: tuple[Conversion, ...] = (
    ("divided by 4 (quarters, as of a sensor that counts them)", lambda x: x / 4),
    ("divided by 16 (sixteenths, as of a sensor that counts them)", lambda x: x / 16),
)
"""The same of whole numbers."""
WARMTH = regex(r"celsius|fahrenheit|kelvin|temperature|(?:^|[^a-z])(?:temp|deg_?[cf])(?:[^a-z]|$)", re.I)
"""Names of inputs that are temperatures, and conversions between these, or from what a sensor counts."""
OF_WARMTH = regex(r"Celsius|kelvins|273|by 10+$|\bcounts\b")
FAHRENHEIT = 32.0, 1.8
"""The numbers of a guest that makes Fahrenheit itself."""


class Maps:
    """Gives a sentence after an input."""

    def __init__(self, files: Files, known: Callable[[], Any]) -> None:
        """`known` gives the sizes of the guest's own floats."""
        self._files, self._known = files, known
        self._means: dict[int | None, tuple[float, float]] = {}
        self._looked: dict[int | None, int] = {}

    def loaded(
        self,
        graph: int | None,
        firsts: Mapping[int, First],
        columns: Mapping[int, Sequence[Column]] | None = None,
    ) -> None:
        """A model was loaded; `firsts` say what it does with its inputs, `columns` with each element."""
        mean = mean_of(firsts.get(0)) or mean_of_all((columns or {}).get(0, ()))
        if mean is not None:
            self._means[graph] = mean

    def set(self, graph: int | None, index: int, tensor: Tensor, called: str = "") -> str:
        """Returns what is wrong with an input of a model that scales it by one mean and deviation, or "" if
        nothing is. `called` is its name."""
        mean = self._means.get(graph) if index == 0 else None
        looked = self._looked.get(graph, 0)
        numbers = tensor.numbers() if mean is not None and looked < LOOKS else None
        if mean is None or numbers is None or not FEWEST <= numbers.size <= MOST:
            return ""
        own = numbers.reshape(-1).astype("f8")
        if not numpy.isfinite(own).all() or own.min() == own.max():
            return ""
        self._looked[graph] = looked + 1
        said = self._wrong(own, *mean, is_warmth=WARMTH.search(called) is not None)
        if said:
            self._looked[graph] = LOOKS
        return said

    def _wrong(self, own: Any, mean: float, deviation: float, *, is_warmth: bool = False) -> str:
        level = (own - mean) / deviation
        away = abs(float(level.mean()))
        far = abs(level) > FAR
        if 0 < far.mean() <= MOST_MARKS and is_wanted(own[~far], mean, deviation):
            return marked(own, far, float(abs(level).max()))
        if away <= HINTED and level.std() <= WIDE:
            return ""
        scales = (
            f"the model itself takes {mean:.4g} away from all elements and divides them by {deviation:.4g}"
        )
        files = [one for one in self._files() if KNOWN.of_file(one[0]) is None][-MOST_FILES:]
        for name, data in files:
            if wrong := misread(own, data, lambda there: is_wanted(there, mean, deviation)):
                return f"{scales}; compared with {name}, {wrong}"
        if not files and is_noise(own):
            return ""  # such as a first input that warms up
        if is_scaled(own, mean, deviation, has_own=self._has(mean, deviation)):
            return f"{scales}, but they are {span(own)}, as if scaled before"
        if away <= FAR and not self._has(*FAHRENHEIT):
            return ""
        ways = (*UNITS, *KELVINS) if away > FAR else (TO_CELSIUS,)
        if away > FAR and not (own % 1).any():
            ways += PARTS
        if is_warmth:
            ways = tuple(one for one in ways if OF_WARMTH.search(one[0]))
        meant = best_unit(own, mean, deviation, (SHARES,)) if away > FAR and are_bytes(own) else ""
        if meant := meant or best_unit(own, mean, deviation, ways):
            return f"{scales}, but they are {span(own)}; {meant}: are they in another unit?"
        if away <= FAR or abs(level).min() <= EVERY:
            return ""
        return f"{scales}, but they are {span(own)}, {away:.0f} deviations away: are they in another unit?"

    def _has(self, first: float, second: float) -> bool:
        """Whether the guest has two numbers, or the second as a factor in place of a divisor."""
        known = self._known()
        return all(
            any((abs(known - abs(one)) <= SAME * abs(one)).any() for one in either)
            for either in ((first,), (second, 1 / second))
        )


def mean_of(first: First | None) -> tuple[float, float] | None:
    """Returns the mean that a model takes away from all elements, and the deviation by which it divides, or
    None if it has others, or wants pixels."""
    if first is None or not first.changes or wanted(first):
        return None
    if len({*first.scale}) > 1 or len({*first.shift}) > 1 or not first.shift[0]:
        return None
    mean, deviation = -first.shift[0] / first.scale[0], 1 / abs(first.scale[0])
    return mean, deviation


def mean_of_all(columns: Sequence[Column]) -> tuple[float, float] | None:
    """Returns the mean and the deviation of all elements, if a model scales each by its own, and these are so
    alike that they are of one kind, as of a picture's or a map's; or None if that is not so."""
    own = [
        one.centre[:2] for one in columns if one.centre is not None and one.centre[2] and one.centre[1] > 0
    ]
    if len(own) < max(FEWEST, len(columns)):
        return None
    means, deviations = numpy.array(own).T
    deviation = float(numpy.median(deviations))
    if numpy.ptp(means) > ALIKE * deviation or deviations.max() > WIDER * deviations.min():
        return None
    return float(means.mean()), deviation


def marked(own: Any, far: Any, away: float) -> str:
    """Returns what is wrong with the few elements that are far from all others, if they are one number that
    stands for a missing one, or "" if they aren't: what was measured may have peaks, and a sensor an end."""
    marks = numpy.unique(own[far])
    is_filled = far.sum() >= FEWEST_MARKS and away > BEYOND_ALL
    if len(marks) > 1 or not (float(marks[0]) in MARKS or is_filled):
        return ""
    places = numpy.flatnonzero(far)
    what = f"element {places[0]} is" if len(places) == 1 else f"{len(places)} elements are"
    return (
        f"{what} {marks[0]:g}, and the others, {span(own[~far])}, are as the model wants them: does that "
        "stand for a missing number, which is to be replaced or left out?"
    )


def is_wanted(own: Any, mean: float, deviation: float) -> bool:
    """Whether elements are as the model wants them: around its mean, and not all alike."""
    return is_usual(own, mean, deviation) and float(own.std()) > LEAST_WIDTH * deviation


def best_unit(own: Any, mean: float, deviation: float, ways: Sequence[Conversion]) -> str:
    """Returns what elements would be in the unit in which they are most as the model wants them, or "" if
    they would be so in none."""
    found = []
    for said, convert in ways:
        there = convert(own)
        if is_wanted(there, mean, deviation):
            off = abs(float(there.mean()) - mean) / deviation + abs(log(float(there.std()) / deviation))
            found.append((off, f"{said} they would be {span(there)}"))
    return min(found)[1] if found else ""


def are_bytes(own: Any) -> bool:
    """Whether all elements are whole numbers from 0 to 255."""
    return bool(own.min() >= 0 and own.max() <= 255 and not (own % 1).any())


def is_noise(own: Any) -> bool:
    return bool(abs(numpy.corrcoef(own[1:], own[:-1])[0, 1]) < NOISE)


def is_scaled(own: Any, mean: float, deviation: float, *, has_own: bool) -> bool:
    """Whether elements are around 0 as those that were scaled, and the model's are far from it. `has_own`:
    the guest has the model's mean and deviation."""
    low, high = WIDTHS
    if abs(mean) <= HINTED * deviation or float(own.std()) > NARROW * deviation:
        return False
    is_far = abs(mean) > FAR * deviation and own.min() < 0
    return (has_own or is_far) and abs(float(own.mean())) < AROUND and low < float(own.std()) < high
