"""Buffers of samples that keep the end of a longer sound: mistakes, and right twins."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.decoding import Source
from pywasm_nn.watch.sent.remains import Remains

RANDOM = numpy.random.default_rng(8)


def sound(name: str, count: int, rate: int = 8000, channels: int = 1) -> Source:
    tones = numpy.cumsum(RANDOM.normal(0, 0.01, (count, channels)), axis=0).astype("f4")
    return Source(name, tones[:, 0] if channels == 1 else tones, f"{count} samples at {rate} Hz", rate=rate)


def said(first: Source, second: Source, *, is_cleared: bool, size: int = 4000, scale: float = 1) -> str:
    buffer: Any = numpy.zeros((1, size), "f4")
    last: list[Source] = []
    remains, found = Remains(lambda: last[-1] if last else None), ""
    for one in (first, second):
        last.append(one)
        step = one.rate // 8000
        samples = (one.array if one.array.ndim == 1 else one.array.mean(axis=1))[::step] * scale
        if is_cleared:
            buffer[:] = 0
        buffer[0, : min(size, len(samples))] = samples[:size]
        found = remains.wrong("x", Tensor.from_numpy(buffer), is_found=False)
    return found


@pytest.mark.parametrize("rate", [8000, 16000])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("scale", [1, 32768])
def test_the_end_of_a_longer_sound(rate: int, channels: int, scale: float) -> None:
    first, second = sound("long.wav", 5000), sound("short.wav", 2500 * rate // 8000, rate, channels)
    assert "elements 2500 to 3999 behind it are still" in said(first, second, is_cleared=False, scale=scale)
    assert said(first, second, is_cleared=True, scale=scale) == ""
    assert said(second, first, is_cleared=False, scale=scale) == ""


def test_a_buffer_that_goes_round() -> None:
    """The first part of a long sound in front of older samples, as in a ring."""
    one = sound("long.wav", 6000)
    remains = Remains(lambda: one)
    buffer: Any = one.array[:4000].copy().reshape(1, -1)
    assert remains.wrong("x", Tensor.from_numpy(buffer), is_found=False) == ""
    buffer[0, :2000] = one.array[4000:]
    assert remains.wrong("x", Tensor.from_numpy(buffer), is_found=False) == ""
