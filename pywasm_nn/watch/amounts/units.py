"""Numbers of a file that names their unit, sent as they stand, and answers that are written in another one.

What is here: `other_unit`, and `unit_in`, the unit in the name of a file or a column.
"""

from __future__ import annotations

import re
from typing import Any

from ..origin.tables import table_in
from .told import Told

UNITS = {
    "mm": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1.0), "km": ("length", 1000.0),
    "in": ("length", 0.0254), "inch": ("length", 0.0254), "inches": ("length", 0.0254),
    "ft": ("length", 0.3048), "feet": ("length", 0.3048), "mi": ("length", 1609.344),
    "mile": ("length", 1609.344), "miles": ("length", 1609.344), "yd": ("length", 0.9144),
    "g": ("mass", 0.001), "kg": ("mass", 1.0), "lb": ("mass", 0.4536), "lbs": ("mass", 0.4536),
    "oz": ("mass", 0.02835),
    "mps": ("speed", 1.0), "kmh": ("speed", 1 / 3.6), "kph": ("speed", 1 / 3.6), "mph": ("speed", 0.44704),
    "knots": ("speed", 0.5144), "kn": ("speed", 0.5144), "kt": ("speed", 0.5144),
    "sqft": ("area", 0.0929), "ft2": ("area", 0.0929), "m2": ("area", 1.0), "sqm": ("area", 1.0),
    "c": ("warmth", 1.0), "celsius": ("warmth", 1.0), "f": ("warmth", 1.8), "fahrenheit": ("warmth", 1.8),
    "k": ("warmth", 1.001), "kelvin": ("warmth", 1.001), "degc": ("warmth", 1.0), "degf": ("warmth", 1.8),
    "ms": ("time", 0.001), "s": ("time", 1.0), "sec": ("time", 1.0), "min": ("time", 60.0),
    "pa": ("pressure", 1.0), "hpa": ("pressure", 100.0), "mbar": ("pressure", 100.0),
    "kpa": ("pressure", 1000.0), "bar": ("pressure", 1e5), "psi": ("pressure", 6894.8),
    "inhg": ("pressure", 3386.4), "mmhg": ("pressure", 133.3),
    "mv": ("voltage", 0.001), "v": ("voltage", 1.0), "ma": ("current", 0.001), "a": ("current", 1.0),
    "w": ("power", 1.0), "kw": ("power", 1000.0), "mw": ("power", 1e6),
    "wh": ("energy", 1.0), "kwh": ("energy", 1000.0),
    "ms2": ("acceleration", 1.0), "mps2": ("acceleration", 1.0), "mg": ("acceleration", 0.0098),
    "deg": ("angle", 0.01745), "degrees": ("angle", 0.01745), "rad": ("angle", 1.0),
    "radians": ("angle", 1.0), "dps": ("turning", 0.01745), "rps": ("turning", 1.0),
    "gal": ("volume", 3.785), "l": ("volume", 1.0), "ml": ("volume", 0.001),
}  # fmt: skip
"""The kind of each unit, and how many times a basic one it is."""
ALSO = {"g": ("acceleration", 9.80665), "ms": ("speed", 1.0)}
"""Units that mean two things."""
PER = re.compile(r"(?<![A-Za-z])(m[/_]s|km[/_]h)(?=\W*$)", re.IGNORECASE)
WRITTEN = {"m/s": "mps", "m_s": "mps", "km/h": "kmh", "km_h": "kmh"}
SPLIT = re.compile(r"[^A-Za-z0-9]+")
BEHIND = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?\s?([A-Za-z]{1,4}2?)(?![A-Za-z0-9/])")
MOST_BYTES, FEWEST, NEAR = 1 << 16, 5, 1e-6


def unit_in(name: str) -> tuple[str, str]:
    """The first words of a name and its last, if that is a unit: "temp_f" is "temp" and "f"."""
    name = PER.sub(lambda found: WRITTEN[found[1].lower()], name.strip())
    words = [one.lower() for one in SPLIT.split(name) if one]
    if len(words) > 1 and words[-1] in UNITS:
        return "_".join(words[:-1]), words[-1]
    return "_".join(words), ""


def kinds_of(unit: str) -> list[tuple[str, float]]:
    """What a unit may be, and how many times a basic one."""
    return [UNITS[unit], *([ALSO[unit]] if unit in ALSO else [])]


def other_unit(told: Told) -> str:
    """What is wrong with the unit of answers; "" if nothing is known to be."""
    firsts = [one.given[0].reshape(-1)[0] for one in told.answers if one.given and one.given[0].size]
    units = {*BEHIND.findall(told.text)}
    if len(firsts) < FEWEST or len(units) != 1 or any(one.rows.size != 1 for one in told.answers):
        return ""
    unit = units.pop()
    if unit.lower() not in UNITS or not is_written(told):
        return ""
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
