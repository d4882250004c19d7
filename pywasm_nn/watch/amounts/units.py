"""Numbers of a file that names their unit, sent as they stand, and answers that are written in another one.

What is here: `other_unit`, for inputs that begin with the lines of a file one by one, and for windows of a
column. What is not: the units (`watch/units.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..origin.tables import Table, heads, table_in, tables_in
from ..regex import regex
from ..units import UNITS, unit_in
from .named_units import unit_of
from .told import Told

BEHIND = regex(r"(?<![\w.])-?\d+(?:\.\d+)?\s?([A-Za-z]{1,4}2?)(?![A-Za-z0-9/])")
MOST_BYTES, FEWEST, NEAR = 1 << 16, 5, 1e-6
FEWEST_OF_A_WINDOW, ABOUT, APART = 8, 2.0, 10.0
"""Numbers of a window; how far beyond them, as a factor, what they forecast may be; and how many times as
large one unit is as another one that nobody takes for it then."""
TIME = "time"
"""A duration that is forecast from other times may be told in a unit of its own."""


def other_unit(told: Told) -> str:
    """Returns what is wrong with the unit of answers, or "" if nothing is."""
    if said := of_windows(told):
        return said
    firsts = [one.given[0].reshape(-1)[0] for one in told.answers if one.given and one.given[0].size]
    units = {*BEHIND.findall(told.text)}
    if len(firsts) < FEWEST or len(units) != 1 or any(one.rows.size != 1 for one in told.answers):
        return ""
    unit = units.pop()
    if unit.lower() not in UNITS or UNITS[unit.lower()][0] == TIME or not is_written(told):
        return ""
    if unit_of(told.answers[0].name) == unit.lower():
        return ""  # the model says so, of whatever it takes
    for file, data in told.files:
        own = unit_in(file.rpartition("/")[2].rpartition(".")[0])[1]
        if not own or own == unit.lower() or UNITS[own][0] != UNITS[unit.lower()][0]:
            continue
        table = table_in(data) if len(data) <= MOST_BYTES else None
        if table is not None and any(is_sent(firsts[:FEWEST], column) for column in table.numbers.T):
            return (
                f"{file} is in {own} by its name, and its numbers were sent as they stand; the answers are "
                f'written as the model gives them, with "{unit}" behind them: does the model want {unit}?'
            )
    return ""


def of_windows(told: Told) -> str:
    """Returns what is wrong with the unit of answers to windows of a column whose unit is known, or "" if
    nothing is: as numbers they are about as large as the window, so that they have its unit."""
    values = [one.value for one in told.answers]
    windows = [one.given[0].reshape(-1) for one in told.answers if len(one.given) == 1]
    behind = [*dict.fromkeys(BEHIND.findall(told.text))]
    words = told.said(values)
    is_known = len(behind) == 1 and behind[0].lower() in UNITS and len(windows) == len(values)
    if not words or not is_known or any(one.rows.size != 1 for one in told.answers):
        return ""
    if not all(
        one.size >= FEWEST_OF_A_WINDOW and 0 < one.min() / ABOUT < value < ABOUT * one.max()
        for one, value in zip(windows, values, strict=True)
    ):
        return ""
    kind, size = UNITS[behind[0].lower()]
    for file, table in tables_in(told.files, MOST_BYTES):
        for own, where, column in units_of(file, table):
            times = size / UNITS[own][1]
            if UNITS[own][0] != kind or 1 / APART < times < APART or unit_of(told.answers[0].name):
                continue
            if all(is_part(one, column) for one in windows):
                span = f"{windows[0].min():.5g} to {windows[0].max():.5g}"
                return (
                    f'the guest says "{words[0].text} {behind[0]}", which is the answer as the model gives '
                    f"it, and about as large as the window that was sent as it stands ({span}); {where} is "
                    f"in {own} by its name: is it in {own}, too, or does the model want {behind[0]}?"
                )
    return ""


def units_of(file: str, table: Table) -> list[tuple[str, str, Any]]:
    """The units that the heading of a column, or the name of a file of one column, says: with what says it,
    and the column."""
    columns = [*table.numbers.T]
    names = [(f'column "{name}" of {file}', name) for name in heads(table)] or [("", "")] * len(columns)
    if len(columns) == 1 and not unit_in(names[0][1])[1]:
        names = [(file, file.rpartition("/")[2].rpartition(".")[0])]
    told = zip(names, columns, strict=False)
    return [(unit, where, one) for (where, name), one in told if (unit := unit_in(name)[1])]


def is_part(window: Any, column: Any) -> bool:
    """Whether a window is a part of a column as it is."""
    if len(column) < window.size:
        return False
    parts = numpy.lib.stride_tricks.sliding_window_view(column, window.size)
    return bool((abs(parts - window) <= NEAR * abs(parts)).all(axis=1).any())


def is_sent(firsts: list[Any], column: Any) -> bool:
    """Whether inputs begin with the first numbers of a column, as they are."""
    return len(column) >= len(firsts) and all(
        abs(one - there) <= NEAR * abs(there) for one, there in zip(firsts, column, strict=False)
    )


def is_written(told: Told) -> bool:
    """Whether some answers are written as they are, and none is missing between them."""
    left = iter([one.value for one in told.answers])
    words = [word for word in told.text.words if not word.is_whole]
    found = [word for word in words if any(bool(word.fits(value)) for value in left)]
    return len(found) == len(words) >= FEWEST
