"""The last line of a table, sent once more when the file has ended.

What is here: `last_line_twice`.
"""

from __future__ import annotations

from typing import Any

from .rows import straight
from .sheet import Sheet


def last_line_twice(sheet: Sheet, rows: Any) -> str:
    """Returns what is wrong with one input more than a table has lines, if it is the one before, or "" if
    nothing is."""
    if not (rows[-1] == rows[-2]).all() or sheet.rows[-1] == sheet.rows[-2]:
        return ""
    found = straight(rows[:-1], sheet.numbers)
    if not found.fits.any(axis=1).all():
        return ""
    return (
        f"its {len(sheet.rows)} lines were sent, and then the last one once more: was the end of the file "
        "seen too late (while (!feof(...)) goes round once more after the last line)?"
    )
