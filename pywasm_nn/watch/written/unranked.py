"""Numbered lines that are said to be the best ones, with scores that are in no order.

What is here: `unranked`, by what is written. What is not: why it is so (`probes/whole_differences.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ...arrays import numpy
from ..regex import regex
from ..spoken import NUMBER, Word
from .misread import Round

FEWEST, FEWEST_DIGITS, CHANCE = 3, 2, 1e-3
"""Lines of a list, the digits of each number, and how probable it is at most that all are some element's."""
LINE = regex(r"^\s*#?(\d{1,2})[.):]?\s+(\S.*)$", re.MULTILINE)
BEST = regex(
    r"\b(?:top|best|highest|ranked|ranking|most (?:likely|relevant|similar|probable))\b", re.IGNORECASE
)
TIMES = (1.0, 100.0)
"""Scores are written as they are, or as percents."""


def unranked(of: Round) -> str:
    """Returns a hint about the best ones of an answer that neither fall nor rise, or "" if there are none."""
    words = ranked(of.text)
    if len(words) < FEWEST or BEST.search(of.text) is None or is_ordered(words):
        return ""
    for output in of.outputs:
        values = output.flat
        if len(values) <= len(words) or not numpy.isfinite(values).all() or not numpy.ptp(values):
            continue
        for times in TIMES:
            chance = min(1.0, len(values) * max(one.unit for one in words) / float(times * numpy.ptp(values)))
            if chance ** len(words) <= CHANCE and all(bool(one.fits(times * values).any()) for one in words):
                shown = ", ".join(one.text for one in words[:FEWEST])
                return (
                    f"{output.what}: the guest says {shown} of its best ones, numbered from 1, and these are "
                    f"in no order; the largest of all is {times * values.max():.4g}: are they sorted by "
                    "another number, or not at all?"
                )
    return ""


def ranked(text: str) -> Sequence[Word]:
    """The only number that isn't whole in each line, if all that have one are numbered from 1 on, or []."""
    lines = [
        (int(number), words)
        for number, rest in LINE.findall(text)
        if (words := [word for one in NUMBER.findall(rest) if not (word := Word.of(one)).is_whole])
    ]
    are_numbered = [number for number, _ in lines] == [*range(1, len(lines) + 1)]
    if not are_numbered or any(len(one) > 1 for _, one in lines):
        return []
    words = [one[0] for _, one in lines]
    return words if all(one.digits >= FEWEST_DIGITS for one in words) else []


def is_ordered(words: Sequence[Word]) -> bool:
    """Whether numbers fall, or rise."""
    steps = [two.value - one.value for one, two in pairwise(words)]
    return min(steps) >= 0 or max(steps) <= 0
