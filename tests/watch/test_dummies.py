"""Kinds as zeros and ones that are no mistake: all but the first, and those of the day that is forecast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from tests.watch.test_false_alarms import origins_of

ORDER = numpy.random.default_rng(5)
COUNT = 40
AGE, PRESSURE = ORDER.integers(20, 80, COUNT), ORDER.integers(90, 170, COUNT)
FAT, PAIN = ORDER.uniform(3, 8, COUNT).round(1), ORDER.integers(0, 4, COUNT)
SMOKER = numpy.where(numpy.arange(COUNT) < 10, 0, ORDER.integers(0, 2, COUNT))
HEAT, LOAD = ORDER.uniform(-5, 30, COUNT).round(1), ORDER.uniform(100, 900, COUNT).round()
DAY = numpy.arange(COUNT) % 7


def scaled(one: Any) -> Any:
    return (one - one.mean()) / one.std()


def as_it_is(one: Any) -> Any:
    return one


def said(headings: str, columns: Sequence[Any], rows: Sequence[Any]) -> set[str]:
    """Returns what is said of the first lines of a table, sent one after the other."""
    lines = [",".join(f"{one:g}" for one in line) for line in numpy.column_stack(columns).tolist()]
    origins = origins_of("\n".join([headings, *lines]).encode(), "a.csv")
    made = numpy.column_stack(rows)[:9].astype("f4")
    found = [origins.of(Tensor.from_numpy(row[None]), "x") for row in made]
    return {one.wrong for one in found if one is not None} - {""}


@pytest.mark.parametrize("scale", [scaled, as_it_is])
def test_the_first_kind_has_no_element(scale: Any) -> None:
    """The elements of all kinds but the first, and a 0 behind them, look like all kinds, off by one."""
    headings, columns = "age,pressure,fat,pain,smoker", [AGE, PRESSURE, FAT, PAIN, SMOKER]
    amounts = [scale(one) for one in (AGE, PRESSURE, FAT)]
    kinds = numpy.eye(4)[PAIN]
    assert said(headings, columns, [*amounts, kinds[:, 1:], SMOKER]) == set()
    early = numpy.column_stack([kinds[:, 1:], numpy.zeros(COUNT)])
    (wrong, *_) = said(headings[:-7], columns[:4], [*amounts, early])
    assert "one-hot" in wrong, "no other column is 0"


@pytest.mark.parametrize("scale", [scaled, as_it_is])
@pytest.mark.parametrize("off", [1, -1])
def test_the_day_beside(scale: Any, off: int) -> None:
    """A forecast gets the day that it is for, or the day before."""
    headings, amounts = "day,heat,load", [scale(HEAT), scale(LOAD), scaled(HEAT)]
    assert said(headings, [DAY, HEAT, LOAD], [*amounts, numpy.eye(7)[(DAY + off) % 7]]) == set()
    order = ORDER.permutation(DAY)
    found = said(headings, [order, HEAT, LOAD], [*amounts, numpy.eye(7)[(order + off) % 7]])
    assert any("one-hot" in one for one in found), "days in no order"
