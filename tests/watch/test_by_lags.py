"""Windows whose elements lie time by time, or channel by channel, against what their shape says."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.series.by_lags import by_lags

TIMES, CHANNELS = 96, 5
TIME_BY_TIME, CHANNEL_BY_CHANNEL = "smoothly time by time (5", "smoothly channel by channel (96"


def window(count: int = 2) -> numpy.ndarray:
    """Slow waves around a level of each channel, [windows, times, channels]."""
    at = numpy.arange(TIMES)[:, None] / 15
    channel = numpy.arange(CHANNELS)
    return numpy.stack([numpy.sin(at + channel + own) + (channel * 7) % 5 for own in range(count)])


@pytest.mark.parametrize("kind", ["f4", "f2", "u1", "i2"])
def test_the_order_that_goes_on_smoothly_is_told(kind: str) -> None:
    sent = (window() * 30 + 40).astype(kind)
    planar = numpy.ascontiguousarray(sent.transpose(0, 2, 1))
    assert by_lags(sent) == by_lags(planar) == ""
    assert TIME_BY_TIME in by_lags(sent.reshape(planar.shape))
    assert CHANNEL_BY_CHANNEL in by_lags(planar.reshape(sent.shape))


def test_frames_of_one_signal_are_no_channels() -> None:
    signal = numpy.sin(numpy.arange(TIMES * CHANNELS) / 9).astype("f4")
    assert by_lags(signal.reshape(1, TIMES, CHANNELS)) == ""
    assert by_lags(signal.reshape(1, CHANNELS, TIMES)) == ""


def test_a_wave_with_a_period_of_as_many_samples_as_there_are_channels_is_none() -> None:
    wave = numpy.sin(numpy.arange(TIMES) * 2 * numpy.pi / CHANNELS)
    sent = wave + numpy.random.default_rng(1).normal(0, 0.05, (1, CHANNELS, TIMES))
    assert by_lags(sent) == ""


def test_noise_and_spectra_say_nothing() -> None:
    numbers = numpy.random.default_rng(2)
    assert by_lags(numbers.normal(size=(2, CHANNELS, TIMES))) == ""
    frames = numpy.cumsum(numbers.normal(size=(1, TIMES, 24)), axis=2)
    assert by_lags(frames) == by_lags(frames.transpose(0, 2, 1).copy()) == ""
    assert by_lags(numpy.zeros((1, CHANNELS, TIMES), "f4")) == ""
