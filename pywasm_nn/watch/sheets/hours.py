"""Hours of the day in a table's texts (07:30, 12:17 PM), and how they are read wrongly.

What is here: `rightly`, columns of hours and of their turns, and `clocks`, the same of mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .sheet import NAN, Sheet

CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::\d{2})?\s*([AaPp])?\.?[Mm]?\b")
DAY = 24.0


def times(sheet: Sheet) -> Iterator[tuple[int, list[tuple[int, int, str]]]]:
    """Columns of which all fields have a time: hour, minute, and "A", "P" or ""."""
    for column in range(len(sheet.rows[0])):
        found = [CLOCK.search(row[column]) for row in sheet.rows]
        if all(one is not None and int(one[1]) < DAY for one in found):
            yield column, [(int(one[1]), int(one[2]), (one[3] or "").upper()) for one in found if one]


def of_day(hour: int, half: str) -> int:
    """The hour from 0 to 23."""
    return hour % 12 + 12 * (half == "P") if half else hour


def turned(hours: Any, minutes: Any) -> Any:
    """Columns of what people make of hours: as they are and round the clock, with minutes and without."""
    import numpy

    made = []
    for one in (hours, hours + minutes / 60):
        angle = 2 * numpy.pi * one / DAY
        made += [one, numpy.sin(angle), numpy.cos(angle)]
    return numpy.stack(made, axis=1)


def columns(sheet: Sheet, hour: Any) -> Any:
    """What `hour` makes of all columns of times."""
    import numpy

    made = [
        turned(
            numpy.array([float(hour(*one)) for one in found]), numpy.array([float(one[1]) for one in found])
        )
        for _, found in times(sheet)
    ]
    return numpy.concatenate(made, axis=1) if made else numpy.full((len(sheet.rows), 0), NAN)


def rightly(sheet: Sheet) -> Any:
    return columns(sheet, lambda hour, _, half: of_day(hour, half))


def clocks(sheet: Sheet) -> Iterator[tuple[Any, Any, Callable[[Sheet, int, int], str]]]:
    """Numbers that come of hours that were read wrongly, the right ones, and what is wrong."""
    halves = {half for _, found in times(sheet) for *_, half in found}
    right = rightly(sheet)
    if halves & {"A", "P"}:
        yield columns(sheet, lambda hour, _, __: hour), right, no_halves
        yield columns(sheet, lambda hour, _, half: hour + 12 * (half == "P")), right, noon


def no_halves(_: Sheet, __: int, ___: int) -> str:
    return "the hours were read without their AM and PM: 3 PM is hour 15 of 24, and 12 AM is hour 0"


def noon(_: Sheet, __: int, ___: int) -> str:
    return "12 was added to all hours with PM, so that 12 PM is 24: 12 PM is hour 12 of 24, and 12 AM is 0"
