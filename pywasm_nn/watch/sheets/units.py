"""Columns whose headings name a unit that the scaler of a model isn't for.

What is here: `Units`, which compares the same column of two tables, and `far_by_unit`, a column that is many
deviations away in its own unit, and not in another of its kind.
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..units import UNITS, kinds_of, unit_in
from .rows import Straight
from .sheet import Sheet

SAME = 1e-3
FAR, USUAL, OTHERS = 5.0, 2.5, 4.0
"""How many deviations a column is away in half of its lines, and may be on average in another unit; and how
far the other columns are at most."""
NARROW, WIDE = 0.1, 3.0
"""The deviation of usual scaled numbers."""
FEWEST_OTHERS = 2
ZEROS = {("f", "c"): -32.0, ("fahrenheit", "c"): -32.0, ("degf", "c"): -32.0}
"""What is added before a unit with another zero is divided."""


CUSTOMARY = frozenset({
    "f", "fahrenheit", "degf", "in", "inch", "inches", "ft", "feet", "mi", "mile", "miles", "yd", "lb", "lbs",
    "oz", "mph", "sqft", "ft2", "psi", "inhg", "gal",
})  # fmt: skip
"""Units that a file names, because others mean the metric ones."""


class Scaled(Frozen):
    """A column of a table that an element is, and its smallest and largest number."""

    table: str
    heading: str
    unit: str
    slope: float
    height: float
    low: float
    high: float


class Units:
    """The columns that each element of an input was made of."""

    def __init__(self, called: str = "", model: str = "") -> None:
        """`called` is the input's name, `model` what says which model it is of."""
        self._unit = unit_in(called)[1]
        self.model = model
        self._known: dict[tuple[int, str], Scaled] = {}

    def other(self, sheet: Sheet, found: Straight) -> str:
        """Returns what is wrong if a column in another unit than one before was scaled by the same numbers,
        or "" if none was."""
        for element, column in numpy.argwhere(found.fits[:, : len(sheet.headings)]).tolist():
            stem, unit = unit_in(sheet.headings[column])
            slope, height = float(found.slopes[element, column]), float(found.heights[element, column])
            there = sheet.numbers[:, column]
            low, high = float(numpy.nanmin(there)), float(numpy.nanmax(there))
            if self._unit and unit and found.plain()[element, column] and are_other(unit, self._unit):
                return (
                    f'column "{sheet.headings[column]}" is in {unit} by its heading, and was sent as it '
                    f"stands; the input's name asks for {self._unit}"
                )
            own = Scaled(sheet.name, sheet.headings[column], unit, slope, height, low, high)
            before = self._known.setdefault((element, stem), own)
            if differ(before, own):
                return (
                    f'column "{own.heading}" ({low:g} to {high:g}) was scaled by the same numbers as '
                    f'"{before.heading}" of {before.table} ({before.low:g} to {before.high:g}), though its '
                    "heading names another unit: it has to be converted first"
                )
        return ""


def differ(one: Scaled, other: Scaled) -> bool:
    """Whether two columns of the same thing have different units, and were scaled alike."""
    if one.table == other.table or one.unit == other.unit:
        return False
    size = abs(one.slope) * (abs(one.high) + abs(one.low)) + abs(one.height)
    if abs(one.slope - other.slope) > SAME * abs(one.slope) or abs(one.height - other.height) > SAME * size:
        return False
    if one.unit and other.unit:
        return are_other(one.unit, other.unit)
    named, plain = (one, other) if one.unit else (other, one)
    if named.unit not in CUSTOMARY or not (one.high < other.low or other.high < one.low):
        return False  # without a unit the numbers have to say it
    made = converted(named.unit, numpy.array([named.low, named.high]))
    return any(low <= plain.high and high >= plain.low for _, (low, high) in made)


def are_other(one: str, other: str) -> bool:
    """Whether two units are of one kind, and not the same."""
    return any(
        kind == other_kind and size != other_size
        for kind, size in kinds_of(one)
        for other_kind, other_size in kinds_of(other)
    )


def converted(unit: str, numbers: Any) -> list[tuple[str, Any]]:
    """Numbers in a unit, in all others of its kind."""
    kind, size = UNITS[unit]
    found = {}
    for other, (own, by) in UNITS.items():
        if own == kind and by != size and by not in found:
            found[by] = other, (numbers + ZEROS.get((unit, other), 0.0)) * (size / by)
    if kind == "warmth":
        made = [pair for pair in found.values() if (unit, pair[0]) in ZEROS]
        return [(other, (numbers - 32.0) / 1.8) for other, _ in made]
    return [*found.values()]


def far_by_unit(sheet: Sheet, rows: Any, found: Straight) -> str:
    """Returns what is wrong with a column that is far away in the unit of its heading alone, or "" if nothing
    is."""
    columns = len(sheet.headings)
    scaled = (found.fits & ~found.plain())[:, :columns]
    places = [(element, int(scaled[element].argmax())) for element in numpy.flatnonzero(scaled.any(axis=1))]
    sizes = {element: abs(rows[:, element]) for element, _ in places}
    far = [element for element in sizes if numpy.median(sizes[element]) > FAR]
    rest = [element for element in sizes if element not in far]
    if not far or len(rest) < FEWEST_OTHERS or max(sizes[one].max() for one in rest) > OTHERS:
        return ""
    for element, column in places:
        unit = unit_in(sheet.headings[column])[1]
        if element not in far or not unit:
            continue
        slope, height = found.slopes[element, column], found.heights[element, column]
        there = (rows[:, element] - height) / slope
        for other, numbers in converted(unit, there):
            made = slope * numbers + height
            if abs(made.mean()) < USUAL and NARROW < made.std() < WIDE:
                return (
                    f'column "{sheet.headings[column]}" comes to {rows[:, element].min():.3g} to '
                    f"{rows[:, element].max():.3g} as it was scaled, all others to at most "
                    f"{max(sizes[one].max() for one in rest):.3g}; its heading says {unit}, and converted to "
                    f"{other} it is {made.min():.2g} to {made.max():.2g}: is the scaler for {other}?"
                )
    return ""
