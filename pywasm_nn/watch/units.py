"""Units by their names: what each measures, and how many times a basic unit it is.

What is here: `UNITS`, `kinds_of`, and `unit_in`, the unit in the name of a file or a column. What is not: the
mistakes with units (`amounts/units.py`, `sheets/units.py`).
"""

from __future__ import annotations

import re

from .regex import regex

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
    "w": ("power", 1.0), "kw": ("power", 1000.0), "mw": ("power", 1e6), "gw": ("power", 1e9),
    "wh": ("energy", 1.0), "kwh": ("energy", 1000.0), "mwh": ("energy", 1e6), "gwh": ("energy", 1e9),
    "ms2": ("acceleration", 1.0), "mps2": ("acceleration", 1.0), "mg": ("acceleration", 0.0098),
    "deg": ("angle", 0.01745), "degrees": ("angle", 0.01745), "rad": ("angle", 1.0),
    "radians": ("angle", 1.0), "dps": ("turning", 0.01745), "rps": ("turning", 1.0),
    "mpg": ("consumption", 1.0), "l100km": ("consumption", 235.2),
    "gal": ("volume", 3.785), "l": ("volume", 1.0), "ml": ("volume", 0.001),
    "mmoll": ("blood sugar", 18.016), "mgdl": ("blood sugar", 1.0),
}  # fmt: skip
"""The kind of each unit, and how many times a basic one it is."""
ALSO = {"g": ("acceleration", 9.80665), "ms": ("speed", 1.0)}
"""Units that mean two things."""
PER = regex(r"(?<![A-Za-z])(m[/_]s|km[/_]h|mmol[/_]l|mg[/_]dl)(?=\W*$)", re.IGNORECASE)
WRITTEN = {
    "m/s": "mps", "km/h": "kmh", "mmol/l": "mmoll", "mg/dl": "mgdl",
    "m_s": "mps", "km_h": "kmh", "mmol_l": "mmoll", "mg_dl": "mgdl",
}  # fmt: skip
PLAIN = {unit: written for written, unit in reversed(WRITTEN.items())}
"""How units are written that have another name here."""
SPLIT = regex(r"[^A-Za-z0-9]+")


def unit_in(name: str) -> tuple[str, str]:
    """The first words of a name and its last, if that is a unit: "temp_f" is "temp" and "f"."""
    name = PER.sub(lambda found: WRITTEN[found[1].lower()], name.strip())
    words = [one.lower() for one in SPLIT.split(name) if one]
    if len(words) > 1 and words[-1] in UNITS:
        return "_".join(words[:-1]), words[-1]
    return "_".join(words), ""


def kinds_of(unit: str) -> list[tuple[str, float]]:
    """Returns what a unit may be, and how many times a basic one."""
    return [UNITS[unit], *([ALSO[unit]] if unit in ALSO else [])]
