"""Numbers of 12 bits, two in three bytes, that a guest unpacks wrongly into windows, and the right ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.series.in_triples import misread_triples

TIME = numpy.arange(900)
FLOW = (1900 + 700 * numpy.sin(TIME / 21) + 300 * numpy.sin(TIME / 7.3)).astype(int)
AROUND_0 = (500 * numpy.sin(TIME / 17) + 90 * numpy.sin(TIME / 5)).astype(int)
LEADS = numpy.stack([FLOW[:450], 4000 - FLOW[::-1][:450]], 1).reshape(-1)
"""Two signals, whose numbers take turns."""
Pack = Callable[[Any, Any], tuple[Any, Any, Any]]
PACKED: dict[str, Pack] = {
    "212": lambda a, b: (a & 255, a >> 8 | b >> 8 << 4, b & 255),
    "low": lambda a, b: (a & 255, a >> 8 | (b & 15) << 4, b >> 4),
    "high": lambda a, b: (a >> 4, (a & 15) << 4 | b >> 8, b & 255),
    "last": lambda a, b: (a >> 4, b >> 4, a & 15 | (b & 15) << 4),
}


def packed(numbers: Any, way: str) -> bytes:
    a, b = (numbers & 4095).reshape(-1, 2).T
    return bytes(numpy.stack(PACKED[way](a, b), 1).astype("u1").tobytes())


def pairs(*two: Any) -> Any:
    return numpy.stack(two, 1).reshape(-1).astype("f8")


def said(numbers: Any, data: bytes, at: int = 60, step: int = 1) -> str:
    window = ((numbers[at : at + 80 * step : step] - 300) / 128).astype("f4")
    return misread_triples(window.reshape(1, 80, 1), [("note.txt", b"flow of the mill"), ("mill.dat", data)])[
        1
    ]


def octets(data: bytes) -> Any:
    return numpy.frombuffer(data, "u1").reshape(-1, 3).T.astype(int)


@pytest.mark.parametrize("signal", [FLOW, AROUND_0, LEADS], ids=["flow", "around 0", "leads"])
@pytest.mark.parametrize("way", PACKED)
def test_right_ways(way: str, signal: Any) -> None:
    data, steps = packed(signal, way), (2,) if signal is LEADS else (1, 2)
    for at in (60, 61):
        for step in steps:
            assert said(signal, data, at, step) == "", (at, step)
    assert said(signal, signal.astype("<i2").tobytes()) == "", "whole numbers of 16 bits"


@pytest.mark.parametrize("signal", [FLOW, LEADS], ids=["flow", "leads"])
def test_format_212_without_a_mask(signal: Any) -> None:
    data, step = packed(signal, "212"), 2 if signal is LEADS else 1
    low, shared, high = octets(data)
    wrong = {
        "upper half left in the first number": pairs(low | shared << 8, high | shared >> 4 << 8),
        "the whole shared byte in both numbers": pairs(low | shared << 8, high | shared << 8),
        "halves exchanged": pairs(low | shared >> 4 << 8, high | (shared & 15) << 8),
    }
    for what, numbers in wrong.items():
        text = said(numbers, data, 60, step)
        assert "(format 212), without a sign" in text
        assert what in text or signal is LEADS  # of the first numbers alone that is the same


def test_other_mistakes() -> None:
    data = packed(FLOW, "high")
    low, shared, high = octets(data)
    text = said(pairs(low << 4 | shared, (shared & 15) << 8 | high), data, 61)
    assert "left in the first number" in text and "the higher bits first" in text
    assert "were read as the lower bits first" in said(
        pairs(low | (shared & 15) << 8, shared >> 4 | high << 4), data
    )
    plain = numpy.frombuffer(data[: len(data) // 2 * 2], "<u2").astype("f8")
    assert "read as whole numbers of 16 bits, and jump" in said(plain, data)


@pytest.mark.parametrize("way", ["212", "low", "high"])
def test_numbers_without_their_sign(way: str) -> None:
    data = packed(AROUND_0, way)
    for at in (40, 61, 300):  # where a window has a number below 0
        is_seen = bool((AROUND_0[at : at + 80] < 0).any())
        assert ("with a sign" in said((AROUND_0 & 4095).astype("f8"), data, at)) is is_seen
    assert said((FLOW & 4095).astype("f8"), packed(FLOW, way)) == ""


def test_noise() -> None:
    """Numbers that jump in any way may be right."""
    noise = numpy.random.default_rng(2).integers(0, 4096, 900)
    for way in PACKED:
        data = packed(noise, way)
        low, shared, high = octets(data)
        assert said(noise, data) == "" and said(pairs(low | shared << 8, high | shared >> 4 << 8), data) == ""
