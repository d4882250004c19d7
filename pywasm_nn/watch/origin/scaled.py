"""Several inputs that came from following lines of a table, each column scaled by numbers of its own.

What is here: `scaled_lines`. What is not: inputs that are lines as they are (`tables.py`).

Each column of the inputs is a straight line over one of the table's: the line's slope and height say by what
was divided and what was taken away, to compare with the deviation and mean of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...arrays import numpy
from ...records import Frozen
from .mistaken import exchanged, identifier_sent, in_another_order, newest_first
from .scalers import Lists, Numbers, formula_of, not_used, was_scaled
from .straight import line_through, straightness
from .tables import (
    COLUMNS_REVERSED,
    FEWEST,
    NEWEST_FIRST,
    Part,
    Table,
    clock_sent,
    columns_wrong,
    cut_off,
    is_answer,
    is_code,
    named,
    stand_in,
)

FEW_LINES = 16
"""Models are trained on more lines."""
SAME = 1e-3
"""Numbers that were worked out from the same lines differ by less than this part."""
LEAST_LINES = 5
"""Fewer numbers lie on a straight line by chance."""
STRAIGHT = 0.99995
MOSTLY, FEW = 0.8, 0.2
"""The least part of the columns that change, and of all, that must be straight."""
WIDE = 20.0
"""Deviations that differ less from column to column don't tell a deviation from its square."""
NEAR = 0.35
"""Logarithms of numbers that are about the same."""
PLAIN = 1e-4
"""What was taken away, and what was divided by, if nothing was."""
UNUSUAL = 8.0
"""Scaled numbers are hardly ever farther from 0."""
LARGE = 3.0
"""Means of columns that show whether the mean was taken away twice."""
OTHER_DATA, SCALED_MEAN = 6.0, 3.0
"""Means of the same data differ by fewer deviations than the first number, and so do smallest and largest
numbers. The mean of a few lines that are all alike is no more of the scaler's deviations from the scaler's
mean than the second."""


TINY = 1e-30
"""Nothing is scaled to smaller numbers."""


class Fit(Frozen):
    """Where the lines begin, the table's column of each column, and what was taken away from and divided by
    what."""

    start: int
    columns: tuple[int, ...]
    taken: Any
    divided: Any


def scaled_lines(
    table: Table, rows: Any, lists: Lists = (), *, is_window: bool = False, is_series: bool = False
) -> Part | None:
    """Returns how inputs, [inputs, elements], came from lines that follow each other, or None if they didn't.
    `lists` are numbers in other files, such as a scaler's. `is_window`: they are one input, such as a
    recording's, which may be scaled by itself. `is_series`: and its shape says that it has a direction of
    time."""
    if len(rows) < LEAST_LINES or rows.shape[1] < FEWEST or not numpy.isfinite(rows).all():
        return None
    if ((rows != 0) & (abs(rows) < TINY)).any():  # addresses, as of memory that was freed
        return None
    for numbers, wrong in (
        (table.numbers, ""),
        (numpy.trunc(table.numbers), cut_off(table)),
    ):
        fit = fitted(numbers, rows)
        if fit is not None:
            missing = wrong or left_out(table, fit, rows) or sent_as_zero(table, fit, rows)
            missing = missing or identifier_sent(table, fit.columns, rows)
            missing = missing or order_of(table, fit.columns) or missing_scaled(table, fit, len(rows))
            missing = missing or (clock_of(table, fit.columns, len(rows)) if is_window else "")
            missing = missing or (NEWEST_FIRST if is_series and table.direction < 0 else "")
            own = "" if missing or is_window else of_its_own(table, fit, len(rows))
            return described(table, fit, len(rows), missing or own, lists)
    fit = fitted(table.numbers, rows[::-1]) if is_series else None
    if fit is not None and (wrong := newest_first(table, fit.start, len(rows))):
        return described(table, fit, len(rows), wrong)
    fit = fitted(table.numbers, rows[1:]) if len(rows) > LEAST_LINES and table.headings else None
    if fit is None or fit.start or not numpy.allclose(rows[0], -fit.taken / fit.divided, rtol=1e-3):
        return None
    return described(
        table, fit, len(rows) - 1, "the first input is a line of zeros: were the headings read as numbers?"
    )


def fitted(numbers: Any, rows: Any) -> Fit | None:
    """The lines on which nearly all columns of the inputs lie straight."""
    count = len(rows)
    if len(numbers) < count:
        return None
    changing = abs(rows - rows.mean(axis=0)).max(axis=0) > 1e-6 * abs(rows).max(axis=0)
    alike = straightness(numbers, rows)
    straight = (alike.max(axis=1) > STRAIGHT) & changing
    start = int(straight.sum(axis=1).argmax())
    used = numpy.flatnonzero(straight[start])
    if len(used) < max(FEWEST, MOSTLY * changing.sum(), FEW * rows.shape[1]):
        return None
    columns = alike[start].argmax(axis=0)
    shifts, counts = numpy.unique(columns[used] - used, return_counts=True)
    usual = used + shifts[counts.argmax()]
    within = (usual >= 0) & (usual < len(alike[start]))
    same = alike[start][usual.clip(0, len(alike[start]) - 1), used] > STRAIGHT
    columns[used] = numpy.where(within & same, usual, columns[used])  # equal columns are the next ones
    if 2 * len(numpy.unique(columns[used])) < len(used):  # one far number makes each lie straight over any
        return None
    taken, divided = numpy.zeros(rows.shape[1]), numpy.ones(rows.shape[1])
    for column in used:
        slope, height = line_through(numbers[start : start + count, columns[column]], rows[:, column])
        taken[column], divided[column] = -height / slope, 1 / slope
    columns[~straight[start]] = -1
    return Fit(start, tuple(columns.tolist()), taken, divided)


def clock_of(table: Table, columns: Sequence[int], count: int) -> str:
    """Returns a hint if the time was sent as a number, or "" if columns don't follow each other."""
    whole = min(columns) >= 0 and all(other - one == 1 for one, other in pairwise(columns))
    return clock_sent(table, columns[0], len(columns), count) if whole else ""


def described(table: Table, fit: Fit, count: int, wrong: str, lists: Lists = ()) -> Part:
    first, last = table.lines[fit.start], table.lines[fit.start + count - 1]
    used = [column for column in fit.columns if column >= 0]
    said = f"lines {first} to {last}, columns {min(used) + 1} to {max(used) + 1}, each scaled"
    wrong = wrong or order_of(table, fit.columns) or scale_of(table, fit, lists)
    shift = shift_said(shifted_by(table, fit.columns), fit.columns)
    return Part(said, wrong, varied=wrong if wrong == shift else "", at=(fit.start, count))


def missing_scaled(table: Table, fit: Fit, count: int) -> str:
    """Returns a hint if the guest scaled a number that stands for a missing one, or "" if it scaled none."""
    columns = {*fit.columns} - {-1}
    for line in range(fit.start, fit.start + count):
        row = [number if at in columns else 0.0 for at, number in enumerate(table.numbers[line].tolist())]
        if wrong := stand_in(table, numpy.array(row), 0):
            return wrong
    return ""


def of_its_own(table: Table, fit: Fit, count: int) -> str:
    """Columns of few lines that were scaled by these lines' own mean and deviation, though the inputs are
    some of them: no model is trained on so few."""
    used = [index for index, column in enumerate(fit.columns) if column >= 0]
    lines = table.numbers[:, [fit.columns[index] for index in used]]
    if not count < len(lines) <= FEW_LINES or len(used) < FEWEST or not numpy.isfinite(lines).all():
        return ""
    mean, taken, divided = lines.mean(axis=0), fit.taken[used], abs(fit.divided[used])
    same = any(numpy.allclose(divided, lines.std(axis=0, ddof=by), rtol=SAME) for by in (0, 1))
    if not same or not numpy.allclose(taken, mean, rtol=SAME, atol=SAME * float(divided.min())):
        return ""
    return (
        f"columns are scaled by the mean and deviation of these {len(lines)} lines: a model wants those of "
        "the data that it was trained on"
    )


def left_out(table: Table, fit: Fit, rows: Any) -> str:
    """Returns a hint about a column that was not scaled, though the others were, or in place of which there
    are zeros, or "" if there is none."""
    used = [index for index, column in enumerate(fit.columns) if column >= 0]
    shifts = {fit.columns[index] - index for index in used}
    sizes = abs(rows).max(axis=0)
    plain = [
        index
        for index in used
        if abs(fit.divided[index] - 1) < PLAIN and abs(fit.taken[index]) < PLAIN * sizes[index]
    ]
    others = [index for index in used if index not in plain]
    scaled = [index for index in others if was_scaled(fit.taken[index], fit.divided[index])]
    apart = (
        len(plain) == 1
        and not is_code(table, fit.columns[plain[0]])
        and len(others) >= FEWEST
        and sizes[others].max() < UNUSUAL
    )
    if apart and scaled and sizes[plain[0]] > 2 * UNUSUAL:
        return f"{named(table, fit.columns[plain[0]])} was not scaled, and the others were"
    empty = [index for index in range(len(fit.columns)) if not rows[:, index].any()]
    if len(shifts) != 1 or len(empty) != 1 or len(used) != len(fit.columns) - 1:
        return ""
    column = shifts.pop() + empty[0]
    if not 0 <= column < table.numbers.shape[1] or is_answer(table, column):
        return ""
    there = table.numbers[fit.start : fit.start + len(rows), column]
    is_centred = all(abs(fit.taken[index]) > PLAIN * sizes[index] for index in others)
    if not there.std() > 0 or (is_centred and empty[0] != len(fit.columns) - 1):
        return ""  # 0 is the mean then, which people put where they don't know a number
    return f"element {empty[0]} is always 0: was {named(table, column)} forgotten?"


def sent_as_zero(table: Table, fit: Fit, rows: Any) -> str:
    """Returns a hint about a number that is missing in the table, and was sent as 0 though the column's
    others are far from it, or "" if none was."""
    shifts = {column - index for index, column in enumerate(fit.columns) if column >= 0}
    if len(shifts) != 1:
        return ""
    shift = shifts.pop()
    for index in range(rows.shape[1]):
        column = index + shift
        if not 0 <= column < table.numbers.shape[1]:
            continue
        there, own = table.numbers[fit.start : fit.start + len(rows), column], rows[:, index]
        known, others = numpy.isfinite(there), table.numbers[numpy.isfinite(table.numbers[:, column]), column]
        if known.all() or known.sum() < 2 or not there[known].std() > 0:
            continue
        slope, height = line_through(there[known], own[known])
        straight = numpy.allclose(slope * there[known] + height, own[known], rtol=1e-3, atol=1e-3)
        far = abs(others.mean()) > LARGE * others.std()
        gap = numpy.flatnonzero(~known & numpy.isclose(own, height, rtol=1e-3, atol=1e-3))
        if straight and far and len(gap):
            line = table.lines[fit.start + gap[0]]
            return f"{named(table, column)} is empty in line {line}, and was sent as 0"
    return ""


def order_of(table: Table, columns: Sequence[int]) -> str:
    """Returns what is wrong with the columns that were sent, or "" if nothing is."""
    used = [column for column in columns if column >= 0]
    if all(one > other for one, other in pairwise(used)):
        return COLUMNS_REVERSED
    repeated = sorted({column + 1 for column in used if used.count(column) > 1})
    if len(repeated) >= FEWEST:
        return f"columns {repeated[0]} to {repeated[-1]} were sent twice"
    if by := shifted_by(table, columns):
        return shift_said(by, columns)
    start, count = min(used), len(used)
    whole = sorted(used) == list(range(start, start + count))
    return columns_wrong(table, start, count) if whole else ""


def shifted_by(table: Table, columns: Sequence[int]) -> int:
    """Returns how many elements lie before or behind the table's columns because all of them are shifted, or
    0 if they aren't."""
    shifts = {column - index for index, column in enumerate(columns) if column >= 0}
    width = table.numbers.shape[1]
    if len(columns) > width or len(shifts) != 1:
        return 0
    shift = shifts.pop()
    return int(max(-shift, shift + len(columns) - width, 0))


def shift_said(by: int, columns: Sequence[int]) -> str:
    return f"the columns are shifted by {by}: {by} of {len(columns)} elements come from none of them"


def scale_of(table: Table, fit: Fit, lists: Lists = ()) -> str:
    """Returns what is wrong with the numbers by which columns were scaled, or "" if nothing is."""
    used = [(index, column) for index, column in enumerate(fit.columns) if column >= 0]
    own, columns = (list(each) for each in zip(*used, strict=True))
    lines = table.numbers[:, columns]
    mean, deviation = numpy.nanmean(lines, axis=0), numpy.nanstd(lines, axis=0)
    taken, divided = fit.taken[own], abs(fit.divided[own])
    numbers = Numbers(taken, fit.divided[own])
    with numpy.errstate(all="ignore"):
        off = float(numpy.median(abs(taken - mean) / deviation))
        if about(divided, abs(mean)) and about(taken, deviation) and not about(deviation, mean):
            return "mean and deviation were exchanged"
        power = 0.0
        if deviation.max() > WIDE * deviation.min() > 0:
            power = line_through(numpy.log(deviation), numpy.log(divided))[0]
        if abs(power - 2) < NEAR and about(divided, deviation**2):
            large = mean > LARGE
            twice = large.any() and about(((taken - mean) / deviation)[large], mean[large])
            return "it was scaled twice" if twice else "it was divided by the variance, not the deviation"
        moved = float(numpy.median(abs(taken) / deviation))  # else columns were divided alone
        wrong = formula_of(table, columns, numbers)
        used_by = taken, fit.divided[own]
        wrong = wrong or in_another_order(table, columns, used_by, (mean, deviation))
        if wrong := wrong or exchanged(table, own, columns, used_by, (mean, deviation)):
            return wrong
        away = float(numpy.median(abs(mean - taken) / divided))
        if off > OTHER_DATA and away > SCALED_MEAN and moved > 1 and abs(power - 1) < NEAR:
            return (
                f"what was taken away is not the table's mean, but off by {off:.0f} deviations: does the "
                "scaler belong to other data?"
            )
    return not_used(table, columns, numbers, lists)


def about(numbers: Any, others: Any) -> bool:
    """Whether most numbers are about as large as the others."""
    return bool(numpy.nanmedian(abs(numpy.log(numbers / others))) < NEAR) and bool((numbers > 0).all())
