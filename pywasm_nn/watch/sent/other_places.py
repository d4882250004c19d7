"""Elements many of which are far from what a model knows of them, and each as it knows another one.

What is here: `other_places`, for many elements, `in_any_order`, for lines that are known to be wrong (as
`are_impossible` says), `of_few_lines`, if no more are sent, `one_place_on`, for lines that are shifted by one
element, and `column_by_column`, for a batch. What is not: a few elements, of which all orders are tried
(`scalers.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Column
from ..sheets.rows import matched
from .scalers import FAR, FARTHER, VERY_FAR, is_far, is_usual, owns, span

FEWEST_ROWS, FEWEST, MOST, FEWEST_WRONG = 3, 5, 64, 4
"""Lines, and elements; and elements of lines that are known to be wrong."""
TELLING = 3
"""So many elements fit only one mean, which is not their own."""
IMPOSSIBLE = 2
"""The fewest elements far from their means that no line of the training has."""
FARTHEST, FEW_FIT = 20.0, 2
"""In a few lines: the deviations of an element that can't be one of the training's, and how many of those
that were sent may fit an element that is far from its mean."""
MANY_SPLITS = 8
"""Trees that split an element less often say little of its range."""
ODD = 1
"""So many elements may fit none, such as one that was converted in place of another."""
MOVED, HALF = 1 / 3, 0.5
"""The least part of the elements that don't fit their own mean, in one line and in a batch as it was sent."""


def other_places(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong if elements are in another order than those that the model knows, or "" if they
    aren't."""
    known = {place: column for place, column in enumerate(columns) if is_known(column)}
    if len(rows) < FEWEST_ROWS or not FEWEST <= len(known) <= MOST:
        return ""
    fits = {place: [to for to, one in known.items() if is_like(rows[:, place], one)] for place in known}
    moved = [place for place in known if place not in fits[place]]
    telling = [place for place in moved if len(fits[place]) == 1]
    if len(moved) < max(TELLING, MOVED * len(known)) or len({fits[one][0] for one in telling}) < TELLING:
        return ""
    if matched(fits) < len(known) - ODD:
        return ""
    if beside := one_place_on(fits, columns, rows):
        return beside
    said = ", ".join(
        f"element {one} ({span(rows[:, one])}) is as element {fits[one][0]} ({shown(known[fits[one][0]])})"
        for one in telling[:TELLING]
    )
    return (
        f"by what the model knows of them, the elements are in another order: {said}: are the columns sent "
        "as the file has them, and not as the model was trained?"
    )


def one_place_on(fits: Mapping[int, Sequence[int]], columns: Sequence[Column], rows: Any) -> str:
    """Returns a hint if each element is as the model knows the one before it, or each as the one behind it,
    or "" otherwise. `fits` are the elements of the model that each is like. The number of a line, which then
    stands at one end, may be like the model's element at the other end by chance."""
    last = rows.shape[1] - 1
    for by, end, side, left in ((1, 0, "before", "last"), (-1, last, "behind", "first")):
        inner = [place for place in fits if place - by in fits]
        if len(inner) < FEWEST_WRONG - 1 or not all(place - by in fits[place] for place in inner):
            continue
        one = inner[0]
        counts = len(rows) > 1 and {*numpy.diff(rows[:, end]).tolist()} == {1.0}
        what = (
            "goes up by 1 from line to line, as the number of a line does"
            if counts
            else f"may be as element {fits[end][0]}, or none of the model's"
            if fits.get(end)
            else "is as none that the model knows"
        )
        return (
            f"by what the model knows of them, the elements are shifted by one place: {len(inner)} are as "
            f"the one {side} them, such as element {one} ({span(rows[:, one])}) as element {one - by} "
            f"({shown(columns[one - by])}), and element {end} ({span(rows[:, end])}) {what}: is element "
            f"{end} a column that the model doesn't have (the number of the line, an id, the answer), and "
            f"the {left} one not sent?"
        )
    return ""


def column_by_column(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong with a batch, [rows, elements], that was filled column by column, or "" if it
    wasn't: many elements are not as the model knows them, and all are if the first ones of all rows come
    first."""
    count, width = rows.shape
    known = {place: column for place, column in enumerate(columns) if is_known(column)}
    if count < FEWEST_ROWS or len(known) < TELLING:
        return ""
    turned = rows.reshape(width, count).T
    odd = [place for place, one in known.items() if not is_like(rows[:, place], one)]
    if len(odd) < max(TELLING, HALF * len(known)):
        return ""
    if not all(is_like(turned[:, place], one) for place, one in known.items()):
        return ""
    return (
        f"{len(odd)} of {len(known)} elements are not as the model knows them, such as element {odd[0]} "
        f"({span(rows[:, odd[0]])}; {shown(known[odd[0]])}), and all are if its {rows.size} numbers lie "
        f"column by column: the shape says {count} rows of {width}: is element (row, column) put at column * "
        f"{count} + row?"
    )


def in_any_order(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong with lines that can't be right as they are, if each of their elements is as
    another one that the model knows, or "" if that is not so."""
    known = {place: column for place, column in enumerate(columns) if is_known(column)}
    if len(rows) < FEWEST_ROWS or not FEWEST_WRONG <= len(known) <= MOST:
        return ""
    fits = {place: [to for to, one in known.items() if is_like(rows[:, place], one)] for place in known}
    moved = [place for place in known if place not in fits[place]]
    if len(moved) < max(TELLING, MOVED * len(known)) or matched(fits) < len(known):
        return ""
    if beside := one_place_on(fits, columns, rows):
        return beside
    place = min(moved, key=lambda one: len(fits[one]))
    return (
        f"by what the model knows of them, the elements are in another order: {len(moved)} of {len(known)} "
        f"don't fit it as they were sent, and all do in another order, such as element {place} "
        f"({span(rows[:, place])}) in place of element {fits[place][0]} ({shown(known[fits[place][0]])}): "
        "are the columns sent as the file has them, and not as the model was trained?"
    )


def of_few_lines(columns: Sequence[Column], rows: Any) -> str:
    """Returns what is wrong with a line or a few that can't be right as they are, as `are_impossible` says,
    but far more so, if all elements are usual ones in another order, or "" if that is not so. The elements
    that are far have narrow means, which hardly any but the right number fits: so other units rarely do."""
    known = owns(columns)
    if not FEWEST <= len(known) == rows.shape[1] <= MOST:
        return ""
    fits = {one: [to for to, *own in known if is_usual(rows[:, one], *own)] for one in range(rows.shape[1])}
    far = [own for own in known if is_far(rows[:, own[0]], *own[1:], FARTHER)]
    wanted = {place: [one for one in fits if place in fits[one]] for place, *_ in far}
    farthest = [
        own for own in far if is_far(rows[:, own[0]], *own[1:], FARTHEST) and len(wanted[own[0]]) == 1
    ]
    if len(far) < IMPOSSIBLE or not farthest or max(map(len, wanted.values())) > FEW_FIT:
        return ""
    if matched(fits) < len(known):
        return ""
    (place, mean, _), (one,) = farthest[0], wanted[farthest[0][0]]
    return (
        f"by the means that the model has, the elements are in another order: element {place} is "
        f"{span(rows[:, place])}, for a mean of {mean:.4g}, which element {one} alone fits "
        f"({span(rows[:, one])}), and {len(far) - 1} more can't be right; in another order all {len(known)} "
        "are usual ones: are they sent as they are stored, and not as the model was trained?"
    )


def are_impossible(columns: Sequence[Column], rows: Any) -> bool:
    """Whether two elements or more are far from the means that a model has, in all of some lines, and one of
    them so far that it can't be one of the training's."""
    far = [own for own in owns(columns) if is_far(rows[:, own[0]], *own[1:], FAR)]
    return len(far) >= IMPOSSIBLE and any(is_far(rows[:, own[0]], *own[1:], VERY_FAR) for own in far)


def is_known(column: Column) -> bool:
    """Whether a model says around what an element lies: by a mean, or by many numbers at which trees split
    it."""
    return (column.centre is not None and column.centre[1] > 0) or len(column.splits) >= MANY_SPLITS


def is_like(own: Any, column: Column) -> bool:
    """Whether numbers lie around a mean, or mostly between the numbers at which trees split."""
    if column.centre is not None and column.centre[1] > 0:
        return is_usual(own, *column.centre[:2])
    return column.splits[0] <= float(numpy.median(own)) <= column.splits[-1]


def shown(column: Column) -> str:
    """Returns what a model knows of an element."""
    if column.centre is not None and column.centre[1] > 0:
        return f"mean {column.centre[0]:.4g}"
    return f"split at {column.splits[0]:.4g} to {column.splits[-1]:.4g}"
