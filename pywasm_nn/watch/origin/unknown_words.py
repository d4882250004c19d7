"""Words that a vocabulary lacks, sent as another entry than the one that stands for unknown ones.

What is here: `unknown_wrong`, for each row of a batch. What is not: words that are there and are not found
(`wordings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..regex import regex
from .wordings import pieces

ENTRY = regex(r"[\[<].*[\]>]|[<_]*pad(?:ding)?[>_]*", re.IGNORECASE)
"""Entries that stand for no word."""
FEWEST, MOST_WORDS, MOST_TEXTS, MOST_ROWS = 3, 200, 64, 64
"""Words of a text that are found, of which fewer fit by chance, and what is compared at most."""
WAYS = (regex(r"[^\W\d_]+"), regex(r"[\w']+"), regex(r"\S+"), regex(r"[\w']+|[^\w\s]"))
"""What guests take for words."""


def unknown_wrong(
    words: Sequence[str], numbers: Mapping[str, int], texts: Sequence[str], array: Any, unknown: int | None
) -> str:
    """Returns what is wrong with the numbers of words that are not in the vocabulary, or "" if nothing is.
    `unknown` is the number of the entry for these."""
    if unknown is None or array.ndim < 1:
        return ""
    rows = array.reshape(-1, array.shape[-1])[:MOST_ROWS].tolist()
    for text in islice(pieces(texts), MOST_TEXTS):
        for found in readings(text):
            wanted = [numbers.get(one, -1) for one in found]
            if sum(one >= 0 for one in wanted) < FEWEST or all(one >= 0 for one in wanted):
                continue
            for row in rows:
                sent = sent_for_unknown(wanted, row)
                if sent >= 0 and sent != unknown and sent < len(words) and ENTRY.fullmatch(words[sent]):
                    lost = found[wanted.index(-1)]
                    return (
                        f'"{lost}" is not in the vocabulary and was sent as {sent}, which is '
                        f'"{words[sent]}"; unknown words are "{words[unknown]}", {unknown}'
                    )
    return ""


def readings(text: str) -> Iterator[list[str]]:
    """The words of a text, as guests take them apart: in small letters, and as they stand."""
    for way in WAYS:
        found = way.findall(text)[:MOST_WORDS]
        yield [one.lower() for one in found]
        yield found


def sent_for_unknown(wanted: Sequence[int], row: Sequence[int]) -> int:
    """Returns the one number that a row has for all unknown words (-1 in `wanted`), if all others are those
    of the words, and known ones stand behind, or -1 if that isn't so."""
    for begins in (0, 1):  # a first entry may stand for the beginning
        own = row[begins : begins + len(wanted)]
        pairs = [*zip(own, wanted, strict=False)]
        behind = [place for place, (_, there) in enumerate(pairs) if there >= 0]
        if len(behind) < FEWEST or any(own[place] != wanted[place] for place in behind):
            continue
        lost = [place for place, (_, there) in enumerate(pairs[: behind[-1]]) if there < 0]
        if lost == [0] and not begins:
            continue  # a word may be left out, and the entry that all texts begin with stand there
        sent = {own[place] for place in lost}
        if len(sent) == 1:
            return sent.pop()
    return -1
