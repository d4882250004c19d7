"""Errors of models that restore their input: differences whose signs were left on, so that they cancel out.

What is here: `signed`. What is not: answers that are compared with other numbers (`probes.restored`).
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .told import Told

LEAST, CANCELLED = 3, 0.6
"""Elements of an input, and the part of the differences that are left, at most, in half of the rounds."""
MEANT = regex(
    r"\b(?:bias|signed|drift|offset|shift|change|delta|net|balance|mean (?:error|difference|residual)"
    r"|residual mean)\b",
    re.IGNORECASE,
)
"""The guest itself says that differences have a sign."""
AN_ERROR = regex(
    r"err(?:or)?s?\b|loss|mse|mae\b|anomal|rebuil|reconstruct|restor|score|deviat|distance|outlier|alarm"
    r"|fault|normal|defect|\bok\b|threshold|quality",
    re.IGNORECASE,
)
"""A guest with one of these words calls what it writes an error, or judges by it. Without one a mean of
differences may be of use as it is."""
FEWEST = 3


def differences(told: Told) -> list[Any]:
    """Returns what each answer is away from the input of its size, or [] if one has none."""
    found = []
    for one in told.answers:
        flat = one.rows.reshape(-1)
        given = [own for own in one.given if own.size == flat.size]
        if len(given) != 1 or flat.size < LEAST:
            return []
        found.append(flat - given[0])
    return found


def signed(told: Told) -> str:
    """Returns what is wrong with how differences were summed up, or "" if nothing is."""
    apart = differences(told)
    if len(apart) < FEWEST or MEANT.search(told.text) or not AN_ERROR.search(told.text):
        return ""
    rightly = [
        made
        for size in ([abs(one) for one in apart], [one**2 for one in apart])
        for made in (
            [one.mean() for one in size],
            [one.sum() for one in size],
            [one.max() for one in size],
            [numpy.sqrt(one.mean()) for one in size],
            [numpy.sqrt(one.sum()) for one in size],
            [numpy.median(one) for one in size],
        )
    ]
    if any(told.said(made) for made in rightly):
        return ""
    left = [abs(one.sum()) / max(1e-30, abs(one).sum()) for one in apart]
    if numpy.median(left) > CANCELLED:
        return ""
    for sign in (1, -1):
        for what, made in (
            ("mean", [sign * one.mean() for one in apart]),
            ("sum", [sign * one.sum() for one in apart]),
        ):
            if found := told.said(made):
                at = int(numpy.argmin(left))
                return (
                    f"the guest says {found[at].text}, which is the {what} of its differences from the input "
                    f"with their signs: those above and below cancel out (without signs the {what} is "
                    f"{getattr(numpy, what)(abs(apart[at])):.4g}); take squares, or fabs"
                )
    return ""
