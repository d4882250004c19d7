"""Names of classes that are compared with words of the program, and never equal them for what is left on
them: the CR of CR LF, blanks, quotes, capitals.

What is here: `never_equal`, and `are_read`, which says whether it may be so. Each class is made the largest
of all answers, and a line still says that there are 0 of it, that 0 answers are right by a table, or nothing
changes at all. What is not: words that are sent (`hints/words.py`) and names that a guest says (`named.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...records import Frozen
from ..classes import NUMBERED
from ..regex import regex
from ..spoken import filled_lines
from .asked import Asked, Given
from .classes import tried
from .whether import moves

MOST_BYTES, MOST_TABLE, LONGEST, SHORTEST, FEWEST = 1 << 14, 1 << 18, 40, 3, 2
"""Bytes of a list of names and of a table, letters of the longest and the shortest name, and the fewest
names."""
TWO, ALL = 2, 6
"""So few classes are all tried."""
LEVELS = 0.0, 1.0
"""One number for two classes, or elements that are shares."""
NONE = regex(r"(?<![\w.,-])0(?![\w.,]*\d)(?! ?%)")
NO_PART = regex(r"(?<![\w.,-])0(?:\.0+)?(?![\w.,]*\d)")
RIGHT = regex(r"\b(?:right|correct|match|hits?\b|agree|accura|recognised|recognized)", re.IGNORECASE)
NUMBER = regex(r"\d+")
SEPARATOR = regex(r"[,;\t]")
SHOWN = 50


class Line(Frozen):
    """A name as it stands in a list, as it is meant, and what is left on it, in words."""

    raw: str
    name: str
    left: str


def are_read(files: Sequence[tuple[str, bytes]]) -> bool:
    """Whether a list of names was read on which something may be left."""
    return any(lists_in(data) or ends_in_words(data) for _, data in files)


def never_equal(asked: Asked) -> str:
    """Returns a hint about names that never equal the program's words, or "" if none are."""
    ending = asked.ending
    if ending is None or not ending.is_whole or not NO_PART.search(ending.text):
        return ""
    for index, output in asked.fetched():
        count = output.lengths[-1] if output.lengths and not is_one(output) else TWO
        lists = [(name, lines) for name, data in asked.files() if len(lines := lists_in(data)) == count]
        tables = [name for name, data in asked.files() if ends_in_words(data)]
        texts = texts_of(asked, index, output, count) if lists or tables else {}
        for name, lines in lists:
            if wrong := of_names(lines, texts) or of_nothing(asked, ending.text, lines, texts):
                left = next(one.left for one in lines if one.left)
                return (
                    f"{output.what}: {wrong}; the names in {name} {left}: are they compared with words of "
                    "the program that they never equal so?"
                )
        if tables and (wrong := of_right(texts, count)):
            return (
                f"{output.what}: {wrong}; the lines of {tables[0]} end with CR LF: is the CR left on the "
                "last word of each, so that it never equals a name?"
            )
    return ""


def is_one(output: Given) -> bool:
    """Whether an answer has one number for each input, a share or logit of the second of two classes."""
    return bool(output.array.shape[-1] == 1 or output.array.size == 1)


def lists_in(data: bytes) -> list[Line]:
    """The names of a list, if something may be left on them, or []."""
    if not 0 < len(data) <= MOST_BYTES or b"\0" in data:
        return []
    raw = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    lines = [line_of(one) for one in raw]
    is_list = len(lines) >= FEWEST and all(SHORTEST <= len(one.name) <= LONGEST for one in lines)
    are_names = is_list and not any(SEPARATOR.search(one.name) for one in lines)
    return lines if are_names and any(one.left for one in lines) else []


def ends_in_words(data: bytes) -> bool:
    """Whether a table's lines end with a word of a few, and with CR LF."""
    if not 0 < len(data) <= MOST_TABLE or b"\r\n" not in data or b"\0" in data:
        return False
    lines = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    fields = [SEPARATOR.split(line) for line in lines if line.strip()]
    last = [one[-1].strip().strip('"') for one in fields[1:]]
    is_table = len(last) > len({*last}) >= FEWEST and min(map(len, fields)) >= TWO
    return is_table and all(one.endswith("\r") for one in lines[:-1]) and all(map(str.isalpha, last))


def line_of(raw: str) -> Line:
    """A line of a list, as `str.splitlines`, `strip` and the like leave it, and as they don't."""
    number = NUMBERED.match(raw)
    name = (number[2] if number else raw).strip()
    if name[:1] == name[-1:] == '"':
        return Line(raw, name.strip('"').lower(), "stand in quotes")
    if raw.endswith("\r"):
        return Line(raw, name.lower(), "end with CR LF, and the CR is no part of them")
    if raw != raw.rstrip():
        return Line(raw, name.lower(), "have blanks at their ends")
    return Line(raw, name.lower(), "have capitals" if name != name.lower() else "")


def texts_of(asked: Asked, index: int, output: Given, count: int) -> Mapping[int, str]:
    """By class, what is written to the end if it is the largest of all answers; and below 0, if two of them
    take turns."""
    array = output.array
    are_shares = bool(array.min() >= 0 and array.max() <= 1)
    made = {}
    for one in tried(count) if count > ALL else range(count):
        if is_one(output):
            level = LEVELS[one] if are_shares else 8.0 * (2 * one - 1)
            made[one] = (array * 0 + level).astype(array.dtype)
            continue
        made[one] = output.filled(range(one, array.size, count), clearly=not are_shares)
        if are_shares and array.dtype.kind == "f":
            made[one] = (made[one] == made[one].max()).astype(array.dtype)
    texts = {one: asked.series(index, [each]) for one, each in made.items()}
    first, second = [*made.values()][:TWO]
    turns = asked.series(index, [first, second, first, second])
    return {one: text for one, text in {**texts, -1: turns}.items() if text}


def of_names(lines: Sequence[Line], texts: Mapping[int, str]) -> str:
    """Returns what is written of a class though it is the largest of all answers: that there are 0 of it; or
    "" if that isn't so."""
    said = [filled_lines(text) for text in texts.values()]
    always = [line for line in said[0] if all(line in others for others in said)] if said else []
    for at, one in enumerate(lines):
        for line in always if at in texts and one.left else ():
            is_about = bool(NONE.search(line)) and [*names_in(line, lines)] == [at] and one.raw not in line
            if is_about and (at or len(NUMBER.findall(line)) > 1):  # and not the number of class 0
                return f'if all answers are "{one.name}", the guest still writes "{line.strip()[:SHOWN]}"'
    return ""


def of_nothing(asked: Asked, own: str, lines: Sequence[Line], texts: Mapping[int, str]) -> str:
    """Returns what is written whatever the answers are, by a program that has a name otherwise than the list;
    or "" if that isn't so."""
    if len({*texts.values(), own}) > 1 or not texts or moves(asked):
        return ""
    if not any(asked.has(one.name.encode(), b"\r") for one in lines if one.left):
        return ""
    line = next(one for one in filled_lines(own) if NO_PART.search(one))
    return f'the guest writes "{line.strip()[:SHOWN]}" whatever the answers are'


def of_right(texts: Mapping[int, str], count: int) -> str:
    """Returns what is written of how many answers are right if it is 0 whichever class all of them are, as
    can't be of a table that has words for these; or "" if that isn't so."""
    said = [[line for line in filled_lines(text) if RIGHT.search(line)] for text in texts.values()]
    if not {*range(count)} <= {*texts} or not all(said):
        return ""
    always = [line for line in said[0] if NO_PART.search(line) and all(line in others for others in said)]
    return (
        f'whichever class all answers are, the guest writes "{always[0].strip()[:SHOWN]}"' if always else ""
    )


def names_in(line: str, lines: Sequence[Line]) -> Iterator[int]:
    """The classes that a line names."""
    for at, one in enumerate(lines):
        if re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", line.lower()):
            yield at
