"""Answers that are written with another unit behind them than the output or the model is named after."""

from collections.abc import Callable

import numpy
import pytest

from pywasm_nn.watch.amounts.named_units import with_another_unit
from pywasm_nn.watch.amounts.told import Answer, Told
from pywasm_nn.watch.spoken import Spoken

SPEEDS = [31.42, 27.95, 44.08]


def told(output: str, model: str, form: str, formula: Callable[[float], float] = float) -> str:
    answers = [Answer(0, output, numpy.array([[one]]), (), model) for one in SPEEDS]
    text = "".join(f"car {at}: {form.format(formula(one))}\n" for at, one in enumerate(SPEEDS))
    return with_another_unit(Told(answers, Spoken(text), []))


@pytest.mark.parametrize(
    ("output", "model", "form"),
    [
        ("variable", "mpg", "{:.1f} l/100 km"),
        ("speed_mph", "cars", "{:.2f} km/h"),
        ("temp_f", "m", "{:.2f} °C at 9"),
        ("y", "fahrenheit", "{:.1f} C"),
        ("weight_lb", "", "{:.1f} kg"),
    ],
)
def test_another_unit(output: str, model: str, form: str) -> None:
    assert "is the answer as the model gives it" in told(output, model, form)
    assert told(output, model, form, lambda one: one * 1.7) == ""
    assert told("variable", "cars", form) == ""


@pytest.mark.parametrize(
    ("output", "form"), [("celsius", "{:.2f} C"), ("temp_c", "{:.2f} °C"), ("fahrenheit", "{:.2f} F")]
)
def test_a_short_name_of_the_same_unit(output: str, form: str) -> None:
    assert told(output, "", form) == ""


@pytest.mark.parametrize(
    "form", ["{:.1f} mph", "{:.1f} miles", "{:.1f}", "{:.1f} s", "{:.1f} mph (50.2 km/h)"]
)
def test_the_unit_of_the_name_and_those_of_other_kinds(form: str) -> None:
    assert told("speed_mph", "", form) == ""


@pytest.mark.parametrize("model", ["eta_s", "eta-m", "pump-l"])
def test_the_size_of_a_model_is_no_unit(model: str) -> None:
    assert (
        told("y", model, "{:.2f} min") == told("y", model, "{:.2f} km") == told("y", model, "{:.2f} ml") == ""
    )
    assert "is the answer as the model gives it" in told(
        model, "", {"s": "{:.2f} min", "m": "{:.2f} km"}.get(model[-1], "{:.2f} ml")
    )
