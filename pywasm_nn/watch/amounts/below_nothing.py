"""Answers that a guest multiplies by something, and adds nothing to, though what they are by their name is
never below 0, and they are.

What is here: `below_nothing`, of a model whose answers were standardised for training, and `by_own_factor`,
of answers of any name that are multiplied by a number of the program. What is not: scales that stand in files
(`scaled.py`), and forecasts of a column (`written/brought_back.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from ...nn.formats import KNOWN
from ..regex import regex
from ..spoken import Spoken, Word, fit
from ..written.brought_back import OF_CHANGES
from .told import DIGITS, Told

FEWEST, BELOW = 3, 2
"""The fewest answers, and those of them that are below 0."""
MOST_VALUES, LEAST_FACTOR, FARTHEST, POWER = 128, 2.0, 6.0, 0.01
"""Answers; by what they are multiplied at least; how far from 0 a standardised one is; and by how much a
factor of another unit may differ from a power of ten."""
FEWEST_TIMES, NARROW, DEGREES, SAME = 2, 0.05, 57.29577951308232, 1e-6
"""The fewest answers that are all times one number of the program, the most chance that another one of its
numbers would fit, the degrees of a radian, and by how much a float may differ from what was written."""
SIGNED = regex(
    r"steer|angle|torque|force|velocit|speed|wind\b|direction|position|offset|degrees|°|yaw|pitch|roll|"
    r"latitude|longitude|return|balance|profit|loss|score|logit|temperature|slope",
    re.IGNORECASE,
)
"""A text with one of these words is about numbers that may rightly be around 0."""
HALF = 0.501
"""Of its last digit a number that is rounded may differ by so much."""
AMOUNT = regex(
    r"(?<![a-z])(?:rents?|prices?|costs?|fares?|fees?|wages?|salar(?:y|ies)|incomes?|ages?|distances?|"
    r"durations?|mileages?|populations?|visitors?|consumptions?|sales)(?![a-z])",
    re.IGNORECASE,
)
"""Names of amounts that are never below 0. Sizes and weights are left out: networks say those of pictures,
too."""


def below_nothing(told: Told) -> str:
    """Returns what is wrong with amounts that are the answers times one factor, or "" if nothing is."""
    values = told.values
    if not FEWEST <= len(values) <= MOST_VALUES or max(map(abs, values)) > FARTHEST:
        return ""
    called = next((found[0] for name in names_of(told) if (found := AMOUNT.search(name))), "")
    are_below = sum(value < 0 for value in values)
    is_of_changes = any(map(OF_CHANGES.search, (told.text, *names_of(told))))
    if not called or is_of_changes or not BELOW <= are_below < len(values):
        return ""
    for words in columns_of(told, len(values)):
        factor = factor_of(words, values)
        if factor > LEAST_FACTOR and sum(word.digits for word in words) >= DIGITS:
            first = next(word for word in words if word.value < 0)
            return (
                f'the guest says {first.text} of what is called "{called}" and is never below 0: '
                f"{len(words)} numbers are the answers times {factor:.5g}, and {are_below} of them are below "
                "0; is the mean of the training to be added to each (answer * deviation + mean)?"
            )
    return ""


def names_of(told: Told) -> list[str]:
    """What the output and the model are called."""
    models = [PurePosixPath(name).stem for name, _ in told.files if KNOWN.of_file(name) is not None]
    return [told.answers[0].name, told.answers[0].model, *(models if len(models) == 1 else ())]


def columns_of(told: Told, count: int) -> list[list[Word]]:
    """The numbers at the same place of each line, where there is a line for each answer."""
    lines = told.text.lines
    if len(lines) != count:
        return []
    shortest = min(map(len, lines))
    return [[line[place] for line in lines] for place in (*range(shortest), *range(-shortest, 0))]


def by_own_factor(text: Spoken, answers: Sequence[float], constants: Any) -> tuple[str, float]:
    """Returns the first of the answers as the guest writes it, and by which of the program's numbers each was
    multiplied, or "" and 0 if they weren't. It has more digits than factors of units and ranges have."""
    told = Told((), text, ())
    if not FEWEST_TIMES <= len(answers) <= MOST_VALUES or SIGNED.search(text):
        return "", 0.0
    for words in columns_of(told, len(answers)):
        low, high = factors_of(words, answers)
        if low < LEAST_FACTOR or sum(word.digits for word in words) < DIGITS:
            continue
        others = ((constants > low / 2) & (constants < 2 * high)).sum() - 1
        if (high / low - 1) * max(1, others) > NARROW:
            continue  # one of many is that number by chance
        for one in constants[(constants >= low) & (constants <= high)].tolist():
            is_round = any(abs(one / other - 1) < SAME for other in (float(f"{one:.2g}"), DEGREES))
            if not is_round:
                return words[0].text, one
    return "", 0.0


def factor_of(words: list[Word], values: list[float]) -> float:
    """By what all answers were multiplied, or 0 if they weren't, or by a power of ten, as of another unit."""
    low, high = factors_of(words, values)
    factor = (low + high) / 2
    return 0.0 if any(abs(factor / 10**power - 1) < POWER for power in range(7)) else factor


def factors_of(words: Sequence[Word], values: Sequence[float]) -> tuple[float, float]:
    """The least and the largest factor by which all answers may have been multiplied, or zeros."""
    ends = [
        sorted((word.value + by * word.unit) / value for by in (-HALF, HALF))
        for word, value in zip(words, values, strict=True)
        if value
    ]
    low = max((one for one, _ in ends), default=0.0)
    high = min((other for _, other in ends), default=0.0)
    factor = (low + high) / 2
    is_one = 0 < low <= high and fit([*words], [factor * value for value in values])
    return (low, high) if is_one else (0.0, 0.0)
