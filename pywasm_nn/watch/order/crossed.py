"""Two inputs that got each other's file, by words in the names of both: before and after, left and right.

What is here: `contradicted`. What is not: files in another order than that of the arguments (`assigned.py`),
and columns of one file (`crossed_columns.py`).
"""

from __future__ import annotations

from pathlib import PurePosixPath

from ..regex import regex

PART = regex(r"[A-Za-z]+|\d+")
KINDS = (
    ({"left", "l"}, {"right", "r"}),
    (
        {"before", "pre", "old", "older", "previous", "prev", "earlier", "past", "t0"},
        {"after", "post", "new", "newer", "next", "later", "current", "curr", "t1"},
    ),
    ({"query", "probe"}, {"reference", "ref", "gallery", "template"}),
    ({"content"}, {"style"}),
    ({"source", "src"}, {"target", "dst", "dest"}),
    ({"image", "img", "picture", "photo"}, {"mask"}),
    ({"hr", "high"}, {"lr", "low"}),
    (
        {"inside", "indoor", "indoors", "interior", "inner", "in", "room"},
        {"outside", "outdoor", "outdoors", "exterior", "outer", "out", "ambient"},
    ),
    ({"inlet", "supply"}, {"outlet", "return"}),
    ({"front"}, {"rear", "back"}),
    ({"upper", "top"}, {"lower", "bottom"}),
)
"""Words of the first and the second of two inputs, by what they say. Short numbers say no order: one may
well compare the second of some files with the first."""
IN_TIME = 1
"""The place in `KINDS` of the pair that times and dates tell, too."""
SHORT, LONG = 2, 3
"""The fewest digits of a number in a time or date, and of a number that stands alone without zeros before
it."""


def parts(name: str) -> list[str]:
    return PART.findall(name.lower())


def contradicted(first: str, second: str, files: tuple[str, str]) -> bool:
    """Whether two inputs of these names have words of which that of the first stands in the name of the
    second's file, and the other way round. `files` are theirs; their names are the same but for that word."""
    stems = [parts(PurePosixPath(one).stem) for one in files]
    return contradicted_words(parts(first), parts(second), *stems)


def contradicted_words(first: list[str], second: list[str], own: list[str], other: list[str]) -> bool:
    """The same of the words of two names, and of those of what the first and the second have."""
    told = [which_of(first, second), which_of(own, other) or by_time(own, other)]
    return bool(told[0] and told[1] and told[0][0] == told[1][0] and told[0][1] != told[1][1])


def which_of(one: list[str], other: list[str]) -> tuple[int, bool] | None:
    """Returns which kind of words two names are told apart by, and whether the first has the first word, or
    None if they differ in anything else."""
    if len(one) != len(other):
        return None
    different = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    if len(different) != 1:
        return None
    own, its = different[0]
    for number, (firsts, seconds) in enumerate(KINDS):
        if own in firsts and its in seconds:
            return number, True
        if own in seconds and its in firsts:
            return number, False
    return None


def by_time(one: list[str], other: list[str]) -> tuple[int, bool] | None:
    """The same for names that differ in nothing but the numbers of a time or date, or of a frame."""
    if len(one) != len(other):
        return None
    at = [place for place, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
    own, its = ([names[place] for place in at] for names in (one, other))
    if not at or at[-1] - at[0] != len(at) - 1 or not all(part.isdigit() for part in own + its):
        return None
    if any(len(mine) != len(their) or len(mine) < SHORT for mine, their in zip(own, its, strict=True)):
        return None
    is_time = len(at) > 1 or len(own[0]) >= LONG or min(own, its)[0].startswith("0")
    return (IN_TIME, own < its) if is_time else None
