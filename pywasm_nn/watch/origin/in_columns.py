"""How the last of several short inputs came from columns of a table.

What is here: the order in which that is asked. What is not: lines as they are (`tables.py`).
"""

from __future__ import annotations

from typing import Any

from .columns import nearly_line
from .elements import by_elements
from .lined import by_own_lines, column_by_column
from .long_records import in_long_records
from .scaled import scaled_lines
from .scalers import Lists
from .tables import Part, Table
from .unparsed import zeros_for_commas


def in_columns(
    table: Table, rows: Any, lists: Lists = (), *, is_window: bool = False, is_series: bool = False
) -> Part | None:
    """How the last of several inputs, or the lines of one (`is_window`, and with a direction of time
    `is_series`), came from columns of a table. `lists` are numbers in other files."""
    found = scaled_lines(table, rows, lists, is_window=is_window, is_series=is_series)
    found = found or nearly_line(table, rows[-1]) or by_elements(table, rows) or by_own_lines(table, rows)
    if found is None and is_window and not (is_series and len(rows) == rows.shape[1]):
        found = column_by_column(table, rows)  # a square series may have a row for each channel
    if found is None and is_window:
        found = zeros_for_commas(table, rows)
    return found or in_long_records(table, rows, are_scaled=True)
