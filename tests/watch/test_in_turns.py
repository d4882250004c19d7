"""Features that programs make by hand of a sound's pieces, of two channels that were taken for one signal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.decoding import decoded
from pywasm_nn.watch.origin.unheaded_turns import two_channels
from pywasm_nn.watch.sent.in_turns import in_turns
from tests.watch.test_false_alarms import origins_of
from tests.watch.test_origin import wav

RATE, PIECES = 8000, 9
TURNS = "as they lie in turns"


def stereo(seed: int, length: int) -> Any:
    """Tones that change from piece to piece, with noise, and another sound in the other channel."""
    order = numpy.random.default_rng(seed)
    times = numpy.arange(length) / RATE
    tones = [
        order.uniform(0.05, 0.3) * numpy.sin(2 * numpy.pi * order.uniform(200, 1800) * times)
        for _ in range(PIECES)
    ]
    left = numpy.concatenate(tones) + order.normal(0, 0.02, PIECES * length)
    right = order.normal(0, 1, PIECES * length) * numpy.repeat(order.uniform(0.02, 0.2, PIECES), length)
    return (numpy.stack([left, right], 1) * 32767).astype("i2")


def at_tones(piece: Any) -> Any:
    """The strength of some tones, as of Goertzel's way."""
    times = numpy.arange(len(piece)) / RATE
    tones = (261.63, 440, 697, 1209, 1336)
    powers = [abs(piece @ numpy.exp(-2j * numpy.pi * tone * times)) ** 2 / len(piece) for tone in tones]
    return numpy.log10(1e-9 + numpy.array(powers))


def by_ear(piece: Any) -> Any:
    """How loud, how often it crosses zero, and its largest sample."""
    crossings = ((piece[1:] >= 0) != (piece[:-1] >= 0)).mean()
    return numpy.array([numpy.sqrt((piece**2).mean()), crossings, abs(piece).max()])


def in_decibels(piece: Any) -> Any:
    return numpy.array([20 * numpy.log10(numpy.sqrt((piece**2).mean())), abs(numpy.diff(piece)).mean()])


@pytest.mark.parametrize("features", [at_tones, by_ear, in_decibels])
@pytest.mark.parametrize("length", [512, 800])
@pytest.mark.parametrize("times", [1, 2])
def test_channels_in_turns(features: Callable[[Any], Any], length: int, times: int) -> None:
    """Each piece as its first half, or as all of its samples."""
    samples = stereo(length + times, length)
    sound = decoded("a.wav", wav(samples, RATE))
    assert sound is not None

    def rows(signal: Any, step: int, count: int) -> Any:
        made = [features(signal[at * step : at * step + count]) for at in range(PIECES)]
        return numpy.stack(made).astype("f4").astype("f8")

    shares = samples / 32768
    wrongly = rows(shares.reshape(-1), 2 * length, times * length)
    assert TURNS in in_turns(wrongly, sound, lambda: True)
    assert TURNS in in_turns((wrongly - wrongly.mean(0)) / wrongly.std(0), sound, lambda: True)
    for right in (shares[:, 0], shares[:, 1], shares.mean(axis=1)):
        assert in_turns(rows(right, length, length), sound, lambda: True) == ""


@pytest.mark.parametrize("seed", range(10))
def test_other_features_of_two_channels(seed: int) -> None:
    """What isn't measured on the samples at all, and what goes on slowly by itself."""
    order = numpy.random.default_rng(seed)
    sound = decoded("a.wav", wav(stereo(seed, 400), RATE))
    assert sound is not None
    for count in (6, 9, 12):
        noise = order.normal(size=(count, 5))
        for rows in (noise, noise.cumsum(axis=0), numpy.sort(noise, axis=0)):
            assert in_turns(rows, sound, lambda: True) == ""


def test_equal_channels_say_nothing() -> None:
    samples = stereo(3, 800)
    samples[:, 1] = samples[:, 0]
    sound = decoded("a.wav", wav(samples, RATE))
    assert sound is not None
    pieces = (samples / 32768).reshape(PIECES, -1)
    assert in_turns(numpy.stack([by_ear(piece) for piece in pieces]), sound, lambda: True) == ""


def said_of(sent: Any, data: bytes) -> str:
    """What is said of samples that come from a file without a header."""
    array = (sent / 32768).astype("f4")[None]
    return two_channels(array, origins_of(data, "a.s16").of(Tensor.from_numpy(array)))


def plucked(seed: int, count: int = 1024) -> Any:
    """A string that was plucked."""
    order = numpy.random.default_rng(seed)
    times = numpy.arange(count) / RATE
    turns = 2 * numpy.pi * order.uniform(80, 150) * times
    tones = sum(order.uniform(0.2, 1) * numpy.sin(one * turns + one) for one in (1, 2))
    return 6000 * tones * numpy.exp(-times * order.uniform(1, 8))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("louder", [0.5, 0.8, 1.4])
def test_a_sound_without_a_header_in_two_channels(seed: int, louder: float) -> None:
    """The same sound, louder in one channel, or another in each; the first half of all samples is sent."""
    one = plucked(seed)
    for other in (louder * one, louder * plucked(seed + 50)):
        turns = numpy.stack([one, other], 1).reshape(-1).astype("<i2")
        data = turns.tobytes()
        assert TURNS[8:] in said_of(turns[: len(one)], data)
        for right in (turns[::2], turns[1::2], turns.reshape(-1, 2).mean(axis=1)):
            assert said_of(right, data) == ""


@pytest.mark.parametrize("seed", range(8))
def test_a_sound_without_a_header_in_one_channel(seed: int) -> None:
    """Tones as high as can be, at four samples a turn, noise, and what fades fast."""
    order = numpy.random.default_rng(seed)
    times = numpy.arange(2048)
    kinds = (
        plucked(seed, 2048),
        9000 * numpy.sin(numpy.pi / 2 * times + order.uniform(-1, 1)),
        9000 * numpy.sin(order.uniform(0.05, 2.6) * times),
        order.normal(0, 5000, 2048),
        30000 * 0.95**times,
        order.normal(0, 300, 2048).cumsum().clip(-32000, 32000),
    )
    for samples in kinds:
        sent = samples.astype("<i2")
        assert said_of(sent[:1024], sent.tobytes()) == said_of(sent, sent.tobytes()) == ""
