"""Columns that were scaled as if they were in another unit, and those that are rightly large."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.sheets import Sheets, one_unscaled, out_of_range

RANDOM = numpy.random.default_rng(17)
COUNT = 7
SPAN, AGE, PULSE = (
    RANDOM.uniform(150, 195, COUNT).round(),
    RANDOM.integers(20, 60, COUNT),
    RANDOM.integers(55, 90, COUNT),
)
WARM, DAMP, WIND = (
    RANDOM.uniform(4, 33, COUNT).round(1),
    RANDOM.integers(20, 99, COUNT),
    RANDOM.uniform(1, 9, COUNT).round(1),
)


def said(headings: str, numbers: Any, sent: Any, *, at_once: bool) -> str:
    lines = "".join(",".join(f"{one:.4g}" for one in row) + "\n" for row in numbers)
    sheets = Sheets(lambda: [("own.csv", f"{headings}\n{lines}".encode())])
    array = numpy.array(sent, "f4")
    return "".join(
        text
        for part in ([array] if at_once else array[:, None])
        for text in sheets.set("x", Tensor.from_numpy(part))
    )


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("count", [3, COUNT])
def test_one_of_two_columns_in_two_units(count: int, at_once: bool) -> None:
    inches = (SPAN / 2.54).round(1)
    numbers = numpy.column_stack([AGE, inches, SPAN, PULSE])[:count]

    def of(column: Any, centre: float, width: float, headings: str = "age,span_in,span_cm,pulse") -> str:
        others = [(AGE - 40) / 15, (PULSE - 72) / 12]
        sent = numpy.column_stack([others[0], (column - centre) / width, others[1]])[:count]
        return said(headings, numbers, sent, at_once=at_once)

    wrong = of(inches, 172, 14)
    assert 'column 2 ("span_in") comes to -' in wrong and "was the wrong one of the two" in wrong
    assert of(SPAN, 172, 14) == of(inches, 172 / 2.54, 14 / 2.54) == ""
    assert "wrong one of the two" not in of(inches, 172, 14, "age,reach_in,span_cm,pulse"), "another thing"
    assert of(inches, 60, 4) == "", "near enough for both"
    assert of(inches, 300, 14) == "", "neither is usual"


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("heading", "seen"), [("air_degF", True), ("air_f", True), ("air_C", False), ("flow", False)]
)
def test_degrees_that_were_only_divided(heading: str, seen: bool, at_once: bool) -> None:
    fahrenheit = (WARM * 1.8 + 32).round(1)

    def of(made: Any, *, wind: float = 10.0) -> str:
        numbers = numpy.column_stack([DAMP, fahrenheit, WIND])
        sent = numpy.column_stack([made, DAMP / 100, WIND / wind])
        return said(f"damp,{heading},wind", numbers, sent, at_once=at_once)

    found = of(fahrenheit / 35)
    assert ("is it to be converted first" in found and "Fahrenheit by its heading" in found) is seen
    assert bool(found) is seen
    for right in (fahrenheit / 100, (fahrenheit - 32) / 63, (fahrenheit - 60) / 18, fahrenheit / 20):
        assert "converted first" not in of(right)
    assert "converted first" not in of(fahrenheit / 35, wind=2.0), "others are beyond 1, too"


def test_wide_tables_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are drawn through elements that are far out alone, not through each pair of 40 x 40."""
    drawn: list[int] = []

    def line(*_: Any) -> None:
        drawn.append(1)

    for module in (one_unscaled, out_of_range):
        monkeypatch.setattr(module, "line_within", line)
    numbers = RANDOM.uniform(0, 9, (4, 40)).round(2)
    assert said(",".join(f"f{at}" for at in range(40)), numbers, numbers / 9, at_once=True) == ""
    assert not drawn


def test_decimal_commas_of_a_wide_table() -> None:
    numbers = RANDOM.uniform(1, 90, (6, 36)).round(2)
    text = "\n".join(
        [
            ";".join(f"c{at}" for at in range(36)),
            *(";".join(f"{one:.2f}".replace(".", ",") for one in row) for row in numbers),
        ]
    )
    for read, is_told in ((numpy.trunc(numbers), True), (numbers, False)):
        sheets = Sheets(lambda: [("own.csv", text.encode())])
        rows = ((read - 45) / 30).astype("f4")
        found = "".join(one for row in rows for one in sheets.set("x", Tensor.from_numpy(row[None])))
        assert ("atof and the like stop" in found) is is_told
