"""Many elements in another order than the means or the trees of a model."""

from __future__ import annotations

import re

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.watch.sent.other_places import in_any_order, matched, other_places

TOLD = re.compile(r"element (\d+) \(.*?\) is as element (\d+)")
MEANS = numpy.array([0.5, 20.0, 1013.0, 300.0, 72.0, 5.0, 0.1])
WIDTHS = numpy.array([0.2, 3.0, 8.0, 60.0, 4.0, 1.0, 0.05])
ROWS = MEANS + WIDTHS * numpy.random.default_rng(4).normal(size=(6, 7))
SCALED = [Column(centre=(mean, width, True)) for mean, width in zip(MEANS, WIDTHS, strict=True)]
TREES = [
    Column(splits=tuple(numpy.linspace(mean - 2.5 * width, mean + 2.5 * width, 9).tolist()))
    for mean, width in zip(MEANS, WIDTHS, strict=True)
]


@pytest.mark.parametrize("columns", [SCALED, TREES])
@pytest.mark.parametrize("order", [[6, 5, 4, 3, 2, 1, 0], [3, 0, 1, 2, 6, 4, 5]])
def test_another_order(columns: list[Column], order: list[int]) -> None:
    found = other_places(columns, ROWS[:, order])
    assert "the elements are in another order" in found
    pairs = [(int(one), int(other)) for one, other in TOLD.findall(found)]
    assert len(pairs) == 3 and all(order[one] == other for one, other in pairs)


@pytest.mark.parametrize("columns", [SCALED, TREES])
def test_no_other_order(columns: list[Column]) -> None:
    """The model's own order, data of another place, another unit, and elements that were scaled before."""
    for rows in (ROWS, ROWS + 2 * WIDTHS, ROWS * 1000, (ROWS - MEANS) / WIDTHS, ROWS[:2, ::-1]):
        assert other_places(columns, rows) == ""


def test_as_many_as_can_have_one_of_their_own() -> None:
    assert matched({0: [1], 1: [1, 2], 2: [2]}) == 2
    assert matched({0: [1, 2], 1: [1], 2: [0, 2]}) == 3


WIDE = [Column(splits=tuple(numpy.linspace(-50, 1100, 9).tolist())), *TREES[1:]]
"""All numbers are between the splits of the first one."""


@pytest.mark.parametrize("order", [[6, 5, 4, 3, 2, 1, 0], [3, 0, 1, 2, 6, 4, 5]])
def test_another_order_beside_a_wide_element(order: list[int]) -> None:
    assert other_places(WIDE, ROWS[:, order]) == ""
    found = in_any_order(WIDE, ROWS[:, order])
    assert "the elements are in another order" in found and "such as element" in found


def test_no_other_order_beside_a_wide_element() -> None:
    one_in_grams = ROWS * [1, 1000, 1, 1, 1, 1, 1]
    for rows in (ROWS, one_in_grams, ROWS * 1000, (ROWS - MEANS) / WIDTHS):
        assert in_any_order(WIDE, rows) == ""
