"""The lines of a text file that may be a table, and the fields of each line, also of a log in which a name
stands before each number (`t=7.80`, JSON).

What is here: `lines_in`, `delimiter_of` and `fields_of`. What is not: the numbers that fields mean, as guests
read them (`tables.py`) and as people write them (`sheets/sheet.py`).
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence

from ...records import Frozen
from ..regex import regex
from ..surroundings import text_in

DELIMITERS = (";", "\t", ",")
"""The comma comes last: between others it is that of decimals."""
COMMENT = regex(r"\s*(?:#|//|%)")
"""How a line begins that says something about the others, or that has their headings."""
SIGN = regex(r"\s*(?:#|//|%)+\s*")
"""What a line of headings has before the first one, if it is a comment."""
LABEL = regex(r"[{\"']{0,2}([A-Za-z_][\w.%/-]*)[\"']?[=:](?![\\/])[ ]*(.*?)\}?")
"""A field that begins with its name, as in logs of sensors and in lines of JSON, and not with a drive or an
address."""
MEASURED = regex(r"([-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?)(?:[A-Za-z\u00b0%][\w/%]{0,3})?")
"""A number, and a unit right behind it, which `strtof` leaves there."""
FEWEST_LINES, SAME_WIDTH = 2, 0.9
"""Lines of a table, and the part of them that has as many fields as most."""


class Lines(Frozen):
    """The lines of a file that are not blank: their numbers in the file, from 1, their texts as they stand
    there, and their fields. Most lines have `width` fields."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    fields: tuple[tuple[str, ...], ...]
    width: int

    @property
    def whole(self) -> list[int]:
        """The places of the lines that have as many fields as most lines."""
        return [at for at, row in enumerate(self.fields) if len(row) == self.width]


def lines_in(data: bytes, most_bytes: int, most_lines: int, *, one_delimiter: bool) -> Lines | None:
    """Returns the lines of a file, or None if they are too many, too few, or too different for a table. All
    have the delimiter of the first line that is no comment if `one_delimiter`, or else each line has its
    own."""
    every = enumerate(text_in(data, most_bytes).splitlines(), 1)
    kept = [(number, text) for number, text in every if text.strip()]
    if not FEWEST_LINES <= len(kept) <= most_lines:
        return None
    first = delimiter_of(next((text for _, text in kept if not COMMENT.match(text)), kept[0][1]))
    fields = [fields_of(text, first if one_delimiter else delimiter_of(text)) for _, text in kept]
    width = Counter(map(len, fields)).most_common(1)[0][0]
    head_below_comments(fields, [text for _, text in kept], width, first)
    count = sum(len(row) == width for row in fields)
    above = next(at for at, row in enumerate(fields) if len(row) == width or not COMMENT.match(kept[at][1]))
    is_torn = count >= FEWEST_LINES and len(fields[-1]) < width and not data.endswith((b"\n", b"\r"))
    if count < SAME_WIDTH * (len(kept) - above - is_torn):
        return None  # a line of which only the beginning was read so far says nothing of the others
    numbers, texts = tuple(number for number, _ in kept), tuple(text for _, text in kept)
    return without_names(Lines(numbers, texts, tuple(fields), width), first)


def head_below_comments(
    fields: list[tuple[str, ...]], texts: Sequence[str], width: int, delimiter: str
) -> None:
    """Take the signs from the comments above a table. The last one that then has as many fields as lines have
    is the table's headings, of which a sign with a blank behind it would be one more; others are none."""
    above = next((at for at, text in enumerate(texts) if not COMMENT.match(text)), 0)
    fields[:above] = [fields_of(SIGN.sub("", text, count=1), delimiter) for text in texts[:above]]
    heads = [at for at in range(above) if len(fields[at]) == width]
    for at in heads[:-1]:
        fields[at] = ()


def without_names(lines: Lines, delimiter: str) -> Lines:
    """Returns the same lines, but if all have the same names before their fields, and a number behind one,
    with these names in a line of headings, number 0, which such logs lack."""
    whole = lines.whole
    if len(whole) < FEWEST_LINES or not any(map(LABEL.fullmatch, lines.fields[whole[-1]])):
        return lines
    columns = []
    for texts in zip(*(lines.fields[at] for at in whole), strict=True):
        found = [match for one in texts if (match := LABEL.fullmatch(one))]
        is_named = len(found) == len(texts) and len({match[1] for match in found}) == 1
        columns.append((found[0][1], [match[2] for match in found]) if is_named else ("", [*texts]))
    measured = [[MEASURED.fullmatch(one) if name else None for one in texts] for name, texts in columns]
    if not any(map(all, measured)):
        return lines
    plain = [
        [match[1] if match else one for one, match in zip(texts, found, strict=True)]
        for (_, texts), found in zip(columns, measured, strict=True)
    ]
    fields = [*lines.fields]
    for at, row in zip(whole, zip(*plain, strict=True), strict=True):
        fields[at] = row
    above, headings = whole[0], tuple(name for name, _ in columns)
    return Lines(
        (*lines.numbers[:above], 0, *lines.numbers[above:]),
        (*lines.texts[:above], (delimiter or " ").join(headings), *lines.texts[above:]),
        (*fields[:above], headings, *fields[above:]),
        lines.width,
    )


def delimiter_of(line: str) -> str:
    """Returns what stands between the fields of a line, or "" if blanks do."""
    return next((one for one in DELIMITERS if one in line), "")


def fields_of(line: str, delimiter: str) -> tuple[str, ...]:
    """The fields of a line, in which quotes hold delimiters together."""
    if not delimiter:
        return tuple(line.split())
    if '"' not in line or len(line) > csv.field_size_limit():  # `csv` is slow, and raises an error for these
        return tuple(map(str.strip, line.split(delimiter)))
    return tuple(map(str.strip, next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))))
