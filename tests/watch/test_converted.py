"""Windows of a column that were converted before they were scaled: mistakes, and right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.converted import converted

DAYS = (14 + 6 * numpy.sin(numpy.arange(60) / 5) + numpy.random.default_rng(2).normal(0, 0.6, 60)).round(1)


def said(window: Any, numbers: Any = DAYS) -> str:
    data = "\n".join(f"{one:g}" for one in numbers).encode()
    return converted(window.astype("f4")[None], [("days.txt", data)])[1]


@pytest.mark.parametrize(("mean", "by"), [(15, 6), (12.5, 7.25), (14.2, 5.5)])
def test_degrees(mean: float, by: float) -> None:
    window = DAYS[5:35]
    assert "Celsius made Fahrenheit" in said((window * 1.8 + 32 - mean) / by)
    assert "Celsius made kelvins" in said((window + 273.15 - mean) / by)
    assert said((window - mean) / by) == ""
    assert said((window * 1.8 + 32 - 59.2) / 10.8) == "", "a scaler for Fahrenheit"
    assert said((window - 14.037129) / 5.8213) == "", "numbers that were worked out"
    assert said(((window + 30) - mean) / by) == "", "nothing that is known"


def test_speeds() -> None:
    speeds = (DAYS * 1.7).round(2)
    assert "m/s made km/h" in said((speeds[:40] * 3.6 - 25) / 9.5, speeds)
    assert said((speeds[:40] * 3.6 - 90) / 34, speeds) == ""
    assert said(speeds[:40] * 3.6, speeds) == "", "not scaled"
