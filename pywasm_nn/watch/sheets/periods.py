"""Sines and cosines of what goes round (hours, weekdays, months, degrees), with another period than it has,
or as if it were radians; and of dates whose day and month were exchanged.

What is here: `other_period`, `of_few_lines`, `exchanged_date`. Nothing is said of an element that is a second
turn beside the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import permutations
from math import pi
from typing import Any

from ...arrays import numpy
from ..origin.time_order import of_day
from ..regex import regex
from .hours import times
from .sheet import Sheet

PERIODS = {
    "hour": 24, "hr": 24, "hours": 24, "month": 12, "weekday": 7, "dow": 7, "dayofweek": 7, "minute": 60,
    "doy": 365, "dayofyear": 365, "yday": 365, "bearing": 360, "azimuth": 360, "heading": 360,
    "direction": 360, "dir": 360, "angle": 360, "deg": 360, "degrees": 360,
}  # fmt: skip
WORD = regex(r"[a-z]+")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DATE = regex(r"\b(\d{4})-(\d{2})-(\d{2})")
EXACT, FEWEST, DIFFERENT = 1e-4, 5, 4
MONTHS, YEARS, MEAN_MONTH = 12, (365.25, 365.0, 366.0), 30.44
A_DAY, A_MONTH, BEGINS = (1 / 373, 1 / 359), (29.5, 31.5), 33.0
"""The part of a year that a day is, the days of a month, and how many days the first one is from the year's
beginning at most: people count months from 0 or from 1."""
ROUND = 1e-3
"""How far a sine and a cosine are from a circle at most."""
FEWEST_DATES, FEWEST_EXACT = 3, 3
"""Different dates; and different numbers of which sines and cosines both are as those of degrees."""
TURN = 360
OF_CLOCK = "the hour of"
"""The name of a column of times begins so. If its hours were taken as degrees, `hours.py` says so."""
DAY, HALF, WHOLE = 24, 0.5, 2 * pi
"""A day has so many hours. A column goes beyond half a turn if a number of it does so by `HALF` at least.
Numbers up to `WHOLE` may as well be radians."""


def turning(sheet: Sheet) -> Iterator[tuple[str, Any, int]]:
    """Yields what goes round in the lines of a table: its name, its numbers, and after how many it begins
    again."""
    for column, found in times(sheet):
        hours = numpy.array([of_day(hour, half) for hour, _, half in found], "f8")
        yield f"{OF_CLOCK} {sheet.named(column)}", hours, DAY
        yield f"{OF_CLOCK} {sheet.named(column)}", hours + [one[1] / 60 for one in found], DAY
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


def of_few_lines(sheet: Sheet, rows: Any) -> str:
    """Returns what is wrong with the sines and cosines of a column in the first few lines, of which both are
    sent as those of degrees, or of its numbers, taken as radians, or "" if nothing is."""
    for name, every, period in turning(sheet):
        values = every[: len(rows)]
        if name.startswith(OF_CLOCK) or len(values) < len(rows) or len(numpy.unique(values)) < FEWEST_EXACT:
            continue
        if turns(values, period, rows):
            continue
        # An angle that is taken as it is has the whole turn of radians as its period.
        found = turns(values, WHOLE * period / TURN, rows) if period != TURN else []
        if len(found) > 1:
            at = int(values.argmax())
            return (
                f"elements {found[0]} and {found[1]} are the sine and cosine of {name} in degrees, taken as "
                f"radians ({values[at]:g} of {period} is {values[at] * TURN / period:g} degrees): is the "
                "factor pi / 180 missing?"
            )
        if said := as_radians(name, values, period, rows):
            return said
    return ""


def exchanged_date(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong with sines and cosines of the day of the year, or of the month, if they are those
    of dates whose day and month are exchanged, or "" if they aren't. Of a date that begins with its year the
    month comes next."""
    for column in range(len(sheet.rows[0])) if len(rows) >= FEWEST else ():
        found = [DATE.search(sheet.rows[line][column]) for line in lines]
        if not all(found):
            continue
        years, months, days = numpy.array([[float(part) for part in one.groups()] for one in found if one]).T
        is_date = min(years.min(), months.min(), days.min()) >= 1 and months.max() <= MONTHS
        if not is_date or len({*zip(months, days, strict=True)}) < FEWEST_DATES:
            continue
        pair = of_year(rows, years, days, months)
        if pair is not None and of_year(rows, years, months, days) is None:
            return told(sheet.named(column), "day of the year", pair, found)
        taken = turns(days, MONTHS, rows)
        if len(taken) > 1 and not turns(months, MONTHS, rows):
            return told(sheet.named(column), "month", taken, found)
    return ""


def told(name: str, what: str, elements: Sequence[int], found: Sequence[Any]) -> str:
    shown = next(one for one in found if one[2] != one[3])
    return (
        f"elements {elements[0]} and {elements[1]} are the sine and cosine of the {what} of {name} with day "
        f"and month exchanged: {shown[0]} is taken for day {int(shown[2])} of month {int(shown[3])}; is it "
        "read as year-day-month?"
    )


def of_year(rows: Any, years: Any, months: Any, days: Any) -> tuple[int, int] | None:
    """Two elements that are the sine and cosine of the day of the year, counted by the calendar or by months
    of one length; None if none are."""
    whole = numpy.stack([months - 1, days, numpy.ones(len(days))], 1)
    if numpy.linalg.matrix_rank(whole) < whole.shape[1]:
        return None
    expected = ((months - 1) * MEAN_MONTH + days) / YEARS[0]
    counted = calendar(years, months, days)
    for sine, cosine in permutations(range(rows.shape[1]), 2):
        if (abs(rows[:, sine] ** 2 + rows[:, cosine] ** 2 - 1) > ROUND).any():
            continue
        part = numpy.arctan2(rows[:, sine], rows[:, cosine]) / WHOLE
        for year in YEARS:
            off = part - counted / year
            if any(abs(one - numpy.rint(one)).max() < EXACT for one in (off, off + 1 / year)):
                return sine, cosine
        part += numpy.rint(expected - part)
        a_month, a_day, first = numpy.linalg.lstsq(whole, part, rcond=None)[0]
        is_exact = abs(whole @ [a_month, a_day, first] - part).max() < EXACT
        is_day = A_DAY[0] < a_day < A_DAY[1] and A_MONTH[0] < a_month / a_day < A_MONTH[1]
        if is_exact and is_day and abs(first) < A_DAY[1] * BEGINS:
            return sine, cosine
    return None


def calendar(years: Any, months: Any, days: Any) -> Any:
    """The days of dates in their year, from 1; months beyond the twelfth are those of the next one."""
    found = []
    for one in zip(years, months, days, strict=True):
        year, month, day = map(int, one)
        first = date(year + (month - 1) // MONTHS, (month - 1) % MONTHS + 1, 1)
        found.append((first - date(year, 1, 1)).days + day)
    return numpy.array(found, "f8")
