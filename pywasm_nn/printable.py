"""Makes untrusted text fit to be shown: names in a module, paths, quotations of a model by a framework.

What is here: escaping characters that are invisible or control a terminal, cutting long texts, and exceptions
with safe messages. What is not: HTML (`markup.py`), and strings of the text format
(`interpreter.text.literals`).
"""

from __future__ import annotations

from typing import Any

LONGEST = 1000
"""The longest line that is shown."""
MOST_LINES = 100
"""The number of lines of one message that are shown."""
LONGEST_REPR = 300
"""The longest `repr` of any object of this package."""
INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800),
        (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0x1D159, 0x1D159),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""Invisible characters that `str.isprintable` counts as letters and marks: fillers, joiners and variation
selectors (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point)."""


FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula in spreadsheets."""
PLANE_14 = "\U000e0000"
"""From here on Unicode has only tags, variation selectors and characters for private use."""


def is_visible(text: str) -> bool:
    """Whether every character of the text is visible and has no other effect."""
    return text.isprintable() and (text.isascii() or (INVISIBLE.isdisjoint(text) and max(text) < PLANE_14))


def visible(text: str) -> str:
    """The text in one line. Invisible characters are escaped as in Python: controls, line separators, marks
    of direction, unusual spaces, surrogates."""
    if is_visible(text):
        return text
    return "".join(c if is_visible(c) else c.encode("unicode_escape").decode() for c in text)


def visible_lines(text: str) -> str:
    """Several lines, each of them made visible."""
    return text if is_visible(text) else "\n".join(map(visible, text.split("\n")))


def printable(text: str, most: int = LONGEST) -> str:
    """The text in one visible line of at most `most` characters (3 or more); "..." ends a cut text."""
    beginning = text[: most + 1]
    if is_visible(beginning):
        return text if len(text) <= most else f"{beginning[: most - 3]}..."
    pieces: list[str] = []
    length = 0
    for character in beginning:
        pieces.append(visible(character))
        length += len(pieces[-1])
        if length > most:
            while length > most - 3:
                length -= len(pieces.pop())
            return "".join(pieces) + "..."
    return "".join(pieces)


def printable_lines(text: str, most: int = LONGEST) -> str:
    """A message of several printable lines. All lines after the first are indented, so that none of them can
    look like a separate message."""
    if "\n" not in text:
        return printable(text, most)
    lines = text.rstrip().split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES] = "..."
    first, *rest = (line[: most + 1].rstrip().expandtabs(4) for line in lines)
    indented = (line if line.startswith("  ") else f"  {line}" for line in rest)
    return "\n".join(printable(line, most) for line in (first, *indented))


def csv_cell(value: object) -> object:
    """A cell of CSV: text is made visible, and quoted if a spreadsheet would compute it
    (https://owasp.org/www-community/attacks/CSV_Injection)."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if value.startswith(FORMULAS) else shown


class PrintableError(Exception):
    """An exception whose `str` and `repr` are printable; a subclass gives its message in `text`. It can be
    pickled if its attributes can."""

    in_lines = False
    """Whether the message has several lines. If so, quoted names in it are already printable; otherwise a
    line feed in it belongs to a name and is escaped."""

    def text(self) -> str:
        """The message; it may quote any text."""
        return super().__str__()

    def __str__(self) -> str:
        return printable_lines(self.text()) if self.in_lines else printable(self.text())

    def __repr__(self) -> str:
        return printable(f"{type(self).__name__}({self.text()!r})", LONGEST_REPR)

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by calling the class: subclasses have an `__init__` with other parameters.
        return remade, (type(self), self.args), self.__dict__


def remade(class_: type[PrintableError], args: tuple[Any, ...]) -> PrintableError:
    """An unpickled error, before its attributes are set."""
    return class_.__new__(class_, *args)
