"""Lists of words that say the number of each word themselves, in another order than that of their lines: the
`vocabulary_` of scikit-learn and of tokenisers, as a table or as JSON.

What is here: `numbered_in`. What is not: lists whose words have the numbers of their lines (`bags.py`,
`vocabulary.py`), and what a guest does with either (`sent/line_numbers.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...records import Frozen
from ..regex import regex

MOST_BYTES, FEWEST, MOST, MOST_COLUMNS = 1 << 22, 10, 1 << 16, 6
"""Bytes of a file, words of a list, and columns of a table."""
MOST_FIRST = 4
"""Numbers of words are counted from this one at most: others, such as padding, come before them."""
WHOLE, DECIMAL = regex(r"\d{1,6}"), regex(r"\d+\.\d+(?:[eE]-?\d+)?")
SEPARATORS = ("\t", ",", ";", "|", None)
RANKED = regex(r"\brank|freq|count|\bn\b|total|\b(?:doc_?)?df\b", re.IGNORECASE)
"""Headings of columns that are no numbers of words, though they may be those from 0 on by chance."""


class Numbered(Frozen):
    """The words of a list in its own order, the number that it says of each, and the weights beside them, in
    one column or several."""

    words: tuple[str, ...]
    numbers: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...] = ()


def numbered_in(data: bytes) -> Numbered | None:
    """Returns the list that a file has, or None if it has none, or one in the order of its numbers."""
    if not 0 < len(data) <= MOST_BYTES or b"\0" in data[:4096]:
        return None
    text = data.decode("utf-8", "replace").strip().lstrip("\ufeff")
    if text.startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            return next(objects_in(json.loads(text)), None)
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    if not FEWEST <= len(lines) <= MOST + 1:
        return None
    for separator in SEPARATORS:
        rows = [[cell.strip().strip('"') for cell in line.split(separator)] for line in lines]
        width = len(rows[-1])
        if 1 < width <= MOST_COLUMNS and all(len(row) == width for row in rows):
            return in_columns(rows)
    return None


def objects_in(found: Any) -> Iterator[Numbered]:
    """The list in parsed JSON: an object that has a number for each word, also in another one."""
    if not isinstance(found, dict):
        return
    numbers = [*found.values()]
    if all(type(one) is int for one in numbers) and is_order(numbers):
        yield Numbered(tuple(found), tuple(numbers))
        return
    for one in numbers:
        yield from objects_in(one)


def in_columns(rows: Sequence[Sequence[str]]) -> Numbered | None:
    """The list in the cells of a table, which may have headings."""
    headings, body = ([], rows) if any(map(is_number, rows[0])) else (rows[0], rows[1:])
    columns = [*zip(*body, strict=True)]
    if any(headings) and RANKED.search(" ".join(headings)):
        return None
    words = [one for one in columns if not any(map(is_number, one[:FEWEST])) and len({*one}) == len(one)]
    whole = [tuple(map(int, one)) for one in columns if all(map(WHOLE.fullmatch, one))]
    weights = [tuple(map(float, one)) for one in columns if all(map(DECIMAL.fullmatch, one))]
    if len(words) != 1 or len(whole) != 1 or any(" " in one for one in words[0]) or not is_order(whole[0]):
        return None
    return Numbered(words[0], whole[0], tuple(weights))


def is_number(cell: str) -> bool:
    return WHOLE.fullmatch(cell) is not None or DECIMAL.fullmatch(cell) is not None


def is_order(numbers: Sequence[int]) -> bool:
    """Whether numbers are all those from a first one on, and not in their order."""
    first = min(numbers, default=-1)
    if not FEWEST <= len(numbers) <= MOST or not 0 <= first <= MOST_FIRST:
        return False
    order = [*range(first, first + len(numbers))]
    return [*numbers] != order and sorted(numbers) == order


def by_place(numbered: Numbered, first: int = 0) -> Mapping[str, int]:
    """The words' places in the list."""
    return {word: place for place, word in enumerate(numbered.words, first)}


def by_number(numbered: Numbered) -> Mapping[str, int]:
    """The numbers that the list says."""
    return dict(zip(numbered.words, numbered.numbers, strict=True))
