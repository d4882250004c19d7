"""Excerpts for error messages: a source line with a caret under the column."""

from __future__ import annotations

import re
from bisect import bisect_right

_WIDTH = 100
"""The number of columns that are shown: generated texts have lines of megabytes."""


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column, both from 1, of an index into the text."""
    line = text.count("\n", 0, position) + 1
    return line, position - text.rfind("\n", 0, position)


class LineTable:
    """Finds the line numbers of many positions in one text."""

    def __init__(self, text: str) -> None:
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def line(self, position: int) -> int:
        """The line, from 1, of an index into the text."""
        return bisect_right(self._newlines, position - 1) + 1


def excerpt(text: str, line: int, column: int) -> str:
    """The source line with a caret below the column (both from 1), to be shown under an error's message.

    A long line is cut around the column.
    """
    lines = text.split("\n", line)
    source = lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""
    first = max(0, column - 1 - _WIDTH // 2) if len(source) > _WIDTH else 0
    shown = source[first : first + _WIDTH]
    # Keep tabs in the caret's line, so that the caret is aligned whatever the terminal's tab width is.
    indent = "".join("\t" if char == "\t" else " " for char in shown[: column - 1 - first])
    margin = " " * len(str(line))
    return f"{line} | {shown}\n{margin} | {indent}^"
