"""Sounds that came to another rate, were played again, or of which halves were taken for channels."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from pywasm_nn.watch.budget import always
from pywasm_nn.watch.origin import Source, decoded, heard
from pywasm_nn.watch.origin.sequences import at_another_rate
from tests.watch.test_origin import wav
from tests.watch.test_sounds import SAMPLES, UNIT, WIDE, riff

ORDER = numpy.random.default_rng(12)
TIME = numpy.arange(44100) / 44100
LEFT = sum(numpy.sin(6.2832 * (150 * k * TIME + 200 * k * TIME**2)) / k for k in range(1, 6)) * (
    0.2 + TIME % 0.3
)
RIGHT = LEFT * 0.6 + 0.1 * numpy.sin(6.2832 * 90 * TIME)
STEREO = (9000 * numpy.stack([LEFT, RIGHT], 1)).round()
MONO = STEREO.mean(axis=1) / 32768
HALVES = STEREO.reshape(2, -1).mean(axis=0) / 32768


def at(samples: Any, step: float, count: int = 12000) -> Any:
    places = numpy.arange(min(count, int((len(samples) - 1) / step))) * step
    return numpy.interp(places, numpy.arange(len(samples)), samples)[None].astype("f4")


def found(array: Any, data: bytes) -> tuple[str, str]:
    origin = heard(array, decoded("a.wav", data) or Source("", None, ""))
    return ("", "") if origin is None else (str(origin), origin.wrong)


@pytest.mark.parametrize("rate", [16000, 22050, 8000])
def test_resampled(rate: int) -> None:
    data = wav(STEREO, 44100)
    line, wrong = found(at(MONO, 44100 / rate, 16000)[:, 1000:], data)
    assert f"the mean of its channels, resampled to {rate:,} Hz, from sample" in line and wrong == ""
    line, wrong = found(at(MONO, rate / 44100), data)
    assert "by the inverse of the rate" in wrong and f"to {rate:,} Hz" in wrong


@pytest.mark.parametrize("rate", [16000, 8000])
@pytest.mark.parametrize("count", [2000, 12000])
def test_resampled_by_bytes_a_second(rate: int, count: int) -> None:
    """A second is over after a quarter of its samples."""
    long = numpy.concatenate([STEREO, STEREO[::-1], STEREO])
    data, mean = wav(long, 44100), long.mean(axis=1) / 32768
    made = numpy.zeros((1, 16000), "f4")
    own = at(mean, 4 * 44100 / rate, count)
    made[:, : own.shape[1]] = own
    wrong = found(made, data)[1]
    assert f"{4 * 44100:,} a second, which are its bytes: they have {rate / 4:,.0f} Hz now" in wrong
    for right in (44100, 8000, 12000):
        assert "bytes" not in found(at(mean, 44100 / right, count), data)[1]
    assert "bytes" not in found(at(mean, 4, count), data)[1]


def test_halves_for_channels() -> None:
    data = wav(STEREO, 44100)
    assert "the two halves of the file were added" in found(at(HALVES, 44100 / 16000), data)[1]
    assert "the two halves of the file were added" in found(HALVES[None, :9000].astype("f4"), data)[1]
    assert "halves" not in found(MONO[None, :9000].astype("f4"), data)[1]


PART = STEREO[:14000]


def at_a_rate(array: Any, samples: Any, rate: int) -> tuple[str, str]:
    """What is found of an input that is no part of a sound as it is."""
    source = decoded("a.wav", wav(samples, rate))
    assert source is not None
    origin = at_another_rate(array.reshape(-1).astype("f8"), source, always)
    return ("", "") if origin is None else (str(origin), origin.wrong)


@pytest.mark.parametrize(("rate", "wanted"), [(44100, 16000), (48000, 16000), (32000, 22050)])
@pytest.mark.parametrize("is_loud", [True, False])
def test_channels_in_turns_at_another_rate(rate: int, wanted: int, is_loud: bool) -> None:
    """A window that was scaled by itself, such as each frame of a pitch tracker."""
    ways = [(PART.reshape(-1), True), (PART.mean(axis=1), False), (PART[:, 1], False)]
    for samples, is_wrong in ways:
        own = at(samples / 32768, rate / wanted, 1024)
        line, wrong = at_a_rate((own - own.mean()) / own.std() if is_loud else own, PART, rate)
        assert f"resampled to {wanted:,} Hz, from sample 0 on" in line
        assert wrong == "the samples of 2 channels lie in turns, as if they were one" * is_wrong
    if rate == 44100 and is_loud:
        longer = at(PART.reshape(-1) / 32768, rate / wanted, 7000)
        assert "lie in turns" in at_a_rate(longer, PART, rate)[1]


def test_a_window_that_is_no_beginning() -> None:
    """Any tone is like another: so few elements are only looked for where a sound begins."""
    tone = numpy.sin(6.2832 * 440 * TIME[:14000])
    both = (9000 * numpy.stack([tone, tone], 1)).round()
    for other in (0.5, 1.37, 2.0, 3.1):
        played = numpy.sin(6.2832 * 440 * other * TIME[:14000] + 0.3)
        assert at_a_rate(at(played, 44100 / 16000, 1024), both, 44100) == ("", "")


@pytest.mark.parametrize("seed", range(3))
def test_other_sounds_are_not_taken_for_it(seed: int) -> None:
    order = numpy.random.default_rng(seed)
    other = numpy.sin(numpy.cumsum(order.uniform(0.01, 0.05 + 0.1 * seed, 12000)))
    assert found(other[None].astype("f4"), wav(STEREO, 44100))[1] == ""


def test_again_and_again() -> None:
    data = riff(1, 24, WIDE)
    line, wrong = found(numpy.resize(UNIT, 9000)[None].astype("f4") / 2, data)
    assert line.endswith("times 0.5, again and again") and wrong == ""
    without = numpy.where(UNIT < 0, UNIT + 2, UNIT)
    assert "24 bits have a sign" in found(numpy.resize(without, 9000)[None].astype("f4") / 4, data)[1]
    assert "24 bits have a sign" in found(without[None, :2000].astype("f4"), data)[1]


def test_silence_of_8_bits() -> None:
    octets = (SAMPLES // 256 + 128).astype("u1")
    data = riff(1, 8, octets.tobytes())
    assert found((octets[None, :2000] / 128 - 1).astype("f4"), data)[1] == ""
    assert "silence is 128" in found((octets[None, :2000] / 128).astype("f4"), data)[1]


@pytest.mark.parametrize(("rate", "begins", "by"), [(16000, 0, "line"), (24000, 2000, "before")])
def test_channels_in_turns_as_one_at_another_rate(rate: int, begins: int, by: str) -> None:
    def brought(samples: Any) -> Any:
        places = (begins + numpy.arange(4500)) * 44100 / rate
        line = numpy.interp(places, numpy.arange(len(samples)), samples)
        return (line if by == "line" else samples[places.astype(int)]) / 32768

    line, wrong = at_a_rate(brought(PART.reshape(-1)), PART, 44100)
    assert f"resampled to {rate:,} Hz" in line and "samples of 2 channels lie in turns" in wrong
    assert at_a_rate(brought(PART.mean(axis=1)), PART, 44100)[1] == ""
