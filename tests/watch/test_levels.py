"""Bytes that ran over when a mean was taken away, or when they were made brighter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import decoded
from pywasm_nn.watch.origin.levels import arithmetic, over
from pywasm_nn.watch.origin.matching import traced

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


@pytest.mark.parametrize("by", [1.0, 255.0])
@pytest.mark.parametrize(
    ("top", "brighter", "said"),
    [
        (16, lambda one: one * 16, "times 16 ran over: those above 15 begin again at 0"),
        (16, lambda one: one * 17, "times 17 ran over: those above 15 begin again at 0"),
        (31, lambda one: one * 9, "times 9 ran over"),
        (255, lambda one: one * 1.5, "times 1.5 ran over"),
        (255, lambda one: one + 60, "plus 60 ran over"),
        (16, lambda one: (one * 17).clip(0, 255), ""),
        (15, lambda one: one * 17, ""),
        (15, lambda one: 240 - one * 16, ""),
        (255, lambda one: 255 - one, ""),
        (255, lambda one: (one + 128) % 256, ""),
        (255, lambda one: (one * 1.5).clip(0, 255), ""),
        (255, lambda one: (one > 99) * 255, ""),
        (255, lambda one: one**0.5 * 15, ""),
    ],
)
def test_shades_that_no_byte_holds(top: int, brighter: Callable[[Any], Any], said: str, by: float) -> None:
    for seed in range(4):
        shades = numpy.random.default_rng(seed).integers(0, top + 1, (8, 8), "i8")
        shades[0, :3], shades[1, :4] = top, 0
        source = decoded("glyph.pgm", b"P5\n8 8\n%d\n" % top + shades.astype("u1").tobytes())
        assert source is not None
        made = numpy.floor(brighter(shades)).astype("i8").astype("u1")
        found = traced((made / by)[None, None].astype("f4"), source)
        wrong = "" if found is None else found.wrong
        assert (said in wrong) if said else "ran over" not in wrong
