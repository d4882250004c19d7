"""An answer that is in the scale of a file that was read, and isn't brought back, or by another formula.

What is here: `not_scaled_back`, which takes the scale by the output's name. What is not: forecasts of a
column whose scale stands in no file (`undone`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .scales import Scale, named_scales, of_output
from .told import Told

SAID = regex(r"\b(?:scaled|normali[sz]ed|standardi[sz]ed|z|sigma|score|deviations?)\b", re.IGNORECASE)
"""The guest says itself that a number is scaled."""
ASIDE = regex(
    r"\b(?:above|below|off|over|under|from|than|anomaly|anomalies|deviat\w+|delta|change|differs?"
    r"|difference)\b",
    re.IGNORECASE,
)
"""The guest writes how far something is from its mean, which needs the deviation alone."""
MOST_VALUES = 128
APART = 0.02
"""Scales that differ by less are the same."""


def not_scaled_back(told: Told) -> str:
    """Returns what is wrong with how answers were scaled back, or "" if nothing is."""
    values = told.values
    if not 0 < len(values) <= MOST_VALUES:
        return ""
    scales = named_scales(told.files)
    own = of_output(told.answers[0].name, told.answers[0].model, scales)
    if own is None or (abs(own.centre) < APART and abs(own.width - 1) < APART):
        return ""
    if told.said([back(own, value) for value in values]):
        return ""
    for wrong, made in mistakes(own, scales, values):
        if found := told.said(made):
            if wrong == AS_IS and (SAID.search(told.text) or may_be_plain(own, values)):
                return ""
            if wrong == NO_MEAN and ASIDE.search(told.text):
                return ""
            return (
                f"the guest says {found[0].text}, which is {wrong.format(own.name)}; {own.file} has "
                f"{own.centre:g} and {own.width:g} for {own.name}: times {own.width:g} plus "
                f"{own.centre:g} it is {back(own, values[0]):.5g}"
            )
    return ""


AS_IS = "the answer as the model gives it, scaled"
NO_MEAN = "the answer times the deviation, without the mean"
"""These words name two mistakes that may be none."""


def may_be_plain(scale: Scale, values: list[float]) -> bool:
    """Whether answers may be what the scale is of, as it is, because the model brings them back itself."""
    off = abs(float(numpy.median(values)) - scale.centre)
    return off <= USUAL * abs(scale.width) and float(numpy.std(values)) >= NARROW * abs(scale.width)


USUAL, NARROW = 3.0, 0.2
"""How many deviations a middle is from the mean, and the least deviation, of the data of a scale."""


def back(scale: Scale, value: Any) -> Any:
    return value * scale.width + scale.centre


def mistakes(own: Scale, scales: list[Scale], values: list[float]) -> Iterator[tuple[str, list[float]]]:
    """Yields what a usual mistake makes of answers, each in words."""
    yield AS_IS, values
    yield NO_MEAN, [one * own.width for one in values]
    yield "the answer plus the mean, not multiplied by the deviation", [one + own.centre for one in values]
    yield "the answer scaled once more", [(one - own.centre) / own.width for one in values]
    yield (
        "the answer with mean and deviation exchanged",
        [one * own.centre + own.width for one in values],
    )
    yield "the mean added before it was multiplied", [(one + own.centre) * own.width for one in values]
    yield "the mean taken away, not added", [one * own.width - own.centre for one in values]
    yield "divided by the deviation, not multiplied", [one / own.width + own.centre for one in values]
    for other in scales:
        if (other.centre, other.width) != (own.centre, own.width):
            yield (
                f"the answer scaled back by the numbers of {other.name}, and not of {{}}",
                [back(other, one) for one in values],
            )
