"""How an input counts the letters of a text, by an alphabet that the guest read, one letter in each line.

What is here: `letters_in`. What is not: words (`bags.py`), and the bytes of a file (`bytewise.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

from ...arrays import numpy
from .straight import factor_of
from .tables import Part
from .wordings import pieces

LETTERS = 0.8
"""The part of the lines of an alphabet that are one letter."""
FEWEST, MOST_LINES = 4, 200
"""Different letters of a line that no other line has by chance, and lines that are compared."""
NEAR = 1e-4


def letters_in(words: Sequence[str], texts: Sequence[str], array: Any) -> Part | None:
    """Returns which line an input counts the letters of, and what is wrong with that, or None if it counts
    none."""
    if not array.size or sum(len(word) == 1 for word in words) < LETTERS * len(words):
        return None
    row = array.reshape(-1, len(words))[0].astype("f8")
    beyond = numpy.array([not word.isascii() for word in words])
    if row[beyond].any() or numpy.count_nonzero(row) < FEWEST:
        return None
    for line in islice((one for text in pieces(texts) for one in text.splitlines()), MOST_LINES):
        for read in (line, line.lower()):
            found = Counter(read)
            counts = numpy.array([found[word] for word in words], "f8")
            if counts[beyond].any() and factor_of(row[~beyond], counts[~beyond], NEAR) > 0:
                left = "".join(word for word, one in zip(words, (counts > 0) & beyond, strict=True) if one)
                return Part(
                    f'the letters of "{line[:24]}"',
                    f'"{left}" of "{line[:24]}" are in the alphabet and counted nowhere, and all other '
                    "letters are: was the text taken byte by byte? In UTF-8 these have several bytes",
                )
    return None
