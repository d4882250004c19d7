"""Windows whose elements lie time by time, or channel by channel, against what their shape says."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn.watch.series.by_lags import by_lags
from pywasm_nn.watch.series.exchanged import lines_taken_for_places

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


IN_TURNS, AS_ONE = "every third element goes on smoothly", "its 3 channels go on as one"


def log(seed: int, count: int = 600) -> numpy.ndarray:
    """An accelerometer's log, [samples, axes]: gravity and slow movements."""
    numbers = numpy.random.default_rng(seed)
    at = numpy.arange(count)[:, None]
    waves = 0.2 * numpy.sin(at * 2 * numpy.pi / numbers.uniform(25, 60, 3) + numbers.uniform(0, 6, 3))
    levels = numpy.array([0.1, -0.3, 0.9])
    return (1000 * (waves + levels + numbers.normal(0, 0.01, (count, 3)))).round()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("start", [0, 64, 101])
def test_triples_and_blocks_taken_for_each_other(seed: int, start: int) -> None:
    samples = log(seed)
    triples, blocks = samples.reshape(-1), samples.T.reshape(-1)
    at = numpy.arange(start, start + 64)
    axis = numpy.arange(3)[:, None]
    right, in_turns = samples.T[:, at], triples[axis * len(samples) + at]
    as_one = blocks[3 * at + axis]
    for scale in (1, 1 / 1000):
        for planar, wrong in ((right, ""), (in_turns, IN_TURNS), (as_one, AS_ONE)):
            for sent in (planar[None], numpy.ascontiguousarray(planar.T)[None]):
                found = by_lags((scale * sent).astype("f4"))
                assert (wrong in found) if wrong else found == ""


@pytest.mark.parametrize("period", [2.9, 3.0, 3.1, 6.0])
@pytest.mark.parametrize("seed", range(4))
def test_vibrations_are_no_channels_in_turns(period: float, seed: int) -> None:
    numbers = numpy.random.default_rng(seed)
    at = numpy.arange(96) * 2 * numpy.pi / period
    sizes, phases = numpy.array([1.0, 0.3, 2.5]), numbers.uniform(0, 6, 3)
    sent = sizes[:, None] * numpy.sin(at + phases[:, None]) + numbers.normal(0, 0.02, (3, 96))
    assert by_lags(sent[None]) == by_lags(numpy.ascontiguousarray(sent.T)[None]) == ""


def test_channels_that_are_nearly_equal() -> None:
    one = numpy.cumsum(numpy.random.default_rng(7).normal(size=96))
    sent = numpy.stack([one, one + 0.01, one - 0.01])
    assert by_lags(sent[None]) == by_lags(numpy.ascontiguousarray(sent.T)[None]) == ""


@pytest.mark.parametrize("heading", ["", "3 64\n", "x y z\n"])
@pytest.mark.parametrize("comma", [" ", ",", ", "])
def test_a_line_for_each_channel(heading: str, comma: str) -> None:
    lines = numpy.random.default_rng(8).normal(0, 90, (3, 64)).round(1)
    text = heading + "".join(comma.join(map(str, line)) + "\n" for line in lines)
    files = [("wrist.txt", text.encode())]
    for scale in (1, 1 / 250):
        sent = (scale * lines).astype("f4")
        found = lines_taken_for_places(sent.reshape(1, 64, 3), files)
        assert "3 lines of 64 numbers" in found[1]
        for right in (sent.T[None], sent[None], sent.reshape(1, 192), sent[::-1].reshape(1, 64, 3)):
            assert lines_taken_for_places(numpy.ascontiguousarray(right), files) == ("", "")
