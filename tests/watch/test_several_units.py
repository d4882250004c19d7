"""Several elements in another system's units, by the means that a model has, and lines that are right."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.formats.format import Column
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.sent.wanted import Wanted

KNOWN = {
    "age": (48.0, 13.0),
    "pulse": (72.0, 9.0),
    "cells": (5.2, 0.6),
    "length": (171.0, 9.5),
    "weight": (52.0, 6.0),
    "fat": (189.0, 34.0),
    "sugar": (91.0, 11.0),
    "salt": (140.0, 6.0),
}
LABORATORY = {"fat": 1 / 38.67, "sugar": 1 / 18.016}
CUSTOMARY = {"length": 1 / 2.54, "weight": 1 / 0.45359}


def said(rows: Any) -> str:
    wanted = Wanted()
    wanted.loaded(1, {0: [Column(centre=(mean, wide, True)) for mean, wide in KNOWN.values()]})
    return "; ".join(wanted.set(1, 0, Tensor.from_numpy(rows.astype("f4"))))


def lines(seed: int, count: int = 8) -> Any:
    means, widths = numpy.array([*KNOWN.values()]).T
    return means + widths * numpy.random.default_rng(seed).uniform(-1.5, 1.5, (count, len(KNOWN)))


def times(rows: Any, factors: dict[str, float]) -> Any:
    return rows * [factors.get(name, 1.0) for name in KNOWN]


@pytest.mark.parametrize("seed", range(4))
def test_units_of_another_system(seed: int) -> None:
    rows = lines(seed)
    found = said(times(rows, LABORATORY))
    assert "element 5 times 38.67 (mmol/l to mg/dl of cholesterol)" in found
    assert "element 6 times 18.016 (mmol/l to mg/dl of glucose)" in found
    found = said(times(rows, CUSTOMARY))
    assert "element 3 times 2.54 (inches to cm)" in found and "element 4 times 0.45359" in found
    assert said(rows) == ""


@pytest.mark.parametrize("seed", range(4))
def test_other_lines_that_are_far(seed: int) -> None:
    """Other factors, columns that hardly differ, few lines, and one column of its own."""
    rows = lines(seed)
    flat = rows.copy()
    flat[:, 5:7] = [4.9, 5.05]
    for other in (times(rows, {"fat": 1 / 7, "sugar": 1 / 150}), flat, times(rows[:4], LABORATORY)):
        assert "in other units" not in said(other)
    assert "in other units" not in said(times(rows, {"fat": 1 / 38.67}))
