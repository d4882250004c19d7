"""Bytes that ran over when a mean was taken away."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.levels import arithmetic, over

PIXELS = numpy.random.default_rng(27).integers(0, 256, (40, 60, 3), "u1")


def said(elements: Any) -> str:
    levels = [over(elements[..., at], PIXELS[..., at].astype("f4")) for at in range(3)]
    return arithmetic([one.curve for one in levels if one is not None], elements)


@pytest.mark.parametrize("mean", [104, 127, 128, 129])
@pytest.mark.parametrize("by", [1.0, 128.0])
def test_one_mean(mean: int, by: float) -> None:
    wrapped = PIXELS - numpy.uint8(mean)
    assert f"pixels minus {mean} ran over" in said(wrapped.astype("f4") / by)


def test_a_mean_of_each_colour() -> None:
    wrapped = PIXELS - numpy.array([104, 117, 123], "u1")
    assert "pixels minus 104, 117, 123 ran over" in said(wrapped / 58.0)


def test_signed_bytes() -> None:
    signed = PIXELS.view("i1").astype("f4")
    for elements in (signed, signed / 127.5 - 1):
        assert "taken as signed" in said(elements)
