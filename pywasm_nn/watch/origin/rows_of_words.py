"""The numbers of words of several texts: of a pair, such as a question and a passage, or of a batch.

What is here: `looked_up_in_rows`, which looks up each text for itself. What is not: what is wrong with one
(`vocabulary.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .tables import Part
from .vocabulary import Vocabulary, looked_up
from .wordings import CLASS, PADS, SEPARATOR
from .wordpiece import OF_BERT

FEWEST, MOST_ROWS, MOST_ELEMENTS = 3, 6, 1 << 12
"""Words of a text, and rows that are looked at."""
AGREEING = 2
"""So many texts say the same: of one alone little is known."""
QUOTED = regex(r"\"[^\"]*\"")


def looked_up_in_rows(
    vocabulary: Vocabulary, texts: Sequence[str], array: Any, name: str = "", rows: int = 0
) -> Part | None:
    """As `looked_up`, of an input that may have several texts."""
    if array.dtype.kind not in "iu" or not array.size:
        return None
    found = looked_up(vocabulary, texts, array, name, rows)
    if found is not None or not 0 < array.ndim <= 2:
        return found
    lines = array.reshape(-1, array.shape[-1])[:MOST_ROWS].tolist()
    if array.size > MOST_ELEMENTS * MOST_ROWS:
        return None
    if name == OF_BERT and (wrong := without_one_end(vocabulary.numbers, lines)):
        return Part("its words", wrong)
    parts = [part for line in lines for part in between(vocabulary.numbers, line) if len(part) >= FEWEST]
    if len(parts) < AGREEING:
        return None
    ends = {vocabulary.numbers.get(one) for one in (CLASS, SEPARATOR)}
    called = "" if any(ends & {*line} for line in lines) else name  # by which both are missed
    return most_say([looked_up(vocabulary, texts, like(array, part), called, rows) for part in parts])


def like(array: Any, part: Sequence[int]) -> Any:
    """A part of a row, in the type of the input."""
    return numpy.array(part, array.dtype)


def most_say(found: Sequence[Part | None]) -> Part | None:
    """The first of several that says what is wrong, if another one says the same of other words."""
    said = [one for one in found if one is not None and one.wrong]
    kinds = Counter(QUOTED.sub("", one.wrong) for one in said)
    return next((one for one in said if kinds[QUOTED.sub("", one.wrong)] >= AGREEING), None)


def between(numbers: Mapping[str, int], line: Sequence[int]) -> Iterator[list[int]]:
    """The words between the entries that begin and end texts, and padding."""
    ends = {numbers[one] for one in (CLASS, SEPARATOR, *PADS) if one in numbers}
    part: list[int] = []
    for one in line:
        if one not in ends:
            part.append(one)
        elif part:
            yield part
            part = []
    if part:
        yield part


def without_one_end(numbers: Mapping[str, int], lines: Sequence[Sequence[int]]) -> str:
    """Returns a hint about texts that have the entry at one of their ends, and not at the other, or "" if
    they have both, or none."""
    begin, end = (numbers.get(one, -1) for one in (CLASS, SEPARATOR))
    pads = {numbers[one] for one in PADS if one in numbers}
    filled = [[one for one in line if one not in pads] for line in lines]
    if min(begin, end) < 0 or not all(len(line) > FEWEST for line in filled):
        return ""
    if all(line[0] == begin and begin not in line[1:] for line in filled):
        is_open = all(
            line[-1] != end and len(line) < len(whole) for line, whole in zip(filled, lines, strict=True)
        )
        return (
            f"{SEPARATOR} ({end}) is missing behind the words, and {CLASS} is before them" if is_open else ""
        )
    if all(line[-1] == end and begin not in line for line in filled):
        return f"{CLASS} ({begin}) is missing before the words, and {SEPARATOR} is behind them"
    return ""
