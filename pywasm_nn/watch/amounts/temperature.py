"""Shares at a temperature that a guest or a file names, which were worked out at another.

What is here: `at_another`.
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ..origin.comparing import softmax
from ..regex import regex
from .told import Told

NAMED = regex(
    r"\btemperature\b[\"']?[ \t]*(?:[:=]|of|is)?[ \t]*(\d(?:\.\d{1,4})?)(?![\d.]|[ \t]*(?:°|deg|[CFK]\b))",
    re.IGNORECASE,
)
WEATHER = regex(r"humid|wind|rain|snow|weather|pressure|cloud|°|celsius|degree|sensor|fever", re.IGNORECASE)
"""A text with one of these words is about another temperature."""
MOST = 2.5
"""Weather is mostly warmer, and changes from line to line."""
MOST_BYTES, MOST_ROWS, LEAST_CLASSES, LISTED = 1 << 14, 64, 3, 2
DIGITS = 3
LEAST = 0.005
NEAR = 1e-6
"""An element of an input is a number if it differs from it by less."""


def temperature(told: Told) -> float:
    """Returns the only temperature that is named, or 0 if there is none, several, or 1."""
    texts = [
        str(told.text),
        *(data.decode("utf-8", "replace") for _, data in told.files if len(data) <= MOST_BYTES),
    ]
    named = [text for text in texts if NAMED.search(text)]
    found = {float(one) for text in named for one in NAMED.findall(text)} - {0.0, 1.0}
    if any(map(WEATHER.search, named)) or len(found) != 1 or max(found) > MOST:
        return 0.0
    by = found.pop()
    return 0.0 if is_sent(told, by) else by


def is_sent(told: Told, by: float) -> bool:
    """Returns whether a number is an element of an input, as one that was measured is."""
    given = [own for one in told.answers for own in one.given]
    return any(bool((abs(own - by) < NEAR).any()) for own in given)


def at_another(told: Told) -> str:
    """Returns what is wrong with shares at a temperature, or "" if nothing is."""
    words = [word for word in told.text.words if not word.is_whole and word.digits >= DIGITS - 1]
    by = temperature(told)
    if not by or not words:
        return ""

    def is_said(shares: Any, listed: int = LISTED) -> bool:
        """Whether the largest shares are all written."""
        top = numpy.sort(shares)[::-1][:listed]
        return all(
            value > LEAST and any(bool(word.fits(value)) or bool(word.fits(100 * value)) for word in words)
            for value in top.tolist()
        )

    for one in told.answers:
        for row in one.rows[-MOST_ROWS:]:
            if len(row) < LEAST_CLASSES or not (row.min() < 0 or row.max() > 1):
                continue
            right, times, none = (softmax(row * factor) for factor in (1 / by, by, 1.0))
            if is_said(right, 1):  # those before may stand beside it
                return ""
            for wrong, shares in (
                ("of the answers times the temperature", times),
                ("at temperature 1", none),
            ):
                if is_said(shares):
                    best = int(row.argmax())
                    return (
                        f"the guest says {shares[best]:.3f} at temperature {by:g}, which is softmax {wrong}; "
                        f"divided by {by:g} before e is raised to them it is {right[best]:.3f}"
                    )
    return ""
