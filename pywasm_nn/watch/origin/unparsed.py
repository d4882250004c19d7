"""Lines of a table with decimal commas of which no number was read, so that 0 was scaled in place of each.

What is here: `zeros_for_commas`. What is not: numbers that were cut off at the comma (`tables.cut_off`), and
elements that are all 0.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from .tables import Part, Table

FEWEST_LINES, FEWEST_COLUMNS = 5, 2
DECIMALS = 0.6
"""So many numbers of a measured column have decimals: others have no comma, and are read."""
WIDER, LEAST = 30.0, 0.1
"""Deviations of the scaler and of a day or so differ by a smaller factor; and elements are farther from 0: a
column whose mean is near 0 shows nothing."""


def zeros_for_commas(table: Table, rows: Any) -> Part | None:
    """Returns how all rows of an input are the same, as 0 is by the means and deviations of columns whose
    numbers have decimal commas and differ; or None if that is not so."""
    count, width = rows.shape
    if not table.has_commas or count < FEWEST_LINES or width < FEWEST_COLUMNS or (rows != rows[0]).any():
        return None
    row = rows[0]
    if not numpy.isfinite(row).all() or abs(row).min() < LEAST or len({*row.tolist()}) < width:
        return None
    numbers = table.numbers
    for start in range(numbers.shape[1] - width + 1):
        part = numbers[:, start : start + width]
        known = part[numpy.isfinite(part).all(axis=1)]
        if len(known) < count or ((known != known.round()).mean(axis=0) < DECIMALS).any():
            continue
        spread, widths = known.std(axis=0), -known.mean(axis=0) / row
        if (spread > 0).all() and (widths > spread / WIDER).all() and (widths < spread * WIDER).all():
            shown = ", ".join(f"{one:.4g}" for one in row[:3].tolist())
            columns = f"columns {start + 1} to {start + width}"
            return Part(
                f"{columns}, each read as 0 and scaled",
                f"all {count} rows are the same ({shown}), though the numbers in {columns} differ: these "
                "have decimal commas, and a 0 in place of each would be scaled to about that: does reading "
                "them fail (parse and the like take no comma), with 0 where it does?",
            )
    return None
