"""Windows of a column whose unit is known, and answers that are written in another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.amounts.told import Answer, Told
from pywasm_nn.watch.amounts.units import other_unit
from pywasm_nn.watch.spoken import Spoken

FLOW = (310 + 70 * numpy.sin(numpy.arange(40) / 5)).round(1)
SIZE = 16
Way = Callable[[Any], Any]


def said(
    file: str, heading: str, form: str, starts: tuple[int, ...] = (3,), way: Way = float, of: str = "y"
) -> str:
    """What is said of a guest that sends windows of a column and writes what would come next."""
    lines = [f"{at};{one}" if ";" in heading else f"{one}" for at, one in enumerate(FLOW)]
    answers, text = [], ""
    for start in starts:
        window = numpy.array([way(one) for one in FLOW[start : start + SIZE]])
        value = float(way(FLOW[start + SIZE] + 1.37))
        answers.append(Answer(0, of, numpy.array([[value]]), (window,)))
        text += form.format(value)
    data = "\n".join([heading, *lines] if heading else lines).encode()
    return other_unit(Told(answers, Spoken(text), [(file, data)]))


@pytest.mark.parametrize("starts", [(3,), (0, 5, 9, 14)])
@pytest.mark.parametrize(
    ("file", "heading", "form"),
    [
        ("/data/tank_ml.txt", "", "then {:.2f} l\n"),
        ("/data/day.csv", "no;level_ml", "then {:.2f} l\n"),
        ("plant_kwh.log", "", "{:.3f} MWh\n"),
        ("a.csv", "t;supply_mv", "{:.2f} V in a minute\n"),
    ],
)
def test_another_unit_of_windows(file: str, heading: str, form: str, starts: tuple[int, ...]) -> None:
    assert "as large as the window" in said(file, heading, form, starts)
    assert said(file, heading, form, starts, lambda one: one / 1000) == "", "the window was converted"
    own = {"l": "ml", "MWh": "kWh", "V": "mV"}
    unit = form.partition("} ")[2].split()[0]
    assert said(file, heading, form.replace(f" {unit}", f" {own[unit]}"), starts) == ""
    assert said(file, heading, form.replace(f" {unit}", ""), starts) == ""
    assert said(file, heading, form, starts, of=f"next_{unit.lower()}") == "", "the model says so"
    assert said("day.txt", "no;level" if heading else "", form, starts) == "", "the unit isn't known"


def test_answers_that_the_guest_or_the_model_converts() -> None:
    def converted(value: float) -> str:
        window = Answer(0, "y", numpy.array([[value]]), (FLOW[:SIZE],))
        files = [("tank_ml.txt", "\n".join(map(str, FLOW)).encode())]
        return other_unit(Told([window], Spoken(f"then {value:.4f} l\n"), files))

    assert converted(0.31652) == converted(3165.2) == ""
    assert "then" not in converted(316.52) != ""
