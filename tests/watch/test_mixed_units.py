"""Columns in two units, as a column of units or the unit behind each number says, sent as if in one."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sheets import Sheets

RANDOM = numpy.random.default_rng(6)
WARM = RANDOM.uniform(35, 40, 10).round(1)
OTHERS = RANDOM.uniform([50, 90], [120, 170], (10, 2)).round(0)
ODD = numpy.arange(10) % 3 == 1
IN_FILE = numpy.where(ODD, WARM * 1.8 + 32, WARM).round(1)


def table(units: tuple[str, str] = ("C", "F"), heading: str = "unit", *, behind: bool = False) -> bytes:
    """Lines of a name, a temperature and its unit, and two numbers."""
    lines = [f"who,temp,{heading},pulse,upper" if not behind else "who,temp,pulse,upper"]
    for at in range(10):
        unit, own = units[int(ODD[at])], f"{IN_FILE[at]:g}"
        field = f"{own} {unit}" if behind else f"{own},{unit}"
        lines.append(f"p{at},{field},{OTHERS[at, 0]:g},{OTHERS[at, 1]:g}")
    return "\n".join(lines).encode()


def said(warm: Any, data: bytes, *more: Any) -> str:
    sheets, found = Sheets(lambda: [("patients.csv", data)]), []
    for row in numpy.column_stack([warm, OTHERS, *more]):
        found += sheets.set("x", Tensor.from_numpy(row.astype("f4")[None]))
    return "; ".join(found)


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("units", [("C", "F"), ("celsius", "Fahrenheit"), ("degC", "degF")])
def test_sent_as_if_in_one_unit(units: tuple[str, str], behind: bool) -> None:
    data = table(units, behind=behind)
    for own in (IN_FILE, (IN_FILE - 37) / 2):
        assert f"in line 3, and was sent as the numbers in {units[0]} are" in said(own, data)
    for warm in (WARM, (WARM - 37) / 2):
        assert "is it to be converted" not in said(warm, data)
    assert "is it to be converted" not in said(IN_FILE, data, ODD)


@pytest.mark.parametrize("units", [("C", "C"), ("a", "b"), ("C", "kg"), ("F", "C")])
def test_units_that_say_nothing(units: tuple[str, str]) -> None:
    assert "is it to be converted" not in said(IN_FILE, table(units))


def test_masses_in_jsonl() -> None:
    mass = RANDOM.uniform(50, 60, 10).round(1)
    own = numpy.where(ODD, mass * 2.2046, mass).round(1)
    lines = [
        f'{{"id": "p{at}", "mass": {own[at]:g}, "age": {OTHERS[at, 0]:g}, "up": {OTHERS[at, 1]:g}, '
        f'"mass_unit": "{("kg", "lb")[int(ODD[at])]}"}}'
        for at in range(10)
    ]
    data = "\n".join(lines).encode()
    assert 'column 2 ("mass")' in said(own, data) and "in kg are" in said(own, data)
    assert "is it to be converted" not in said(mass, data)
