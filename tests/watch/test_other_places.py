"""Many elements in another order than the means or the trees of a model."""

from __future__ import annotations

import re
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.other_places import in_any_order, other_places
from pywasm_nn.watch.sent.wanted import Wanted
from pywasm_nn.watch.sheets.rows import matched

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


IDS = {
    "goes up by 1 from line to line": numpy.arange(6.0) + 4,
    "is as none that the model knows": numpy.array([9001.0, 9007, 9003, 9090, 9012, 9055]),
    "may be as element": None,
}


@pytest.mark.parametrize("columns", [SCALED, TREES])
@pytest.mark.parametrize("says", IDS)
def test_a_column_more_at_the_front_or_at_the_end(columns: list[Column], says: str) -> None:
    """The number of a line may be as the last element is, and another one as the first; or it is that."""
    for by in (1, -1):
        rows = numpy.roll(ROWS, by, axis=1)
        end = 0 if by == 1 else 6
        if IDS[says] is not None:
            rows[:, end] = IDS[says]
        found = other_places(columns, rows)
        assert "shifted by one place: 6 are as the one" in found and "another order" not in found
        assert f"and element {end} (" in found and says in found


def test_a_number_of_the_line_that_may_be_another_element() -> None:
    known = [*SCALED[:6], Column(centre=(1003.0, 40.0, True))]
    rows = numpy.concatenate([numpy.arange(1000.0, 1006)[:, None], ROWS[:, :6]], axis=1)
    assert "element 0 (1000 to 1005) goes up by 1" in other_places(known, rows)


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


@pytest.mark.parametrize("count, named", [(5, True), (6, True), (4, False)])
def test_a_few_columns_in_another_order(count: int, named: bool) -> None:
    """Two elements are impossible where they are, others may be usual ones."""
    means = numpy.array([48.0, 1.5, 26.0, 95.0, 190.0, 115.0, 50.0, 4.0, 4.6, 91.0])
    widths = numpy.array([13.0, 0.5, 4.5, 14.0, 34.0, 30.0, 13.0, 1.3, 0.5, 11.0])
    known = [Column(centre=(mean, width, True)) for mean, width in zip(means, widths, strict=True)]
    rows = means + widths * numpy.random.default_rng(count).uniform(-1.2, 1.2, (count, 10))
    sent = rows[:, [0, 1, 2, 3, 9, 4, 5, 6, 7, 8]]
    assert ("another order" in through(known, sent)) == named
    for right in (rows, rows + 0.8 * widths, rows * 1.4, numpy.where(rows > 180, 900, rows)):
        assert "another order" not in through(known, right)


def through(known: list[Column], rows: Any) -> str:
    wanted = Wanted()
    wanted.loaded(1, {0: known})
    return "; ".join(wanted.set(1, 0, Tensor.from_numpy(rows.astype("f4"))))


CROP = numpy.array([[67, 69, 72, 22.3, 67, 6.5, 118], [35, 34, 67, 2.7, 27, 0.64, 62]])
UNITS = (0.01, 0.1, 10, 1000, 25.4, 0.4536, 3.6, 57.3, 60)


def at_the_end(lines: Any) -> str:
    wanted = Wanted()
    wanted.loaded(1, {0: [Column(centre=(mean, width, True)) for mean, width in CROP.T.tolist()]})
    for line in lines:
        assert "".join(wanted.set(1, 0, Tensor.from_numpy(line[None].astype("f4")))) == "" or len(lines) > 1
    return "".join(wanted.finish())


def test_one_line_in_another_order() -> None:
    order, found = numpy.random.default_rng(50), 0
    for _ in range(200):
        line = CROP[0] + CROP[1] * order.normal(size=7)
        assert at_the_end([line]) == "" == at_the_end([line] * 5)
        assert at_the_end([line * 1000]) == "" == at_the_end([numpy.where(numpy.eye(7)[5], 0, line)])
        for units in (1, 2):
            moved = numpy.ones(7)
            moved[order.choice(7, units, replace=False)] = order.choice(UNITS, units)
            assert at_the_end([line * moved]) == ""
        said = at_the_end([line[order.permutation(7)]])
        assert not said or "element 5 is" in said or "element 3 is" in said
        found += "in another order all 7 are usual ones" in said
    assert found > 60
