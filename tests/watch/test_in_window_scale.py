"""Forecasts of some steps in the scale of their windows; and other answers to windows."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.tables import table_in
from pywasm_nn.watch.spoken import Spoken
from pywasm_nn.watch.written.undone import in_its_scale

LOAD = (420 + 95 * numpy.sin(numpy.arange(48) / 4) + numpy.random.default_rng(3).normal(0, 4, 48)).round(1)
TABLE = table_in(("hour;kW\n" + "".join(f"{at:02};{one}\n" for at, one in enumerate(LOAD))).encode())
MEAN, WIDE, BACK = 415.0, 88.0, 24
assert TABLE is not None


def said(starts: list[int], made: Any, form: str, *, undo: bool = False) -> str:
    """What is said of a guest that writes what `made` says of each window."""
    every, lines = [], []
    for start in starts:
        window = (LOAD[start : start + BACK] - MEAN) / WIDE
        answers = numpy.asarray(made(start, window), "f4").astype("f8")
        every.append(("y", window, answers))
        shown = answers * WIDE + MEAN if undo else answers
        lines.append(form.format(" ".join(f"{one:.2f}" for one in shown), last=LOAD[start + BACK - 1]))
    assert TABLE is not None
    return in_its_scale(TABLE, every, Spoken("".join(lines)))


def ahead(steps: int) -> Any:
    return lambda start, _: (numpy.resize(LOAD, 80)[start + BACK : start + BACK + steps] + 3.1 - MEAN) / WIDE


@pytest.mark.parametrize(
    ("starts", "steps"), [([0, 4, 8, 12], 1), ([0], 4), ([20, 22, 24], 2), ([8, 16], 3), ([10], 12)]
)
def test_forecasts_of_any_number_of_steps(starts: list[int], steps: int) -> None:
    form = "after {last} kW: {}\n"
    assert "as the model gives it, in the scale of the window" in said(starts, ahead(steps), form)
    assert said(starts, ahead(steps), form, undo=True) == ""
    assert said(starts, ahead(steps), "scaled " + form) == ""


def test_one_number_behind_the_end_of_the_column() -> None:
    form = "the next hour: {} kW\n"
    assert "as the model gives it" in said([24], lambda _, window: [window[-1] - 0.31], form)
    assert said([24], lambda _, window: [window[-1] - 0.31], form, undo=True) == ""
    assert said([24], lambda _, window: [window[-1] - 0.31], "{}\n") == "", "may be anything"


@pytest.mark.parametrize("form", ["{} is the change\n", "z-score {}\n"])
def test_numbers_that_say_what_they_are(form: str) -> None:
    assert said([0, 4, 8], ahead(4), form) == ""


def test_other_answers() -> None:
    numbers = numpy.random.default_rng(5)
    for classes in (2, 3, 4, 8):
        shares = numbers.dirichlet([0.5] * classes, 4)
        assert said([0, 4, 8, 12], lambda start, _, own=shares: own[start // 4], "{}\n") == ""
        logits = numbers.normal(0, 3, (4, classes))
        assert said([0, 4, 8, 12], lambda start, _, own=logits: own[start // 4], "{}\n") == ""


LAKE = (14 + 4 * numpy.sin(numpy.arange(40) / 5)).round(1)
HEADS = ["lake_degC", "water temperature", "celsius"]


def of_lake(form: str, made: Any, head: str = "lake_degC", *, end: int = 36) -> str:
    """What is said of a guest that sends 20 numbers of a lake, which 0 to 40 degrees are made 0 to 1."""
    table = table_in("\n".join([f"day,{head}", *(f"{at},{one}" for at, one in enumerate(LAKE))]).encode())
    assert table is not None
    window = LAKE[end - 20 : end] / 40 - 1e-9 + 5 / 40
    answers = numpy.asarray(made, "f4").astype("f8")
    text = "".join(form.format(at + 1, one) for at, one in enumerate(answers))
    return in_its_scale(table, [("y", window, answers)], Spoken(text))


TOMORROW = (LAKE[36] + 0.4 * numpy.arange(7)) / 40 + 5 / 40


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(
    "form", ["+{} d: {:.1f} C\n", "day {}: {:.2f} \u00b0C, ", "in {} days {:.1f} degrees\n"]
)
def test_shares_of_a_range_with_the_unit_of_the_column(form: str, head: str) -> None:
    assert "as the model gives it, in the scale of the window" in of_lake(form, TOMORROW, head)
    assert of_lake(form, TOMORROW * 40 - 5, head) == ""


@pytest.mark.parametrize(
    "form",
    [
        "day {}: {:.2f}\n",  # a share, by all that is said
        "day {}: {:.1f} mm\n",  # of rain
        "day {}: +{:.1f} C\n",  # a change
        "day {}: {:.1f} degrees warmer\n",
        "day {}: {:.2f} C, at the most 21.5 C\n",  # not the only ones
        "day {}: scaled {:.2f} C\n",
    ],
)
def test_shares_that_are_none_of_a_range(form: str) -> None:
    assert of_lake(form, TOMORROW) == ""


def test_shares_that_do_not_go_on() -> None:
    assert of_lake("{} d: {:.2f} C\n", [0.02, 0.05, 0.01, 0.03, 0.04, 0.02]) == "", "a change"
    assert of_lake("{} d: {:.2f} C\n", TOMORROW[:3]) == "", "too few to show how they go on"
    assert of_lake("{} d: {:.2f} C\n", TOMORROW, "lake") == "", "its unit isn't known"
