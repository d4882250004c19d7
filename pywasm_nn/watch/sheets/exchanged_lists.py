"""Columns that were scaled rightly, but by the means and deviations of one another: these stand in another
order than the columns.

What is here: `in_another_order`, for lines and the two lists by which they were scaled, and `own_lines`,
which finds both among a program's own numbers. What is not: columns scaled by those beside them
(`by_lists.beside`), and what models say of their elements (`sent/scalers.py`).

A mistake is named only if two columns or more are far from the means they were scaled by, and all of these
are usual by those of one another in one way alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

from ...arrays import numpy
from .formulas import RIGHTLY, same
from .own_lists import WHERE
from .rows import matched
from .scaler_files import Lists

FAR, VERY_FAR, USUAL, TYPICAL = 3.5, 8.0, 4.0, 2.0
"""How many deviations half of the lines are from the mean of another column, of one of the columns at least,
and most and half of them from that of their own."""
MOSTLY, MOST_LINES = 0.95, 64
MOST_MOVED, TELLING = 5, 3
"""So many columns are tried in all orders; of more so many at least have to fit one mean alone."""
PARTS = 4
"""The ends of a range are so many deviations apart."""
FEWEST, DIFFERENT, MOST_NUMBERS = 4, 3, 1 << 13
"""Columns of a line among a program's numbers, different numbers in it, and numbers that are looked at."""
BETWEEN = 8
"""Two lists of a program have this many numbers between them at most."""
LARGEST, EXACT = 1e9, 2e-5


def in_another_order(window: Any, row: Any, lists: Lists) -> str:
    """Returns what is wrong if the lines of a window, one of which became an input by a usual formula, were
    scaled by lists in another order, or "" if they weren't."""
    lines = window[numpy.isfinite(window).all(axis=1)][:MOST_LINES]
    with numpy.errstate(all="ignore"):
        ways = [at for at, formula in enumerate(RIGHTLY) if same(formula(lines, *lists.both), row)]
        if not ways:
            return ""
        means, widths = middles(lists, ways[0])
        apart = abs(lines[:, :, None] - means)
        both, alone = apart / widths, apart / widths[:, None]
    if not numpy.isfinite(both).all() or not numpy.isfinite(alone).all():
        return ""
    return ordered(lines, lists, both) or ordered(lines, lists, alone, are_means=True)


def ordered(lines: Any, lists: Lists, levels: Any, *, are_means: bool = False) -> str:
    """The same by how many deviations lines are from each mean, [lines, columns, means]; of both lists, or of
    the means alone."""
    off = numpy.median(levels, axis=0)
    own = off.diagonal()
    far = numpy.flatnonzero(own > FAR).tolist()
    if len(far) < 2 or own.max() <= VERY_FAR:
        return ""
    usual = (numpy.quantile(levels, MOSTLY, axis=0) <= USUAL) & (off <= TYPICAL)
    order = the_order({one: numpy.flatnonzero(usual[one]).tolist() for one in range(len(off))}, far)
    return sentence(lines, lists, off, order, are_means=are_means) if order else ""


def middles(lists: Lists, way: int) -> tuple[Any, Any]:
    """The mean and the deviation of each column, as far as the numbers of a usual formula say them."""
    first, second = lists.both
    if RIGHTLY[way] in RIGHTLY[1:3]:
        return (first + second) / 2, abs(second - first) / PARTS
    return first, second if way == 0 else second**0.5


def the_order(fits: dict[int, list[int]], far: Sequence[int]) -> dict[int, int]:
    """By column, whose numbers it fits, if that is known, or {}: those that are far fit one another's in one
    way, or three of them one each alone, and all have some."""
    among_them = [
        order
        for order in permutations(far if len(far) <= MOST_MOVED else ())
        if order and all(to in fits[one] for one, to in zip(far, order, strict=True))
    ]
    if among_them:
        return dict(zip(far, among_them[0], strict=True)) if len(among_them) == 1 else {}
    telling = {one: fits[one][0] for one in far if len(fits[one]) == 1}
    return telling if len({*telling.values()}) >= TELLING and matched(fits) == len(fits) else {}


def sentence(lines: Any, lists: Lists, off: Any, order: dict[int, int], *, are_means: bool) -> str:
    place = max(order, key=lambda one: float(off[one, one]))
    other = order[place]
    moved = ", ".join(str(one) for one in sorted(order))
    kind, those, numbers = "numbers", "those", f"{lists.means[other]:g} and {lists.deviations[other]:g}"
    if are_means:
        kind, those, numbers = "means", "that", f"{lists.means[other]:g}"
    return (
        f"elements {moved} were scaled by the {kind} of one another in {lists.where}: element {place} "
        f"({lines[0, place]:g} before that) by {lists.means[place]:g} and {lists.deviations[place]:g}, by "
        f"which half of the lines are {off[place, place]:.0f} deviations away, and {those} of element "
        f"{other}, {numbers}, would fit: are these {kind} in another order than the columns "
        "(if they have names, take each by its name)?"
    )


def own_lines(arrays: Iterable[Any], row: Any) -> Iterator[tuple[Any, Lists]]:
    """Lines among a program's numbers from which an input came by a mean and a deviation for each column,
    which stand there, too, one list near the other."""
    kinds: dict[Any, list[Any]] = {}
    for array in arrays:
        kinds.setdefault(array.dtype, []).append(array)
    width = len(row)
    for several in kinds.values() if width >= FEWEST else ():
        numbers = numpy.concatenate(several)[:MOST_NUMBERS].astype("f8")
        if len(numbers) >= 3 * width:
            yield from lines_of(numpy.lib.stride_tricks.sliding_window_view(numbers, width), row)


def lines_of(runs: Any, row: Any) -> Iterator[tuple[Any, Lists]]:
    """Yields such lines and lists among all runs of as many numbers as the input has."""
    width = len(row)
    may_be = (numpy.isfinite(runs) & (abs(runs) < LARGEST)).all(axis=1)
    known = numpy.flatnonzero(may_be)
    order = known[runs[known, 0].argsort()]
    keys = runs[order, 0]
    widths = numpy.flatnonzero(may_be & (runs > 0).all(axis=1))
    for by in (*range(width, width + BETWEEN + 1), *range(-width - BETWEEN, -width + 1)):
        second = widths[(widths - by >= 0) & (widths - by < len(runs))]
        second = second[may_be[second - by]]
        lines = row * runs[second] + runs[second - by]
        room = EXACT * (abs(lines) + abs(runs[second - by]))
        begins = numpy.searchsorted(keys, lines[:, 0] - room[:, 0])
        ends = numpy.searchsorted(keys, lines[:, 0] + room[:, 0])
        for at in numpy.flatnonzero(ends > begins).tolist():
            own = runs[order[begins[at] : ends[at]]]
            exact = own[(abs(own - lines[at]) <= room[at]).all(axis=1)]
            if len(exact) and len({*exact[0].tolist()}) >= DIFFERENT:
                yield exact[:1], Lists(WHERE, runs[second[at] - by], runs[second[at]], False, True)


def among(lines: Iterable[tuple[Any, Lists]], row: Any) -> str:
    """Returns what is wrong with the order of the lists of lines, or "" if nothing is."""
    return next(filter(None, (in_another_order(line, row, lists) for line, lists in lines)), "")
