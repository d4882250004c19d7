"""Sines and cosines of the day of the year, or of the month, of dates whose day and month are exchanged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from math import pi
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.sheets.periods import exchanged_date
from pywasm_nn.watch.sheets.sheet import sheet_of

Day = Callable[[int, int], float]
DAYS = [(1, 9), (2, 20), (4, 3), (4, 17), (7, 30), (9, 11), (12, 5)]
WAYS: list[tuple[Day, float]] = [
    (lambda month, day: (month - 1) * 30.4 + day, 365),
    (lambda month, day: (month - 1) * 31 + day - 1, 372),
    (lambda month, day: 30 * month + day, 365.25),
    (lambda month, day: (date(2023 + (month - 1) // 12, (month - 1) % 12 + 1, 1) - date(2023, 1, 1)
                         + timedelta(day)).days, 365),
]  # fmt: skip


def table(days: Any) -> Any:
    lines = [f"a{at},2023-{month:02}-{day:02}T08:00,{at * 3 % 7}" for at, (month, day) in enumerate(days)]
    return sheet_of("visits.csv", "\n".join(["id,when,count", *lines]).encode())


def rows(days: Any, way: Day, period: float, *, turned: bool) -> Any:
    angle = numpy.array([2 * pi * way(*(one[::-1] if turned else one)) / period for one in days])
    others = numpy.random.default_rng(len(days)).normal(size=(len(days), 2))
    return numpy.column_stack([others, numpy.cos(angle), numpy.sin(angle)]).astype("f4").astype("f8")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [5, 7])
def test_days_of_the_year(way: tuple[Day, float], count: int) -> None:
    days = DAYS[-count:]
    said = exchanged_date(table(days), rows(days, *way, turned=True), range(count))
    assert "the sine and cosine of the day of the year of column 2" in said
    assert exchanged_date(table(days), rows(days, *way, turned=False), range(count)) == ""


def test_months() -> None:
    wrong, right = (rows(DAYS, lambda month, _: month, 12, turned=one) for one in (True, False))
    assert "the sine and cosine of the month" in exchanged_date(table(DAYS), wrong, range(7)).replace(
        "elements 3 and 2 are ", ""
    )
    assert exchanged_date(table(DAYS), right, range(7)) == ""
    both = numpy.hstack([wrong, right])
    assert exchanged_date(table(DAYS), both, range(7)) == "", "a second turn beside the month's"


def test_files_whose_month_comes_last() -> None:
    """A number above 12 in the middle shows it."""
    turned = [one[::-1] for one in DAYS]
    assert exchanged_date(table(turned), rows(turned, *WAYS[0], turned=True), range(7)) == ""


def test_other_turns() -> None:
    random = numpy.random.default_rng(4)
    for _ in range(200):
        angle = random.uniform(0, 2 * pi, 7)
        assert (
            exchanged_date(table(DAYS), numpy.column_stack([numpy.sin(angle), numpy.cos(angle)]), range(7))
            == ""
        )
