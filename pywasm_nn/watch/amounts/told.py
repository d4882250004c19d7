"""`Told`: the answers to several computes, and the numbers that a guest wrote of them.

What is here: finding the numbers that follow the answers by a formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...records import Frozen
from ..spoken import Spoken, Word, fit

FEWEST_ROUNDS, DIGITS = 3, 6
"""Answers, and different digits of all numbers together that are no chance."""
MANY_DIGITS = 5
"""A number of so many digits is no chance alone."""


class Answer(Frozen):
    """An output that was fetched, as rows, and the inputs of floats that were set, flat; and the model's
    name, if the guest loaded it by one."""

    index: int
    name: str
    rows: Any
    given: tuple[Any, ...]
    model: str = ""

    @property
    def value(self) -> float:
        return float(self.rows[0, 0])


class Told(Frozen):
    """Answers of one output, what was written since the first of them, and the files that were read."""

    answers: Sequence[Answer]
    text: Spoken
    files: Sequence[tuple[str, bytes]]

    @property
    def values(self) -> list[float]:
        """All elements of all answers."""
        return [one for answer in self.answers for one in answer.rows.reshape(-1).tolist()]

    def said(self, values: Sequence[Any]) -> list[Word]:
        """Returns the numbers in the text that stand for values, one for each in the order of the answers, or
        [] if one is missing, or if these may be other numbers by chance."""
        if not len(values) or not all(abs(float(one)) < 1e300 for one in values):
            return []
        found = self._in_columns(values) or self._in_order(values)
        different = {word.text: word.digits for word in found}
        digits = sum(different.values())
        if len(found) < FEWEST_ROUNDS:
            return found if max(different.values(), default=0) >= MANY_DIGITS else []
        return found if len(different) > 1 and digits >= DIGITS else []

    def _in_columns(self, values: Sequence[Any]) -> list[Word]:
        """At the same place of each line, where there is a line for each."""
        lines = self.text.lines
        if len(lines) != len(values):
            return []
        for place in range(min(map(len, lines))):
            for end in (place, place - min(map(len, lines))):
                found = [line[end] for line in lines]
                if fit(found, values):
                    return found
        return []

    def _in_order(self, values: Sequence[Any]) -> list[Word]:
        """One after the other among all numbers of at least two digits."""
        left = iter([word for word in self.text.words if word.digits > 1 or not word.is_whole])
        found: list[Word] = []
        for value in values:
            word = next((word for word in left if bool(word.fits(value))), None)
            if word is None:
                return []
            found.append(word)
        return found
