"""A batch of lines that was sent as it lies in memory, where each line is a part of a longer record.

What is here: `in_long_records`. What is not: lines as they are (`tables.py`), lines of the file itself that
run on over the ends of rows (there, too), and packed records of a binary file (`series/packed.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from .scaled import LEAST_LINES, scaled_lines
from .tables import FEWEST, Part, Table, same

MOST_MORE = 4
"""The most elements that a record has beside the line: a number, the address of a name, padding."""
MOST_LINES, MOST_ROWS = 2000, 16
"""The most lines that a searched table has, and the number of rows that are compared with scaled lines."""


def in_long_records(table: Table, rows: Any, *, are_scaled: bool = False) -> Part | None:
    """Returns how the rows of an input, which are no lines of a table, are such (or scaled ones) as soon as
    they lie farther apart, or None if they aren't."""
    count, flat = rows.shape[1], rows.reshape(-1)
    if len(rows) < FEWEST or count < FEWEST or len(table.lines) > MOST_LINES:
        return None
    for more in range(1, MOST_MORE + 1):
        records = flat[: flat.size // (count + more) * (count + more)].reshape(-1, count + more)
        for before in range(more + 1) if len(records) >= FEWEST else ():
            own = records[:, before : before + count]
            found = as_scaled_lines(table, own[:MOST_ROWS]) if are_scaled else as_lines(table, own)
            if found:
                where = f"{before} before and {more - before} behind" if before else f"{more} behind"
                return Part(
                    found,
                    f"its rows are {count} elements apart, and the lines lie {count + more} apart, with "
                    f"{where} each ({shown(records, before, count)}): are they parts of longer records (a "
                    "struct with more fields), of which the numbers have to be copied out?",
                )
    return None


def as_lines(table: Table, rows: Any) -> str:
    """Returns which lines rows are, or "" if they aren't lines that follow each other."""
    for start, line in places(table, rows):
        if same(table.numbers[line : line + len(rows), start : start + rows.shape[1]], rows):
            return f"lines {table.lines[line]} to {table.lines[line + len(rows) - 1]}"
    return ""


def as_scaled_lines(table: Table, rows: Any) -> str:
    """The same for columns that were scaled by numbers of their own. Lines that are all alike, such as zeros
    behind the first ones, lie straight over any others."""
    found = scaled_lines(table, rows) if len(numpy.unique(rows, axis=0)) >= LEAST_LINES else None
    return "" if found is None or found.wrong else found.said


def places(table: Table, rows: Any) -> Iterator[tuple[int, int]]:
    """The columns and lines at which the first row begins."""
    count = rows.shape[1]
    for start in range(table.numbers.shape[1] - count + 1):
        there = table.numbers[:, start : start + count]
        equal = numpy.isclose(there, rows[0], rtol=1e-5, atol=0).all(axis=1)
        yield from ((start, line) for line in numpy.flatnonzero(equal).tolist())


def shown(records: Any, before: int, count: int) -> str:
    """The first elements of the records that are no part of their lines."""
    first = records[:2, [*range(before), *range(before + count, records.shape[1])]]
    return ", ".join(f"{one:.4g}" for one in first[:, 0]) + ", ..."
