"""A column that leaves the range of all other elements in the unit of its heading, and in another unit would
not: it was scaled by the numbers of that one.

What is here: `beside_its_twin`, where the table has the same numbers in both units, and `too_warm`, degrees
Fahrenheit that were divided as if they were Celsius. What is not: columns that the guest converted itself
(`one_unscaled.py`), and those that are far by their headings alone (`units.py`).
"""

from __future__ import annotations

from typing import Any

from ...arrays import numpy
from ..origin.straight import line_within
from ..units import unit_in
from .one_unscaled import EXACT, PLAIN, columns, is_written
from .sheet import Sheet
from .units import are_other

FEWEST, OTHERS = 3, 2
"""The fewest lines, and the fewest other elements that change from line to line."""
FAR, MOSTLY, USUAL, SAME = 1.0, 3.0, 1.75, 0.03
"""How many deviations a column is away in all lines, and in half of them; how many it is at most in its other
unit; and by which part of their range the same numbers may differ in two units, as they are rounded."""
ROOM, WITHIN = 0.5, 1.001
"""All other elements may be larger by so much than what is usual; and the end of a range of 1."""
WARM, FREEZING, DEGREES = frozenset({"f", "fahrenheit", "degf"}), 32.0, 1.8


def out_of_range(sheet: Sheet, rows: Any) -> str:
    """Returns what is wrong with inputs, [inputs, elements], that follow the lines of a table, or "" if
    nothing is."""
    if not sheet.headings or len(rows) < FEWEST or len(sheet.numbers) < len(rows):
        return ""
    varied = [place for place, one in enumerate(rows.T) if numpy.ptp(one)]
    if len(varied) <= OTHERS:
        return ""
    return beside_its_twin(sheet, rows) or too_warm(sheet, rows)


def beside_its_twin(sheet: Sheet, rows: Any) -> str:
    """A column that was scaled by a mean and a deviation by which all lines are far away, where those of
    the same thing in another unit, beside it, would not be."""
    sizes = abs(rows).max(axis=0)
    far = [at for at, own in enumerate(rows.T) if is_far(own) and others_of(sizes, at) <= USUAL + ROOM]
    for element, column in columns(sheet, rows, is_plain=False, among=far):
        own = rows[:, element]
        slope, height = line_through_rows(sheet, own, column)
        for other in twins(sheet, column) if abs(height) > EXACT else ():
            made = slope * sheet.numbers[: len(rows), other] + height
            if abs(made).max() <= USUAL:
                return (
                    f"{sheet.named(column)} comes to {own.min():.3g} to {own.max():.3g} as it was scaled, "
                    f"and all others to at most {others_of(sizes, element):.2g}; by the same "
                    f"numbers {sheet.named(other)}, the same in another unit, is {made.min():.2g} to "
                    f"{made.max():.2g}: was the wrong one of the two columns taken?"
                )
    return ""


def others_of(sizes: Any, element: int) -> float:
    """The largest of all other elements' sizes."""
    return float(numpy.delete(sizes, element).max())


def is_far(own: Any) -> bool:
    """Whether all lines are far from 0, on one side of it."""
    is_on_one_side = own.min() > 0 or own.max() < 0
    return bool(is_on_one_side and abs(own).min() >= FAR and numpy.median(abs(own)) >= MOSTLY)


def line_through_rows(sheet: Sheet, own: Any, column: int) -> tuple[float, float]:
    """By which slope and height a column was scaled."""
    room = EXACT * (abs(own).max() + numpy.ptp(own))
    return line_within(own, sheet.numbers[: len(own), column], room) or (1.0, 0.0)


def twins(sheet: Sheet, column: int) -> list[int]:
    """The columns that have the same numbers as another one in another unit, by their headings, too."""
    stem, unit = unit_in(sheet.headings[column])
    found = []
    for other, heading in enumerate(sheet.headings) if unit else ():
        own_stem, own_unit = unit_in(heading)
        if other == column or own_stem != stem or not own_unit or not are_other(unit, own_unit):
            continue
        one, two = sheet.numbers[:, column], sheet.numbers[:, other]
        if numpy.isfinite(two).all() and line_within(one, two, SAME * float(numpy.ptp(one))) is not None:
            found.append(other)
    return found


def too_warm(sheet: Sheet, rows: Any) -> str:
    """Degrees Fahrenheit that were only divided, so that all lines are beyond 1, and nothing else is; Celsius
    would be within it."""
    sizes = abs(rows).max(axis=0)
    far = [at for at, own in enumerate(rows.T) if own.min() > WITHIN >= others_of(sizes, at)]
    for element, column in columns(sheet, rows, is_plain=False, among=far):
        unit, own = unit_in(sheet.headings[column])[1], rows[:, element]
        if unit not in WARM:
            continue
        slope, height = line_through_rows(sheet, own, column)
        divisor, there = 1 / slope, sheet.numbers[:, column]
        if abs(height) > PLAIN or not is_written(divisor) or not numpy.isfinite(there).all():
            continue
        made = (there - FREEZING) / DEGREES / divisor
        if abs(made).max() <= 1:
            return (
                f"{sheet.named(column)} is in Fahrenheit by its heading, and divided by {divisor:.4g} it is "
                f"{own.min():.3g} to {own.max():.3g}, where all other elements are within 1; as Celsius it "
                f"would be {made.min():.2g} to {made.max():.2g}: is it to be converted first, (x - 32) / 1.8?"
            )
    return ""
