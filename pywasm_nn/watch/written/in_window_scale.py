"""Forecasts that are written in the scale in which the window of a column was sent, of any number of steps.

What is here: `as_given`. What is not: forecasts that were brought back by a wrong formula
(`brought_back.py`), and answers to rows of several columns (`amounts/standardised.py`).

That a window was scaled says nothing of the answer: it may be a change, a score or a share. So it has to
leave the range of shares, or be said in the column's unit, which shares never are, and to be a forecast by
what came next, by how it goes on, or by what is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...arrays import numpy
from ..regex import regex
from ..spoken import Spoken, Word
from ..units import SPLIT, UNITS, WRITTEN, kinds_of
from .brought_back import OF_CHANGES, Ahead

FARTHEST, SHARES = 6.0, (-0.02, 1.02)
"""Scaled numbers are no farther from 0, and shares lie in this range."""
DIGITS, FEWEST, FEWEST_KNOWN, FEWEST_AHEAD = 3, 2, 3, 6
"""Different digits of all numbers, digits of the longest, numbers that came next, and steps that show how a
forecast goes on."""
NEAR, FAR, CLEARLY = 0.75, 1.0, 3.0
"""How far, in deviations of a window, forecasts are from the next numbers, how far they aren't, and how many
times as far that is."""
ROOM, BESIDE = 0.25, 1.0
"""By which part of its range a forecast leaves a column, and how many deviations of the window its first step
is from the last number."""
JUMP = 2.0
"""A forecast of the next number that differs by so many of the column's largest steps is in another scale."""
MEASURED = regex(r"(?<![+\w.-])(-?\d+\.\d+) ?(\u00b0 ?[A-Za-z]?\b|\u00b0|[A-Za-z]+(?:/[a-z0-9]+)?)")
"""A number with a unit behind it. A sign of plus says that it is a change."""
WARMTH = regex(r"\u00b0|deg|temp(?:erature)?s?$")
"""Words and signs for degrees, beside their units."""
CHANGED = regex(r"warmer|colder|cooler|hotter|higher|lower|stronger|weaker", re.IGNORECASE)
FORECAST = regex(r"expect|forecast|predict|tomorrow|\bnext\b|ahead|\bin \d+ ?(?:h|min|d|step)", re.IGNORECASE)
SCALED = regex(
    r"scaled|normali[sz]ed|standardi[sz]ed|z-?score|score|anomal|class|label|logit|index|alarm|prob",
    re.IGNORECASE,
)
"""Words for numbers that are no amounts."""


def as_given(found: Sequence[Ahead], text: Spoken) -> str:
    """Returns what is wrong with forecasts that are written as the model gives them, or "" if nothing is."""
    answers = [float(one) for each in found for one in each.answers]
    if not answers or OF_CHANGES.search(text) or SCALED.search(text):
        return ""
    if max(map(abs, answers)) > FARTHEST:
        return ""
    word = in_its_unit(found, text) if (is_share := are_shares(answers)) else in_order(text, answers)
    if not word or in_order(text, [float(one) for each in found for one in each.back]):
        return ""
    if is_share and not go_on(found):
        return ""
    if not (are_near(found) or go_on(found) or (FORECAST.search(text) and are_beside(found))):
        return ""
    (mean, by), first = found[0].scale, found[0].back[0]
    return (
        f"the guest says {word} as the model gives it, in the scale of the window, which was scaled by "
        f"taking {mean:.4g} away and dividing by {by:.4g}: scaled back so it is {first:.4g}"
    )


def are_shares(answers: Sequence[float]) -> bool:
    """Whether all answers may be shares or chances."""
    return SHARES[0] < min(answers) <= max(answers) < SHARES[1]


def in_its_unit(found: Sequence[Ahead], text: Spoken) -> str:
    """Returns the number in a text that stands for the first of the answers, if these, in their order, are
    all numbers in it with a unit of what the column measures, or ""."""
    kinds = frozenset.intersection(*(kinds_in(SPLIT.split(one.heading)[-1]) for one in found))
    if not kinds or CHANGED.search(text):
        return ""
    answers = [float(one) for each in found for one in each.answers]
    words = [Word.of(number) for number, unit in MEASURED.findall(text) if kinds_in(unit) & kinds]
    fits = [bool(word.fits(one)) for word, one in zip(words, answers, strict=False)]
    return words[0].text if len(words) == len(answers) and all(fits) else ""


def kinds_in(unit: str) -> frozenset[str]:
    """Returns what a unit may measure, nothing if it is none."""
    unit = WRITTEN.get(unit.lower(), unit.lower())
    known = {name for name, _ in kinds_of(unit)} if unit in UNITS else set[str]()
    return frozenset(known | ({"warmth"} if WARMTH.match(unit) else set[str]()))


def in_order(text: Spoken, answers: Sequence[float]) -> str:
    """Returns the number in a text that stands for the first of the answers, if others do for all the rest,
    one behind the other, or ""."""
    left = iter([word for word in text.words if not word.is_whole])
    found = [next((word for word in left if bool(word.fits(one))), None) for one in answers]
    words = [word for word in found if word is not None]
    digits = {word.text: word.digits for word in words}
    is_all = len(words) == len(answers) and max(digits.values(), default=0) >= FEWEST
    return words[0].text if is_all and sum(digits.values()) >= DIGITS else ""


def are_near(found: Sequence[Ahead]) -> bool:
    """Whether forecasts are near to what comes next in the column if they are scaled back, and only then."""
    near, far = [], []
    for one in found:
        known = one.column[one.end : one.end + len(one.answers)]
        spread = max(float(one.window.std()) * abs(one.scale[1]), 1e-12)
        near += (abs(one.back[: len(known)] - known) / spread).tolist()
        far += (abs(one.answers[: len(known)] - known) / spread).tolist()
    if len(near) < FEWEST_KNOWN or not numpy.isfinite(near).all() or numpy.median(near) > NEAR:
        return False
    return bool(numpy.median(far) >= max(FAR, CLEARLY * float(numpy.median(near))))


def go_on(found: Sequence[Ahead]) -> bool:
    """Whether forecasts of several steps go on as their windows do, in a column that has no such numbers."""
    many = sum(len(one.answers) for one in found) >= FEWEST_AHEAD
    several = all(len(one.answers) > FEWEST for one in found)
    return many and several and are_beside(found) and all(one.is_level for one in found)


def are_beside(found: Sequence[Ahead]) -> bool:
    """Whether forecasts are out of the column's range, by a part of it or by a jump as the column has none,
    and if they are scaled back within it, and the first step is beside the window's last number."""
    for one in found:
        known = one.column[numpy.isfinite(one.column)]
        low, high = float(known.min()), float(known.max())
        room = ROOM * (high - low)
        jump = abs(float(one.answers[0] - one.column[one.end - 1]))
        beyond = 0.0 if jump > JUMP * float(numpy.nanmax(abs(numpy.diff(one.column)))) else room
        outside = (one.answers < low - beyond) | (one.answers > high + beyond)
        inside = (one.back > low - room) & (one.back < high + room)
        beside = abs(float(one.answers[0] - one.window.reshape(-1)[-1]))
        if not (outside.all() and inside.all() and beside <= BESIDE * float(one.window.std())):
            return False
    return True
