"""The unit of lines that are sent as they stand, by the headings of their columns, the comments above
them, or the file's name.

What is here: `other_units`. What is not: asking a model about other ones (`whatif.converting`).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ..regex import regex
from ..units import SPLIT, UNITS, kinds_of, unit_in
from .sheet import Sheet

NEAR, MOST_UNITS, FEWEST = 1e-5, 4, 2
APART = 0.1
"""Units that are nearer to each other are the same."""
SQUARED = regex(r"m/s(?:\^?2|²)|m_s2", re.IGNORECASE)
USUAL: dict[str, dict[str, float]] = {
    "acceleration": {"m/s2": 1.0, "g": 9.80665, "mg": 0.00980665},
    "angle": {"degrees": 0.0174533, "radians": 1.0},
    "turning": {"degrees/s": 0.0174533, "rad/s": 1.0},
    "length": {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0},
    "mass": {"g": 0.001, "kg": 1.0},
    "speed": {"m/s": 1.0, "km/h": 1 / 3.6},
    "pressure": {"Pa": 1.0, "hPa": 100.0, "kPa": 1000.0, "bar": 1e5},
    "voltage": {"mV": 0.001, "V": 1.0},
    "current": {"mA": 0.001, "A": 1.0},
    "power": {"W": 1.0, "kW": 1000.0},
    "energy": {"Wh": 1.0, "kWh": 1000.0},
}
"""The units that models of each kind of number want, and how many times a basic one each is."""


def other_units(array: Any, sheet: Sheet) -> tuple[str, list[tuple[str, float]]]:
    """Returns the unit of an input's lines, and others with what numbers are multiplied by for them, or ""
    and [] if the first line is none of the sheet as it stands, or columns have several units."""
    width, columns = array.shape[-1] if array.ndim else 0, sheet.numbers.shape[1]
    if not FEWEST <= width <= columns:
        return "", []
    first = array.reshape(-1, width)[0].astype("f8")
    for start in range(columns - width + 1):
        there = sheet.numbers[:, start : start + width]
        if not numpy.isclose(there, first, rtol=NEAR, atol=0).all(axis=1).any():
            continue
        named = {unit for one in sheet.headings[start : start + width] if (unit := unit_of(one))}
        named = named or units_of_all(sheet)
        if len(named) != 1:
            return "", []
        unit = named.pop()
        return unit, converted(unit)
    return "", []


def units_of_all(sheet: Sheet) -> set[str]:
    """The units that a file's name or the comments above a table name. Single letters mean anything, and "in"
    is a word."""
    texts = [PurePosixPath(sheet.name).stem, *sheet.comments]
    words = {word.lower() for text in texts for word in SPLIT.split(text)}
    return {word for word in words if len(word) > 1 and word != "in" and word in UNITS}


def unit_of(heading: str) -> str:
    return "m/s2" if SQUARED.search(heading) else unit_in(heading)[1]


def converted(unit: str) -> list[tuple[str, float]]:
    """Other units of the same kind, and by what numbers are multiplied for them."""
    kinds = [("acceleration", 1.0)] if unit == "m/s2" else kinds_of(unit)
    found = [
        (other, size / own)
        for kind, size in kinds
        for other, own in USUAL.get(kind, {}).items()
        if abs(size / own - 1) > APART
    ]
    return found[:MOST_UNITS]
