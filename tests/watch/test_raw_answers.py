"""Forecasts that are written in the scale of the window that was sent. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.probes.asked import Sent
from pywasm_nn.watch.probes.raw import unrestored
from tests.watch.test_uses_of_answers import asked_of

RNG = numpy.random.default_rng(2)
HOURS = numpy.arange(30)
LOAD, WIND = (
    base + swing * numpy.sin(HOURS / 4) + RNG.normal(0, 1, 30) for base, swing in ((410, 60), (25, 9))
)
LINES = [f"{hour},{load:.2f},{wind:.2f}" for hour, load, wind in zip(HOURS, LOAD, WIND, strict=True)]
TABLE = ("power.csv", "\n".join(["hour,load_kw,wind", *LINES]).encode())
COLUMNS = numpy.array([line.split(",")[1:] for line in LINES], "f8")


def found(
    form: str,
    *,
    back: bool = False,
    width: int = 1,
    scale: float = 55.0,
    centre: float = 400.0,
    name: str = "next",
    value: float = -0.31,
    others: Sequence[float] = (),
) -> str:
    """What is said of a guest that sends 24 lines scaled, and writes the answer by a form."""
    window = (COLUMNS[:24, :width] - [centre, 20][:width]) / [scale, 8][:width]
    shape = (1, 24 + len(others)) if width == 1 else (1, 24, width)
    sent = Sent("history", shape, numpy.append(window, others).astype("f4").reshape(-1), None)

    def say(answers: Sequence[Any]) -> str:
        one = float(answers[0][0].reshape(-1)[0])
        return form.format(one * scale + centre if back else one)

    answer = numpy.array([[value]], "f4")
    return unrestored(asked_of(say, answer, names=[name], files=[TABLE], sent=[sent]))


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("form", ["in an hour: {:.1f} kW\n", "load {:.3f}\n"])
def test_a_forecast_in_the_scale_of_its_window(form: str, width: int) -> None:
    said = found(form, width=width)
    assert 'column 2 ("load_kw") less 400 divided by 55: brought back it is 382.9' in said
    assert found(form, width=width, back=True) == ""


@pytest.mark.parametrize("others", [(0.5, 0.866), (1.0,), (3.0, 0.0, 1.0, 0.25)])
def test_a_window_with_other_elements_behind_it(others: Sequence[float]) -> None:
    said = found("in an hour: {:.1f} kW\n", others=others)
    assert 'column 2 ("load_kw") less 400 divided by 55: brought back it is 382.9' in said
    assert found("in an hour: {:.1f} kW\n", others=others, back=True) == ""
    assert found("in an hour: {:.1f} kW\n", others=[*others, *range(8)]) == "", "too many to be known"


@pytest.mark.parametrize(
    "form",
    [
        "change of the load {:.2f} kW\n",
        "in an hour {:.2f}\n",
        "load (scaled): {:.2f}\n",
        "{:.2f} in the load's sigma\n",
        "{:.1f} in a day\n",
    ],
)
def test_answers_that_are_no_such_amount(form: str) -> None:
    assert found(form) == ""


def test_models_that_bring_answers_back_themselves() -> None:
    assert found("in an hour: {:.1f} kW\n", value=388.0) == ""
    assert found("in an hour: {:.1f} kW\n", name="anomaly_score") == ""
    assert found("in an hour: {:.1f} kW\n", value=-40.0) == "", "brought back it is no load either"
    assert found("always 382 kW\n") == ""


def test_a_column_in_another_unit() -> None:
    """Kilowatts that are divided by 1000 are megawatts, and so is the answer."""
    for form in ("in an hour: {:.3f} MW\n", "load: {:.3f} MW\n"):
        assert found(form, scale=1000.0, centre=0.0, value=0.391) == ""
    assert "brought back it is 391" in found("load: {:.3f} kW\n", scale=1000.0, centre=0.0, value=0.391)
