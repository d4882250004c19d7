"""Texts that go on by a model's own answers, of which the last letter of the beginning is sent twice.

What is here: `fed_twice`, which compares the numbers that a walk sends with the answers before them. What is
not: states that go on from one text to the next (`between_texts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...records import Frozen
from .sureness import Answer

FEWEST_TEXTS, FEWEST_OWN = 3, 4
"""Texts that go on, all of which show it: one may end in the same letter twice; and letters that follow the
answers."""


class Step(Frozen):
    """A compute: the number that was sent, whether its states are those that the one before made, and the
    answer."""

    number: int
    goes_on: bool
    answer: Answer | None


def fed_twice(steps: Sequence[Step]) -> str:
    """Returns a hint if in all texts the last number before the model's own answers is sent once more in
    place of the answer to it, or "" if not so."""
    starts = [*texts_in(steps)]
    if len(starts) < FEWEST_TEXTS or not all(is_twice(part) for part in starts):
        return ""
    return (
        f"in all {len(starts)} texts the last number of the beginning is sent twice, and the answer to the "
        "first of the two is not used; from there on each answer is sent: is the first letter that follows "
        "to be taken from the answer to the last one of the beginning?"
    )


def texts_in(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """The steps of each text: it begins where states begin anew."""
    begins = [0, *(at for at, one in enumerate(steps) if at and not one.goes_on), len(steps)]
    for begin, end in pairwise(begins):
        yield steps[begin:end]


def is_twice(text: Sequence[Step]) -> bool:
    """Whether a text goes on by the model's answers, from behind a number that was sent twice."""
    first = len(text) - 1
    while first > 0 and follows(text, first):
        first -= 1
    is_own = len(text) - 1 - first >= FEWEST_OWN
    return is_own and first > 0 and text[first].number == text[first - 1].number


def follows(text: Sequence[Step], at: int) -> bool:
    """Whether a number is the answer before it."""
    answer = text[at - 1].answer
    return answer is not None and answer.place == text[at].number
