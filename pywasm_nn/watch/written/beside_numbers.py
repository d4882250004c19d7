"""Forecasts that are written beside numbers of the file that they are not about: of a later line than the
next one, as the window ends too early, or of another column, as the answer was fetched from another context.

What is here: `beside_numbers`. What is not: forecasts in another scale (`undone.py`). A guest may write what
it likes beside a forecast, such as the last number that it knew, and a model may forecast two lines ahead. So
forecasts must be far nearer to the next number of their own column than to those that are written, and than
the last number of the window is, and those that are written must be the truth of some forecast: of a line to
come, or of each other's columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...arrays import numpy
from ...records import Frozen
from ..origin.tables import Table, named
from ..spoken import DIGITS, Spoken, Word

FEWEST, FEWEST_OF_ONE, MOST_AHEAD = 6, 3, 8
"""The fewest forecasts, those of a column, and the most lines from the next number to the one that is
written."""
BETTER, THAN_LAST, MOSTLY = 2.5, 2.0, 0.65
"""How many times as near forecasts are to the next number as to what is written, and as the last number of
the window is, by the mean of squares; and the part of them that are nearer."""
WAITING, NEARLY_ALL = 4, 0.85
"""So many forecasts may wait to be written, and the part of them beside which a number has to stand: a few
fit other numbers by chance."""
SIDES = (1, -1)


class Told(Frozen):
    """A forecast as it is written: the column and the line behind its window, the number, and the numbers of
    its line of text behind and before it, if there are any."""

    column: int
    end: int
    value: float
    beside: tuple[Word | None, Word | None]


class Made(Frozen):
    """A forecast in its column's scale: the column and the line behind its window."""

    column: int
    end: int
    value: float


def beside_numbers(table: Table, made: Sequence[Made], text: Spoken) -> str:
    """Returns what is wrong with what is written beside forecasts, or "" if nothing is known to be."""
    told = [*as_written([one for one in made if one.end < len(table.numbers)], text)]
    if len(told) < FEWEST or len(told) < len(made) - 1:
        return ""
    columns = sorted({one.column for one in told})
    for side in range(len(SIDES)):
        by_column = {column: [one for one in told if one.column == column] for column in columns}
        if min(map(len, by_column.values())) < FEWEST_OF_ONE:
            return ""
        places = {column: places_of(table, own, side) for column, own in by_column.items()}
        if any((column, 0) in own for column, own in places.items()) or not all(places.values()):
            continue
        if wrong := ahead(table, told, places) or crossed(table, told, places):
            return wrong
    return ""


def as_written(made: Sequence[Made], text: Spoken) -> Iterator[Told]:
    """The forecasts that stand in lines of a text, each by the first number that fits it."""
    left = [*made]
    for words in text.lines:
        for at, word in enumerate(words):
            found = next(
                (one for one in left[:WAITING] if word.digits >= DIGITS and word.fits(one.value)), None
            )
            if found is not None:
                left.remove(found)
                before = words[at - 1] if at else None
                behind = words[at + 1] if at + 1 < len(words) else None
                yield Told(found.column, found.end, found.value, (behind, before))


def places_of(table: Table, told: Sequence[Told], side: int) -> set[tuple[int, int]]:
    """The columns and the lines from the next number on that nearly all numbers beside forecasts are of."""
    found = Counter[tuple[int, int]]()
    for one in told:
        word = one.beside[side]
        if word is not None and word.digits >= DIGITS:
            fits = word.fits(table.numbers[one.end : one.end + MOST_AHEAD])
            found.update((int(column), int(line)) for line, column in numpy.argwhere(fits))
    return {place for place, count in found.items() if count >= NEARLY_ALL * len(told)}


def ahead(table: Table, told: Sequence[Told], places: dict[int, set[tuple[int, int]]]) -> str:
    """What is written is the number of a line behind the next one of the same column."""
    lines = {line for column, own in places.items() for other, line in own if other == column}
    by = min(lines, default=0)
    if not by or any((column, by) not in own for column, own in places.items()):
        return ""
    kept = [one for one in told if one.end + by < len(table.numbers)]
    near = nearer(table, kept, [float(table.numbers[one.end + by, one.column]) for one in kept])
    first, s = kept[0], "s" * (by > 1)
    return near and (
        f"the forecast for a window of {named(table, first.column)} that ends with line "
        f"{table.lines[first.end - 1]} is written beside the number of line {table.lines[first.end + by]}, "
        f"and so are all {len(told)}; {near}: does each window end {by} line{s} too early, or is the number "
        "that of another line?"
    )


def crossed(table: Table, told: Sequence[Told], places: dict[int, set[tuple[int, int]]]) -> str:
    """What is written beside a column's forecast is the next number of another one, and the other way
    round."""
    columns = sorted({one.column for one in told})
    if len(columns) != len(SIDES):
        return ""
    others = dict(zip(columns, columns[::-1], strict=True))
    if any((other, 0) not in places[column] for column, other in others.items()):
        return ""
    near = nearer(table, told, [float(table.numbers[one.end, others[one.column]]) for one in told])
    one, other = columns
    return near and (
        f"the forecasts for windows of {named(table, one)} are written beside the next numbers of "
        f"{named(table, other)}, and the other way round; {near}: is each answer fetched from the other's "
        "context?"
    )


def nearer(table: Table, told: Sequence[Told], written: Sequence[float]) -> str:
    """Says how much nearer forecasts are to their column's next numbers than to those that are written, or ""
    if they may be about these, or about nothing."""
    own = numpy.array([one.value for one in told])
    next_, last = (
        numpy.array([table.numbers[one.end - back, one.column] for one in told]) for back in (0, 1)
    )
    off = abs(own - next_), abs(own - written), abs(last - next_)
    near, far, known = (float((one**2).mean() ** 0.5) for one in off)
    if BETTER * near > far or THAN_LAST * near > known or (off[0] < off[1]).mean() < MOSTLY:
        return ""
    return (
        f"from those they are {off[1].mean():.3g} away, and from the next numbers of their own columns "
        f"{off[0].mean():.3g}"
    )
