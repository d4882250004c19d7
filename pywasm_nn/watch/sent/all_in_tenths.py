"""Lines all of whose elements are ten times or a hundred times what a model knows of them, as of a file that
has tenths.

What is here: `all_in_tenths`. What is not: one element in another unit (`scalers.py`, `split_units.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Column
from .other_places import is_known, is_like, shown
from .scalers import span

FEWEST_ROWS, FEWEST, HALF = 3, 3, 0.5
"""Lines, elements that are known, and the part of these that can't be as they were sent."""
FACTORS = {10.0: "tenths", 100.0: "hundredths", 1000.0: "thousandths", 255.0: "bytes"}
"""The divisors of all elements, and the names of their unit after it."""


def all_in_tenths(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if many elements are not as the model knows them, and all are if they are divided
    by one and the same number, or "" if that is not so."""
    zeros = numpy.zeros(1)
    known = {
        place: column
        for place, column in enumerate(columns)
        if is_known(column) and not is_like(zeros, column)  # what is divided by enough is like zeros
    }
    if len(rows) < FEWEST_ROWS or len(known) < FEWEST:
        return ""
    varied = [place for place in known if len(numpy.unique(rows[:, place])) > 1]
    odd = [place for place in varied if not is_like(rows[:, place], known[place])]
    if len(odd) < max(2, HALF * len(known)):
        return ""
    for factor, what in FACTORS.items():
        if all(is_like(rows[:, place] / factor, column) for place, column in known.items()):
            place = odd[0]
            return (
                f"{len(odd)} of {len(known)} elements are not as the model knows them, such as element "
                f"{place} ({span(rows[:, place])}; {shown(known[place])}), and divided by {factor:g} all "
                f"are: does the file have {what}?"
            )
    return ""
