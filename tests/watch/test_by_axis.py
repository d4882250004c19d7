"""Windows of a sensor's records in a file without a header, sent channel by channel or transposed."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.nn import Tensor
from pywasm_nn.watch.series import Series


def said(sent: Any, stored: Any, kind: str) -> str:
    series = Series(lambda: [("log.bin", stored.astype(kind).tobytes())])
    return "; ".join(series.set(0, Tensor.from_numpy(numpy.ascontiguousarray(sent, "f4"))))


@pytest.mark.parametrize("kind", ["<i2", "<f4", "<f8"])
@pytest.mark.parametrize("channels", [3, 6])
def test_orders(kind: str, channels: int) -> None:
    order = numpy.random.default_rng(channels)
    samples = (
        numpy.cumsum(order.normal(0, 60, (80, channels)), axis=0).round()
        + 900 * order.normal(0, 1, channels).round()
    )
    sent, shape = samples / 512, (1, 80, channels)
    assert said(sent.reshape(shape), samples, kind) == ""
    assert said(sent.T[None], samples, kind) == "", "the shape says channels first"
    assert said(sent.reshape(shape), samples.T, kind) == "", "the file has channel after channel"
    assert "they were transposed on the way" in said(sent.T.reshape(shape), samples, kind)
    assert "they have to be transposed" in said(sent.T.reshape(shape), samples.T, kind)
    noise = order.normal(0, 900, (80, channels)).round()
    assert said(noise.T.reshape(shape), noise, kind) == ""


def test_a_sensor_that_hardly_moves() -> None:
    """Its axes are noise around slow swings."""
    for seed in range(6):
        order = numpy.random.default_rng(seed)
        swings = numpy.sin(numpy.arange(96)[:, None] / 6 + order.uniform(0, 6, 3)) * [30, 45, 25]
        level = numpy.array([-12, 40, 990])
        samples = (swings + order.normal(0, 16, (96, 3))).round() + level
        assert "they were transposed on the way" in said(samples.T.reshape(1, 96, 3), samples, "<i2")
        assert said(samples[None], samples, "<i2") == ""
        assert said(samples[None], samples.T, "<i2") == "", "the file has axis after axis"
        assert said(samples.T[None], samples, "<i2") == "", "the shape says axes first"


def test_parts_of_one_channel() -> None:
    wave = numpy.sin(numpy.arange(320) / 9) * 3000
    assert said(wave.reshape(1, 80, 4), wave, "<f4") == ""


def held(count: int, windows: int, seed: int, *, rises: float = 0.0) -> Any:
    """Returns windows [windows, samples, axes] of a sensor that somebody holds, and shakes in some of them.
    The noise of an axis goes on in no order."""
    order = numpy.random.default_rng(seed)
    down = numpy.array([0.1, 0.5, -0.8, 0, 0.1, 0])[:6] * 9.81
    shaken = order.uniform(0.05, 1.5, (windows, 1, 1)) * order.normal(0, 1, (windows, count, 6))
    slowly = rises * numpy.arange(windows * count).reshape(windows, count, 1)
    return (down * (not rises) + shaken + slowly) * 100


@pytest.mark.parametrize("kind", ["<i2", "<f4"])
@pytest.mark.parametrize("channels", [3, 6])
def test_axes_around_levels_of_their_own(kind: str, channels: int) -> None:
    for seed in range(4):
        stored = held(50, 5, seed)[..., :channels].round()
        planes = stored.swapaxes(1, 2)
        shape = (1, 50, channels)
        assert "have to be transposed" in said(planes[0].reshape(shape), planes, kind)
        assert said(planes[0].T.reshape(shape), planes, kind) == "", "the guest transposes them"
        assert said(stored[0].reshape(shape), stored, kind) == "", "sample by sample"
        assert said(planes[:1], planes, kind) == "", "the shape says axis by axis"
        drift = held(50, 5, seed, rises=0.9)[..., :channels].round()
        assert said(drift[0].reshape(shape), drift, kind) == "", "all axes rise slowly"
