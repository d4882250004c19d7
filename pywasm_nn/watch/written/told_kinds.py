"""Names that a table has for the kinds of its lines, and a guest says of others.

What is here: `exchanged_names`. What is not: names whose meaning people know (`meanings.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..regex import regex
from ..sheets.sheet import Sheet
from .crosswise import is_done

FEWEST, MOST, FEWEST_LINES = 2, 20, 4
LONGEST = 40
ANSWERS = regex(r"\b(?:counter|beat|repl|respon|opposite|toggle|invert|swap|instead)", re.IGNORECASE)
"""A text with one of these answers each kind with another one, as in a game."""


def exchanged_names(sheet: Sheet, said: Sequence[str]) -> str:
    """Returns what is wrong if each line that a table says to be of one kind is said to be of another one,
    always the same, and one for each, or "" if that is not so. One line is written of each line of the
    table."""
    if len(said) != len(sheet.rows) or len(said) < FEWEST_LINES or ANSWERS.search("\n".join(said)):
        return ""
    if are_names(sheet, said):
        return ""
    for column in range(len(sheet.rows[0])):
        own = [row[column].strip('" ').lower() for row in sheet.rows]
        kinds = {*own}
        if sheet.headings and sheet.headings[column].strip('" ').lower() in kinds:
            continue  # the first line is one of them: it may be the names of classes, one a line
        if not FEWEST <= len(kinds) <= MOST or any(not is_name(one) for one in kinds):
            continue
        words = re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(kinds, key=len, reverse=True)))})(?!\w)"
        )
        found = [{*words.findall(line.lower())} for line in said]
        if any(len(one) != 1 for one in found):
            continue
        if any(is_done(line, *one) for line, one in zip(said, found, strict=True)):
            continue
        ways = set(zip(own, (one.pop() for one in found), strict=True))
        moved = sorted(one for one in ways if one[0] != one[1])
        often = all(own.count(one) >= FEWEST for one, _ in moved)
        if moved and often and len(ways) == len(kinds) == len({other for _, other in ways}):
            one, other = moved[0]
            return (
                f'lines that are "{one}" in {sheet.named(column)} of {sheet.name} are all said to be '
                f'"{other}", and so with {len(moved)} of {len(kinds)} names: are they in another order than '
                "the model's?"
            )
    return ""


def are_names(sheet: Sheet, said: Sequence[str]) -> bool:
    """Returns whether a guest writes lines of a file as they are, but not the line of the same number each
    time, as it does with names of classes."""
    lines, texts = [one.strip().lower() for one in sheet.raw], [text.lower() for text in said]
    is_echoed = all(one in text for one, text in zip(lines, texts, strict=True))
    written = sum(any(one in text for one in lines) for text in texts)
    return not is_echoed and len({*lines}) == len(lines) and written >= len(texts) - 1


def is_name(text: str) -> bool:
    return bool(re.search(r"[^\W\d_]{2}", text)) and len(text) <= LONGEST
