"""How the lines of a table may be read wrongly: each misreading as the numbers that come of it.

What is here: `misreadings`, and `misread`, which says that inputs are what one of them gives. An element
must be a column of the misreading in all inputs, and no column of the table as it is. Of decimals that were
cut off so that nothing or little is left of a column, the element beside it must be the column beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from ..regex import regex
from .closed_up import closed_up
from .hours import clocks, whole
from .rows import DIFFERENT, straight
from .sheet import DECIMAL_COMMA, NAN, Sheet, number_of

PREFIX = regex(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")


class Misreading(Frozen):
    """Numbers as they come of a misreading, and what they should be, [lines, columns]. `said` is what is
    wrong in a line, by the numbers of the line and the column."""

    numbers: Any
    right: Any
    said: Callable[[Sheet, int, int], str]
    is_alone: bool = False
    """Whether a column that is also read rightly was meant so."""


def as_atof(text: str) -> float:
    """Returns the number with which a text begins, or 0 if it begins with none."""
    found = PREFIX.match(text)
    return float(found[1]) if found else 0.0


def misreadings(sheet: Sheet) -> Iterator[Misreading]:
    own = sheet.numbers
    swallowed = [[one for one in row if one] for row in sheet.rows]
    if sheet.delimiter and any(len(one) < len(row) for one, row in zip(swallowed, sheet.rows, strict=True)):
        yield Misreading(table(swallowed), own, gap)
    cut = [line.split(sheet.delimiter) for line in sheet.raw] if sheet.delimiter else []
    if any(len(one) > len(row) for one, row in zip(cut, sheet.rows, strict=False)):
        yield Misreading(table(cut), own, in_quotes)
    yield Misreading(stopping(sheet), own, stopped)
    yield Misreading(abs(own), own, no_minus, True)
    for numbers, right, said in clocks(sheet):
        yield Misreading(numbers, right, said)


def table(rows: Sequence[Sequence[str]]) -> Any:
    """Numbers of lines that are not all as long; NaN where one has no field."""
    made = numpy.full((len(rows), max(map(len, rows), default=0)), NAN)
    for line, row in enumerate(rows):
        made[line, : len(row)] = [number_of(one) for one in row]
    return made


def stopping(sheet: Sheet) -> Any:
    """The numbers as atof reads them. What is a date, or another text, may be meant to be read so."""
    made = numpy.array([[as_atof(one) for one in row] for row in sheet.rows], "f8")
    return numpy.where(numpy.isfinite(sheet.numbers), made, NAN)


def gap(sheet: Sheet, line: int, _: int) -> str:
    empty = next((at for at, one in enumerate(sheet.rows[line]) if not one), 0)
    return (
        f"{sheet.named(empty)} is empty in line {shown(sheet, line)}, and the fields behind it were read one "
        "place too early: strtok (or a split without empty fields) takes two separators for one"
    )


def in_quotes(sheet: Sheet, line: int, _: int) -> str:
    one = next((one for one in sheet.rows[line] if sheet.delimiter in one), "")
    return (
        f'in line {shown(sheet, line)} the field "{one}" is in quotes, and the "{sheet.delimiter}" in it was '
        "taken for the end of a field: all fields behind it are one place too late"
    )


def stopped(sheet: Sheet, line: int, column: int) -> str:
    text = sheet.rows[line][column]
    return (
        f"{sheet.named(column)} is {text} in line {shown(sheet, line)}, and was read as {as_atof(text):g}: "
        "atof and the like stop at what is no digit of a number (a separator of thousands, a sign, a comma)"
    )


def no_minus(sheet: Sheet, line: int, column: int) -> str:
    text = sheet.rows[line][column]
    return (
        f"{sheet.named(column)} is {text} in line {shown(sheet, line)}, and was sent without its minus sign: "
        "does the guest's own reading of numbers skip it?"
    )


def shown(sheet: Sheet, line: int) -> int:
    """The number of a line, from 1, with the headings and what stands above them."""
    return line + 1 + bool(sheet.headings) + len(sheet.comments)


def misread(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong with how the lines were read from which inputs came, or "" if nothing is."""
    right = straight(rows, whole(sheet)[list(lines)]).fits
    for one in misreadings(sheet):
        found = straight(rows, one.numbers[list(lines)]).fits & ~right.any(axis=1)[:, None]
        for _, column in numpy.argwhere(found).tolist():
            if one.is_alone and right[:, column].any():
                continue
            if (line := differs(one, column, lines)) >= 0:
                return one.said(sheet, line, column)
    if (line := closed_up(sheet, rows, lines)) >= 0:
        return gap(sheet, line, 0)
    return cut_off(sheet, rows, lines)


def cut_off(sheet: Sheet, rows: Any, lines: Sequence[int]) -> str:
    """Returns what is wrong with a column of decimal commas of which hardly anything is left, as 0 of all
    shares, or "" if none is."""
    own, read = sheet.numbers[list(lines)], stopping(sheet)[list(lines)]
    commas = [at for at in range(own.shape[1]) if has_commas(sheet, lines, at)]
    several = [at for at in commas if len(numpy.unique(own[:, at])) >= DIFFERENT]
    if not several or straight(rows, own[:, several]).fits.any():
        return ""  # whoever reads one of them rightly reads all so
    for column in several:
        if len(numpy.unique(read[:, column])) >= DIFFERENT:
            continue
        for element in numpy.flatnonzero((rows == read[:, [column]]).all(axis=0)).tolist():
            if any(is_beside(own, rows, column, element, by) for by in (-1, 1)):
                left = ", ".join(f"{one:g}" for one in sorted({*abs(read[:, column]).tolist()}))
                return (
                    f"{stopped(sheet, lines[0], column)}; element {element} is {left} in all "
                    f"{len(rows)} inputs by that"
                )
    return ""


def has_commas(sheet: Sheet, lines: Sequence[int], column: int) -> bool:
    """Whether all numbers of a column have a decimal comma."""
    if sheet.delimiter == "," or not numpy.isfinite(sheet.numbers[list(lines), column]).all():
        return False
    return all(DECIMAL_COMMA.fullmatch(sheet.rows[line][column].strip()) for line in lines)


def is_beside(own: Any, rows: Any, column: int, element: int, by: int) -> bool:
    """Whether the element beside one is the column beside another, as it stands, and not all the same."""
    there, here = column + by, element + by
    if not 0 <= there < own.shape[1] or not 0 <= here < rows.shape[1] or numpy.ptp(rows[:, here]) == 0:
        return False
    return bool(numpy.allclose(rows[:, here], own[:, there], rtol=1e-5, atol=0))


def differs(one: Misreading, column: int, lines: Sequence[int]) -> int:
    """Returns the first of the lines in which a misreading gives another number, or -1 if there is none."""
    own = one.numbers[:, column]
    there = one.right[:, column] if column < one.right.shape[1] else numpy.full(len(own), NAN)
    return next((line for line in lines if own[line] == own[line] and own[line] != there[line]), -1)
