"""Lines that are the same but for a number that counts, or a time that goes on, from line to line.

What is here: `steps`, `steps_among`, `times` and `listed`. What is not: several lines for each compute
(`repeating.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import groupby, pairwise

from ...records import Frozen
from ..regex import regex

COUNTER = regex(r"(?<![\w.])\d{1,4}(?![\w]|\.\d)")
CLOCK = regex(r"(?<![\w.:])([01]?\d|2[0-3]):([0-5]\d)(?![\w]|[:.]\d)")
"""A time of the day in whole minutes: seconds are those of a log."""
DATE = regex(r"(?<![\w.-])(\d{4})-(\d\d)-(\d\d)(?:[ T]([01]\d|2[0-3]):([0-5]\d)(?![\w]|[:.]\d))?(?![\w-])")
WEEKDAYS, MONTHS = "mon tue wed thu fri sat sun", "jan feb mar apr may jun jul aug sep oct nov dec"
NAMED = regex(
    r"\b(?:(mon|tue|wed|thu|fri|sat|sun)(?:(?:s|nes|rs|ur)?day)?"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?)\b",
    re.IGNORECASE,
)
NUMBER = regex(r"-?\d+(?:\.\d+)?")
HOURS, DAY = 24, 24 * 60
PADDED = regex(r"\s+(?=[#@%&])")
"""Blanks before a number, which are fewer before one with more digits."""
MARKS = "@%&"
"""The signs that stand for a date, a time of the day and a name."""


class Time(Frozen):
    """A number that stands for a time, after how many it begins again, 0 if it never does, and whether it is
    written as a time and not as a number."""

    value: int
    round: int = 0
    is_written: bool = True


def times_in(line: str) -> tuple[str, list[Time]]:
    """Returns a line in which signs stand for its times and whole numbers, and these."""
    found: list[tuple[int, Time]] = []

    def kept(at: int, mark: str, time: Time) -> str:
        found.append((at, time))
        return mark

    def of_date(match: re.Match[str]) -> str:
        try:
            day = date(*map(int, match.group(1, 2, 3))).toordinal()
        except ValueError:
            return match[0]
        minutes = DAY * day + 60 * int(match[4] or 0) + int(match[5] or 0)
        return kept(match.start(), MARKS[0] * len(match[0]), Time(minutes))

    def of_clock(match: re.Match[str]) -> str:
        return kept(match.start(), MARKS[1] * len(match[0]), Time(60 * int(match[1]) + int(match[2]), DAY))

    def of_name(match: re.Match[str]) -> str:
        names = (WEEKDAYS if match[1] else MONTHS).split()
        at = names.index((match[1] or match[2]).lower())
        return kept(match.start(), MARKS[2] * len(match[0]), Time(at, len(names)))

    def of_number(match: re.Match[str]) -> str:
        return kept(match.start(), "#", Time(int(match[0]), is_written=False))

    for pattern, way in ((DATE, of_date), (CLOCK, of_clock), (NAMED, of_name), (COUNTER, of_number)):
        line = pattern.sub(way, line)  # the marks keep the places of what follows, until the last
    shape = re.sub(r"([@%&])\1+", r"\1", line)
    shape = PADDED.sub("", shape)
    return shape, [time for _, time in sorted(found, key=lambda one: one[0])]


def is_even(column: Sequence[Time]) -> bool:
    """Whether numbers are at one distance, also where a day or a week begins again."""
    values = [one.value for one in column]
    hours = HOURS if max(values) < HOURS else 0
    for again in {column[0].round, column[0].round or hours}:
        apart = {(other - one) % again if again else other - one for one, other in pairwise(values)}
        if len(apart) == 1 and apart != {0}:
            return True
    return False


def moving(lines: Sequence[str]) -> Sequence[Time]:
    """Returns the numbers or times that go on in equal steps, if lines are the same but for them, or []."""
    told = [times_in(line) for line in lines]
    if not lines or len({shape for shape, _ in told}) > 1 or len({len(times) for _, times in told}) > 1:
        return []
    found = [one for one in zip(*(times for _, times in told), strict=True) if len({*one}) > 1]
    return found[0] if len(found) == 1 and is_even(found[0]) else []


def steps(lines: Sequence[str]) -> Sequence[str]:
    """Returns the lines, if they are the same but for one number or time that goes on, or []."""
    return lines if moving(lines) else []


def steps_among(lines: Sequence[str], count: int) -> Sequence[str]:
    """Returns the lines among others that are the same but for one number or time that goes on, if there are
    so many, or []."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        groups.setdefault(times_in(line)[0], []).append(line)
    return next((own for own in groups.values() if len(own) == count and moving(own)), [])


def times(lines: Sequence[str]) -> Sequence[str]:
    """Returns those of the lines that have a time, if they are the same but for one that goes on, or []."""
    own = [line for line in lines if any(one.search(line) for one in (CLOCK, DATE, NAMED))]
    return own if any(one.is_written for one in moving(own)) else []


def listed(lines: Sequence[str], count: int) -> str:
    """Returns the line that has a number so many times, each behind the one before, or "" if none has."""
    for line in lines:
        runs = [len([*run]) for _, run in groupby(NUMBER.findall(line))]
        if count in runs:
            return line
    return ""


SECONDS = regex(r"(?<![\w.])(\d{1,6}\.\d{1,3})(?= ?(?:s|sec|secs|seconds|min|minutes|h)\b)")
ROUNDED = 1.01


def seconds(lines: Sequence[str]) -> tuple[str, str]:
    """Returns the first and the last of times in seconds, minutes or hours with decimals, if lines are the
    same but for one that goes on in equal steps, or "" for both."""
    found = [SECONDS.findall(line) for line in lines]
    if len({SECONDS.sub("#", line) for line in lines}) != 1 or len({len(one) for one in found}) != 1:
        return "", ""
    moving_ = [one for one in zip(*found, strict=True) if len({*one}) > 1]
    if len(moving_) != 1:
        return "", ""
    [own] = moving_
    unit = 10.0 ** -max(len(one.partition(".")[2]) for one in own)
    apart = [float(other) - float(one) for one, other in pairwise(own)]
    is_even_ = min(apart) > 0 and max(apart) - min(apart) <= ROUNDED * unit
    return (own[0], own[-1]) if is_even_ else ("", "")
