"""How a short input came from a table of numbers that the guest read: which line or column it is.

What is here: `table_in`, which reads lines of numbers (CSV, or with blanks), and `found_in`. What is not:
pictures (`matching.py`) and sounds (`sequences.py`), and numbers that the guest scaled: only whoever made the
model knows how.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...records import record

MOST_TEXT = 1 << 20
MOST_LINES = 20_000
MOST_ELEMENTS = 4096
FEWEST = 3
"""Fewer elements, or fewer different ones, are in many tables by chance."""
FEW_OF_A_COLUMN = 8
"""The same for elements that follow each other in a column."""
DELIMITERS = (",", ";", "\t")
NEAR = 1e-5
"""Elements are those of the table within this part of them: they went through f32."""
ANSWERS = frozenset({"class", "label", "target", "y", "species", "category", "answer", "output"})
"""Headings of columns that a model is to find out."""

COORDINATES = frozenset({"x", "z"})
"""Headings beside which "y" is no answer."""
COUNTED = frozenset({
    "", "id", "index", "idx", "no", "nr", "number", "row", "line", "t", "time", "timestamp", "date",
})  # fmt: skip
"""Headings of columns that say which line it is, and that models don't get."""


@record
class Table:
    """The numbers of a table, [lines, columns], NaN where there is none; the numbers of its lines in the
    file, from 1; the headings, or ()."""

    numbers: Any
    lines: tuple[int, ...]
    headings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{len(self.lines)} lines of {self.numbers.shape[1]} numbers"


@record
class Part:
    """The part of a table that an input is, and what is wrong with that. If it is one line as it is,
    `columns` are the first one and their number."""

    said: str
    wrong: str = ""
    columns: tuple[int, int] | None = None


def table_in(data: bytes) -> Table | None:
    """The table in the bytes of a file, None if they are something else."""
    import numpy

    if not 0 < len(data) <= MOST_TEXT or b"\0" in data:
        return None
    lines = data.decode("utf-8", "replace").splitlines()
    if len(lines) > MOST_LINES:
        return None
    fields = {number: split(line) for number, line in enumerate(lines, 1) if line.strip()}
    widths = Counter(map(len, fields.values()))
    if not widths:
        return None
    width, count = widths.most_common(1)[0]
    rows = {number: [as_number(one) for one in row] for number, row in fields.items() if len(row) == width}
    kept = {number: row for number, row in rows.items() if any(value == value for value in row)}
    if len(kept) < 2 or count < 0.9 * len(fields) or len(kept) < count - 1:
        return None
    first = next(iter(fields))
    headings = () if first in kept or len(fields[first]) != width else tuple(map(str.strip, fields[first]))
    return Table(numpy.array([*kept.values()], "f8"), tuple(kept), headings)


def split(line: str) -> list[str]:
    delimiter = next((one for one in DELIMITERS if one in line), None)
    return line.split(delimiter)


def as_number(text: str) -> float:
    try:
        return float(text.strip().strip('"'))
    except ValueError:
        return float("nan")


def found_in(table: Table, array: Any) -> Part | None:
    """The part of a table that an input of numbers is, None if it is none."""
    import numpy

    if array.dtype.kind not in "fiu" or not FEWEST <= array.size <= MOST_ELEMENTS:
        return None
    flat = array.reshape(-1).astype("f8")
    if not numpy.isfinite(flat).all():
        return None
    if len(numpy.unique(flat)) < FEWEST:
        return None
    width = array.shape[-1] if FEWEST <= array.shape[-1] < len(flat) else len(flat)
    return line_of(table, flat.reshape(-1, width)) or column_of(table, flat)


def line_of(table: Table, rows: Any) -> Part | None:
    """Lines from the first row on, as they are, backwards, or without their decimals."""
    import numpy

    count, columns = rows.shape[1], table.numbers.shape[1]
    for start in range(columns - count + 1):
        part = table.numbers[:, start : start + count]
        readings = (
            (part, ""),
            (part[:, ::-1], "the columns are in the reversed order"),
            (numpy.trunc(part), "the decimals were cut off (atoi for atof?)"),
        )
        for reading, wrong in readings:
            equal = numpy.isclose(reading, rows[0], rtol=NEAR, atol=0).all(axis=1)
            if not equal.any():
                continue
            line = int(equal.argmax())
            said = f"line {table.lines[line]}, columns {start + 1} to {start + count}"
            wrong = wrong or answers_in(table, start, count) or backwards(table, rows, start, line)
            return Part(said, wrong, None if wrong or len(rows) > 1 else (start, count))
    return None


def answers_in(table: Table, start: int, count: int) -> str:
    """The answer is among the columns, and another column isn't; "" if there is no such mistake."""
    names = [name.strip('"').lower() for name in table.headings]
    sent, left = names[start : start + count], names[:start] + names[start + count :]
    answers = ANSWERS - {"y"} if COORDINATES & {*names} else ANSWERS
    told = [name for name in sent if name in answers]
    missed = [name for name in left if name not in COUNTED]
    if not told or not missed or any(name in answers for name in left):
        return ""
    return f'the column "{told[0]}", which is the answer, was sent, and "{missed[0]}" was not'


def backwards(table: Table, rows: Any, start: int, line: int) -> str:
    """The lines follow in the reversed order; "" if they don't."""
    import numpy

    count = len(rows)
    if count < FEWEST or line + 1 < count:
        return ""
    part = table.numbers[line + 1 - count : line + 1, start : start + rows.shape[1]]
    if numpy.isclose(part[::-1], rows, rtol=NEAR, atol=0).all():
        return "its lines are in the reversed order, the last one first"
    return ""


def column_of(table: Table, flat: Any) -> Part | None:
    """Numbers that follow each other in a column, perhaps scaled, in the order of the file or reversed."""
    import numpy

    count = len(flat)
    if not FEW_OF_A_COLUMN <= count <= len(table.lines) or flat.std() == 0:
        return None
    with numpy.errstate(all="ignore"):
        level = (flat - flat.mean()) / flat.std()
        for column in range(table.numbers.shape[1]):
            windows = numpy.lib.stride_tricks.sliding_window_view(table.numbers[:, column], count)
            levels = (windows - windows.mean(1, keepdims=True)) / windows.std(1, keepdims=True)
            for wanted, wrong in ((level, ""), (level[::-1], "it is in the reversed order, the last first")):
                apart = numpy.abs(levels - wanted).max(axis=1)
                place = int(numpy.nan_to_num(apart, nan=numpy.inf).argmin())
                if apart[place] < 1e-3:
                    name = f' ("{table.headings[column]}")' if table.headings else ""
                    first, last = table.lines[place], table.lines[place + count - 1]
                    return Part(f"column {column + 1}{name}, lines {first} to {last}", wrong)
    return None
