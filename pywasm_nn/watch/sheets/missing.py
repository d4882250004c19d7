"""Fields of a scaled line in which no number stands (nothing, `?`, `NA`), and in whose place 0, or another
number that stands for none, was scaled, or the next one.

What is here: `stood_in`, `swallowed` for the next one, and `mark_in` for a number that stands for none in the
file itself (-999). All other elements are exactly what the lists of a file make of the line, so that these
are known to be those by which it was scaled. What is not: lines that are sent as they stand, or are scaled by
the table's own mean (`origin/columns.py`), windows (`series/gaps.py`), and lines without lists, some of which
lack a field that others have (`misread.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..origin.columns import STANDING_IN
from ..origin.tables import SENTINELS
from ..regex import regex
from .formulas import EXACT, FEWEST, RIGHTLY
from .scaler_files import TYPICAL, USUAL, WIDER, Lists
from .sheet import number_of

NOTHING = regex(
    r"\s*[\"']?(?:\?+|-+|\.+|n\.?/?a\.?|nan|null|none|nil|missing|unknown)?[\"']?\s*", re.IGNORECASE
)
"""People write something that matches this where no number is known."""
FAR, BEYOND = 3.0, 0.5
"""A number that no line has is more than `FAR` deviations from its mean, or beyond the ends of a range by
more than the part `BEYOND` of it."""
MARKED = 8.0
"""A number that stands for a missing one is more deviations away than any that was measured."""
FEWEST_BEHIND = 2
"""Fields behind an empty one."""
MOSTLY = 0.5
"""At least this part of the elements must be numbers of the line."""


def stood_in(window: Any, texts: Sequence[Sequence[str]], row: Any, lists: Lists) -> str:
    """Returns what is wrong with an input that is one of several lines, [lines, elements], scaled, or "" if
    nothing is. `texts` are their fields."""
    known = numpy.isfinite(window)
    for way in (0, 1):
        scaled = RIGHTLY[way](window, *lists.both)
        near = abs(scaled - row) <= EXACT * (abs(row) + 1)
        for at in numpy.flatnonzero((near == known).all(axis=1) & ~known.all(axis=1)).tolist():
            own = row[known[at]]
            if len(own) < max(FEWEST, MOSTLY * len(row)) or not is_usual(own, way):
                continue
            missing = numpy.flatnonzero(~known[at]).tolist()
            if not all(NOTHING.fullmatch(texts[at][one]) for one in missing):
                continue
            if said := of_fields(missing, texts[at], row, way, lists):
                return said
    return ""


def is_usual(own: Any, way: int) -> bool:
    """Whether scaled numbers are as small as those of most lines. `way` is the place of the formula in
    `RIGHTLY`: 0 stands for deviations, 1 for a range."""
    if way:
        return bool(own.min() > -WIDER and own.max() < 1 + WIDER)
    size = abs(own)
    return bool(size.max() < USUAL and numpy.median(size) < TYPICAL and len({*own.tolist()}) >= FEWEST)


def of_fields(missing: Sequence[int], texts: Sequence[str], row: Any, way: int, lists: Lists) -> str:
    """Returns what is wrong if the guest took one number for all missing fields, and that is far from the
    mean of one of them, or "" if not."""
    for stands in (0.0, *sorted(STANDING_IN)):
        made = RIGHTLY[way](numpy.full(len(row), stands), *lists.both)
        if not (abs(made - row)[[*missing]] <= EXACT * (abs(row[[*missing]]) + 1)).all():
            continue
        off = abs(row - 0.5) - 0.5 if way else abs(row)
        place = max(missing, key=lambda one: float(off[one]))
        if not off[place] > (BEYOND if way else FAR):
            return ""
        text = texts[place].strip()
        what = f'is "{text}" in the line' if text else "is empty in the line"
        away = "beyond the range's end" if way else f"{off[place]:.1f} deviations from its mean"
        parse = ": atof and the like give 0 where no number stands" if not stands else ""
        instead = "a number of the range" if way else f"the column's mean ({lists.means[place]:g})"
        return (
            f"the field of element {place} {what}, and was sent as {stands:g}, scaled to {row[place]:.3g} by "
            f"{lists.where}, {away}{parse}; a missing number is usually replaced by {instead}"
        )
    return ""


def swallowed(window: Any, texts: Sequence[Sequence[str]], row: Any, lists: Lists) -> str:
    """Returns what is wrong with an input that is one of several lines, if the fields behind an empty one
    were taken one place too early and scaled there, or "" if it isn't. Every number is usual by the lists
    where it stands in the file, and some aren't where they were sent."""
    for at, fields in enumerate(texts):
        kept = numpy.array([number_of(one) for one in fields if one.strip()], "f8")
        empty = next((place for place, one in enumerate(fields) if not one.strip()), len(kept))
        count = len(kept)
        if not max(FEWEST, MOSTLY * len(row)) <= count < len(row) or count - empty < FEWEST_BEHIND:
            continue
        if not numpy.isfinite(kept).all():
            continue
        for way in (0, 1):
            made = RIGHTLY[way](kept, *(one[:count] for one in lists.both))
            right = RIGHTLY[way](window[at], *lists.both)
            is_made = (abs(made - row[:count]) <= EXACT * (abs(made) + 1)).all()
            if is_made and is_usual(right[numpy.isfinite(right)], way) and not is_usual(made, way):
                place = empty + int(abs(made[empty:]).argmax())
                return (
                    f"the field of element {empty} is empty in the line, and those behind it were read one "
                    f"place too early: element {place} is {kept[place]:g}, scaled to {made[place]:.3g} by "
                    f"{lists.where}; strtok (or a split without empty fields) takes two separators for one"
                )
    return ""


def text_as_zero(windows: Sequence[Any], start: int, row: Any, lists: Lists) -> str:
    """Returns what is wrong if a column of texts was sent as 0 in place of the first element, so that the
    numbers behind it are all one place too late, or "" if that is not so: only from the next column on do a
    file's lists fit. `windows` are as many columns as an input has, from each column on."""
    window = windows[start]
    if start + 1 >= len(windows) or numpy.isfinite(window[:, 0]).any():
        return ""
    made = numpy.column_stack([numpy.zeros(len(window)), window[:, 1:]])
    if lists.is_of(made) or not lists.is_of(windows[start + 1]):
        return ""
    near = [abs(formula(made, *lists.both) - row) <= EXACT * (abs(row) + 1) for formula in RIGHTLY]
    if not any(one.all(axis=1).any() for one in near):
        return ""
    return (
        f"column {start + 1} is a text (an id), and was sent as 0 in place of the first element; all others "
        f"are one place too late, each scaled by the numbers of the next one in {lists.where}: by these "
        f"column {start + 2} is the first element (is the text to be skipped?)"
    )


def mark_in(window: Any, row: Any, lists: Lists) -> str:
    """Returns what is wrong with an input that is one of several lines, [lines, elements], scaled rightly, if
    the line has a number there that stands for a missing one, or "" if it has none. All others of the line
    are usual, and so are those of the column, to which this one is far: nobody measured it."""
    marks = numpy.isin(window, [*SENTINELS])
    if not marks.any():
        return ""
    scaled = RIGHTLY[0](window, *lists.both)
    near = (abs(scaled - row) <= EXACT * (abs(row) + 1)).all(axis=1)
    others = abs(scaled[~marks & numpy.isfinite(scaled)])
    if len(others) < FEWEST or others.max() >= USUAL or numpy.median(others) >= TYPICAL:
        return ""
    for at in numpy.flatnonzero(near & marks.any(axis=1)).tolist():
        place = max(numpy.flatnonzero(marks[at]).tolist(), key=lambda one: float(abs(row[one])))
        if abs(row[place]) > MARKED:
            return (
                f"the field of element {place} is {window[at, place]:g} in the line, which stands for a "
                f"missing number, and was scaled to {row[place]:.3g} by {lists.where}, as if it were one "
                f"(all others are at most {others.max():.2g} deviations from their means); a missing number "
                f"is usually replaced by the column's mean ({lists.means[place]:g})"
            )
    return ""


def without_marks(window: Any) -> Any:
    """The lines without those in which a number stands for a missing one; all if there are no others."""
    kept = window[~numpy.isin(window, [*SENTINELS]).any(axis=1)]
    return kept if len(kept) else window
