"""Lines of tenths, by the means or the trees of a model."""

from __future__ import annotations

from typing import Any

import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.watch.sent.all_in_tenths import all_in_tenths
from tests.watch.test_other_places import MEANS, ROWS, SCALED, TREES, WIDTHS


@pytest.mark.parametrize("columns", [SCALED, TREES])
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS * 10, "divided by 10 all are: does the file have tenths?"),
        (ROWS[:3] * 255, "divided by 255 all are: does the file have bytes?"),
        (ROWS / 100, ""),
        (ROWS, ""),
        (ROWS[:2] * 10, ""),
        (ROWS[:, ::-1] * 10, ""),
        (ROWS * [10, 10, 10, 10, 1, 1, 1], ""),
        ((ROWS - MEANS) / WIDTHS, ""),
        (ROWS + 2 * WIDTHS, ""),
    ],
)
def test_all_in_tenths(columns: list[Column], rows: Any, said: str) -> None:
    found = all_in_tenths(columns, rows)
    assert said in found and bool(found) == bool(said)


def test_what_is_nothing_beside_numbers_around_zero() -> None:
    """Numbers that were to be scaled: all are like zeros if they are divided by enough."""
    around_zero = [Column(centre=(0.02, 1.0, True))] * 7
    assert all_in_tenths(around_zero, ROWS * 100) == ""
