"""Guests that compute on many inputs from files, and use each answer a round late, so that the last one is
never used.

What is here: `behind_by_one`, which gives the last two of all answers, in copies that go on to the guest's
end. What is not: lines that show it one by one (`series.py`), and calls in the wrong order
(`order/early.py`). An answer from which the next input is made is rightly never used if it is the last; so
inputs must be known to come from a file.
"""

from __future__ import annotations

import re
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..sheets.sheet import sheet_of
from .asked import Asked, Given, Sent
from .times import MOST_STEPS, rates, step_of

ROUNDS = 4, 16
"""After so many computes it is asked: of runs that end soon, and of longer ones, where each question takes
long."""
FEWEST = 3
"""So many computes follow."""
LOW, HIGH, FAR = 0.001, 0.999, 10.0
MOST_CLASSES = 4096
JUDGED = regex(
    r"forecast|actual|observed|measured|expected|tomorrow|\bnext\b|\bahead\b|residual|\b(?:mae|mape|rmse|mse)\b"
    r"|\b(?:absolute|mean|average|squared) errors?\b",
    re.IGNORECASE,
)
"""Words of a guest that compares each forecast with what came then, as it can't the last one."""


def behind_by_one(asked: Asked) -> str:
    """Returns a hint about answers that are used a round late, or "" if they aren't."""
    ending = asked.ending
    if ending is None or not ending.is_whole or len(ending.texts) <= FEWEST or are_judged(ending.text):
        return ""
    if not is_of_file(asked):
        return ""
    more = len(ending.texts) - 1
    for index, output in asked.fetched():
        is_row = len(output.lengths) <= 1 and output.array.size <= MOST_CLASSES
        if is_row and output.array.dtype.kind == "f" and is_behind(asked, index, answers(output), more):
            return (
                f"{output.what}: nothing that the guest writes follows the answer to the last of "
                f"{asked.round + more} inputs, and it follows the one before: is each answer used in the "
                "round after its own, as get_output comes behind that in the loop?"
            )
    return ""


def are_judged(text: str) -> bool:
    """Whether a text may be about forecasts and what came then."""
    return JUDGED.search(text) is not None


def answers(output: Given) -> tuple[Any, Any]:
    """Two answers between which a guest decides otherwise."""
    array = output.array
    if array.size == 1:
        low, high = (LOW, HIGH) if 0 <= array.min() <= 1 else (array.min() - FAR, array.max() + FAR)
        return numpy.full(array.shape, low, array.dtype), numpy.full(array.shape, high, array.dtype)
    return output.filled([0]), output.filled([array.size - 1])


def is_behind(asked: Asked, index: int, of: tuple[Any, Any], more: int) -> bool:
    """Whether the answer to the last but one input changes what is written, and that to the last doesn't,
    whichever the other one is."""
    low, high = of

    def said(*last: Any) -> str | None:
        return asked.series(index, [*[low] * (more + 1 - len(last)), *last])

    never, once = said(low), said(high, low)
    if never is None or once in (never, None):
        return False
    return said(high) == never and said(high, high) == once


def is_of_file(asked: Asked) -> bool:
    """Whether an input is a picture, a window of a sound or a line of a table that was read."""
    return any(
        one.placed is not None or is_of_sound(asked, one) or is_of_table(asked, one) for one in asked.sent
    )


def is_of_sound(asked: Asked, sent: Sent) -> bool:
    step = step_of(sent, is_of_sound=True)
    if not step or sent.array is None:
        return False
    begins = [step * at + by for at in range(MOST_STEPS) for by in (0, step - sent.array.size)]
    return any(rates(asked, sent, begins))


def is_of_table(asked: Asked, sent: Sent) -> bool:
    if sent.array is None or sent.array.size < FEWEST:
        return False
    row = sent.array.reshape(-1).astype("f8")
    for name, data in asked.files():
        sheet = sheet_of(name, data)
        first = range(sheet.numbers.shape[1] - row.size + 1) if sheet is not None else ()
        for at in first:
            there = sheet.numbers[:, at : at + row.size] if sheet is not None else row
            if numpy.isclose(there, row, rtol=1e-5, atol=0).all(axis=-1).any():
                return True
    return False
