"""The columns of a file of numbers with its gaps: one number in each line, or several.

What is here: `columns_of`. What is not: lines whose fields are told apart by their places (`sheets.sheet`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..sheets.sheet import MOST_BYTES, MOST_LINES, number_of, sheet_of
from ..surroundings import text_in


class Column(Frozen):
    """A column of a file: what it is called, its heading or "", and its numbers, NaN where there is none."""

    file: str
    named: str
    heading: str
    numbers: Any
    has_headings: bool

    def line(self, at: int) -> int:
        """The number of a line in the file, from 1."""
        return at + 1 + self.has_headings


def columns_of(files: Sequence[tuple[str, bytes]]) -> Iterator[list[Column]]:
    """The columns of each file that is a table."""
    for name, data in files:
        sheet = sheet_of(name, data)
        if sheet is None:
            if alone := only_column(name, data):
                yield [alone]
            continue
        headings = sheet.headings or ("",) * sheet.numbers.shape[1]
        yield [
            Column(name, sheet.named(at), heading, sheet.numbers[:, at], bool(sheet.headings))
            for at, heading in enumerate(headings)
        ]


@lru_cache(16)
def only_column(name: str, data: bytes) -> Column | None:
    """Returns the numbers of a file with one in each line, or None if it is another one."""
    lines = text_in(data, MOST_BYTES).splitlines()
    if not 2 <= len(lines) <= MOST_LINES:
        return None
    numbers = numpy.array([number_of(line.strip()) for line in lines], "f8")
    known = numpy.isfinite(numbers)
    if known.mean() <= 0.5:
        return None
    has_headings = not known[0] and bool(lines[0].strip())
    heading = lines[0].strip() if has_headings else ""
    return Column(
        name, f'"{heading}"' if heading else "its numbers", heading, numbers[has_headings:], has_headings
    )
