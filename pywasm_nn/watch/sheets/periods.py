"""Sines and cosines of what goes round (hours, weekdays, months, degrees), with another period than it has,
or as if it were radians.

What is here: `other_period`. Nothing is said of an element that is a second turn beside the first one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from math import pi
from typing import Any

from ...arrays import numpy
from .hours import of_day, times
from .sheet import Sheet

PERIODS = {
    "hour": 24, "hr": 24, "hours": 24, "month": 12, "weekday": 7, "dow": 7, "dayofweek": 7, "minute": 60,
    "doy": 365, "dayofyear": 365, "yday": 365, "bearing": 360, "azimuth": 360, "heading": 360,
    "direction": 360, "dir": 360, "angle": 360, "deg": 360, "degrees": 360,
}  # fmt: skip
WORD = re.compile(r"[a-z]+")
DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})")
EXACT, FEWEST, DIFFERENT = 1e-4, 5, 4
DAY, HALF, WHOLE = 24, 0.5, 2 * pi
"""A day has so many hours. A column goes beyond half a turn if a number of it does so by `HALF` at least.
Numbers up to `WHOLE` may as well be radians."""


def turning(sheet: Sheet) -> Iterator[tuple[str, Any, int]]:
    """Yields what goes round in the lines of a table: its name, its numbers, and after how many it begins
    again."""
    for column, found in times(sheet):
        hours = numpy.array([of_day(hour, half) for hour, _, half in found], "f8")
        yield f"the hour of {sheet.named(column)}", hours, DAY
        yield f"the hour of {sheet.named(column)}", hours + [one[1] / 60 for one in found], DAY
    for column in range(len(sheet.rows[0])):
        words = WORD.findall(sheet.headings[column].lower()) if sheet.headings else []
        period = next((PERIODS[word] for word in words if word in PERIODS), 0)
        there = sheet.numbers[:, column]
        if period and numpy.isfinite(there).all() and there.min() >= 0 and there.max() <= period + 1:
            yield sheet.named(column), there, period
        days = [DATE.search(row[column]) for row in sheet.rows]
        if all(days):
            yield (
                f"the month of {sheet.named(column)}",
                numpy.array([float(one[2]) for one in days if one]),
                12,
            )
            yield f"the weekday of {sheet.named(column)}", weekdays(days), 7


def weekdays(days: Sequence[Any]) -> Any:
    try:
        return numpy.array([date(*map(int, one.groups())).weekday() for one in days], "f8")
    except ValueError:  # such as the 31st of February
        return numpy.zeros(len(days))


def turns(values: Any, period: float, rows: Any) -> list[int]:
    """The elements that are the sine or the cosine of values with a period, counted from 0 or from 1."""
    found = []
    for by in (0, 1):
        angle = WHOLE * (values - by) / period
        for turned in (numpy.sin(angle), numpy.cos(angle)):
            if len(numpy.unique(turned.round(4))) >= DIFFERENT - 1:
                same = (abs(rows - turned[:, None]) < EXACT).all(axis=0)
                found += numpy.flatnonzero(same).tolist()
    return found


def other_period(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong with the period of sines and cosines, or "" if nothing is."""
    if len(rows) < FEWEST:
        return ""
    for name, every, period in turning(sheet):
        values = every[list(lines)]
        if len(numpy.unique(values)) < DIFFERENT or turns(values, period, rows):
            continue
        for wrong in (period / 2, period - 1.0):
            found = turns(values, wrong, rows)
            # What stays within half a turn has no other direction, such as how a bar lies.
            least = wrong - 1 if wrong > period / 2 else wrong + HALF
            if len(found) < 2 or values.max() < least:
                continue
            top = max(values.max(), wrong)
            return (
                f"elements {found[0]} and {found[1]} are the sine and cosine of {name} / {wrong:g}, and it "
                f"goes round after {period}: {top - wrong:g} and {top:g} become the same"
            )
        if said := as_radians(name, values, period, rows):
            return said
    return ""


def as_radians(name: str, values: Any, period: int, rows: Any) -> str:
    """Returns what is wrong with sines and cosines of numbers, or of parts of a period, without 2 pi, or ""
    if nothing is."""
    for wrong, said, factor in (
        (WHOLE, name, f"2 pi / {period}"),
        (WHOLE * period, f"{name} / {period}", "2 pi"),
    ):
        found = turns(values, wrong, rows) if values.max() > WHOLE else []
        if len(found) > 1:
            return (
                f"elements {found[0]} and {found[1]} are the sine and cosine of {said}, taken as radians; it "
                f"goes round after {period}: is the factor {factor} missing?"
            )
    return ""
