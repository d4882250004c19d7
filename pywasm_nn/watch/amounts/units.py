"""Numbers of a file that names their unit, sent as they stand, and answers that are written in another one.

What is here: `other_unit`. What is not: the units (`watch/units.py`).
"""

from __future__ import annotations

import re
from typing import Any

from ..origin.tables import table_in
from ..units import UNITS, unit_in
from .named_units import unit_of
from .told import Told

BEHIND = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?\s?([A-Za-z]{1,4}2?)(?![A-Za-z0-9/])")
MOST_BYTES, FEWEST, NEAR = 1 << 16, 5, 1e-6
TIME = "time"
"""A duration that is forecast from other times may be told in a unit of its own."""


def other_unit(told: Told) -> str:
    """Returns what is wrong with the unit of answers, or "" if nothing is."""
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
