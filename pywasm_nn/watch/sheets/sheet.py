"""A table in a file as fields of text, read rightly, and the numbers that they mean.

What is here: `Sheet`, `sheet_of`, `number_of`. What is not: the fields of a
line (`origin/delimited.py`), and how a guest may read a table wrongly (`misread.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..origin.delimited import COMMENT, delimiter_of, lines_in
from ..regex import regex

MOST_BYTES, MOST_LINES, MOST_COLUMNS = 1 << 18, 2000, 64
FEWEST_LINES = 5
PLAIN = regex(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
AROUND = regex(r"[$€£¥%\s]")
"""What may stand beside a number."""
THOUSANDS = regex(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
DECIMAL_COMMA = regex(r"-?\d+,\d+")
MINUSES = str.maketrans({"\u2212": "-", "\u2013": "-"})
NAN = float("nan")


class Sheet(Frozen):
    """A table: `rows` are the fields of its lines of data, all as many, `numbers` what they mean, [lines,
    columns], NaN where there is no number; `raw` the lines as they stand in the file."""

    name: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: Any
    raw: tuple[str, ...]
    delimiter: str
    comments: tuple[str, ...] = ()
    """The lines above the table that say something about it."""

    def named(self, column: int) -> str:
        """A column by its number, from 1, and its heading."""
        heading = self.headings[column] if self.headings else ""
        return f"column {column + 1}" + (f' ("{heading}")' if heading else "")


@lru_cache(16)
def sheet_of(name: str, data: bytes) -> Sheet | None:
    """Returns the table in the bytes of a file, or None if they are something else."""
    lines = lines_in(data, MOST_BYTES, MOST_LINES, one_delimiter=True)
    if lines is None or not 2 <= lines.width <= MOST_COLUMNS:
        return None
    first = lines.whole[0]
    if not all(COMMENT.match(text) for text in lines.texts[:first]):
        return None
    has_headings = all(number_of(one) != number_of(one) for one in lines.fields[first])
    kept = lines.whole[has_headings:]
    if not kept:
        return None
    rows = tuple(lines.fields[at] for at in kept)
    numbers = numpy.array([[number_of(one) for one in row] for row in rows], "f8")
    delimiter = delimiter_of(lines.texts[first])
    unseparated(rows, numbers, delimiter)
    headings = lines.fields[first] if has_headings else ()
    raw = tuple(lines.texts[at] for at in kept)
    return Sheet(name, headings, rows, numbers, raw, delimiter, lines.texts[:first])


def number_of(text: str) -> float:
    """Returns what a field means, or NaN if it is no number."""
    text = AROUND.sub("", text.translate(MINUSES))
    if PLAIN.fullmatch(text):
        return float(text)
    if THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    return float(text.replace(",", ".")) if DECIMAL_COMMA.fullmatch(text) else NAN


def unseparated(rows: Sequence[Sequence[str]], numbers: Any, delimiter: str) -> None:
    """Where commas are those of decimals in a column, three digits behind one are no thousands."""
    for column in range(len(rows[0]) if delimiter != "," else 0):
        commas = [row[column] for row in rows if "," in row[column]]
        if all(THOUSANDS.fullmatch(AROUND.sub("", one.translate(MINUSES))) for one in commas):
            continue
        for line, row in enumerate(rows):
            if "," in row[column]:
                text = AROUND.sub("", row[column].translate(MINUSES)).replace(",", ".")
                numbers[line, column] = float(text) if PLAIN.fullmatch(text) else NAN
