"""Answers to windows of a table's column that were brought back to the column's scale by a wrong formula.

What is here: `wrongly`, and `unadded` for what may be right of changes. The window says what was taken away
and divided by. What is not: answers that are written as they are (`undone.py`), and scales that stand in
files by their names (`amounts.scaled`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from ..spoken import Spoken

FEWEST_DIGITS = 4
"""Digits of a number that is no other by chance."""
APART = 0.02
OF_CHANGES = regex(
    r"change|differ|delta|rise|rose|fall|residual|anomal|error|deviat|devs?\b|std|sigma|trend|gain|step|"
    r"\b(?:up|down|by|above|below|more|less|drop|move|return)",
    re.IGNORECASE,
)
"""Words for changes, which a guest multiplies by a deviation without adding a mean, on purpose."""
FEWEST_AHEAD = 6
"""Numbers of a forecast that show whether it is in the window's scale."""
AT_HOME, AWAY = 1.0, 2.0
"""How far, in deviations of the window, the middle of a forecast is from the window's, and how many times as
far it is from nothing."""
ALIKE, WIDER = 0.7, 2.0
"""The least correlation of a forecast with the end of the window, and how many times wider either may be."""
Formula = Callable[[float, float, float], float]
WRONG: dict[str, Formula] = {
    "times {0} plus {1} (the two are exchanged)": lambda y, mean, by: y * mean + by,
    "plus {0}, and not multiplied by {1}": lambda y, mean, by: y + mean,
    "plus {0} and then multiplied by {1}": lambda y, mean, by: (y + mean) * by,
    "times {1} minus {0}": lambda y, mean, by: y * by - mean,
    "divided by {1} plus {0}": lambda y, mean, by: y / by + mean,
    "minus {0}, divided by {1} (scaled once more)": lambda y, mean, by: (y - mean) / by,
}


def wrongly(answers: Sequence[float], scales: Sequence[tuple[float, float]], text: Spoken) -> str:
    """Returns what is wrong with how answers were brought back, or "" if nothing is. `scales` are what was
    taken away from the window of each, and what it was divided by."""
    if not answers or any(abs(mean) < APART * by for mean, by in scales):
        return ""
    pairs = [*zip(answers, scales, strict=True)]
    if said(text, [y * by + mean for y, (mean, by) in pairs]) or said(text, answers):
        return ""
    for words, formula in WRONG.items():
        if found := said(text, [formula(y, *scale) for y, scale in pairs]):
            y, (mean, by) = pairs[0]
            return (
                f"the guest says {found[0]}, which is the answer {words.format(f'{mean:.4g}', f'{by:.4g}')}; "
                f"the window was scaled by taking {mean:.4g} away and dividing by {by:.4g}: times {by:.4g} "
                f"plus {mean:.4g} it is {y * by + mean:.4g}"
            )
    return ""


def said(text: Spoken, values: Sequence[float]) -> list[str]:
    """Returns the numbers in a text that stand for all values, in their order, or [] if one is missing, or
    they have too few digits."""
    left = iter([word for word in text.words if not word.is_whole])
    found = [next((word for word in left if bool(word.fits(one))), None) for one in values]
    known = [word for word in found if word is not None]
    enough = len(known) == len(found) and max(word.digits for word in known) >= FEWEST_DIGITS
    return [word.text for word in known] if enough else []


class Ahead(Frozen):
    """A window of a column, as it was sent, what was forecast of it, what was taken away from the window and
    divided by, the column's numbers, the line behind the window, and the column's heading."""

    window: Any
    answers: Any
    scale: tuple[float, float]
    column: Any
    end: int
    heading: str = ""

    @property
    def multiplied(self) -> Any:
        """The answers times the deviation, and no mean added."""
        return self.answers * self.scale[1]

    @property
    def back(self) -> Any:
        """The answers in the column's scale."""
        return self.multiplied + self.scale[0]

    @property
    def is_level(self) -> bool:
        """Whether a forecast goes on where its window is, and is no change of it, which would be about
        nothing."""
        wide = float(self.window.std())
        off = abs(float(numpy.median(self.answers) - numpy.median(self.window)))
        if off <= AT_HOME * wide and abs(float(numpy.median(self.answers))) > max(AWAY * off, wide):
            return True
        last, own = self.window[-len(self.answers) :], self.answers
        if len(last) < len(own) or not last.std() or not 1 / WIDER < own.std() / last.std() < WIDER:
            return False
        return float(numpy.corrcoef(last, own)[0, 1]) >= ALIKE

    @property
    def is_outside(self) -> bool:
        """Whether what was only multiplied is beyond the column, and what is scaled back isn't."""
        known = self.column[numpy.isfinite(self.column)]
        low, high = float(known.min()), float(known.max())
        room = high - low
        outside = (self.multiplied < low) | (self.multiplied > high)
        return bool(outside.all() and (self.back > low - room).all() and (self.back < high + room).all())


def unadded(found: Sequence[Ahead], text: Spoken) -> str:
    """Returns what is wrong with forecasts of several numbers that were multiplied by the deviation, while
    the mean wasn't added, or "" if nothing is."""
    if OF_CHANGES.search(text) or not all(len(one.answers) >= FEWEST_AHEAD for one in found):
        return ""
    if not found or not all(one.is_outside and one.is_level for one in found):
        return ""
    back = [float(number) for one in found for number in one.back]
    raw = [float(number) for one in found for number in one.answers]
    multiplied = [float(number) for one in found for number in one.multiplied]
    words = [] if said(text, back) or said(text, raw) else said(text, multiplied)
    return not_added(words[0], raw[0], found[0].scale) if words else ""


def not_added(word: str, answer: float, scale: tuple[float, float]) -> str:
    """The hint about an answer of which `word` is said."""
    mean, by = scale
    return (
        f"the guest says {word}, which is the answer times {by:.4g}; the window was scaled by taking "
        f"{mean:.4g} away and dividing by {by:.4g}: is {mean:.4g} to be added, which "
        f"makes {answer * by + mean:.4g}?"
    )
