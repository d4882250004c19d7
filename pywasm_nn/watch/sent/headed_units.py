"""Lines of a table that are sent as they stand, or divided by a round number, in the unit of a column's
heading, where the model knows the element in another unit.

What is here: `unlike_heading`. The heading says which unit the numbers are in, and the means that the model
has, or the numbers at which its trees split, say that they are in another one of that kind. What is not:
elements of which only the model says so (`scalers.py`, `split_units.py`), and columns that the guest scales
(`sheets/units.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ...nn.formats.format import Column
from ..sheets.sheet import Sheet, sheet_of
from ..sheets.units import CUSTOMARY, converted
from ..surroundings import Files
from ..units import PLAIN, WRITTEN, unit_in
from .other_places import is_known, shown
from .scalers import is_far, is_usual, span
from .split_units import is_between, part_beyond

FEWEST_ROWS, MOST_FILES = 2, 4
FEWEST_DIVIDED = 3
"""Rows that show that a column was divided."""
DIVISORS = tuple(first * power for power in (10.0, 100.0, 1000.0) for first in (1, 2, 2.5, 3, 4, 5, 6, 8))
"""By what people divide numbers to make them small."""
ODD = 4.0
"""How many deviations an element is from its mean on average, if it isn't far from it in all rows."""
NARROW = 0.1
"""Elements that vary by less than this part of the model's deviation don't confirm a unit: whatever is
divided by enough is near the mean."""
NEAR = 1e-5
"""The relative difference within which elements are a table's numbers: they went through f32."""


def unlike_heading(columns: Sequence[Column], rows: Any, files: Files) -> str:
    """Returns what is wrong if an element can't be right in the unit of its heading, and is as the model
    knows it in another one, or "" if that is not so."""
    if len(rows) < FEWEST_ROWS:
        return ""
    odd = [place for place, one in enumerate(columns) if is_known(one) and is_odd(rows[:, place], one)]
    for name, data in [*reversed(files())][:MOST_FILES] if odd else ():
        sheet = sheet_of(name, data)
        for place in odd if sheet is not None and sheet.headings else ():
            if sheet is not None and (said := in_its_unit(columns[place], place, rows[:, place], sheet)):
                return f"compared with {name}, {said}"
    return ""


def in_its_unit(known: Column, place: int, own: Any, sheet: Sheet) -> str:
    """Returns what is wrong with an element that is a column of a table as it stands, or "" if nothing is."""
    for column, heading in enumerate(sheet.headings):
        unit = unit_in(heading)[1] or alone(heading)
        by = divisor_of(own, sheet.numbers[:, column]) if unit else 0.0
        for other, numbers in converted(unit, own * by) if by else ():
            if is_right(numbers / by, known, are_divided=by != 1):
                how = f"as it stands, {span(own)}" if by == 1 else f"divided by {by:g}, {span(own)}"
                shown_unit, shown_other = (PLAIN.get(one, one) for one in (unit, other))
                return (
                    f'element {place} is column "{heading}" {how} in {shown_unit} by its '
                    f"heading, far from what the model knows of it ({shown(known)}); in {shown_other} it is "
                    f"{span(numbers / by)}: is it to be converted?"
                )
    return ""


def divisor_of(own: Any, there: Any) -> float:
    """Returns by what a column was divided of which elements are a run of lines: 1 if they are as they stand,
    0 if they are no such run."""
    several = DIVISORS if len(own) >= FEWEST_DIVIDED else ()
    return next((by for by in (1.0, *several) if is_run(own * by, there)), 0.0)


def alone(heading: str) -> str:
    """The unit that a heading is, such as "miles" or "mg/dl"; a single letter is none."""
    word = heading.strip().strip('"').lower()
    if word in WRITTEN:
        return WRITTEN[word]
    return word if word in CUSTOMARY and len(word) > 1 else ""


def is_odd(own: Any, known: Column) -> bool:
    """Whether all or most of an element are far from what a model knows of it."""
    if len(numpy.unique(own)) < FEWEST_ROWS:
        return False
    if known.centre is not None and known.centre[1] > 0:
        level = float(((own - known.centre[0]) / known.centre[1]).mean())
        return is_far(own, *known.centre[:2]) or abs(level) > ODD
    return part_beyond(known.splits, own)


def is_right(own: Any, known: Column, *, are_divided: bool) -> bool:
    """Whether an element is as a model knows it. If nobody divided it, what is near a mean that is far from 0
    needn't vary: it is there by the unit of its heading alone."""
    if known.centre is not None and known.centre[1] > 0:
        mean, deviation = known.centre[:2]
        varies = own.std() > NARROW * deviation
        is_there = not are_divided and not is_usual(numpy.zeros(1), mean, deviation)
        return is_usual(own, mean, deviation) and bool(varies or is_there)
    return is_between(known.splits, own, 1.0) and numpy.ptp(own) > NARROW * numpy.ptp(known.splits)


def is_run(own: Any, there: Any) -> bool:
    """Whether numbers follow each other in a column, in the order of its lines."""
    if len(own) > len(there):
        return False
    runs = numpy.lib.stride_tricks.sliding_window_view(there, len(own))
    return bool(numpy.isclose(runs, own, rtol=NEAR, atol=0).all(axis=1).any())
