"""Answers of an output that says by its name that they are in deviations from a mean (`price_z`,
`age_scaled`), written as they are beside the range of an amount, in which none of them is; and such of any
name, around 0, if the guest says of each that it is one of that range.

What is here: `named_standard`. What is not: models that say it by their answers to usual scaled inputs
(`standardised.py`), and scales that stand in files (`scaled.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..regex import regex
from ..spoken import Spoken
from ..written.brought_back import OF_CHANGES
from .told import Told

NAMED = regex(
    r"(?<![a-z])(?:z(?:_?scores?)?|scaled|standardi[sz]ed|normali[sz]ed|whitened)$"
    r"|^(?:z_?scores?|scaled|standardi[sz]ed|normali[sz]ed)_"
)
SAID = regex(
    r"\bz\b|z-?score|sigma|deviation|\bsd\b|scaled|standardi[sz]|normali[sz]ed|above|below|average|than",
    re.IGNORECASE,
)
"""The guest itself says so, or to what it compares them."""
AXIS = regex(
    r"^z$|(?:pos|acc|gyr|rot|mag|grav|force|vel|speed|axis|point|coord|cent|delta|offset|move|angle)[a-z]*_z$"
)
"""A z that is the third axis of a place or a movement."""
RANGE = regex(
    r"(?<![\w.])(-?\d+(?:\.\d+)?)\s?(?:to|-|\.\.\.?|\u2013|\band\b)\s?(-?\d+(?:\.\d+)?)(?![\w.]|-\d)"
)
FARTHEST, FEWEST, TIMES = 6.0, 2, 4.0
"""How far standardised answers are from 0, the fewest that are written, and how many times as large the ends
of a range are, which nobody says of such."""


OF_RANGE = regex(
    r"(?<![\w.])(-?\d+(?:\.\d+)?)[ \t]?(?:[a-z%/]{1,12}[ \t]?){0,3}[ \t,;:]*[(\[]?[ \t]*"
    r"(?:out[ \t]+of|of|scale|range|possible|can[ \t]+be)[ \t:=]+(?:(?:of|from|between)[ \t]+)?"
    + RANGE.pattern
    + r"(?=[ \t]*(?:[)\].;,]|$))",
    re.IGNORECASE | re.MULTILINE,
)
"""An amount, and behind it the range of which it is one. What is usual or allowed may well be left."""
FEWEST_OF_RANGE = 4


def named_standard(told: Told) -> str:
    """Returns what is wrong with answers that were to be brought back, or "" if nothing is."""
    name, values = told.answers[0].name, told.values
    if len(values) < FEWEST or max(map(abs, values)) > FARTHEST or AXIS.search(name.lower()):
        return ""
    text, is_named = told.text, NAMED.search(name.lower()) is not None
    if not is_named:
        text = Spoken("\n".join(line for line in told.text.splitlines() if OF_RANGE.search(line)))
    words = [] if SAID.search(text) or OF_CHANGES.search(text) else told.said(values)
    ranges = {tuple(sorted(map(float, one))) for one in RANGE.findall(text)}
    if not words or len(ranges) != 1:
        return ""
    low, high = next(iter(ranges))
    far = max(map(abs, values))
    if not (high > TIMES * far and high - low > TIMES * (max(values) - min(values))) or max(values) >= low:
        return ""
    if not is_named and not are_around(values, [one.text for one in words], text):
        return ""
    why = f'by the name, "{name}",' if is_named else "around 0 as they are,"
    return (
        f"the guest says {words[0].text}, which is the answer as the model gives it, beside a range of "
        f"{low:g} to {high:g}, in which none of {len(values)} is; {why} answers are "
        "in deviations from a mean: are they to be brought back (answer * deviation + mean)?"
    )


def are_around(values: Sequence[float], words: Sequence[str], text: str) -> bool:
    """Whether answers are below 0 and above, and a guest says of all of them, and of nothing else, that they
    are of a range."""
    is_around = len(values) >= FEWEST_OF_RANGE and min(values) < 0 < max(values)
    return is_around and [match[1] for match in OF_RANGE.finditer(text)] == [*words]
