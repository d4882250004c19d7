"""Amounts that are answers times a deviation, without the mean: mistakes, and right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.amounts.below_nothing import below_nothing
from pywasm_nn.watch.amounts.told import Answer, Told
from pywasm_nn.watch.spoken import Spoken

ANSWERS = numpy.random.default_rng(3).normal(0, 1, 7).round(4)
MEAN, DEVIATION = 986.53, 340.9


def hint(
    numbers: Any,
    *,
    name: str = "y",
    model: str = "rent",
    words: str = "EUR",
    files: Any = (),
    form: str = ".0f",
) -> str:
    """What is said of numbers that are written of the answers, one a line, of one batch or of several."""
    lines = "".join(f"{40 + 9 * at} m2: {number:{form}} {words}\n" for at, number in enumerate(numbers))
    batch = [Answer(0, name, ANSWERS[:, None], (), model)]
    single = [Answer(0, name, numpy.array([[one]]), (), model) for one in ANSWERS]
    said = {below_nothing(Told(one, Spoken(lines), files)) for one in (batch, single)}
    assert len(said) == 1
    return said.pop()


@pytest.mark.parametrize("by", [DEVIATION, 23.7, 4.12])
@pytest.mark.parametrize("name", ["rent", "price_model", "House-Price", "ages"])
def test_amounts_without_a_mean(name: str, by: float) -> None:
    wrong = ANSWERS * by
    for found in (
        hint(wrong, form=".1f", model=name),
        hint(wrong, form=".2f", model="", name=name),
        hint(wrong, form=".2f", model="", files=[(f"data/{name}.onnx", b"\x08\x08")]),
    ):
        assert "is never below 0" in found and "is the mean of the training to be added" in found
        assert f"and {(ANSWERS < 0).sum()} of them are below 0" in found


def test_amounts_that_are_right() -> None:
    assert hint(ANSWERS * DEVIATION) != ""
    assert hint(ANSWERS * DEVIATION + MEAN) == ""
    assert hint(ANSWERS * DEVIATION, words="EUR more than last year") == "", "a change"
    assert hint(ANSWERS * DEVIATION, model="profit") == hint(ANSWERS * DEVIATION, model="storage") == ""
    assert hint(ANSWERS * 1000) == hint(ANSWERS * 100, form=".2f") == hint(ANSWERS, form=".4f") == ""
    assert hint(abs(ANSWERS) * DEVIATION) == hint(ANSWERS[::-1] * DEVIATION) == ""


@pytest.mark.parametrize("name", ["price_change", "sales_delta", "cost_anomaly"])
def test_changes_of_amounts_by_their_names(name: str) -> None:
    assert hint(ANSWERS * DEVIATION, model=name) == hint(ANSWERS * DEVIATION, name=name, model="") == ""
