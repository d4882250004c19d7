"""Few lines of a table, scaled by the numbers of a file that has a line for each element by its name.

What is here: `by_scaler`. The file says what the elements were before they were scaled: so two lines show
what a column was read as, in which unit it is, and by which formula it was scaled. What is not: many lines,
which show it without such a file (`misread.py`, `units.py`), and lines in another order (`scales.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..units import UNITS, kinds_of, unit_in
from .formulas import Formula
from .hours import clocks, rightly, whole
from .scaler_files import Scaler, scalers
from .sheet import Sheet
from .units import CUSTOMARY, are_other, converted

FEWEST = 2
"""Lines."""
EXACT = 1e-4
FAR, USUAL = 4.0, 2.5
"""Deviations of a column in a wrong unit, and of one in its own."""
HOURS = regex(r"(?:^|_)(?:hours?|hr|hod)(?:$|_)", re.IGNORECASE)


RANGES: dict[str, Formula] = {
    "divided by {1} alone, without {0}": lambda x, _, b: x * b,
    "divided by {1} in place of {1} - {0}": lambda x, a, b: x * b + a,
    "divided by {1} - {0}, and {0} was not taken away": lambda x, a, b: x * (b - a),
    "lessened by {0}, and not divided by {1} - {0}": lambda x, a, _: x + a,
}
DEVIATIONS: dict[str, Formula] = {
    "divided by {1}, and {0} was not taken away": lambda x, _, b: x * b,
    "lessened by {0}, and not divided by {1}": lambda x, a, _: x + a,
    "multiplied by {1}, not divided": lambda x, a, b: x / b + a,
    "made larger by {0}, not less": lambda x, a, b: x * b - a,
}


def by_scaler(sheet: Sheet, rows: Any, others: Sequence[Sheet]) -> str:
    """Returns what is wrong with inputs that are the first lines of a table, or "" if nothing is."""
    if not FEWEST <= len(rows) <= len(sheet.rows) or not sheet.headings:
        return ""
    for scaler in scalers(others, rows.shape[1]):
        there = scaler.before(rows)
        if said := by_formula(sheet, rows, scaler, there):
            return said
        if is_known(sheet, scaler, there):
            return in_half_days(sheet, scaler, there) or in_a_unit(sheet, rows, scaler, there)
    return ""


def same(one: Any, other: Any) -> Any:
    """Whether columns of numbers are the same but for their rounding, [lines, columns]."""
    size = abs(other).max(axis=0) + numpy.ptp(other, axis=0)
    return (abs(one - other) <= EXACT * size).all(axis=0)


def is_known(sheet: Sheet, scaler: Scaler, there: Any) -> bool:
    """Whether an element is the column of its name, or two are columns, or hours."""
    columns = whole(sheet)[: len(there)]
    names = [*sheet.headings, *[""] * (columns.shape[1] - len(sheet.headings))]
    found = 0
    for name, own in zip(scaler.names, there.T, strict=True):
        fits = same(columns, own[:, None]) & (numpy.ptp(columns, axis=0) > 0)
        if any(names[at].lower() == name.lower() for at in numpy.flatnonzero(fits)):
            return True
        found += bool(fits.any())
    return found >= FEWEST


def by_formula(sheet: Sheet, rows: Any, scaler: Scaler, there: Any) -> str:
    """Columns of the elements' names that were all scaled by another formula."""
    headings = [one.lower() for one in sheet.headings]
    names = [one.lower() for one in scaler.names]
    if not {*names} <= {*headings} or len({*names}) < len(names):
        return ""
    own = sheet.numbers[: len(rows), [headings.index(one) for one in names]]
    if not numpy.isfinite(own).all() or bool(same(there, own).all()):
        return ""
    for said, formula in (RANGES if scaler.is_range else DEVIATIONS).items():
        if same(formula(rows, scaler.one, scaler.other), own).all():
            one, other = (f'"{title}"' for title in scaler.titles)
            right = f"(x - {one}) / ({other} - {one})" if scaler.is_range else f"(x - {one}) / {other}"
            return (
                f"each column was {said.format(one, other)}, though {scaler.file} has both: is {right} meant?"
            )
    return ""


def in_half_days(sheet: Sheet, scaler: Scaler, there: Any) -> str:
    """Hours that were read without their AM and PM, or noon as 24."""
    count = len(there)
    for element, name in enumerate(scaler.names):
        own = there[:, element][:, None]
        if not HOURS.search(name) or bool(same(rightly(sheet)[:count], own).any()):
            continue
        for made, right, said in clocks(sheet):
            for column in numpy.flatnonzero(same(made[:count], own)).tolist():
                differs = numpy.flatnonzero(made[:count, column] != right[:count, column])
                if len(differs):
                    return said(sheet, int(differs[0]), column)
    return ""


def in_a_unit(sheet: Sheet, rows: Any, scaler: Scaler, there: Any) -> str:
    """A column in the unit of its heading, scaled by numbers for another one."""
    for element, name in enumerate(scaler.names):
        stem, unit = unit_in(name)
        for column in numpy.flatnonzero(same(sheet.numbers[: len(there)], there[:, element][:, None])):
            heading = sheet.headings[column]
            own_stem, own = unit_in(heading)
            if not own or stem.split("_")[0] != own_stem.split("_")[0]:
                continue
            is_other = unit and are_other(own, unit)
            if is_other or (not unit and own in CUSTOMARY and far(rows, scaler, there, element, own)):
                wanted = f"{unit} by its name" if unit else "another unit by its numbers"
                return (
                    f'column "{heading}" is in {own} by its heading, and was scaled as it stands by the line '
                    f'"{name}" of {scaler.file}, which is for {wanted}: it has to be converted first'
                )
    return ""


def far(rows: Any, scaler: Scaler, there: Any, element: int, unit: str) -> bool:
    """Whether an element is far away in its unit, and not in another one of its kind."""
    if scaler.is_range or abs(rows[:, element]).mean() <= FAR or unit not in UNITS or not kinds_of(unit):
        return False
    made = [
        abs((numbers - scaler.one[element]) / scaler.other[element]).max()
        for _, numbers in converted(unit, there[:, element])
    ]
    return min(made, default=FAR) < USUAL
