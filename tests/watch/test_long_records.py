"""Rows of an input that are parts of longer records, and twins that aren't."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import Origins
from pywasm_nn.watch.origin.in_columns import in_columns
from pywasm_nn.watch.origin.long_records import in_long_records
from pywasm_nn.watch.origin.tables import Table
from tests.watch.test_false_alarms import reads

ORDER = numpy.random.default_rng(37)
NUMBERS = numpy.column_stack([ORDER.uniform(0, 10**at, 30).round(2) for at in (1, 2, 0, 3, 1)])
TABLE = Table(NUMBERS, tuple(range(2, 32)), ("a", "b", "c", "d", "e"))
SCALED = (NUMBERS - NUMBERS.mean(axis=0) * 1.1) / NUMBERS.std(axis=0)


def recorded(lines: Any, before: int, behind: int) -> Any:
    """Lines in longer records, as far as an input of as many lines takes them."""
    count = len(lines)
    front, back = (numpy.arange(count * more).reshape(count, more) + 7 for more in (before, behind))
    return numpy.hstack([front, lines, back]).reshape(-1)[: lines.size].reshape(lines.shape)


@pytest.mark.parametrize(("before", "behind"), [(0, 1), (1, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize("count", [4, 5])
def test_lines_of_longer_records(before: int, behind: int, count: int) -> None:
    lines = NUMBERS[3:12, :count]
    found = in_long_records(TABLE, recorded(lines, before, behind))
    assert found is not None and f"the lines lie {count + before + behind} apart" in found.wrong
    for right in (lines, lines[::-1], ORDER.permutation(lines.reshape(-1)).reshape(lines.shape)):
        assert in_long_records(TABLE, right) is None


@pytest.mark.parametrize("behind", [1, 3])
def test_scaled_lines_of_longer_records(behind: int) -> None:
    found = in_columns(TABLE, recorded(SCALED[3:20], 0, behind).astype("f4").astype("f8"), is_window=True)
    assert found is not None and f"the lines lie {5 + behind} apart" in found.wrong
    for right in (SCALED[3:20], SCALED[ORDER.permutation(30)], ORDER.normal(size=(12, 5))):
        found = in_columns(TABLE, right.astype("f4").astype("f8"), is_window=True)
        assert found is None or not found.wrong


def test_zeros_behind_the_first_lines_are_no_records() -> None:
    grid = numpy.zeros((12, 40))
    grid[:3, 3:20] = ORDER.integers(1, 17, (3, 17))
    grid[:, 30:] = ORDER.integers(0, 17, (12, 10)) * (ORDER.random((12, 10)) < 0.3)
    table = Table(grid, tuple(range(1, 13)))
    sent = numpy.zeros(64)
    sent[:16] = grid[0, :16] / 16
    found = in_columns(table, sent.reshape(8, 8), is_window=True)
    assert found is None or "apart" not in found.wrong


def test_records_are_found_beside_the_file() -> None:
    table = "\n".join(["a,b,c,d,e", *(",".join(f"{one:.2f}" for one in line) for line in NUMBERS)]).encode()
    origins = Origins()
    for event in reads(table, "day.csv"):
        origins.host_call(event)
    lines = NUMBERS[:8]
    for rows, wrong in ((recorded(lines, 0, 1), "the lines lie 6 apart"), (lines, "")):
        origin = origins.of(Tensor.from_numpy(rows.astype("f4")))
        assert origin is not None and (wrong in origin.wrong if wrong else not origin.wrong)


def test_lines_that_are_sent_one_by_one_lie_in_no_records() -> None:
    """What comes of them behind each other is only in this search."""
    table = ("t,a,b,c\n" + "".join(f"{at},{9 + at % 2},0,0\n" for at in range(0, 60, 5))).encode()
    origins = Origins()
    for event in reads(table, "week.csv"):
        origins.host_call(event)
    for at in range(8):
        row = numpy.array([[9 + at % 2, 0, 0]], "f4")
        origin = origins.of(Tensor.from_numpy(row), "x")
        assert origin is None or "apart" not in origin.wrong
