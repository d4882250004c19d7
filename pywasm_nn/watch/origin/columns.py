"""How one input came from a line of a table, element by element, where it isn't that line as it is.

What is here: `nearly_line`. Most elements are a line's numbers, as they are or by the table's own mean and
deviation; what the others are says which mistake was made. What is not: lines that are sent as they are
(`tables.py`) and columns that were scaled by other numbers (`scaled.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from .clocks import MANY
from .dummies import are_of_lines_beside, may_be_others
from .tables import CHANCE, FEWEST, NEAR, Part, Table, by_chance, is_answer, is_code, named

MOST_COMPARED = 1 << 20
"""So many pairs of elements and numbers are compared."""
MOSTLY = 0.5
"""The part of the elements that must be those of the line."""
SCALED = 2e-3
"""Elements that were scaled by rounded means and deviations are as near as this."""
FAR = 5.0
"""Scaled numbers are hardly ever farther from 0."""
DEGREES, WHOLE_TURN = 50.0, 360.0
"""The largest angle of a column is between these, and those in radians are smaller."""
ANGLE = regex(r"angle|azimuth|bearing|deg|dir|heading|lat|lon|phi|theta", re.IGNORECASE)
"""A heading of angles."""
ROUNDS = (7, 12, 24)
"""So many days, months or hours go round."""
STANDING_IN = frozenset({0.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0})
"""What stands for a missing number."""
LARGE_MARK = 99
"""One of these that is as large hardly comes by itself."""


def marks_in(columns: Iterable[Any]) -> frozenset[float]:
    """Large numbers for what is missing that stand as they are in several columns: a program doesn't come by
    these unless it means them, for a model of trees, perhaps."""
    own = [{*numpy.unique(column).tolist()} for column in columns]
    large = [mark for mark in STANDING_IN if abs(mark) >= LARGE_MARK]
    return frozenset(mark for mark in large if sum(mark in one for one in own) > 1)


class Line(Frozen):
    """A line of a table that most elements of an input come from: its number in `table.numbers`, and the
    column of each element, -1 for the others. `scaled`: mean and deviation were used."""

    table: Table
    number: int
    columns: tuple[int, ...]
    scaled: bool

    def value(self, column: int) -> float:
        return float(self.table.numbers[self.number, column])

    def others(self) -> list[int]:
        """The elements that come from no column as they are."""
        return [index for index, column in enumerate(self.columns) if column < 0]

    def own(self, index: int) -> int:
        """Returns the column at the place of an element among those that follow each other, or -1 if there is
        none."""
        shifts = {column - at for at, column in enumerate(self.columns) if column >= 0}
        column = shifts.pop() + index
        return column if not shifts and 0 <= column < self.table.numbers.shape[1] else -1


def nearly_line(table: Table, row: Any) -> Part | None:
    """How the elements of one input come from a line, if not all of them do, and what is wrong with that."""
    if row.size * table.numbers.size > MOST_COMPARED or row.size <= FEWEST or not numpy.isfinite(row).all():
        return None
    for line in lines(table, row):
        wrong = next(filter(None, (look(line, row) for look in LOOKS)), "")
        if wrong:
            used = [column for column in line.columns if column >= 0]
            how = ", scaled" if line.scaled else ""
            where = f"line {table.lines[line.number]}, columns {min(used) + 1} to {max(used) + 1}{how}"
            varied = wrong * (wrong == left_zero(line, row))
            return Part(where, wrong, varied=varied, at=(line.number, 1))
    return None


def lines(table: Table, row: Any) -> Iterator[Line]:
    """The line that most elements come from as they are, and that from which they come if they are scaled."""
    numbers = table.numbers
    with numpy.errstate(all="ignore"):
        known = numpy.isfinite(numbers).any(axis=0)
        spread = numpy.nanstd(numbers[:, known], axis=0)
        scaled = numpy.full(numbers.shape, numpy.nan)
        scaled[:, known] = (numbers[:, known] - numpy.nanmean(numbers[:, known], axis=0)) / spread
        same = numpy.isclose(numbers[:, None, :], row[None, :, None], rtol=NEAR, atol=0)
        near = abs(scaled[:, None, :] - row[None, :, None]) < SCALED
    for equal, is_scaled in ((same, False), (near, True)):
        says = (row != 0) & (is_scaled | (row != 1))
        counts = (equal.any(axis=2) & says).sum(axis=1)
        number = int(counts.argmax())
        if counts[number] < max(FEWEST, MOSTLY * row.size - (not is_scaled) * (~says).sum()):
            continue
        columns = in_order(equal[number] & says[:, None])
        if by_chance(numbers, number, columns) < CHANCE:
            yield Line(table, number, columns, is_scaled)


def in_order(equal: Any) -> tuple[int, ...]:
    """The column of each element, [elements, columns], the next one after the one before where it can be."""
    chosen: list[int] = []
    last = -1
    for one in equal:
        there = one.nonzero()[0].tolist()
        column = min(there, key=lambda column: (column <= last, column), default=-1)
        chosen.append(column)
        last = max(last, column)
    return tuple(chosen)


def not_scaled(line: Line, row: Any) -> str:
    """Columns that were left as they are, beside others that were scaled."""
    for index in line.others() if line.scaled else ():
        column = line.own(index)
        if column < 0 or is_code(line.table, column):
            continue
        if abs(row[index]) > FAR and abs(row[index] / line.value(column) - 1) < NEAR:
            return f"{named(line.table, column)} was not scaled, and the others were"
    return ""


def stood_in(line: Line, row: Any) -> str:
    """A number that was sent where there is none in the table."""
    if any(row[index] in (0, 1) and line.own(index) < 0 for index in line.others()):
        return ""  # an element that may say so
    for index in () if line.scaled else line.others():
        column = line.own(index)
        if column < 0 or line.value(column) == line.value(column):
            continue
        there = line.table.numbers[:, column]
        there = there[numpy.isfinite(there)]
        sent = float(row[index])
        if len(there) and not there.min() <= sent <= there.max() and sent in STANDING_IN:
            where = f"{named(line.table, column)} is missing in line {line.table.lines[line.number]}"
            return f"{where}, and was sent as {sent:g}, which no other line has"
    return ""


def left_zero(line: Line, row: Any) -> str:
    """Returns a hint if a single element is 0, though the table has a column for it, or "" if none is. Within
    a scaled line 0 is the mean: people put it there to see what the column does."""
    others = line.others()
    if len(others) != 1 or row[others[0]] != 0 or (line.scaled and others[0] < len(row) - 1):
        return ""
    column = line.own(others[0])
    if column < 0 or column in line.columns or not abs(line.value(column)) > 0:
        return ""
    if is_answer(line.table, column):
        return ""
    last = "the last" if others[0] == len(row) - 1 else f"number {others[0]}"
    where = f"in line {line.table.lines[line.number]} {named(line.table, column)} is {line.value(column):g}"
    return f"of its {len(row)} elements {last} is 0, but {where}: was it forgotten?"


def of_degrees(line: Line, row: Any) -> str:
    """The sine or cosine of degrees, as if they were radians."""
    for index in (one for one in line.others() if row[one] != numpy.round(row[one])):
        for column in range(line.table.numbers.shape[1]):
            if not may_be_degrees(line.table, column):
                continue
            angle = line.value(column)
            for name, made in (("sine", numpy.sin(angle)), ("cosine", numpy.cos(angle))):
                if abs(row[index] - made) < NEAR:
                    return (
                        f"element {index} is the {name} of {named(line.table, column)}, {angle:g}, taken as "
                        "radians: are they degrees?"
                    )
    return ""


def may_be_degrees(table: Table, column: int) -> bool:
    """Whether numbers of a column may be degrees: no radians, and no time or phase, which only goes up.
    Models get the sines of the numbers of lines as they are, and those of their parts (positions)."""
    there = table.numbers[:, column]
    known = there[numpy.isfinite(there)]
    if not DEGREES < abs(known).max(initial=0) <= WHOLE_TURN:
        return False
    is_rising = len(known) >= MANY and bool((numpy.diff(known) > 0).all())
    return not is_rising or (bool(table.headings) and ANGLE.search(table.headings[column]) is not None)


def hot(line: Line, row: Any) -> str:
    """A class as zeros and a one (one-hot), which is at the place of the class beside it."""
    others = line.others()
    block = row[others]
    if len(others) < FEWEST or others[-1] - others[0] != len(others) - 1:
        return ""
    if set(block.tolist()) > {0.0, 1.0} or block.sum() > 1 or line.scaled:
        return ""
    if numpy.isnan(line.table.numbers).all(axis=0).any():
        return ""  # the kinds may be those of a column of words
    for column in range(line.table.numbers.shape[1]):
        codes = numpy.unique(line.table.numbers[:, column])
        if column in line.columns or len(codes) != len(block) or codes[0] not in (0, 1):
            continue
        if line.table.headings and is_answer(line.table, column):
            continue
        if (numpy.diff(codes) != 1).any():
            continue
        wanted = int(line.value(column) - codes[0])
        place = int(block.argmax()) if block.any() else len(block)
        if abs(place - wanted) == 1 and not is_meant(line, column, codes, place - wanted):
            sent = f"the one is at place {place}" if block.any() else "there is no one"
            return (
                f"{named(line.table, column)} is {line.value(column):g}, of {codes[0]:g} to {codes[-1]:g}: "
                f"as zeros and a one (one-hot) that is place {wanted}, but {sent} of {len(block)}"
            )
    return ""


def is_meant(line: Line, column: int, codes: Any, off: int) -> bool:
    """Whether a one beside the place of its kind is of all kinds but the first, with another element behind
    them, or of the day, month or hour beside."""
    used, own = {column, *line.columns}, slice(line.number, line.number + 1)
    if off < 0 and may_be_others(line.table, used, own):
        return True
    kinds = line.table.numbers[:, column] - codes[0]
    return len(codes) in ROUNDS and are_of_lines_beside(kinds, line.number, kinds[own] + off, off)


LOOKS = (not_scaled, stood_in, of_degrees, hot, left_zero)
