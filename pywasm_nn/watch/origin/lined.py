"""Inputs of lines of a table in which lines and columns were confused: each line scaled by its own mean and
deviation, or by its own ends, and a batch that was filled column by column.

What is here: `by_own_lines`, `column_by_column`, `floats_in`, `rows_of_floats`. What is not: lines as they
are (`tables.py`), and columns that were scaled by numbers of their own (`scaled.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import numpy
from ..regex import regex
from .elements import by_elements
from .scaled import LEAST_LINES, MOSTLY, scaled_lines
from .tables import FEWEST, Part, Table, is_answer

NEAR = 2e-3
MOST_BYTES, TINY, HUGE = 1 << 18, 1e-9, 1e9
"""Bytes of a file of floats; what was measured is no smaller and no larger, and other bytes often are."""
FEW_COLUMNS, MOST_COLUMNS = 24, 128
"""Lines of more than a few numbers may each be a curve, such as a spectrum, which is scaled by itself, unless
most of them are headed by different words."""
DIFFERENT = 3
TIMES = 3.0
"""Columns of one kind, such as of genes, have deviations that differ by less."""
STEM = regex(r"[^a-z]+")
FEWEST_IN_A_LINE, MOST_DECIMALS = 4, 7
WIDE, FEW_WIDE = 8, 2
"""Two lines of so many numbers are no others' by chance."""


def by_own_lines(table: Table, rows: Any) -> Part | None:
    """Returns how each of some inputs is a line that was scaled by its own mean and deviation, or None if
    they aren't, or if the line's numbers may be of one kind."""
    count = rows.shape[1]
    fewest = FEW_WIDE if count >= WIDE else LEAST_LINES
    if len(rows) < fewest or not FEWEST_IN_A_LINE <= count <= MOST_COLUMNS:
        return None
    for start in range(table.numbers.shape[1] - count + 1):
        part = table.numbers[:, start : start + count]
        if not different(table, start, count) or len(part) < len(rows):
            continue
        for said, own in scaled_each(part):
            if (line := following(own, rows)) >= 0:
                first, last = table.lines[line], table.lines[line + len(rows) - 1]
                columns = f"columns {start + 1} to {start + count}"
                return Part(
                    f"lines {first} to {last}, {columns}, each line scaled",
                    f"each line was scaled by its own {said}, over columns of different things: a scaler "
                    "takes those of each column",
                )
    return None


def scaled_each(lines: Any) -> Iterator[tuple[str, Any]]:
    """Lines of which each is scaled by itself, with what was taken of it."""
    with numpy.errstate(all="ignore"):
        level = lines - lines.mean(axis=1, keepdims=True)
        for by in (0, 1):
            yield "mean and deviation", level / lines.std(axis=1, ddof=by, keepdims=True)
        low = lines.min(axis=1, keepdims=True)
        shares = (lines - low) / numpy.ptp(lines, axis=1, keepdims=True)
        yield "smallest and largest number", shares
        yield "smallest and largest number", 2 * shares - 1


def following(lines: Any, rows: Any) -> int:
    """Returns the line from which on lines are the inputs, and no other lines are, or -1 if there is none."""
    equal = (abs(lines - rows[0]) < NEAR).all(axis=1)
    for line in numpy.flatnonzero(equal).tolist():
        part = lines[line : line + len(rows)]
        if part.shape == rows.shape and (abs(part - rows) < NEAR).all():
            return int(line)
    return -1


def different(table: Table, start: int, count: int) -> bool:
    """Whether the headings of columns name different things, and not the same one by several numbers, and the
    columns differ in size as different things do."""
    names = [name.strip('"').lower() for name in table.headings[start : start + count]]
    stems = {STEM.sub("", name) for name in names}
    fewest = DIFFERENT if count <= FEW_COLUMNS else count // 2
    if len(stems - {""}) < fewest or any(is_answer(table, one) for one in range(start, start + count)):
        return False
    lines = table.numbers[:, start : start + count]
    known = lines[numpy.isfinite(lines).all(axis=1)]
    if not len(known):
        return False
    deviations = known.std(axis=0)
    return bool(deviations.max() >= TIMES * deviations.min()) and len({decimals(one) for one in known.T}) > 1


def decimals(numbers: Any) -> int:
    """Returns with how many decimals a column's numbers are written. Columns of one kind, such as powers of
    bands, have equally many, and a guest may scale them line by line."""
    return next((by for by in range(MOST_DECIMALS) if (numbers.round(by) == numbers).all()), MOST_DECIMALS)


def column_by_column(table: Table, rows: Any) -> Part | None:
    """Returns how an input is lines of a table whose columns lie one after the other, though its shape says
    that its rows are lines, or None if it isn't."""
    count, width = rows.shape
    if count < LEAST_LINES or width < FEWEST:
        return None
    turned = numpy.ascontiguousarray(rows.reshape(width, count).T)
    found = scaled_lines(table, turned, is_window=True) or by_elements(table, turned, MOSTLY)
    if found is None:
        return None
    wrong = (
        f"all lines' numbers of one column come first, then all of the next: the shape says {count} rows of "
        f"{width} numbers, a line each"
    )
    return Part(f"{found.said}, column by column", wrong)


def floats_in(data: bytes, width: int) -> Table | None:
    """Returns the rows of a file that has nothing but floats, or None if it is another one."""
    numbers = rows_of_floats(data, width)
    if numbers is None or len(numbers) < FEWEST:
        return None
    return Table(numbers, tuple(range(1, len(numbers) + 1)))


def rows_of_floats(data: bytes, width: int) -> Any:
    """Returns the numbers of a file that has nothing but rows of floats, [rows, width], or None if it is
    another one."""
    for kind in ("<f4", "<f8"):
        size = width * numpy.dtype(kind).itemsize
        if not 0 < len(data) <= MOST_BYTES or len(data) % size:
            continue
        numbers = numpy.frombuffer(data, kind).astype("f8").reshape(-1, width)
        sizes = abs(numpy.where(numbers == 0, 1.0, numbers))
        if numpy.isfinite(sizes).all() and sizes.min() > TINY and sizes.max() < HUGE:
            return numbers
    return None
