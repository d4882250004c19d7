"""Hours of the day in a table's texts (07:30, 12:17 PM) and numbers (seconds since 1970), and how they are
read wrongly.

What is here: `rightly`, columns of hours and of their turns, `clocks`, the same of mistakes, and
`in_milliseconds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ..origin.time_order import of_day
from ..regex import regex
from .sheet import NAN, Sheet

CLOCK = regex(r"(?<!\d)(\d{1,2}):(\d{2})(?::\d{2})?\s*([AaPp])?\.?[Mm]?\b")
DAY, WHOLE_TURN = 24.0, 360.0
LEAST_MS, MOST_MS = 6e11, 4e12
"""Milliseconds since 1970, from 1989 to 2096."""
SECOND, HOUR, EXACT = 1000, 3600, 1e-4
DIFFERENT = 3


def times(sheet: Sheet) -> Iterator[tuple[int, list[tuple[int, int, str]]]]:
    """Columns of which all fields have a time: hour, minute, and "A", "P" or ""."""
    for column in range(len(sheet.rows[0])):
        found = [CLOCK.search(row[column]) for row in sheet.rows]
        if all(one is not None and int(one[1]) < DAY for one in found):
            yield column, [(int(one[1]), int(one[2]), (one[3] or "").upper()) for one in found if one]


def turned(hours: Any, minutes: Any) -> Any:
    """Columns of what people make of hours: as they are and round the clock, with minutes and without."""
    made = []
    for one in (hours, hours + minutes / 60):
        angle = 2 * numpy.pi * one / DAY
        made += [one, numpy.sin(angle), numpy.cos(angle)]
    return numpy.stack(made, axis=1)


def degrees(hours: Any, minutes: Any) -> Any:
    """Sines and cosines of hours in degrees, as if these were radians."""
    angles = [WHOLE_TURN * one / DAY for one in (hours, hours + minutes / 60)]
    return numpy.stack([turn(one) for one in angles for turn in (numpy.sin, numpy.cos)], axis=1)


def columns(sheet: Sheet, hour: Any, made_of: Callable[[Any, Any], Any] = turned) -> Any:
    """Returns what `hour` makes of all columns of times, in columns by `made_of`."""
    made = [
        made_of(
            numpy.array([float(hour(*one)) for one in found]), numpy.array([float(one[1]) for one in found])
        )
        for _, found in times(sheet)
    ]
    return numpy.concatenate(made, axis=1) if made else numpy.full((len(sheet.rows), 0), NAN)


def rightly(sheet: Sheet) -> Any:
    """The hours of all columns of times as they are meant."""
    return columns(sheet, lambda hour, _, half: of_day(hour, half))


def whole(sheet: Sheet) -> Any:
    """All numbers that a guest may rightly read in a table: those of its fields, and of its hours."""
    return numpy.concatenate([sheet.numbers, rightly(sheet)], axis=1)


def clocks(sheet: Sheet) -> Iterator[tuple[Any, Any, Callable[[Sheet, int, int], str]]]:
    """Numbers that come of hours that were read wrongly, the right ones, and what is wrong."""
    halves = {half for _, found in times(sheet) for *_, half in found}
    right = rightly(sheet)
    if right.shape[1]:
        yield columns(sheet, lambda hour, _, half: of_day(hour, half), degrees), right, no_radians
    if halves & {"A", "P"}:
        yield columns(sheet, lambda hour, _, __: hour), right, no_halves
        yield columns(sheet, lambda hour, _, half: hour + 12 * (half == "P")), right, noon


def no_halves(_: Sheet, __: int, ___: int) -> str:
    return "the hours were read without their AM and PM: 3 PM is hour 15 of 24, and 12 AM is hour 0"


def noon(_: Sheet, __: int, ___: int) -> str:
    return "12 was added to all hours with PM, so that 12 PM is 24: 12 PM is hour 12 of 24, and 12 AM is 0"


def no_radians(sheet: Sheet, line: int, _: int) -> str:
    column, found = next(times(sheet))
    hour, minute, half = found[line]
    angle = (of_day(hour, half) + minute / 60) * WHOLE_TURN / DAY
    return (
        f"the hour of {sheet.named(column)} was made an angle in degrees, {angle:g} for "
        f'"{sheet.rows[line][column]}", and its sine or cosine taken as if these were radians (2 pi / 24 an '
        "hour)"
    )


def in_milliseconds(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns a hint about elements that are the sine and cosine of the hour that milliseconds give if they
    are taken for seconds, or "" if there are none."""
    for column in range(len(sheet.rows[0])):
        there = sheet.numbers[list(lines), column]
        if not numpy.isfinite(there).all() or not (LEAST_MS < there.min() <= there.max() < MOST_MS):
            continue
        wrong, right = round_the_clock(there), round_the_clock(there / SECOND)
        own = [element_of(one, rows) for one in wrong]
        if min(own) < 0 or any(element_of(one, rows) >= 0 for one in right):
            continue
        if all(len(numpy.unique(one.round(4))) >= DIFFERENT for one in wrong):
            hours = [int(one % (HOUR * DAY) // HOUR) for one in (there[0], there[0] / SECOND)]
            return (
                f"{sheet.named(column)} is in milliseconds ({there[0]:.0f}), and was taken for seconds: "
                f"elements {own[0]} and {own[1]} are the sine and cosine of hour {hours[0]}; it is hour "
                f"{hours[1]}"
            )
    return ""


def round_the_clock(seconds: Any) -> list[Any]:
    """Sine and cosine of the whole hour of seconds since 1970."""
    angle = 2 * numpy.pi * (seconds % (HOUR * DAY) // HOUR) / DAY
    return [numpy.sin(angle), numpy.cos(angle)]


def element_of(values: Any, rows: Any) -> int:
    """Returns the first element that has these values, or -1 if none has."""
    same = (abs(rows - values[:, None]) < EXACT).all(axis=0)
    return int(same.argmax()) if same.any() else -1
