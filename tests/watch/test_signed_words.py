"""Unsigned words that were loaded as signed ones and divided by numbers of their own. A mistake, and twins
without one."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.series import Series


def said_of(words: Any, divisors: Any, data: bytes) -> list[str]:
    series = Series(lambda: [("sensors.bin", data)])
    return [*series.set("x", Tensor.from_numpy((words / divisors)[None].astype("f4")), "x")]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("seed", range(5))
def test_resistances_over_those_in_clean_air(seed: int, order: str) -> None:
    numbers = numpy.random.default_rng(seed)
    clean = numbers.integers(36000, 64000, 8)
    words = numpy.array([0.4, 0.95, 0.45, 0.93, *numbers.uniform(0.3, 1.02, 4)]) * clean
    words[1::2] = words[1::2].clip(33000)
    words = words.astype(f"{order}u2")
    data = words.tobytes()
    signed = words.view(f"{order}i2").astype("f8")
    (said,) = said_of(signed, clean, data)
    assert "unsigned numbers of 16 bits were loaded as signed ones" in said
    assert said_of(words, clean, data) == []
    assert said_of(signed, numpy.full(8, 32768), data) == [], "a part of the whole range"
    assert said_of(signed, numbers.integers(2000, 32000, 8), data) == [], "signed numbers reach these"
    assert said_of(signed, clean * 1.0003, data) == [], "numbers that are no counts"
    assert said_of(words // 2, clean // 2, (words // 2).tobytes()) == []
