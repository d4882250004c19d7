"""An answer with a row for each token: does the guest use those of words, and no others?

What is here: `mispooled`. Rows of tokens that are 0, behind all others, are changed, then those of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..regex import regex
from .asked import Asked

FEWEST, MOST = 2, 512
"""Tokens of a text, and those behind it."""
TOKENS = regex(r"(?:^|[^a-z])ids?(?:[^a-z]|$)|token|word|text|sentence", re.IGNORECASE)
PLAIN = regex(r"[^\W\d_]{2,}")
"""A token that is a word, and no special one."""


def mispooled(asked: Asked) -> str:
    """Returns what is wrong with the rows that are used, or "" if nothing is."""
    for index, output in asked.fetched():
        shape = output.array.shape
        if output.array.dtype.kind != "f" or len(shape) != 3 or shape[0] != 1 or shape[2] < FEWEST:
            continue
        tokens = next(
            (
                [int(token) for token in one.array]
                for one in asked.sent
                if one.array is not None and one.array.dtype.kind in "iu" and one.shape == shape[:2]
                and one.array.size <= MOST and len({*one.array.tolist()}) > FEWEST
            ),
            [],
        )  # fmt: skip
        words = len([*filter(None, tokens)])
        if FEWEST <= words <= len(tokens) - FEWEST and not any(tokens[words:]):
            wrong = of_rows(asked, index, output.array, words, tokens)
            if wrong:
                return f"{output.what}: {wrong}"
    return ""


def of_rows(asked: Asked, index: int, array: Any, words: int, tokens: list[int]) -> str:
    count = len(tokens)
    own = asked.series(index, [array]) if is_text(asked, tokens) else None

    def follows(rows: Iterable[int]) -> bool:
        """Whether what is written changes with these rows of this answer alone."""
        made = array.copy()
        made[0, [*rows]] = 2 * array.max() - 3 * made[0, [*rows]]
        return asked.series(index, [made, array]) != own

    if not own or not follows(range(words)):
        return ""
    if follows(range(words, count)):
        return (
            f"what the guest writes follows rows {words} to {count - 1} of it, which belong to the "
            f"{count - words} tokens 0 behind the {words} of the text: are only the rows of words to be "
            f"counted (and the sum divided by {words})?"
        )
    first = first_of(asked, tokens)
    if first and not follows(range(1, words)):
        return (
            f'what the guest writes follows row 0 of it alone, that of "{first}", the first of {words} '
            "words: no special token that stands for the whole text is before them"
        )
    return ""


def is_text(asked: Asked, tokens: list[int]) -> bool:
    """Whether tokens are those of words: by the names of inputs, or by a vocabulary."""
    return any(TOKENS.search(one.name) for one in asked.sent) or bool(first_of(asked, tokens))


def first_of(asked: Asked, tokens: list[int]) -> str:
    """The first token, if a list that the guest read says that it is a word."""
    for _, data in asked.files():
        lines = data.decode("utf-8", "replace").splitlines()
        if (
            max(tokens) < len(lines)
            and PLAIN.fullmatch(lines[tokens[0]].split(" ")[0])
            and not PLAIN.fullmatch(lines[0])
        ):
            return lines[tokens[0]]
    return ""
