"""Lines of which a guest read the first numbers only, because reading stops where no number follows.

What is here: `stopped`, which compares what a guest sent with what `strtod` and `scanf` make of lines. What
is not: fields that are cut off each by itself (`misread.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from .misread import PREFIX
from .sheet import number_of

DELIMITERS = ",;\t"
EMPTY = 0.5
"""So much of what was read is 0 then, and not in the file."""
SHOWN, SHOWN_NUMBERS, FEWEST = 16, 4, 3


def scanned(line: str, width: int, *, skips: bool) -> tuple[list[float], int]:
    """Returns so many numbers as C reads them from a line, 0 where none follows, and the place where that is.
    `skips`: a delimiter behind a number is skipped."""
    numbers: list[float] = []
    at, end = 0, -1
    for _ in range(width):
        found = PREFIX.match(line, at)
        if found is None:
            end = at if end < 0 else end
            numbers.append(0.0)
            continue
        numbers.append(float(found[1]))
        at = found.end()
        if skips and line[at : at + 1] and line[at] in DELIMITERS:
            at += 1
    return numbers, end


def stopped(raw: Sequence[str], numbers: Any, before: Any, room: Any) -> str:
    """Returns what is wrong if what was sent, by element as it was before it was scaled, is what comes of
    reading a line that stops, or "" if it isn't. `room` is by how much it may be off."""
    for text, line in zip(raw, numbers, strict=True):
        for skips in (True, False):
            read, end = scanned(text, len(before), skips=skips)
            if may_be_meant(text, line, read, end):
                continue
            if (abs(before - numpy.array(read)) <= room).all():
                return said(text, read, end)
    return ""


def may_be_meant(text: str, line: Any, read: Sequence[float], end: int) -> bool:
    """Whether somebody may send these numbers of a line, or they may be its numbers by chance."""
    known = sum(one != 0 for one in read)
    if end < 0 and [*line[: len(read)]] == [*read]:
        return True  # blanks lie between the columns
    if end >= len(text.rstrip()):
        return True  # the line has no more
    if end < 0:  # a date reads as three numbers, two of them negative
        return len({*read}) < FEWEST or min(read) >= 0 or number_of(fields(text)[0]) == read[0]
    if numpy.count_nonzero(line[: len(read)]) < len(read) * EMPTY:
        return True
    return known == 0 or (known > len(read) * EMPTY and (text[end] in DELIMITERS or known < FEWEST))


def fields(text: str) -> list[str]:
    return re.split(rf"[{DELIMITERS}]", text)


def said(text: str, read: Sequence[float], end: int) -> str:
    known = sum(one != 0 for one in read)
    first = ", ".join(f"{one:g}" for one in read[: min(known, SHOWN_NUMBERS)])
    if end < 0:
        return (
            f'numbers were read from "{fields(text)[0][:SHOWN]}" on ({first} ...): is that column no number, '
            "and to be skipped?"
        )
    begins = (
        f"of a line's {len(read)} numbers only {'the first one was' if known == 1 else f'{known} were'} read "
        f"({first}), and the others are 0"
    )
    if text[end] in DELIMITERS:
        return f'{begins}: does reading stop at "{text[end]}" (scanf and strtod don\'t skip it)?'
    field = fields(text)[len(fields(text[:end])) - 1]
    return (
        f'{begins}: reading numbers from "{field[:SHOWN]}" on stops at "{fields(text[end:])[0][:SHOWN]}"; '
        "is that column no number, and to be skipped?"
    )
