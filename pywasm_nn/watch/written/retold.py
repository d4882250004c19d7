"""A single number of many digits that a guest writes, and that is an element of the answer's bytes read as
another type: a f64 read as f32 is hardly ever a number that anybody would take for right.

What is here: `as_another_type`. What is not: several numbers in a row (`misread.py`), and numbers of few
digits, which copies with other answers tell apart (`probes/retyped.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..regex import regex
from ..spoken import Word
from .misread import Round, is_right, other_types

NUMBER = regex(r"(?<![\w.])-?\d{1,310}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?(?![\w]|\.\d)")
DIGITS = 7
"""So many digits are no chance: those that a f32 has."""
MOST_WORDS, MOST_PLACES = 16, 16
NEAR = 5e-7
"""How far the written number may be, in parts of itself: a f32 is often computed with again."""
LARGEST = 1e300


def as_another_type(of: Round) -> str:
    """Returns a hint about a number whose bytes were taken for another type, or "" if there is none."""
    known = [*of.outputs, *of.before]
    for word in telling(of.text):
        if is_right(word, [*known, *of.inputs]):
            continue
        for output in of.outputs:
            for title, numbers in other_types(output):
                for place, value in enumerate(numbers[:MOST_PLACES].tolist()):
                    if value and abs(value - word.value) <= NEAR * abs(value):
                        first = output.flat[min(place, len(output.flat) - 1)]
                        return (
                            f"the guest says {shown(word)}, which is element {place} {title}: element "
                            f"{min(place, len(output.flat) - 1)} is {first:.4g}"
                        )
    return ""


def telling(text: str) -> Iterator[Word]:
    """The numbers of a text that have enough digits."""
    words = (Word.of(found[0]) for found in NUMBER.finditer(text))
    for count, word in enumerate(word for word in words if word.digits >= DIGITS):
        if count >= MOST_WORDS:
            return
        if abs(word.value) < LARGEST and len({*word.text} - {*"-.0"}) > 1:  # 1000000 is a round number
            yield word


def shown(word: Word) -> str:
    return word.text if len(word.text) < 24 else f"{word.value:.7g}"
