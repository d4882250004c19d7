"""Lists of names, each perhaps with a number in front of it.

What is here: `listed`, which reads one. What is not: lists of kinds (`listed_kinds.py`), and tables
(`sheet.py`).
"""

from __future__ import annotations

from ...records import Frozen
from ..regex import regex
from ..spoken import filled_lines

FEWEST, MOST, LETTERS = 6, 4096, 3
"""Names of a list, and their letters."""
LINE = regex(r"\s*(?:(\d{1,9})\s*[|,;:\t ]\s*)?\"?([^|,;\t\"\d][^|,;\t\"]*[^|,;\t\"\s])")
"""A thing's number, if it has one, and its name."""


class Listing(Frozen):
    """The names of a list and the numbers in front of them, by rows."""

    file: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]


def listed(file: str, text: str) -> Listing | None:
    """The names of a text whose lines each have a name, or a number and a name but for a first one of
    headings, or None if it is no such list."""
    found = [LINE.match(line) for line in filled_lines(text)]
    pairs = [(one[1], one[2]) for one in found if one is not None]
    if not FEWEST < len(pairs) == len(found) <= MOST:
        return None
    if any(number for number, _ in pairs[1:]) and pairs[0][0] is None:
        pairs = pairs[1:]
    numbers = tuple(row if number is None else int(number) for row, (number, _) in enumerate(pairs))
    names = tuple(name for _, name in pairs)
    is_list = len({*numbers}) == len(numbers) and len({*names}) == len(names)
    return Listing(file, names, numbers) if is_list and min(map(len, names)) >= LETTERS else None
