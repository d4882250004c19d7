"""From which number on a file that the guest read counts the model's classes.

What is here: `first_class`. What is not: features that are counted so (`sent/wanted.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy
from ..origin.tables import tables_in

MOST_FILE, DIFFERENT = 1 << 18, 2


def first_class(files: Sequence[tuple[str, bytes]], classes: int) -> int | None:
    """Returns 1 if the first or last column of a table has whole numbers from 1 to so many classes, 0 if one
    has them from 0, or None: people say classes as they stand there. Lines are few, so that some classes may
    be missing."""
    found = None
    for _, table in tables_in(files, MOST_FILE):
        if table.numbers.shape[1] < DIFFERENT:
            continue
        for there in (table.numbers[:, 0], table.numbers[:, -1]):
            kinds = {*there.tolist()}
            whole = bool(numpy.isfinite(there).all()) and all(one == int(one) for one in kinds)
            if not whole or len(kinds) < DIFFERENT:
                continue
            if min(kinds) >= 1 and max(kinds) <= classes:
                return 1
            found = 0 if min(kinds) == 0 and max(kinds) < classes else found
    return found
