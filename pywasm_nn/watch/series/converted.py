"""A window of a column that was converted to another unit before it was scaled for its own.

What is here: `converted`. People write the mean and deviation of a scaler with few digits: so it is known
which unit of the column they are of. What is not: units that headings name (`sheets.units`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..origin.tables import table_in
from ..written.undone import placed

MOST_FILE, MOST_FEATURES = 1 << 18, 8
FAR, USUAL, WIDEST = 3.0, 2.0, 3.0
"""Deviations of the mean of a window that was converted, and of one that wasn't, and the most of that."""
DIGITS, EXACT = 3, 2e-5
UNITS: tuple[tuple[str, float, float], ...] = (
    ("times 1.8 plus 32 (Celsius made Fahrenheit)", 1.8, 32.0),
    ("less 32, divided by 1.8 (Fahrenheit made Celsius)", 1 / 1.8, -32 / 1.8),
    ("plus 273.15 (Celsius made kelvins)", 1.0, 273.15),
    ("less 273.15 (kelvins made Celsius)", 1.0, -273.15),
    ("times 3.6 (m/s made km/h)", 3.6, 0.0),
    ("divided by 3.6 (km/h made m/s)", 1 / 3.6, 0.0),
    ("times 9.80665 (g made m/s2)", 9.80665, 0.0),
    ("times 9.81 (g made m/s2)", 9.81, 0.0),
    ("divided by 9.80665 (m/s2 made g)", 1 / 9.80665, 0.0),
    ("divided by 9.81 (m/s2 made g)", 1 / 9.81, 0.0),
    ("times 1.609344 (miles made km)", 1.609344, 0.0),
    ("divided by 1.609344 (km made miles)", 1 / 1.609344, 0.0),
    ("divided by 60 (minutes made hours, seconds made minutes)", 1 / 60, 0.0),
)
"""In words, by what a number is multiplied, and what is added then."""


def converted(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file of a window's column, and what is wrong with the window's unit, or "" for both if
    nothing is known to be wrong."""
    for name, data in files:
        table = table_in(data) if len(data) <= MOST_FILE else None
        for window in features(array) if table is not None else ():
            found = placed(table, window) if table is not None else None
            if found is None or abs(float(window.mean())) < FAR or not found[2]:
                continue
            _, _, slope, height = found
            there = (window - height) / slope
            if is_round(1 / slope) and is_round(-height / slope):
                continue  # the numbers are those of the column's own unit
            for said, by, plus in UNITS:
                width = by / slope
                centre = plus - height * width
                scaled = (there - centre) / width
                usual = abs(float(scaled.mean())) < USUAL and float(abs(scaled).max()) < WIDEST
                if usual and is_round(width) and is_round(centre):
                    return name, (
                        f"numbers were sent {said}, less {centre:.3g} and divided by {width:.3g}: that is "
                        f"{window.mean():.2g} on average, and {scaled.mean():.2g} as they stand in the file: "
                        "is the scaler for these?"
                    )
    return "", ""


def features(array: Any) -> Iterator[Any]:
    """The windows of each feature."""
    width = array.shape[-1] if array.ndim > 2 and array.shape[-1] <= MOST_FEATURES else 1
    flat = array.reshape(-1).astype("f8")
    yield from (flat[one::width] for one in range(width))


def is_round(number: float) -> bool:
    """Whether a number is written with few digits."""
    return number != 0 and abs(float(f"{number:.{DIGITS}g}") - number) <= EXACT * abs(number)
