"""Finds logarithms that are far beyond those of anything, of which a guest makes infinite or senseless
amounts. Columns of a table were sent as they stand to a model that knows small numbers.

What is here: `beyond_all`. What is not: which outputs are logarithms (`undone.py`), and what a model says to
other inputs (`whatif/standardised.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.tables import Table, named
from ..regex import regex
from ..spoken import Spoken

HUGE, LARGEST = 30.0, 88.0
"""No amount is e to the first, and the floats of 32 bits end at e to the second."""
FEWEST, MOSTLY = 2, 0.5
"""At least so many answers, and this part of all, are above `HUGE`."""
LARGE, MOST_ELEMENTS = 20.0, 256
"""An element that is too large has at least this size, and an input has at most so many elements."""
NEAR = 1e-5
"""An element is a number of a table if the two differ by less than this part of it."""
INFINITE = regex(r"(?<![A-Za-z])[+]?inf(?:inity)?(?![A-Za-z])", re.IGNORECASE)
"""It matches what is written of a number beyond all floats."""
AMOUNT = regex(r"(?<![\w.,-])(?:[1-9]\d{12,60}(?:\.\d{1,6})?|[1-9](?:\.\d{1,9})?[eE]\+?\d\d)(?!\w)")
"""It matches numbers from about e to `HUGE` on."""
SAME = 0.01
"""A number is the power of an answer if its logarithm differs from the answer by less."""


def beyond_all(answers: Sequence[float], inputs: Sequence[Any], text: Spoken, tables: Sequence[Table]) -> str:
    """Returns what is wrong with answers that are logarithms, or "" if nothing is."""
    far = [at for at, one in enumerate(answers) if one > HUGE and inputs[at] is not None]
    if len(far) < FEWEST or len(far) < MOSTLY * len(answers):
        return ""
    largest = max(far, key=lambda at: answers[at])
    shown = written(answers[largest], text)
    widths = {len(inputs[at]) for at in far}
    if not shown or len(widths) > 1 or max(widths) > MOST_ELEMENTS:
        return ""
    rows = numpy.stack([inputs[at] for at in far])
    place = int(abs(rows).min(axis=0).argmax())
    if abs(rows[:, place]).min() < LARGE:
        return ""
    for table in tables:
        for column, there in enumerate(table.numbers.T):
            apart = abs(there[:, None] - rows[:, place])
            if (numpy.nanmin(apart, axis=0, initial=numpy.inf) <= NEAR * abs(rows[:, place])).all():
                return (
                    f"it is {answers[largest]:.4g}, by its name a logarithm, of which the guest makes "
                    f"{shown}: nothing is so large. Element {place} of the input is "
                    f"{named(table, column)} as it stands ({inputs[largest][place]:g}): does the model know "
                    "its logarithm (log1p), or is it to be scaled?"
                )
    return ""


def written(answer: float, text: Spoken) -> str:
    """Returns how the power of an answer is written, or "" if it isn't."""
    if answer > LARGEST:
        return "inf" if INFINITE.search(text) else ""
    found = (one for one in AMOUNT.findall(text) if abs(numpy.log(float(one)) - answer) < SAME)
    return next(found, "")
