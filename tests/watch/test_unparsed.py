"""Lines with decimal commas of which no number is read, and lines that are alike for other reasons."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.in_columns import in_columns
from pywasm_nn.watch.origin.tables import table_in

NUMBERS = (
    numpy.random.default_rng(12).uniform((3.1, 40.2, 0.5, 210.7), (9.2, 77.7, 2.4, 235.1), (16, 4)).round(1)
)
MEAN, WIDE = numpy.array([8.5, 51.5, 1.75, 226.0]), numpy.array([4.25, 14.0, 0.6, 21.5])


def wrong(rows: Any, numbers: Any = NUMBERS, comma: str = ",") -> str:
    """What is said of a window beside a table of times and these numbers."""
    lines = [
        f"{at};" + ";".join(f"{one:g}".replace(".", comma) for one in row) for at, row in enumerate(numbers)
    ]
    table = table_in("\n".join(["tid;a;b;c;d", *lines]).encode())
    assert table is not None
    found = in_columns(table, rows.astype("f4").astype("f8"), is_window=True, is_series=True)
    return "" if found is None else found.wrong


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("count", [6, 16])
def test_numbers_that_are_read_as_0(count: int, first: int) -> None:
    mean, wide = MEAN[first:], WIDE[first:]
    empty = numpy.tile(-mean / wide, (count, 1))
    assert f"all {count} rows are the same" in wrong(empty)
    assert "the numbers in columns" in wrong(empty)
    right = (NUMBERS[:count, first:] - mean) / wide
    assert "are the same" not in wrong(right)
    assert wrong(empty, comma=".") == "", "such numbers are read"
    assert "are the same" not in wrong(empty + numpy.arange(count)[:, None]), "a clock among them"


def test_rows_that_are_the_same_for_other_reasons() -> None:
    for row in (MEAN * 0, MEAN * 0 - 1, -WIDE / MEAN * 500, MEAN / WIDE, (NUMBERS[0] - MEAN) / WIDE):
        assert "are the same" not in wrong(numpy.tile(row, (16, 1)))
    assert "are the same" not in wrong(numpy.tile(-MEAN / WIDE, (16, 1)), NUMBERS.round()), "no decimals"
    assert "are the same" not in wrong(numpy.tile(-MEAN / WIDE, (20, 1))), "more rows than lines"
