"""Text of anybody's made fit to be shown: names in a module, paths, what a framework quotes of a model.

What is here: escaping what is invisible or steers a terminal, cutting what is too long, and exceptions whose
texts are safe however they are shown. What is not: HTML (`markup.py`), and strings of the text format
(`interpreter.text.literals`).
"""

from __future__ import annotations

from itertools import islice
from typing import Any

LONGEST = 1000
"""Characters of one line that are shown."""
MOST_LINES = 100
"""Lines of one message that are shown."""
LONGEST_REPR = 300
"""Characters of what `repr` says of anything here."""
INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800),
        (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0x1D159, 0x1D159),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""Characters that nobody sees, which `str.isprintable` takes for letters and marks: fillers, joiners and
variation selectors (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point)."""


FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for the beginning of something to compute."""
PLANE_14 = "\U000e0000"
"""From here on there are only tags, variation selectors and characters for private use."""


def is_visible(text: str) -> bool:
    """Whether all of the text is seen, and none of it does anything else to who sees it."""
    return text.isprintable() and (text.isascii() or (INVISIBLE.isdisjoint(text) and max(text) < PLANE_14))


def visible(text: str) -> str:
    """The text in one line, whatever isn't visible as Python escapes it: controls, line separators, marks of
    direction, spaces other than the usual one, halves of surrogate pairs."""
    if is_visible(text):
        return text
    return "".join(c if is_visible(c) else c.encode("unicode_escape").decode() for c in text)


def visible_lines(text: str) -> str:
    """Several lines, each of them visible."""
    return text if is_visible(text) else "\n".join(map(visible, text.split("\n")))


def printable(text: str, most: int = LONGEST) -> str:
    """The text in one visible line of at most `most` characters (3 or more); "..." ends what was longer."""
    if len(text) <= most and is_visible(text):
        return text
    pieces: list[str] = []
    length = 0
    for character in islice(text, most + 1):
        pieces.append(visible(character))
        length += len(pieces[-1])
        if length > most:
            while length > most - 3:
                length -= len(pieces.pop())
            return "".join(pieces) + "..."
    return "".join(pieces)


def printable_lines(text: str, most: int = LONGEST) -> str:
    """A message of several printable lines. Those behind the first are indented, so that none of them can
    pass for a message of its own."""
    if "\n" not in text:
        return printable(text, most)
    lines = text.rstrip().split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES] = "..."
    first, *rest = (line[: most + 1].rstrip().expandtabs(4) for line in lines)
    indented = (line if line.startswith("  ") else f"  {line}" for line in rest)
    return "\n".join(printable(line, most) for line in (first, *indented))


def csv_cell(value: object) -> object:
    """A cell of CSV: text is visible, and none that a spreadsheet would compute
    (https://owasp.org/www-community/attacks/CSV_Injection)."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if value.startswith(FORMULAS) else shown


class PrintableError(Exception):
    """An exception whose `str` and `repr` are printable; what it says, a subclass has in `text`. Can be
    pickled, as long as what it carries can."""

    in_lines = False
    """Whether the text has several lines; then names that it quotes are made printable before. In that of
    others a line feed is part of a name."""

    def text(self) -> str:
        """The message, in which anything may be quoted."""
        return super().__str__()

    def __str__(self) -> str:
        return printable_lines(self.text()) if self.in_lines else printable(self.text())

    def __repr__(self) -> str:
        return printable(f"{type(self).__name__}({self.text()!r})", LONGEST_REPR)

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by a call of the class, which wants what a subclass's __init__ wants.
        return remade, (type(self), self.args), self.__dict__


def remade(class_: type[PrintableError], args: tuple[Any, ...]) -> PrintableError:
    """An error as it was before it was pickled, but for its own attributes."""
    return class_.__new__(class_, *args)
