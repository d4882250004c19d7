"""Names of classes in a file that the guest read, and whether the one that it says belongs to the answer.

What is here: `classes_in`, which reads a list of names (a line each, numbered ones, JSON), and `other_name`.
What is not: numbers that a guest says (`written/sayings.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from ..records import Frozen
from .regex import regex

MOST_BYTES = 1 << 18
MOST_NAMES = 1 << 14
FEWEST = 3
SHORTEST = 3
"""Shorter names stand in many texts by chance."""
MOST_SAID = 10
FILE_NAME = regex(
    r"[\w./-]*\w\.(?:jpe?g|p[npgba]m|png|bmp|gif|webp|tiff?|tga|qoi|pfm|wav|mp3|flac|ogg|au|aiff?|y4m|yuv|rgb|"
    r"mp4|avi|raw|bin|dat|pcm|txt|csv|tsv|json|npy|npz|ply|pcd|xyz|obj|off)\b|\w[\w.-]*/[\w./-]*\w\.\w{1,5}\b",
    re.IGNORECASE,
)
"""Files, whose names often say what they show."""
NUMBERED = regex(r"\s*(\d{1,6})\s*[\t,;: ]\s*(.+?)\s*$")
WITH_BACKGROUND = (91, 1001)
"""Numbers of classes of which the first is the background, whether a list names it or not."""
CALENDAR = (7, 12)
"""Numbers of classes that people count from 1: days of a week, and months."""
BACKGROUND = regex(
    r"^[\W_]*(back\s?ground|none|unlabell?ed|dummy|blank|bg|void|_+)[\W_]*$|^\?+$", re.IGNORECASE
)
DENIAL = r"(?:\b(?:[Nn]o|[Nn]ot|[Nn]ever|[Ww]ithout|[Nn]either|[Nn]or)\b|n't\b)"
ABSENT = r"not?|isn't|wasn't|absent|false|missing|none"
"""These words deny a class if they stand before or behind its name."""
COMMENT = regex(r"#(?![0-9A-Fa-f]{6}$)|//|;")
HEADING = regex(
    r"(?:(?:id|index|number|no|code)\s*[,;\t ]\s*)?(?:labels?|names?|class(?:es)?|class(?:[_ ])?names?|"
    r"categor(?:y|ies))",
    re.IGNORECASE,
)
"""Lines before the first name that are none."""


class Classes(Frozen):
    """The names in a file, by their places from 0 or by the numbers that stand before them. `above` are the
    lines before the first name, which are comments or a heading."""

    file: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    above: tuple[str, ...] = ()

    def in_order(self, count: int, by: int) -> list[str]:
        """The names of so many classes, whose numbers are higher by `by` here; "" for those without one."""
        named = dict(zip(self.numbers, self.names, strict=True))
        return [named.get(place + by, "") for place in range(count)]

    @property
    def is_numbered(self) -> bool:
        """Whether the file itself says which name has which number."""
        return self.numbers != tuple(range(len(self.names)))


def classes_in(file: str, data: bytes, *, of_numbers: bool = False) -> Classes | None:
    """Returns the list of names in a file, or None if it is something else. `of_numbers`: also
    whole numbers, such as speed limits, which many files have that are no lists of names."""
    if not 0 < len(data) <= MOST_BYTES or b"\0" in data:
        return None
    text = data.decode("utf-8", "replace")
    lines = named_in_json(text) or [line.strip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    above, lines = beginning(lines)
    if not FEWEST <= len(lines) <= MOST_NAMES:
        return None
    found = [NUMBERED.match(line) for line in lines]
    if all(found):
        pairs = [(match[2], int(match[1])) for match in found if match]
    else:
        pairs = [(line, number) for number, line in enumerate(lines)]
    names, numbers = zip(*pairs, strict=True)
    are_short = sum(len(name) >= SHORTEST for name in names) < len(names) / 2
    if of_numbers and all(name.isdecimal() for name in names):
        are_short = False
    if len(set(numbers)) < len(numbers) or are_short:
        return None
    return Classes(file, names, numbers, above)


def beginning(lines: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The comments and the heading with which a list begins, and its other lines; a list all of whose lines
    look so has none."""
    count = 0
    while count < len(lines) and COMMENT.match(lines[count]):
        count += 1
    if count < len(lines) and HEADING.fullmatch(lines[count]):
        count += 1
    if count == len(lines) or any(COMMENT.match(one) for one in lines[count:]):
        return (), [*lines]
    return tuple(lines[:count]), [*lines[count:]]


def named_in_json(text: str) -> list[str]:
    """Returns the names in a list of JSON, or in an object from numbers to names, or [] if it is neither."""
    if not text.lstrip().startswith(("[", "{")):
        return []
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict) and all(key.isdigit() for key in found):
            return [f"{key}: {value}" for key, value in found.items()]
        if isinstance(found, list):
            return [one for one in found if isinstance(one, str)]
    return []


def belongs_at(classes: Classes, count: int) -> int | None:
    """Returns by how much the number of a class's name is higher than the class, or None if that isn't
    known."""
    total, first = len(classes.names), min(classes.numbers)
    if classes.is_numbered:
        return first if first in (0, 1) and total == count else 0 if total == count - 1 else None
    if total == count:
        return 0
    if total == count - 1 and count in WITH_BACKGROUND:
        return -1
    return 1 if total == count + 1 and BACKGROUND.match(classes.names[0]) else None


def other_name(classes: Classes, numbers: Any, text: str, says: Callable[[float], str] = lambda _: "") -> str:
    """Returns what is wrong with the names that a guest says of an answer, or "" if nothing is. `says` tells
    how the guest writes an element, "" if it doesn't. A guest may look for one class alone, and say how
    likely it is, or that it isn't there."""
    at = belongs_at(classes, len(numbers))
    said = set(said_in(classes, text))
    if at is None or not 0 < len(said) <= MOST_SAID or len(said) == len(classes.names):
        return ""
    order = numbers.argsort(kind="stable")[::-1]
    best = order[: len(said)].tolist()
    if best[0] + at in said or numbers[order[0]] == numbers[order[len(said)]]:
        return ""
    if said == {int(order[-1]) + at}:
        return ""  # the smallest may be what is said, which copies of the guest show
    if is_short(classes, best[0] + at, text):
        return ""
    is_valued = bool(says(float(numbers.max())))
    if not is_valued and len(said) == 1 and is_looked_for(classes, said, numbers, text, at, says):
        return ""
    above = len(classes.above)
    for by in dict.fromkeys((at - above, at - 1, at + 1) if above else (at - 1, at + 1)):
        if {one + by for one in best} != said:
            continue
        is_above = by == at - above and above > 0
        if len(said) == 1 and not is_valued and said <= {one + at for one in order[:FEWEST].tolist()}:
            continue
        own = classes.numbers.index(best[0] + by)
        right = (
            f'"{classes.names[classes.numbers.index(best[0] + at)]}"'
            if best[0] + at in classes.numbers
            else "one without a name there"
        )
        why = "are the names off by one?"
        if is_above:
            lines = "line is" if above == 1 else f"{above} lines are"
            why = f'its first {lines} no name ("{classes.above[0][:30]}"): was it taken for one?'
        return (
            f'the guest says "{classes.names[own]}", but the largest element is {best[0]} '
            f"({numbers[best[0]]:.4g}), which is {right} in {classes.file}: {why}"
        )
    return ""


def is_short(classes: Classes, number: int, text: str) -> bool:
    """Whether a text has the name of a class that is too short to be looked for ("90" beside "180")."""
    own = [name for name, each in zip(classes.names, classes.numbers, strict=True) if each == number]
    return any(
        len(name) < SHORTEST and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", FILE_NAME.sub(" ", text))
        for name in own
    )


def is_looked_for(
    classes: Classes, said: Collection[int], numbers: Any, text: str, at: int, says: Callable[[float], str]
) -> bool:
    """Returns whether a guest says of one class how likely it is, or that it isn't there."""
    (own,) = said
    name = re.escape(classes.names[classes.numbers.index(own)])
    if re.search(rf"{DENIAL}[^\n.]{{0,24}}(?<!\w){name}|(?<!\w){name}\W{{1,3}}(?:{ABSENT})\b", text):
        return True
    return 0 <= own - at < len(numbers) and bool(says(float(numbers[own - at])))


def said_in(classes: Classes, text: str) -> Iterator[int]:
    """The numbers of the names that stand in a text as whole words, and in no file's name; the longest
    names first."""
    text = FILE_NAME.sub(" ", text)
    pairs = sorted(zip(classes.names, classes.numbers, strict=True), key=lambda one: -len(one[0]))
    for name, number in pairs:
        if len(name) < SHORTEST or name not in text:
            continue
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        if whole.search(text):
            text = whole.sub(" ", text)
            yield number


def first_said(classes: Classes, text: str) -> int | None:
    """The number of the name that stands first in a text, or None if none does."""
    text = FILE_NAME.sub(" ", text)
    said = {classes.names[classes.numbers.index(number)]: number for number in said_in(classes, text)}
    longest = "|".join(re.escape(name) for name in sorted(said, key=len, reverse=True))
    found = re.search(rf"(?<!\w)(?:{longest})(?!\w)", text) if said else None
    return None if found is None else said[found[0]]


def lists_for(files: Sequence[tuple[str, bytes]], count: int) -> Iterator[Classes]:
    """The lists of names for so many classes among files."""
    for name, data in files:
        found = classes_in(name, data)
        if found is not None and belongs_at(found, count) is not None:
            yield found
