"""Whether a file that the guest read counts the model's classes from 1.

What is here: `counted_from_one`. What is not: features that are counted so (`sent/wanted.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy
from ..origin.tables import table_in

MOST_FILE, DIFFERENT = 1 << 18, 2


def counted_from_one(files: Sequence[tuple[str, bytes]], classes: int) -> bool:
    """Whether the first or last column of a table has whole numbers from 1 to so many classes: people say
    classes as they stand there. Lines are few, so that some classes may be missing."""
    for _, data in files:
        table = table_in(data) if len(data) <= MOST_FILE else None
        if table is None or table.numbers.shape[1] < DIFFERENT:
            continue
        for there in (table.numbers[:, 0], table.numbers[:, -1]):
            kinds = {*there.tolist()}
            whole = bool(numpy.isfinite(there).all()) and all(one == int(one) for one in kinds)
            if whole and len(kinds) >= DIFFERENT and min(kinds) >= 1 and max(kinds) <= classes:
                return True
    return False
