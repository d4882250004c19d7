"""Answers to windows of a table's column that were brought back to the column's scale by a wrong formula.

What is here: `wrongly`. The window says what was taken away and divided by. What is not: answers that are
written as they are (`undone.py`), and scales that stand in files by their names (`amounts.scaled`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..spoken import Spoken

FEWEST_DIGITS = 4
"""Digits of a number that is no other by chance."""
APART = 0.02
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
