"""Forecasts that are written in the scale in which the window of a column was sent, of any number of steps.

What is here: `as_given`. What is not: forecasts that were brought back by a wrong formula
(`brought_back.py`), and answers to rows of several columns (`amounts/standardised.py`).

That a window was scaled says nothing of the answer: it may be a change, a score or a share. So it has to
leave the range of shares, and to be a forecast by what came next, by how it goes on, or by what is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...arrays import numpy
from ..spoken import Spoken
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
FORECAST = re.compile(
    r"expect|forecast|predict|tomorrow|\bnext\b|ahead|\bin \d+ ?(?:h|min|d|step)", re.IGNORECASE
)
SCALED = re.compile(
    r"scaled|normali[sz]ed|standardi[sz]ed|z-?score|score|anomal|class|label|logit|index|alarm|prob",
    re.IGNORECASE,
)
"""Words for numbers that are no amounts."""


def as_given(found: Sequence[Ahead], text: Spoken) -> str:
    """Returns what is wrong with forecasts that are written as the model gives them, or "" if nothing is."""
    answers = [float(one) for each in found for one in each.answers]
    if not answers or OF_CHANGES.search(text) or SCALED.search(text):
        return ""
    if max(map(abs, answers)) > FARTHEST or SHARES[0] < min(answers) <= max(answers) < SHARES[1]:
        return ""
    word = in_order(text, answers)
    if not word or in_order(text, [float(one) for each in found for one in each.back]):
        return ""
    if not (are_near(found) or go_on(found) or (FORECAST.search(text) and are_beside(found))):
        return ""
    (mean, by), first = found[0].scale, found[0].back[0]
    return (
        f"the guest says {word} as the model gives it, in the scale of the window, which was scaled by "
        f"taking {mean:.4g} away and dividing by {by:.4g}: scaled back so it is {first:.4g}"
    )


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
    """Whether forecasts are out of the column's range, and if they are scaled back within it, and the first
    step is beside the window's last number."""
    for one in found:
        known = one.column[numpy.isfinite(one.column)]
        low, high = float(known.min()), float(known.max())
        room = ROOM * (high - low)
        outside = (one.answers < low - room) | (one.answers > high + room)
        inside = (one.back > low - room) & (one.back < high + room)
        beside = abs(float(one.answers[0] - one.window.reshape(-1)[-1]))
        if not (outside.all() and inside.all() and beside <= BESIDE * float(one.window.std())):
            return False
    return True
