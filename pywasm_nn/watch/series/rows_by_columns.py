"""Batches of rows (windows, vectors, lines) that were filled column by column: the rows are runs of a file's
numbers, or of the program's, only if the elements are turned.

What is here: `rows_by_columns`. What is not: lines whose columns were scaled by numbers of their own
(`origin/lined.py`, `sheets/by_lists.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...nn.formats import KNOWN
from ..loops.units_behind import is_among, numbers_of

FEWEST_ROWS, FEWEST, MOST, TRIED = 2, 4, 1 << 14, 3
"""Rows, elements of one, elements of all, and rows that are looked for."""
DIFFERENT = 4
MATRIX, MOST_BYTES = 2, 1 << 17


def rows_by_columns(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a batch, or "" for both if nothing is known to be wrong."""
    lengths = [length for length in array.shape[1:] if length != 1]
    if array.ndim < MATRIX or len(lengths) != 1 or array.dtype.kind != "f" or array.size > MOST:
        return "", ""
    count, width = len(array), lengths[0]
    if count < FEWEST_ROWS or width < FEWEST or count == width:
        return "", ""
    rows = array.reshape(count, width).astype("f8")
    turned = array.reshape(width, count).T.astype("f8")
    if any(len({*one.tolist()}) < DIFFERENT for one in turned[:TRIED]):
        return "", ""
    read = [(name, data) for name, data in files if KNOWN.of_file(name) is None and len(data) <= MOST_BYTES]
    for name, numbers in ((name, one) for name, data in read for one in whole(data)):
        is_turned = all(is_among(one, numbers) for one in turned[:TRIED])
        if is_turned and not any(is_among(one, numbers) for one in rows[:TRIED]):
            return name, (
                f"its {count} rows of {width} numbers lie there row by row, and were sent column by column: "
                f"all rows' first elements come first, and the shape says a row after the other (is element "
                f"(row, column) put at column * {count} + row?)"
            )
    return "", ""


def whole(data: bytes) -> Iterator[Any]:
    """All numbers of a file, in each way in which they may be read, and the columns of a table."""
    yield from (numbers for numbers, _ in numbers_of(data) if len(numbers) >= FEWEST)
