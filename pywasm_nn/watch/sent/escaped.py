"""Texts with escapes (&amp;, %20) that were sent as they stand, letter by letter or word by word.

What is here: `escaped`. Letters need no alphabet: the same one has the same number wherever it stands, and
there are as many numbers as letters with the escapes. What is not: addresses (URLs), whose models are often
trained on them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import unquote

from ..origin.vocabulary import WORD, words_in
from ..origin.wordings import filled_from, pieces
from ..regex import regex
from ..whatif.backwards import DIFFERENT, LONG, REPEATED, TOLD_APART, begin_at, is_one_for_each

ENTITY = regex(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,6});")
PERCENT = regex(r"(?:%[0-9A-Fa-f]{2})+")
FEWEST_PERCENTS, FEWEST_WORDS = 2, 4
MOST_ROWS, MOST_TEXTS, MOST_ELEMENTS = 16, 64, 1 << 13


def escaped(array: Any, files: Sequence[tuple[str, bytes]]) -> str:
    """Returns what is wrong with the numbers of a text's letters or words, or "" if nothing is."""
    if not array.ndim or array.size > MOST_ELEMENTS or array.dtype.kind not in "iuf":
        return ""
    texts = [(text, found) for text in with_escapes(files) if (found := escapes_in(text))]
    if not texts or array.shape[-1] < FEWEST_WORDS or (array != array.round()).any():
        return ""
    known = [one for _, data in files if (one := words_in(data)) is not None]
    for row in array.reshape(-1, array.shape[-1])[:MOST_ROWS].astype("i8").tolist():
        for text, found in texts:
            in_words = any(are_words(text, row, one.numbers) for one in known)
            if in_words or are_letters(text, row):
                how = "word by word" if in_words else "letter by letter"
                meant = unquote(unescape(found))
                return (
                    f'the text has "{found}", which stands for "{meant}", and was sent as it stands, {how}: '
                    "are its escapes to be decoded first?"
                )
    return ""


def with_escapes(files: Sequence[tuple[str, bytes]]) -> Iterator[str]:
    """The texts of files, and their lines, with something that may be an escape."""
    texts = [data.decode("utf-8", "replace") for _, data in files if b"\0" not in data]
    likely = [one for one in texts if "&" in one or "%" in one]
    yield from islice(pieces(likely), MOST_TEXTS)


def escapes_in(text: str) -> str:
    """Returns the first escape of a text, or "" if there is none, or if a text with signs of percent is an
    address."""
    if found := ENTITY.search(text):
        return found[0]
    percents = PERCENT.findall(text)
    return percents[0] if len({*percents}) >= FEWEST_PERCENTS and "/" not in text else ""


def are_letters(text: str, row: Sequence[int]) -> bool:
    """Whether numbers are those of a text's letters, and others behind it are padding."""
    count = filled_from(row)
    for one in {text, text.strip(), text.lower()}:
        different = len({*one})
        if len(one) < LONG or len(one) - different < REPEATED:
            continue
        for begins in {*begin_at(one, len(row)), *begin_at(one, count), *begin_at(one, count + 1)}:
            own = row[begins : begins + len(one)]
            is_told = len({*own}) >= max(DIFFERENT, TOLD_APART * different)
            if len(own) == len(one) and is_told and is_one_for_each(one, own):
                return True
    return False


def are_words(text: str, row: Sequence[int], numbers: Any) -> bool:
    """Whether numbers are those that a vocabulary has for a text's words and signs, with one number for all
    that it lacks."""
    for words in (WORD.findall(text), WORD.findall(text.lower())):
        wanted = [numbers.get(one, -1) for one in words]
        for begins in (0, 1):
            own = row[begins : begins + len(wanted)]
            pairs = [*zip(own, wanted, strict=False)]
            found = [(one, there) for one, there in pairs if there >= 0]
            lacking = {one for one, there in pairs if there < 0}
            is_all = len(own) == len(wanted) and len(found) >= FEWEST_WORDS and len(lacking) <= 1
            if is_all and all(one == there for one, there in found):
                return True
    return False
