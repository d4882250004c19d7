"""Where in a text something is wrong, shown to a person: the line with a caret under the column."""

from __future__ import annotations

import re
from bisect import bisect_right

_WIDTH = 100
"""Columns of a source line that are shown: generated texts have lines of megabytes."""


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column, both from 1, of an index into the text."""
    line = text.count("\n", 0, position) + 1
    return line, position - text.rfind("\n", 0, position)


class LineTable:
    """Line numbers of many positions in one text."""

    def __init__(self, text: str) -> None:
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def line(self, position: int) -> int:
        """The line, from 1, of an index into the text."""
        return bisect_right(self._newlines, position - 1) + 1


def excerpt(text: str, line: int, column: int) -> str:
    """The source line with a caret below the column (both from 1), for showing under an error's message.

    A line too long for a terminal is cut around the column.
    """
    lines = text.split("\n", line)
    source = lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""
    first = max(0, column - 1 - _WIDTH // 2) if len(source) > _WIDTH else 0
    shown = source[first : first + _WIDTH]
    # Tabs stay tabs in the caret's line, so that it stands right however wide the terminal makes them.
    indent = "".join("\t" if char == "\t" else " " for char in shown[: column - 1 - first])
    margin = " " * len(str(line))
    return f"{line} | {shown}\n{margin} | {indent}^"
