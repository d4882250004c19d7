"""Which columns of a table are sent: a recording's times among them, and tables without headings."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.following import in_columns
from pywasm_nn.watch.origin.tables import Table, found_in

RANDOM = numpy.random.default_rng(57)
AXES = RANDOM.normal(0, 1, (40, 3)).round(4)
STEPS = numpy.arange(40) * 20.0
TIMES = STEPS + RANDOM.uniform(0, 9, 40).round(2)


def table(numbers: Any, headings: tuple[str, ...] = ()) -> Table:
    return Table(numbers, tuple(range(1, len(numbers) + 1)), headings)


def wrong(of: Table, rows: Any) -> str:
    found = found_in(of, rows.astype("f4")) or in_columns(of, rows.astype("f4").astype("f8"), is_window=True)
    return found.wrong if found else "nothing"


@pytest.mark.parametrize("headings", [(), ("no", "a", "b", "c", "d", "e")])
@pytest.mark.parametrize("width", [3, 4, 5, 6])
def test_any_columns_of_any_table(headings: tuple[str, ...], width: int) -> None:
    """No choice of columns is a reason to fail, with headings or without."""
    of = table(RANDOM.normal(20, 9, (9, 6)).round(3), headings)
    for start in range(7 - width):
        for rows in (of.numbers[2:3], of.numbers[2:8], of.numbers[2:8] * 0.1 + 3):
            found = wrong(of, rows[:, start : start + width])
            assert found == "" or "the number of the line" in found or len(rows) == 1


@pytest.mark.parametrize("scale", [1.0, 1 / 9.80665])
@pytest.mark.parametrize(
    ("clock", "headings", "seen"),
    [
        (STEPS, ("# ms", "x", "y", "z (m/s2)"), True),
        (TIMES, ("time_s", "x", "y", "z"), True),
        (STEPS, (), True),
        (TIMES, (), False),
        (TIMES, ("depth", "x", "y", "z"), False),
        (TIMES, ("time", "x", "y", "class"), False),
        (TIMES[::-1], ("time", "x", "y", "z"), False),
    ],
)
def test_the_time_in_place_of_an_axis(
    clock: Any, headings: tuple[str, ...], seen: bool, scale: float
) -> None:
    of = table(numpy.column_stack([clock, AXES]), headings)
    found = wrong(of, of.numbers[4:30, :3] * scale)
    assert ("which only says when each line is" in found) == seen
    assert wrong(of, of.numbers[4:30, 1:] * scale) == ""
    assert wrong(of, of.numbers[4:30] * scale) == "", "all columns, the time too"
