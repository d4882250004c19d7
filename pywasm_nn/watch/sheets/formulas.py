"""What usual formulas, right and wrong ones, make of numbers that are scaled by two lists of numbers.

What is here: the formulas, and `by_formula`, which says by which wrong one a line became an input. What is
not: where the two lists come from (`scaler_files.py`, `own_lists.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from .scaler_files import MOSTLY, Lists

FEWEST, EXACT = 3, 2e-4
FEWEST_LINES, ALIKE, UNLIKE, CLEARLY = 5, 0.5, 0.6, 2.5
"""The fewest lines that show how wide columns are; the most that the logarithm of a scaled column's width is
off, the least that it is off by wrong numbers, and how many times as much."""
FEW_LINES, HALF = 3, 0.5
"""The fewest lines that show how wide columns usually are, and the part of their numbers that is nearer to
the mean than to the deviation at least."""
Formula = Callable[[Any, Any, Any], Any]
"""From numbers and the two that they are scaled by to the others."""


def by_root_of(numbers: Any, mean: Any, by: Any) -> Any:
    return (numbers - mean) / by**0.5


RIGHTLY: Sequence[Formula] = [
    lambda x, a, b: (x - a) / b,
    lambda x, a, b: (x - a) / (b - a),
    lambda x, a, b: 2 * (x - a) / (b - a) - 1,
    by_root_of,
]
"""By mean and deviation, by the ends of a range, by mean and variance."""
EXCHANGED: dict[str, Formula] = {
    "lessened by the deviation and divided by the mean (the two lists are exchanged)": (
        lambda x, a, b: (x - b) / a
    ),
}
"""Which of two lists are the means has to be sure to say this."""
MISTAKEN: dict[str, Formula] = {
    "lessened by the mean and multiplied by the deviation, not divided": lambda x, a, b: (x - a) * b,
    "made larger by the mean, not less": lambda x, a, b: (x + a) / b,
    "divided by the deviation, and then lessened by the mean (brackets are missing)": (
        lambda x, a, b: x / b - a
    ),
    "lessened by mean / deviation (brackets are missing)": lambda x, a, b: x - a / b,
    "divided by the square of the deviation": lambda x, a, b: (x - a) / b**2,
    "scaled twice": lambda x, a, b: ((x - a) / b - a) / b,
    "divided by the deviation, and the mean was not taken away": lambda x, _, b: x / b,
    "lessened by the mean, and not divided by the deviation": lambda x, a, _: x - a,
    "multiplied by the deviation and made larger by the mean, which undoes a scaler": (
        lambda x, a, b: x * b + a
    ),
}
"""What usual mistakes make of numbers, in words."""
BY_HIGH, CONSIDERABLE = "lessened by low, and divided by high in place of high - low", 0.2
"""Where low is less than this part of high, the second list may as well be high - low."""
OF_RANGES: dict[str, Formula] = {
    "divided by high - low, and low was not taken away": lambda x, a, b: x / (b - a),
    "divided by high, and low was not taken away": lambda x, _, b: x / b,
    BY_HIGH: lambda x, a, b: (x - a) / b,
    "lessened by low, and not divided by high - low": lambda x, a, _: x - a,
    "lessened by low / (high - low) (brackets are missing)": lambda x, a, b: x - a / (b - a),
    "lessened by high, and divided by low": lambda x, a, b: (x - b) / a,
    "multiplied by high - low, not divided": lambda x, a, b: (x - a) * (b - a),
    "made larger by low, not less": lambda x, a, b: (x + a) / (b - a),
    "scaled twice": lambda x, a, b: ((x - a) / (b - a) - a) / (b - a),
    "multiplied by high - low and made larger by low, which undoes a scaler": lambda x, a, b: x * (b - a) + a,
}
"""The same by the smallest and the largest number."""


def same(made: Any, row: Any) -> bool:
    """Whether one of several lines is an input."""
    near = abs(made - row) <= EXACT * (abs(row) + 1)
    return bool(near.all(axis=1).any()) and len({*row.tolist()}) >= FEWEST


def unlike_width(wide: Any, deviations: Any) -> float:
    """Returns how far the widths of columns are from deviations: the logarithm of the factor between them."""
    return float(numpy.sqrt((numpy.log(wide / deviations) ** 2).mean()))


def is_clearly(right: float, wrong: float) -> bool:
    """Whether columns are about as wide as one of two lists says, and not as the other one says."""
    return right < ALIKE and wrong > max(UNLIKE, CLEARLY * right)


def are_deviations(lines: Any, lists: Lists) -> bool:
    """Whether columns are usually about as wide as the second one of two lists says, and clearly not as the
    first one does, which are the averages: of what is often near 0, numbers are as near to both."""
    if len(lines) < FEW_LINES or not lists.may_fit(lines) or not (lists.means > 0).all():
        return False
    wide, off = lines.std(axis=0, ddof=1), abs(lines.mean(axis=0) - lists.means)
    nearer = (abs(lines - lists.means) < abs(lines - lists.deviations)).mean()
    if not (wide > 0).all() or (off < lists.deviations).mean() < MOSTLY or nearer <= HALF:
        return False
    right, wrong = (float(abs(numpy.median(numpy.log(wide / one)))) for one in reversed(lists.both))
    return is_clearly(right, wrong)


def by_formula(window: Any, row: Any, lists: Lists) -> str:
    """Returns what is wrong with an input that a wrong formula makes of a line, or "" if none does."""
    is_range = lists.is_bare and lists.is_range_of(window)
    is_sure = lists.fits(window) or are_deviations(window, lists)
    if is_sure or (lists.is_bare and not is_range and lists.may_fit(window)):
        formulas = MISTAKEN | (EXCHANGED if is_sure else {})
        has, meant = "a mean and a deviation", "(x - mean) / deviation"
    elif is_range:
        formulas, has, meant = OF_RANGES, "the ends of a range (low and high)", "(x - low) / (high - low)"
    else:
        return ""
    if any(
        same(formula(window, *lists.both), row) for formula in (RIGHTLY[1:3] if is_range else RIGHTLY[:1])
    ):
        return ""
    for said, formula in formulas.items():
        if said == BY_HIGH and (abs(lists.means) < CONSIDERABLE * lists.deviations).mean() > HALF:
            continue
        if same(formula(window, *lists.both), row):
            return f"each column was {said}, though {lists.where} has {has} for each: is {meant} meant?"
    return ""
