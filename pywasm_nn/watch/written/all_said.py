"""Answers that are written one behind the other: digits that are names, and mistakes that all of them have.

What is here: `names_in` and `holds_for_all`. What is not: the mistakes (`sayings.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from ..regex import regex

ONE = regex(r"(?<![^\s'\"(\[<=:])([^\W_]|[*#+&@$]|\d\d)(?![^\s'\")\]>,;:.])(?!\.\d)")
"""A letter, a mark or a number, which stands alone."""
NUMBER = regex(r"\d+(?:\.\d+)?")


def names_in(text: str) -> frozenset[int]:
    """The numbers of a text that are names of keys, cards or letters: in lines that are the same but for
    their numbers a letter or a mark stands in their place."""
    columns: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for line in text.splitlines():
        for found in ONE.finditer(line):
            around = (line[: found.start()], line[found.end() :])
            before, behind = (" ".join(NUMBER.sub("#", one).split()) for one in around)
            columns[before, behind].add(found[0])
    named = [one for one in columns.values() if any(not word.isdecimal() for word in one)]
    return frozenset(int(word) for one in named for word in one if word.isdecimal())


def holds_for_all(
    answers: Sequence[Any], wrong: Callable[[Any], int], whole: frozenset[int], value: Callable[[float], str]
) -> bool:
    """Whether a guest that writes answers before the last one, too, writes for each of these what it is
    supposed to say in place of the largest element (`wrong`). Those whose values it doesn't write may not be
    written at all."""
    said = [wrong(one) for one in answers if value(float(one.numbers.max())).strip("-0.")]
    return all(place in whole for place in said)
