"""Columns of a table in an order that comes of a container, kinds that are numbered as they appear, and kinds
that are a number where each has an element.

What is here: `alphabetical`, `as_they_appear` and `one_number`. What is not: columns that are reversed,
shifted or sent twice (`origin.scaled`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .rows import Straight
from .sheet import Sheet

FEWEST_COLUMNS = 4
FEWEST_KINDS, MOST_KINDS = 3, 32


def alphabetical(sheet: Sheet, found: Straight, known: Callable[[str], bool]) -> str:
    """Returns a hint if all columns were sent, in the alphabetical order of their headings, which is not the
    file's, or "" if that is not so, or if the program has all these names, by which it looks columns up.
    `known` says whether a text is in the program."""
    count = len(sheet.headings)
    if (
        not FEWEST_COLUMNS <= count == found.fits.shape[0]
        or not (found.fits[:, :count].sum(axis=1) == 1).all()
    ):
        return ""
    order = [int(one) for one in found.fits[:, :count].argmax(axis=1)]
    names = [sheet.headings[column] for column in order]
    if sorted(order) != list(range(count)) or order == list(range(count)) or names != sorted(sheet.headings):
        return ""
    if all(map(known, names)):
        return ""
    return (
        f"the columns are in the alphabetical order of their names ({', '.join(names[:3])} ...), as a sorted "
        f"map (std::map, BTreeMap) gives them; the file begins with {', '.join(sheet.headings[:3])}: a model "
        "wants the order in which it was trained"
    )


def as_they_appear(sheet: Sheet, rows: Any, lines: Sequence[int], known: Callable[[str], bool]) -> str:
    """Returns a hint about kinds, sent as numbers or as zeros and a one, that are numbered in the order in
    which the lines have them, or "" if there are none. `known` says whether a text is in the program or in
    another file, which may have an order of their own."""
    for column, texts in kinds(sheet):
        own = [texts[line] for line in lines]
        appear = list(dict.fromkeys(own))
        if not FEWEST_KINDS <= len(appear) < len(own):  # a kind that comes once has the number of its line
            continue
        if appear == sorted(appear) or appear == sorted(appear, key=str.lower):
            continue
        if all(map(known, appear)):
            continue
        if any(places == [appear.index(one) for one in own] for places in numbered(rows, len(appear))):
            shown = ", ".join(f'"{one}" {at}' for at, one in enumerate(appear[:3]))
            return (
                f"the kinds of {sheet.named(column)} are numbered as they appear in the lines ({shown}): in "
                "another file they have other numbers; a model wants those of its training (mostly "
                "alphabetical)"
            )
    return ""


def one_number(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns a hint about kinds that are sent as their number in one element, before as many elements that
    are always 0 as each of the others would need, or "" if there are none."""
    for column, texts in kinds(sheet):
        own = [texts[line] for line in lines]
        names = sorted({*own}, key=str.lower)
        count = len(names)
        if count < FEWEST_KINDS or count < len({*texts}):
            continue
        for element in range(rows.shape[1] - count + 1):
            block = rows[:, element : element + count]
            number = block[:, 0].tolist()
            if (
                block[:, 1:].any()
                or {*number} != {*range(count)}
                or len({*zip(own, number, strict=True)}) > count
            ):
                continue
            shown = ", ".join(f'"{one}" {number[own.index(one)]:g}' for one in names[:3])
            return (
                f"the kinds of {sheet.named(column)} are sent as a number in element {element} ({shown}), "
                f"and the {count - 1} elements behind it are always 0: with an element for each of {count} "
                "kinds, that of the kind is 1 and the others are 0 (one-hot)"
            )
    return ""


def kinds(sheet: Sheet) -> Iterator[tuple[int, list[str]]]:
    """Columns of a few texts."""
    for column in range(len(sheet.rows[0])):
        texts = [row[column] for row in sheet.rows]
        is_text = (sheet.numbers[:, column] != sheet.numbers[:, column]).all()
        if is_text and FEWEST_KINDS <= len({*texts}) <= min(MOST_KINDS, len(texts) - 1):
            yield column, texts


def numbered(rows: Any, count: int) -> Iterator[list[int]]:
    """The numbers of so many kinds that inputs may have: whole elements, or the places of a one."""
    width = rows.shape[1]
    for element in range(width):
        own = rows[:, element]
        if (own == own.round()).all() and abs(own).max() <= MOST_KINDS:
            yield [int(one - own[0]) for one in own]
        block = rows[:, element : element + count]
        if block.shape[1] == count and ((block == 0) | (block == 1)).all() and (block.sum(axis=1) == 1).all():
            yield [int(one) for one in block.argmax(axis=1)]
