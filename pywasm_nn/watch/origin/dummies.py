"""Zeros and a one (one-hot) of a table's kinds, beside which others lie: whether what seems to be off by one
is right with the first kind left out (dummies), or for the line before or behind.

What is here: `may_be_others`, `are_of_lines_beside`. What is not: finding the zeros and ones (`elements.py`,
and of one line `columns.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...arrays import numpy
from .tables import Table, is_answer

MOST_KINDS = 8
"""Columns with more different values are hardly sent as zeros and ones."""


def may_be_others(table: Table, used: Collection[int], lines: slice) -> bool:
    """Whether an element that is 0 in some lines may be of a column that isn't `used`: of one of words, or of
    one with few values, of which these lines lack one. As many zeros and ones as there are kinds may be those
    of all kinds but the first, and such an element."""
    for place in range(table.numbers.shape[1]):
        if place in used or (table.headings and is_answer(table, place)):
            continue
        there = table.numbers[:, place]
        kinds = numpy.unique(there[numpy.isfinite(there)])
        lacking = numpy.setdiff1d(kinds[1:], there[lines])
        if not len(kinds) or (len(kinds) <= MOST_KINDS and len(lacking)):
            return True
    return False


def are_of_lines_beside(codes: Any, start: int, places: Any, off: int) -> bool:
    """Whether the places of ones are those of the kinds of the lines behind these (`off` is 1), or before
    them (-1), as of the day that is forecast. `codes` has the places by line; of lines that the table lacks
    nothing is known."""
    lines = start + off + numpy.arange(len(places))
    known = (lines >= 0) & (lines < len(codes))
    return bool(known.any() and (codes[lines[known]] == places[known]).all())
