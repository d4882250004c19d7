"""A column of a table whose numbers are in two units, as a column of units or the unit behind each says, and
that was sent as if all were in one.

What is here: `in_one_unit`. What is not: columns that are in one unit, of which the heading or the model
wants another (`units.py`, `sent/scalers.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from ..units import UNITS
from .rows import straight
from .sheet import NAN, Sheet, number_of

FEWEST, NARROWER = 2, 0.8
"""Lines of each unit; and converted to one unit, numbers are so many times as wide apart at most."""
SUFFIX = regex(r"\s*([-+]?[\d.,]+)\s*\u00b0?\s*([A-Za-z]\w*)\s*")
SCALES = {"c": (0.0, 1.0), "f": (32.0, 1.8), "k": (273.15, 1.0)}
"""For each scale of temperatures the number of 0 degrees Celsius, and its degrees in a degree Celsius."""
NAMED = regex(r"(.*?)[ _.-]*units?")


class Mixed(Frozen):
    """A column's numbers as they stand, and the unit of each."""

    column: int
    numbers: Any
    units: tuple[str, ...]


def in_one_unit(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong if an element is a column of numbers in two units, on one straight line over
    both, or "" if none is."""
    for one in (*beside(sheet), *behind(sheet)):
        own, units = one.numbers[list(lines)], [one.units[line] for line in lines]
        kinds = sorted({*units}, key=units.count)
        if len(kinds) != 2 or min(map(units.count, kinds)) < FEWEST or not numpy.isfinite(own).all():
            continue
        odd = numpy.array([unit == kinds[0] for unit in units])
        if not is_nearer(own, odd, kinds) or not straight(rows, own[:, None]).fits.any():
            continue
        element = int(straight(rows, own[:, None]).fits[:, 0].argmax())
        if any(kinds_sent(row, odd) for row in numpy.delete(rows, element, axis=1).T):
            return ""  # the unit is sent, too
        at = int(odd.argmax())
        line = lines[at] + 1 + bool(sheet.headings) + len(sheet.comments)
        return (
            f"{sheet.named(one.column)} is {own[at]:g} {kinds[0]} in line {line}, and was sent as the "
            f"numbers in {kinds[1]} are: is it to be converted to {kinds[1]}?"
        )
    return ""


def is_nearer(own: Any, odd: Any, kinds: Sequence[str]) -> bool:
    """Whether numbers are nearer to each other if those in the first unit are converted to the second."""
    made = numpy.where(odd, in_unit(own, *map(str.lower, kinds)), own)
    return bool(made.std() <= NARROWER * own.std())


def in_unit(numbers: Any, unit: str, other: str) -> Any:
    """Numbers in one unit, in another of its kind."""
    kind, size = UNITS[unit]
    if kind != "warmth":
        return numbers * (size / UNITS[other][1])
    (less, by), (more, times) = (SCALES[one.removeprefix("deg")[0]] for one in (unit, other))
    return (numbers - less) / by * times + more


def kinds_sent(row: Any, odd: Any) -> bool:
    """Whether an element says which unit it is."""
    return bool(numpy.ptp(row) > 0 and numpy.ptp(row[odd]) == 0 and numpy.ptp(row[~odd]) == 0)


def beside(sheet: Sheet) -> Iterator[Mixed]:
    """Columns of numbers with one of units that is named after them, or stands behind."""
    for column in range(1, len(sheet.rows[0])):
        units = tuple(row[column].strip("\"' \u00b0") for row in sheet.rows)
        if not are_units(units):
            continue
        found = NAMED.fullmatch(sheet.headings[column].lower()) if sheet.headings else None
        named = [at for at, one in enumerate(sheet.headings) if found and found[1] == one.lower()]
        place = named[0] if named else column - 1
        yield Mixed(place, sheet.numbers[:, place], units)


def behind(sheet: Sheet) -> Iterator[Mixed]:
    """Columns of numbers each of which has its unit behind it."""
    for column in range(len(sheet.rows[0])):
        found = [SUFFIX.fullmatch(row[column].strip("\"'")) for row in sheet.rows]
        units = tuple(one[2] if one else "" for one in found)
        if are_units(units):
            yield Mixed(column, numpy.array([number_of(one[1]) if one else NAN for one in found]), units)


def are_units(texts: Sequence[str]) -> bool:
    """Whether texts are two units of the same."""
    kinds = {one.lower() for one in {*texts}}
    return len(kinds) == 2 and kinds <= UNITS.keys() and len({UNITS[one][0] for one in kinds}) == 1
