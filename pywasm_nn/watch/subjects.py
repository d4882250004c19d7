"""Numbers that only say which thing a line is about ("window 1: still"): people count as they like."""

from __future__ import annotations

import re
from collections import Counter

SUBJECT = re.compile(r"^\s*([^\W\d_]{3,}) #?(\d{1,6})(?=\s*:)", re.MULTILINE)
"""What a line is about, with its number."""
CLASS_WORDS = (
    "class|label|index|idx|digit|kind|category|best|top|argmax|max|predict(?:ion|ed)?|answer|result|winner"
)
"""Words for what a model chooses."""
CLASS = re.compile(CLASS_WORDS, re.IGNORECASE)
WHOLE = re.compile(r"(?<![\w.])\d{1,6}(?![\w]|\.\d)")


def subjects(text: str) -> frozenset[int]:
    """The whole numbers of a text that stand nowhere else than in such places."""
    named = Counter(int(number) for word, number in SUBJECT.findall(text) if not CLASS.fullmatch(word))
    times = Counter(map(int, WHOLE.findall(text)))
    return frozenset(number for number, count in named.items() if count == times[number])
