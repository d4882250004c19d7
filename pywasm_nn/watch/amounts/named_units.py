"""Answers whose unit the name of the output or of the model says, and that are written as they are, with
another unit behind them.

What is here: `with_another_unit`. What is not: units in names of files (`units.py` here), and the units
(`watch/units.py`).
"""

from __future__ import annotations

from ..regex import regex
from ..spoken import Word
from ..units import UNITS, unit_in
from .told import Told

NUMBER = r"(?<![\w.])(-?\d{1,9}(?:\.\d{1,9})?)\s?"
UNIT = r"(l/100 ?km|°\s?[CFK]\b|deg(?:rees)? ?[CFK]\b|[A-Za-z]{1,10}(?:/[A-Za-z]{1,3})?2?)(?![A-Za-z0-9/])"
BEHIND = regex(NUMBER + UNIT)
SPELLED = {
    "l/100km": "l100km", "km/h": "kmh", "m/s": "mps", "°c": "c", "°f": "f", "°k": "k", "degc": "c",
    "degf": "f", "degreesc": "c", "degreesf": "f", "degreesk": "k", "kilometers": "km", "kilometres": "km",
    "meters": "m", "metres": "m", "pounds": "lb", "kilograms": "kg", "watts": "w", "kilowatts": "kw",
    "hours": "h", "minutes": "min", "seconds": "s", "liters": "l", "litres": "l", "gallons": "gal",
}  # fmt: skip
ALONE = frozenset(
    {"mpg", "mph", "kmh", "kph", "kwh", "psi", "hpa", "mmhg", "celsius", "fahrenheit", "kelvin"}
)
"""Units that are nothing else, also if a name has no other word."""
FEWEST, DIGITS, MANY_DIGITS = 3, 6, 5
"""So many answers and different digits of them all are no chance, or so many digits of one."""
SIZES = frozenset({"s", "m", "l", "g", "a", "v", "k", "w"})
"""At the end of a model's name these say how large the model is, or which one of several, rather than a
unit."""
SAME = 0.01


def with_another_unit(told: Told) -> str:
    """Returns what is wrong with the unit behind answers, or "" if nothing is."""
    names = (("output", told.answers[0].name), ("model", told.answers[0].model))
    told_by = ((what, name, unit_of(name)) for what, name in names)
    own = next((one for one in told_by if one[2] and (one[0] == "output" or one[2] not in SIZES)), None)
    if own is None or any(one.rows.shape[1] != 1 for one in told.answers):
        return ""
    what, name, unit = own
    left = iter(told.values)
    found: list[tuple[Word, str]] = []
    for number, behind in BEHIND.findall(told.text):
        word, other = Word.of(number), spelled(behind)
        if other not in UNITS or UNITS[other][0] != UNITS[unit][0]:
            continue
        if other == unit or is_same(unit, other) or not any(bool(word.fits(value)) for value in left):
            return ""
        found.append((word, behind))
    digits = {word.text: word.digits for word, _ in found}
    is_told = len(found) >= FEWEST and sum(digits.values()) >= DIGITS
    if not is_told and max(digits.values(), default=0) < MANY_DIGITS:
        return ""
    word, behind = found[0]
    return (
        f'the guest says "{word.text} {behind}", which is the answer as the model gives it; by the {what}\'s '
        f'name, "{name}", it is in {unit}: was it not brought to {behind}?'
    )


def unit_of(name: str) -> str:
    """Returns the unit that a name says, or "" if there is none."""
    rest, unit = unit_in(name)
    unit = unit or (rest if rest in ALONE else "")
    return unit if unit in UNITS else ""


def spelled(behind: str) -> str:
    """A unit that stands behind a number as it is called in `UNITS`."""
    plain = behind.lower().replace(" ", "")
    return SPELLED.get(plain, plain)


def is_same(unit: str, other: str) -> bool:
    """Whether two names are of one unit."""
    (kind, size), (_, others) = UNITS[unit], UNITS[other]
    return size == others or (kind != "warmth" and abs(size / others - 1) < SAME)
