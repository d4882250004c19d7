"""Lines about times that go on, in which all else begins again with each compute.

What is here: `repeating`. What is not: a line for each compute (`standing.py`), and when it is asked. The
times of a log go on as well, though unevenly or with a clock's fractions of a second, and say nothing of a
window.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...records import Frozen
from ..regex import regex

FEWEST = 2
"""Lines for each compute."""
NUMBER = regex(r"[-+]?\d+(?:\.\d+)?")
EDGES = ":,;()[]=|"
CLOCK = regex(r":\d\d[.,]\d")
"""A second and its fraction, as a log has them in front of each line."""
UNEVEN = 0.25
"""The steps between times may differ by so much of their mean: those of months in days differ by a tenth, and
rounding adds to that."""


class Repeating(Frozen):
    """How many lines each compute gives, and the first and last time that is written."""

    lines: int
    begin: str
    end: str


def repeating(lines: Sequence[str], computes: int) -> Repeating | None:
    """Returns how many lines are written for each compute, and the ends of their times, if all words but
    times that go on from line to line are those of the compute before, or None if that is not so."""
    words = [[word.strip(EDGES) for word in line.split()] for line in lines]
    count, rest = divmod(len(lines), computes)
    if rest or count < FEWEST or len({*map(len, words)}) != 1:
        return None
    columns = [*zip(*words, strict=True)]
    going = [column for column in columns if goes_on(column)]
    others = [column for column in columns if column not in going]
    is_same = all(column == column[:count] * computes for column in others)
    is_told = any(len({*column}) > 1 and all(map(NUMBER.fullmatch, column)) for column in others)
    if len(going) != 1 or not is_same or not is_told:
        return None
    return Repeating(count, going[0][0], going[0][-1])


def goes_on(column: Sequence[str]) -> bool:
    """Whether words are numbers at even distances, or dates of one length, each behind the one before."""
    if all(map(NUMBER.fullmatch, column)):
        times = [*map(float, column)]
        mean = (times[-1] - times[0]) / (len(times) - 1)
        return mean > 0 and all(abs(other - one - mean) <= UNEVEN * mean for one, other in pairwise(times))
    is_date = all(word[:1].isdigit() and not CLOCK.search(word) for word in column)
    return is_date and len({*map(len, column)}) == 1 and all(one < other for one, other in pairwise(column))
