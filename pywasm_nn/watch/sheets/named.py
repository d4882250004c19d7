"""The order of a model's columns, by a list of their names: in a file that was read, or that of a well-known
data set that a model is named after.

What is here: `unlike_names`, of columns as they were sent, `unlike_list`, of columns that were scaled by two
lists without names, and `are_looked_up`, of programs that have the names themselves. What is not: the order
of a scaler's lines (`scales.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from ...arrays import numpy
from ..origin.delimited import delimiter_of, fields_of
from ..regex import regex
from ..spoken import filled_lines
from ..surroundings import text_in
from .rows import Straight
from .scaler_files import LEAST, TYPICAL, USUAL, Lists
from .sheet import Sheet, sheet_of

MOST_BYTES, FEWEST, DEEPEST = 1 << 14, 3, 4
FAR = 8.0
"""Numbers that are scaled by another column's mean are more deviations from it than this."""
PART, MOSTLY = 0.5, 0.98
"""Numbers that are scaled by their own mean are at most half as far away, and so many of them are usual."""
DATA_SETS = {
    "iris": ("sepal_length", "sepal_width", "petal_length", "petal_width"),
    "penguin": ("bill_length", "bill_depth", "flipper_length", "body_mass"),
    "banknote": ("variance", "skewness", "curtosis", "entropy"),
}
UNIT = regex(r"[ _(]*(?:mm|cm|m|g|kg)\)?$")
PLAIN = regex(r"[^a-z0-9]+")


def plain(name: str) -> str:
    """A name without its unit, marks and capitals."""
    return PLAIN.sub("", UNIT.sub("", name.strip().lower()))


def lists_in(value: Any, deep: int = DEEPEST) -> Iterator[list[str]]:
    """The lists of texts in a value of JSON."""
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if inside and all(isinstance(one, str) for one in inside) and isinstance(value, list):
        yield inside
    for one in inside if deep else ():
        yield from lists_in(one, deep - 1)


def orders(files: Sequence[tuple[str, bytes]], model: str) -> Iterator[tuple[str, list[str]]]:
    """Lists of names, and where they are from."""
    for file, data in files:
        text = text_in(data, MOST_BYTES)
        if not text:
            continue
        with suppress(ValueError):
            for names in lists_in(json.loads(text)):
                yield f"{file} has", names
        lines = [line.strip() for line in filled_lines(text)]
        yield f"{file} has", lines
        if len(lines) == 1:
            yield f"{file} has", [one.strip() for one in lines[0].split(",")]
    for name, usual in DATA_SETS.items():
        if name in model.lower():
            yield f'the data set "{name}" has', [*usual]


def headed(files: Sequence[tuple[str, bytes]], where: str) -> Iterator[tuple[str, list[str]]]:
    """The headings above two lists of numbers in a file, or the names before each of their lines: all, and
    those behind that of the lists' own titles."""
    for file, data in files:
        lines = filled_lines(text_in(data, MOST_BYTES)) if file == where else []
        fields = fields_of(lines[0], delimiter_of(lines[0])) if lines else []
        firsts = [fields_of(line, delimiter_of(line))[0] for line in lines]
        for names in ([one.strip().strip('"') for one in several] for several in (fields, firsts)):
            yield from ((f"{file} has", one) for one in (names, names[1:]))


def unlike_names(
    sheet: Sheet,
    found: Straight,
    files: Sequence[tuple[str, bytes]],
    model: str,
    texts: Callable[[str], bool] = lambda _: False,
) -> str:
    """Returns what is wrong with the order of columns, or "" if nothing is. `texts` says whether a name
    stands in the program: one that looks for columns by their names has the order of its model, which may
    have been trained in another one than its data set's."""
    count = len(sheet.headings)
    fits = found.fits[:, :count]
    if len(fits) < FEWEST or not (fits.sum(axis=1) == 1).all():
        return ""
    headings = [sheet.headings[int(one)] for one in fits.argmax(axis=1)]
    sent = [*map(plain, headings)]
    if all(map(texts, headings)):
        model = ""
    others = [(name, data) for name, data in files if name != sheet.name]
    known = [(whose, [*map(plain, names)]) for whose, names in orders(others, model)]
    same = [(whose, names) for whose, names in known if sorted(names) == sorted(sent)]
    if not same or len({*sent}) < len(sent) or any(names == sent for _, names in same):
        return ""
    in_file = [one for one in map(plain, sheet.headings) if one in sent]
    same = [(whose, names) for whose, names in same if names != in_file]
    if not same:
        return ""  # the list says what the file has
    whose, names = same[0]
    place = next(at for at, one in enumerate(sent) if names[at] != one)
    own, there = headings[place], headings[sent.index(names[place])]
    return (
        f'element {place} is column "{own}"; {whose} the same names in another order, in which it is '
        f'"{there}": a model takes columns in the order in which it was trained'
    )


def are_looked_up(data: bytes, texts: Callable[[str], bool]) -> bool:
    """Whether all names of a table's columns of numbers stand in the program, as `texts` says, which then
    may look for its columns by them, in whatever order the file has them."""
    sheet = sheet_of("", data)
    if sheet is None or not sheet.headings:
        return False
    names = [sheet.headings[at] for at in numpy.flatnonzero(numpy.isfinite(sheet.numbers).all(axis=0))]
    return len(names) > 1 and all(map(texts, names))


def unlike_list(
    headings: Sequence[str], start: int, window: Any, lists: Lists, files: Sequence[tuple[str, bytes]]
) -> str:
    """Returns what is wrong if columns were scaled in their own order by lists of numbers in another one, or
    "" if they weren't. A list of the columns' names has the other order: in that the scaled numbers are usual
    ones, and in their own they aren't. The columns are `window`, [lines, elements], and begin at `start`."""
    width = len(lists.means)
    own = [plain(one) for one in headings[start : start + width]]
    if width < FEWEST or len({*own}) < width:
        return ""
    size = abs(levels(window, lists)).max(axis=0)
    if not size.max() > FAR:
        return ""
    for whose, names in (*orders(files, ""), *headed(files, lists.where)):
        wanted = [*map(plain, names)]
        if wanted == own or sorted(wanted) != sorted(own):
            continue
        order = [own.index(one) for one in wanted]
        fitting = abs(levels(window[:, order], lists))
        is_nearer = fitting.max() < PART * size.max() and numpy.quantile(fitting, MOSTLY) < USUAL
        is_usual = fitting.max() < USUAL or is_nearer
        if not is_usual or not LEAST < numpy.median(fitting) < TYPICAL:
            continue
        place = int(size.argmax())
        return (
            f'element {place} is column "{headings[start + place]}", scaled by {lists.means[place]:g} and '
            f"{lists.deviations[place]:g} of {lists.where}, {size[place]:.0f} deviations away; {whose} the "
            f'same names in another order, in which it is "{headings[start + order[place]]}", and in that '
            "one all columns fit: take each column by its name"
        )
    return ""


def levels(window: Any, lists: Lists) -> Any:
    """Returns how many deviations numbers are from their means."""
    return (window - lists.means) / lists.deviations
