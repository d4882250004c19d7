"""Answers that are logarithms by their names, of which powers of another base were taken.

What is here: `other_base`. What is not: logarithms that are written as they are (`undone`).
"""

from __future__ import annotations

from ..regex import regex
from ..written.undone import LOG, OF_CHANCES
from .told import Told

POWERS = {"e": "e to its power (exp)", "10": "10 to its power", "2": "2 to its power"}
BASES = {"e": 2.718281828459045, "10": 10.0, "2": 2.0}
MOST_VALUES = 128
UNLIKELY, LARGEST = 1e9, 300
"""Powers of logarithms are smaller than the first; those of numbers beyond the second are no floats."""
FOLDS = regex(r"fold|fc(?![a-z])|ratio|octave|bits|express|enrich")
"""Logarithms with these names mostly have base 2."""
LEAST = 0.05
"""Smaller logarithms have powers that are alike in all bases."""


def other_base(told: Told) -> str:
    """Returns what is wrong with powers that the guest writes, or "" if nothing is."""
    name = told.answers[0].name.lower()
    found = LOG.search(name)
    if found is None or OF_CHANCES.search(name) or len(told.values) > MOST_VALUES:
        return ""
    values = told.values
    named = found["base"] or found["joined"]
    own = named if named in BASES else "e"
    less = 1.0 if named == "1p" else 0.0
    if max(map(abs, values)) < LEAST or not all(abs(one) <= LARGEST for one in values):
        return ""
    if any(told.said([BASES[own] ** one - by for one in values]) for by in {0.0, less}) or told.said(values):
        return ""
    for base, said in POWERS.items():
        if base == "10" and not named and BASES[base] ** max(values) < UNLIKELY:
            continue  # a decimal logarithm may have such a name
        if base == "2" and not named and FOLDS.search(name):
            continue
        if base != own and (there := told.said([BASES[base] ** one - less for one in values])):
            return (
                f"the guest says {there[0].text}, which is {said} of the answer {values[0]:.5g}; by its name "
                f"it is a logarithm{' to the base ' + own if own != 'e' else ' (of e)'}: "
                f"{POWERS[own]} is {BASES[own] ** values[0] - less:.6g}"
            )
    return ""
