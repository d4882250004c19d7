"""Several elements in the units of another system than that of the model: of laboratories (mmol/l for mg/dl),
or inches and pounds for centimetres and kilograms.

What is here: `other_units`. What is not: one element (`scalers.py`), and units that headings name
(`headed_units.py`). A conversion has to bring each of these elements to the mean that the model has and to
about its deviation, too, and no others may be far: so it isn't guessed from how large they are alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...nn.formats.format import Column
from ...records import Frozen
from .scalers import FAR, Own, is_far, is_usual, owns, span

FEWEST, FEWEST_ROWS, FEWEST_OTHERS = 2, 5, 2
"""The fewest columns in another unit, the fewest lines, and the fewest columns that are usual as sent."""
NEAR, WIDTHS = 1.25, (0.3, 2.2)
"""After the conversion of a column: the most deviations from the model's mean to its average, and how wide it
is in deviations."""
MOST_SAID = 4
SYSTEMS: dict[str, dict[str, float]] = {
    "of a laboratory": {
        "mmol/l to mg/dl of cholesterol": 38.67,
        "mmol/l to mg/dl of glucose": 18.016,
        "mmol/l to mg/dl of triglycerides": 88.57,
        "µmol/l to mg/dl of creatinine": 1 / 88.42,
        "µmol/l to mg/dl of bilirubin": 1 / 17.1,
        "µmol/l to mg/dl of uric acid": 1 / 59.48,
        "mmol/l to mg/dl of urea": 2.801,
    },
    "of inches and pounds": {
        "inches to cm": 2.54,
        "inches to mm": 25.4,
        "feet to m": 0.3048,
        "pounds to kg": 0.45359,
        "miles to km": 1.60934,
        "gallons to l": 3.78541,
        "square feet to m2": 0.092903,
        "psi to kPa": 6.89476,
    },
}
"""By the system of units, the factor of each conversion."""


class Converted(Frozen):
    """An element after a conversion: its place, what of, the factor, and its numbers then."""

    place: int
    said: str
    by: float
    numbers: Any

    def shown(self, way: str) -> str:
        one, other = self.said.split(" to ", 1)
        unit, _, what = other.partition(" of ")
        of = f" of {what}" if what else ""
        if way == "times":
            return f"{self.by:.5g} ({one} to {unit}{of})"
        return f"{1 / self.by:.5g} ({unit} to {one}{of})"


def other_units(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if some elements are far from their means in all lines, and a conversion between
    two systems of units makes each of them a usual one, or "" if that is not so."""
    known = owns(columns)
    odd = [one for one in known if not is_usual(rows[:, one[0]], *one[1:])]
    others = len(known) - len(odd)
    if len(rows) < FEWEST_ROWS or len(odd) < FEWEST or others < max(FEWEST_OTHERS, len(odd)):
        return ""
    if not all(is_far(rows[:, place], mean, deviation, FAR) for place, mean, deviation in odd):
        return ""
    for units in SYSTEMS.values():
        for way, power in (("times", 1), ("divided by", -1)):
            factors = {said: by**power for said, by in units.items()}
            made = [nearest(rows[:, one[0]], one, factors) for one in odd]
            found = [one for one in made if one is not None]
            if len(found) == len(odd):
                return told(rows, found, odd, way)
    return ""


def nearest(own: Any, known: Own, factors: Mapping[str, float]) -> Converted | None:
    """Returns the conversion that brings an element nearest to its mean, if it is a usual one then; None if
    none does."""
    place, mean, deviation = known
    made = [Converted(place, said, by, own * by) for said, by in factors.items()]
    best = min(made, key=lambda one: abs(float(one.numbers.mean()) - mean))
    level = (best.numbers - mean) / deviation
    is_like = abs(float(level.mean())) <= NEAR and WIDTHS[0] <= float(level.std()) <= WIDTHS[1]
    return best if is_like else None


def told(rows: Any, found: Sequence[Converted], known: Sequence[Own], way: str) -> str:
    first = found[0]
    mean = next(mean for place, mean, _ in known if place == first.place)
    shown = ", ".join(f"element {one.place} {way} {one.shown(way)}" for one in found[:MOST_SAID])
    return (
        f"{len(found)} elements are far from the means that the model has for them, such as element "
        f"{first.place} ({span(rows[:, first.place])} in {len(rows)} inputs, for a mean of {mean:.4g}), and "
        f"the others are near theirs; {shown} would be usual ones: are they in other units?"
    )
