"""Windows of a column with gaps that begin with the newest number, and windows that were scaled by the mean
and deviation, or the ends of the range, of another unit than that which the column's heading names, or the
file's name.

What is here: `unconverted`. What is not: windows of columns without gaps in the opposite order
(`origin/tables.py`), and numbers that were converted though their scaler is for them as they are
(`converted.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from ...arrays import numpy
from ..origin.runs_of_columns import room_of, run_of
from ..origin.straight import line_through
from ..sheets.units import converted
from ..units import PLAIN, SPLIT, UNITS, unit_in
from .converted import features
from .lines import Column, columns_of

FEWEST, MOST, MOST_COLUMNS = 8, 1 << 11, 16
DIFFERENT = 4
AWAY, NARROW, FAR = 1.2, 0.1, 5.0
"""By so many deviations the mean of a window is off, if its numbers hardly differ, or if they may."""
WARM, ALL, NEARER = 3.0, 2.0, 3.0
"""The same of a temperature, of which all numbers of a window are at least `ALL` away on one side (wind and
rain may be), and how many times nearer they are in the right unit."""
USUAL, LEAST, MOST_WIDE = 1.5, 0.04, 3.0
"""The mean in the right unit, and the least and largest deviation."""
BEYOND, OFTEN = 1.0, 0.75
"""The end of a range, and the part of a window of warmth that is beyond it."""
IN_FILES = frozenset(
    ("celsius", "fahrenheit", "kelvin", "degc", "degf", "kmh", "kph", "mph", "knots", "hpa", "psi", "inhg",
     "mmhg", "kwh", "mwh")
)  # fmt: skip
"""Units that a file's name says by a word that means nothing else."""
ROUND, WHOLE = 5.0, 1e-3
"""The ends of a range are such numbers, and elements are rounded by so much."""
ROOM = 0.1
"""The mean that was taken away is at least so many deviations."""


def unconverted(array: Any, files: Sequence[tuple[str, bytes]]) -> tuple[str, str]:
    """Returns the file and what is wrong with a window of it, or "" for both if nothing is known to be
    wrong."""
    if array.size > MOST or array.dtype.kind != "f":
        return "", ""
    windows = [one for one in features(array) if len(one) >= FEWEST and len(numpy.unique(one)) >= DIFFERENT]
    room = room_of(array)
    for columns in columns_of(files) if windows else ():
        for column in columns[:MOST_COLUMNS]:
            for own in windows:
                start = run_of(column.numbers, own, room)
                said = in_another_unit(own, column, start) if start >= 0 else newest_first(own, column, room)
                if said:
                    return column.file, said
    return "", ""


def newest_first(own: Any, column: Column, room: float) -> str:
    """A window that begins with its newest number, of a column with gaps."""
    if numpy.isfinite(column.numbers).all():
        return ""
    start = run_of(column.numbers, own[::-1], room)
    if start < 0:
        return ""
    first, last = column.line(start), column.line(start + len(own) - 1)
    return (
        f"{column.named} of lines {first} to {last} is in the opposite order, that of line {last} first: "
        "does the model want the oldest first?"
    )


def in_another_unit(own: Any, column: Column, start: int) -> str:
    """Numbers that are far from a usual scale as they stand, and not in another unit than the heading's."""
    unit, by = unit_in(column.heading)[1], "its heading"
    if not unit:
        unit, by = unit_of_file(column.file), "the file's name"
    there = column.numbers[start : start + len(own)]
    known = numpy.isfinite(there)
    if not unit or (not known.all() and known.sum() < FEWEST):
        return ""
    slope, height = line_through(there[known], own[known])
    mean, deviation = float(own.mean()), float(own.std())
    is_off = abs(mean) >= FAR or (abs(mean) >= AWAY and deviation <= NARROW)
    is_hot = UNITS[unit][0] == "warmth" and abs(mean) >= WARM and abs(own).min() >= ALL
    if slope <= 0 or abs(height) < ROOM:
        return ""
    is_beyond = UNITS[unit][0] == "warmth" and is_of_range(slope, height) and (own > BEYOND).mean() >= OFTEN
    for name, numbers in converted(unit, there[known]) if is_off or is_hot or is_beyond else ():
        made, other = slope * numbers + height, PLAIN.get(name, name)
        most = USUAL if is_off else abs(mean) / NEARER
        is_usual = (is_off or is_hot) and abs(made.mean()) <= min(USUAL, most)
        is_within = is_beyond and made.min() >= 0 and made.max() <= BEYOND
        if (is_usual or is_within) and LEAST <= made.std() <= MOST_WIDE:
            taken, divided = -height / slope, 1 / slope
            return (
                f"{column.named} is in {PLAIN.get(unit, unit)} by {by}; less {taken:.3g} and divided "
                f"by {divided:.3g} its numbers are {own.min():.3g} to {own.max():.3g}; converted to {other} "
                f"they would be {made.min():.2g} to {made.max():.2g}: is the scaler for {other}?"
            )
    return ""


def is_of_range(slope: float, height: float) -> bool:
    """Whether numbers were scaled by the ends of a range, which people choose as fives and tens; those of
    another unit's range are no such numbers in this one."""
    ends = numpy.array([-height / slope, (1 - height) / slope]) / ROUND
    return bool((abs(ends - ends.round()) <= WHOLE * (abs(ends) + 1)).all())


def unit_of_file(name: str) -> str:
    """Returns the only unit among the words of a file's name, or "" if there is none, or several."""
    found = {one.lower() for one in SPLIT.split(PurePosixPath(name).stem)} & IN_FILES
    return found.pop() if len(found) == 1 else ""
