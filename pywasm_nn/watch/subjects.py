"""Numbers that only say which thing a line is about ("window 1: still"): people count as they like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .regex import regex

SUBJECT = regex(r"^\s*([^\W\d_]{3,}) #?(\d{1,6})(?=\s*:)", re.MULTILINE)
"""What a line is about, with its number."""
CLASS_WORDS = (
    "class|label|index|idx|digit|kind|category|best|top|argmax|max|predict(?:ion|ed)?|answer|result|winner"
)
"""Words for what a model chooses."""
CLASS = regex(CLASS_WORDS, re.IGNORECASE)
THING = regex(
    r"\b(?:sensor|hour|day|week|month|year|channel|zone|machine|motor|pump|station|site|node|customer|user"
    r"|slot|seat|camera|turbine|panel|valve|joint|electrode|patient|room|floor|gate|point|cell|lead|position"
    r"|place|stage|step|frame|window|row|line|item|product|topic|sector|lane|track|page|chromosome|speaker|region"
    r"|square|level|bus|player|team|table|desk|door|district|piano key)s?[ #._-]{0,2}(\d{1,6})\b(?!\.\d)",
    re.IGNORECASE,
)
"""It matches a place, a time or a thing with its number."""
WHOLE = regex(r"(?<![\w.])\d{1,6}(?![\w]|\.\d)")


def subjects(text: str) -> frozenset[int]:
    """The whole numbers of a text that stand nowhere else than in such places."""
    return only(text, [number for word, number in SUBJECT.findall(text) if not CLASS.fullmatch(word)])


def counted_things(text: str) -> frozenset[int]:
    """Returns the whole numbers of a text that stand only behind words for places, times and things."""
    return only(text, THING.findall(text))


def only(text: str, found: Iterable[str]) -> frozenset[int]:
    """Returns the whole numbers that stand in a text only where they were found."""
    named, times = (Counter(map(int, numbers)) for numbers in (found, WHOLE.findall(text)))
    return frozenset(number for number, count in named.items() if count == times[number])
