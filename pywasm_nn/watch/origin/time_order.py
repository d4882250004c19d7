"""Whether the lines of a file go on or back in time: the newest is first in many logs and exports.

What is here: `direction`. What is not: which columns are times without saying so (`clocks.py`), and forecasts
from the wrong end of a file (`order/oldest.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from ..regex import regex
from .clocks import TIMES

FEWEST, MOST = 4, 64
"""Lines that are looked at."""
DAY = 24 * 60
DATE = regex(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ](\d{1,2}):(\d\d)(?::(\d\d))?)?Z?")
DAY_FIRST = regex(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:[T ](\d{1,2}):(\d\d)(?::(\d\d))?)?")
YEARS, MONTHS = range(1600, 2200), range(1, 13)
"""Other numbers with a point, such as wavelengths (3270.0), are no dates."""
CLOCK = regex(r"([0-4]?\d):([0-5]\d)(?::([0-5]\d))?(?:[ ]?([ap])\.?m\.?)?", re.IGNORECASE)
"""Midnight is 24:00 in some logs, and their hours go on from there, to 47."""
COUNTED = TIMES | {"minute", "hour", "day", "week", "month", "quarter", "year"}
NEWEST = regex(r"newest|latest|recent|descend|revers", re.IGNORECASE)
"""What the name of a file has that begins with its newest line."""


def direction(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """Returns 1 if a column of times says that each line is later than the one before, -1 if each is earlier,
    and 0 if that isn't known."""
    columns = [*zip(*[row for row, _ in zip(rows, range(MOST), strict=False)], strict=False)]
    for at, cells in enumerate(columns):
        if len(cells) < FEWEST:
            return 0
        name = headings[at].strip('"# ').lower() if at < len(headings) else ""
        ways = (of_date, of_day_first, *((of_number,) if name in COUNTED else ()))
        for sign, own in ((-1, cells), (1, cells[::-1])):
            if any(is_falling(own, way) for way in ways) or is_falling_by_clock(own):
                return sign
    return 0


def is_falling(cells: Sequence[str], way: Callable[[str], tuple[float, ...]]) -> bool:
    found = [way(one.strip().strip('"')) for one in cells]
    return all(found) and all(one > other for one, other in pairwise(found))


def of_date(text: str) -> tuple[float, ...]:
    match = DATE.fullmatch(text)
    if match is None or int(match[1]) not in YEARS or int(match[2]) not in MONTHS:
        return ()
    return tuple(float(one or 0) for one in match.groups())


def of_day_first(text: str) -> tuple[float, ...]:
    match = DAY_FIRST.fullmatch(text)
    if not match:
        return ()
    day, month, year, *rest = (float(one or 0) for one in match.groups())
    return (year, month, day, *rest)


def of_number(text: str) -> tuple[float, ...]:
    try:
        return (float(text),)
    except ValueError:
        return ()


def is_falling_by_clock(cells: Sequence[str]) -> bool:
    """Whether times of the day go down, by less than half a day each, also through midnight."""
    found = [CLOCK.fullmatch(one.strip().strip('"')) for one in cells]
    minutes = [minutes_of(one) for one in found if one is not None]
    steps = [(one - other) % DAY for one, other in pairwise(minutes)]
    return len(minutes) == len(cells) and all(0 < step < DAY / 2 for step in steps)


def of_day(hour: int, half: str) -> int:
    """The hour of a day that has halves, "A" and "P" (AM and PM), or "" if it is counted to 23."""
    return hour % 12 + 12 * (half == "P") if half else hour


def minutes_of(clock: re.Match[str]) -> float:
    """Minutes since midnight."""
    hour = of_day(int(clock[1]), (clock[4] or "").upper())
    return 60 * hour + int(clock[2]) + int(clock[3] or 0) / 60
