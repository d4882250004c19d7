"""Answers of an output that says by its name that they are in deviations from a mean (`price_z`,
`age_scaled`), written as they are beside the range of an amount, in which none of them is.

What is here: `named_standard`. What is not: models that say it by their answers to usual scaled inputs
(`standardised.py`), and scales that stand in files (`scaled.py`).
"""

from __future__ import annotations

import re

from ..written.brought_back import OF_CHANGES
from .told import Told

NAMED = re.compile(
    r"(?<![a-z])(?:z(?:_?scores?)?|scaled|standardi[sz]ed|normali[sz]ed|whitened)$"
    r"|^(?:z_?scores?|scaled|standardi[sz]ed|normali[sz]ed)_"
)
SAID = re.compile(
    r"\bz\b|z-?score|sigma|deviation|\bsd\b|scaled|standardi[sz]|normali[sz]ed|above|below|average|than",
    re.IGNORECASE,
)
"""The guest itself says so, or to what it compares them."""
AXIS = re.compile(
    r"^z$|(?:pos|acc|gyr|rot|mag|grav|force|vel|speed|axis|point|coord|cent|delta|offset|move|angle)[a-z]*_z$"
)
"""A z that is the third axis of a place or a movement."""
RANGE = re.compile(
    r"(?<![\w.])(-?\d+(?:\.\d+)?)\s?(?:to|-|\.\.\.?|\u2013|\band\b)\s?(-?\d+(?:\.\d+)?)(?![\w.]|-\d)"
)
FARTHEST, FEWEST, TIMES = 6.0, 2, 4.0
"""How far standardised answers are from 0, the fewest that are written, and how many times as large the ends
of a range are, which nobody says of such."""


def named_standard(told: Told) -> str:
    """Returns what is wrong with answers that were to be brought back, or "" if nothing is."""
    name, values = told.answers[0].name.lower(), told.values
    found = NAMED.search(name)
    if found is None or len(values) < FEWEST or AXIS.search(name):
        return ""
    if max(map(abs, values)) > FARTHEST or SAID.search(told.text) or OF_CHANGES.search(told.text):
        return ""
    words = told.said(values)
    ranges = {tuple(sorted(map(float, one))) for one in RANGE.findall(told.text)}
    if not words or len(ranges) != 1:
        return ""
    low, high = next(iter(ranges))
    far = max(map(abs, values))
    if not (high > TIMES * far and high - low > TIMES * (max(values) - min(values))) or max(values) >= low:
        return ""
    name = told.answers[0].name
    return (
        f"the guest says {words[0].text}, which is the answer as the model gives it, beside a range of "
        f'{low:g} to {high:g}, in which none of {len(values)} is; by the name, "{name}", answers are '
        "in deviations from a mean: are they to be brought back (answer * deviation + mean)?"
    )
