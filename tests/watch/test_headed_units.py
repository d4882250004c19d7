"""Columns in the unit of their headings, for models that know the elements in another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.wanted import Wanted

Convert = Callable[[Any], Any]
UNITS: dict[str, tuple[float, float, Convert]] = {
    "area_sqft": (120.0, 50.0, lambda x: x / 0.0929),
    "height_ft": (900.0, 120.0, lambda x: x / 0.3048),
    "temp_f": (12.0, 6.0, lambda x: x * 1.8 + 32),
    "weight_lb": (70.0, 11.0, lambda x: x / 0.4536),
    "reach_mm": (1.4, 0.3, lambda x: x * 1000),
    "pressure_psi": (210.0, 30.0, lambda x: x / 6.8948),
}
"""The mean and deviation that a model has, in its own unit, and how numbers come to that of the heading."""


def column(mean: float, wide: float, *, splits: bool) -> Column:
    if splits:
        return Column(splits=tuple(numpy.linspace(mean - 3 * wide, mean + 3 * wide, 12).tolist()))
    return Column(centre=(mean, wide, True))


def said(
    heading: str, numbers: Any, sent: Any, *, splits: bool = False, mean: float = 0.0, wide: float = 0.0
) -> str:
    """What is said of lines that are sent one by one, of a table with one column among others."""
    own, other, _ = UNITS.get(heading, (mean, wide, None))
    rows = numpy.column_stack([numpy.arange(len(numbers)) % 5 + 1, numbers.round(4)])
    text = f"rooms,{heading}\n" + "\n".join(f"{int(rooms)},{one:.6g}" for rooms, one in rows)
    wanted = Wanted(lambda: [("houses.csv", text.encode())])
    wanted.loaded(1, {0: [column(3, 1.5, splits=splits), column(mean or own, wide or other, splits=splits)]})
    found: list[str] = []
    for first, one in zip(rows[:, 0], sent, strict=True):
        found += wanted.set(1, 0, Tensor.from_numpy(numpy.array([[first, one]], "f4")))
    return "; ".join(found)


@pytest.mark.parametrize("count", [3, 6])
@pytest.mark.parametrize("splits", [False, True])
@pytest.mark.parametrize("heading", UNITS)
def test_the_unit_of_the_heading(heading: str, splits: bool, count: int) -> None:
    mean, wide, convert = UNITS[heading]
    right = mean + wide * numpy.random.default_rng(count).uniform(-1.5, 1.5, count)
    if heading == "temp_f":
        right += wide  # others overlap
    numbers = numpy.array([float(f"{one:.6g}") for one in convert(right)])
    assert f'column "{heading}" as it stands' in said(heading, numbers, numbers, splits=splits)
    assert said(heading, numbers, right, splits=splits) == ""
    assert f'column "{heading}"' not in said(
        heading.split("_")[0], numbers, numbers, splits=splits, mean=mean, wide=wide
    )


def test_a_heading_that_is_a_unit() -> None:
    numbers = numpy.array([52.0, 61.5, 48.25, 70.0])
    assert 'column "miles" as it stands' in said("miles", numbers, numbers, mean=95.0, wide=8.0)
    assert "by its heading" not in said("reach", numbers, numbers, mean=95.0, wide=8.0)
    assert said("miles", numbers, 1.609344 * numbers, mean=95.0, wide=8.0) == ""


@pytest.mark.parametrize("seed", range(20))
def test_numbers_that_are_right_as_they_stand(seed: int) -> None:
    random = numpy.random.default_rng(seed)
    numbers = random.normal(120, 60, 8).clip(20).round(1)
    assert said("area_m2", numbers, numbers, mean=120.0, wide=50.0) == ""
    assert said("area_sqft", numbers * 10, numbers * 10, mean=1200.0, wide=500.0) == ""


DIVIDED = {
    "temp_f": (60.0, 1.8, 32.0),
    "height_ft": (1000.0, 1 / 0.3048, 0.0),
    "reach_cm": (20.0, 100.0, 0.0),
}
"""By what columns are divided, and how numbers of the model's unit come to that of the heading."""


@pytest.mark.parametrize("heading", DIVIDED)
def test_columns_that_are_divided(heading: str) -> None:
    by, slope, height = DIVIDED[heading]
    numbers = by * numpy.array([0.31, 0.62, 0.44, 0.18, 0.57])
    there = (numbers * slope + height).round(2)
    known = {"mean": 0.4, "wide": 0.11}
    text = said(heading, there, there / by, **known)
    assert f'column "{heading}" divided by {by:g}, ' in text
    assert said(heading, there, numbers / by, **known) == ""
    assert "by its heading" not in said("warmth", there, there / by, **known)
    unusual = {"mean": float((there / by).mean()), "wide": 0.3 * float((there / by).std() + 1)}
    assert said(heading, there, there / by, **unusual) == "", "as the model knows it"
    assert "by its heading" not in said(heading, there[:2], there[:2] / by, **known), "two lines"


def test_what_is_divided_by_enough_is_near_nothing() -> None:
    high = numpy.array([2400.0, 2810.0, 3105.0, 2950.0])
    assert "as it stands" not in said("altitude_m", high, high, mean=150.0, wide=180.0)


@pytest.mark.parametrize("heading", ["mg/dl", "mg_dl"])
def test_a_heading_that_is_a_unit_of_numbers_that_hardly_vary(heading: str) -> None:
    """The model's mean is far from 0, so that it isn't near it by any division."""
    quiet = numpy.array([104.0, 105, 104, 105, 105, 104])
    assert "in mmol/l it is 5.773 to 5.828" in said(heading, quiet, quiet, mean=6.5, wide=1.8)
    assert said(heading, quiet, quiet / 18.016, mean=6.5, wide=1.8) == ""
    assert said(heading, quiet, quiet, mean=110, wide=30) == ""
    assert "mmol/l" not in said(heading, quiet, quiet, mean=2, wide=1.8), "what is small is near this"
