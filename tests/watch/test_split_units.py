"""One element in another unit than the numbers at which trees split it."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.watch.sent.split_units import other_unit_by_splits

LOWEST, HIGHEST = numpy.array([1.5, 20.0, 900.0, 0.0]), numpy.array([2.0, 95.0, 4000.0, 3.0])
TREES = [
    Column(splits=tuple(numpy.linspace(low, high, count).tolist()))
    for low, high, count in zip(LOWEST, HIGHEST, (12, 30, 20, 3), strict=True)
]
ROWS = numpy.random.default_rng(12).uniform(LOWEST + 0.05, HIGHEST - 0.05, (7, 4))


def hint(element: int, change: Any, count: int = 7) -> str:
    rows = ROWS[:count].copy()
    rows[:, element] = change(rows[:, element])
    return other_unit_by_splits(TREES, rows)


@pytest.mark.parametrize(
    ("element", "change", "meant"),
    [
        (0, lambda x: x * 100, "divided by 100"),
        (0, lambda x: x * 3.2808, "divided by 3.2808 (feet to metres)"),
        (1, lambda x: -x, ""),
        (2, lambda x: x / 1000, "times 1000"),
        (2, lambda x: x / 3.6, ""),
        (3, lambda x: x * 100, ""),
        (1, lambda x: x, ""),
    ],
)
def test_one_element_in_another_unit(element: int, change: Any, meant: str) -> None:
    found = hint(element, change)
    assert meant in found and bool(found) == bool(meant)


def test_other_lines() -> None:
    assert hint(0, lambda x: x * 100, count=4) == "", "too few"
    assert hint(0, lambda x: x * 0 + 180) == "", "one number that may stand for none"
    assert other_unit_by_splits(TREES, ROWS * 100) == "", "all are in other units"
