"""Which line of a table each input is, whatever their order: the line that has most elements as they stand.

What is here: `lines_by_fields`. What is not: lines that were scaled (`rows.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from .sheet import Sheet

FEWEST_FIELDS, NEAR = 2, 1e-5
"""Elements that are fields of a line."""


def lines_by_fields(sheet: Sheet, rows: Sequence[Any]) -> list[int]:
    """The line of the table that each row has most fields of; [] if one isn't known, or two are the same."""
    found = []
    for row in rows:
        equal = numpy.isclose(sheet.numbers[:, :, None], row[None, None, :], rtol=NEAR, atol=0).any(axis=2)
        counts = equal.sum(axis=1)
        best = int(counts.argmax())
        if counts[best] < FEWEST_FIELDS or (counts == counts[best]).sum() > 1:
            return []
        found.append(best)
    return found if len({*found}) == len(found) else []
