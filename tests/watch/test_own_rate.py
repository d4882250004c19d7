"""The rate of samples for which a program is made, and sounds of another one that were sent as they are."""

from __future__ import annotations

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.nn import DType
from pywasm_nn.nn.tensor import TensorSpec
from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.sent.own_rate import own_rate
from tests.watch.test_origin import wav
from tests.watch.test_sounds import SAMPLES, UNIT, Guest


def program(*numbers: str, text: str = "") -> Module:
    body = " ".join(f"(drop ({kind}.const {one}))" for kind, one in (one.split() for one in numbers))
    return Module.from_text(f'(module (memory 1) (data (i32.const 9) "{text}") (func {body}))')


@pytest.mark.parametrize(
    ("numbers", "text", "rate"),
    [
        (("f64 8000", "f32 0.5"), "", 8000),
        (("f32 0.0000625",), "", 16000),
        (("f32 22050",), "%.1f s at 22.05 kHz", 22050),
        ((), "usage: hear FILE.wav (16 kHz, mono)", 16000),
        ((), "usage: hear FILE.wav (8 or 16 kHz)", 0),
        (("f64 8000",), "from 16000 Hz", 0),
        (("f64 8000", "f64 16000"), "", 0),
        (("i32 8000",), "a file of 8000 bytes", 0),
        (("f32 8001",), "440 Hz", 0),
    ],
)
def test_rates_of_a_program(numbers: tuple[str, ...], text: str, rate: int) -> None:
    assert own_rate(program(*numbers, text=text), lambda: True) == rate


@pytest.mark.parametrize(("rate", "own", "count"), [(16000, 8000, 1), (16000, 16000, 0), (48000, 16000, 1)])
def test_a_sound_of_another_rate(rate: int, own: int, count: int) -> None:
    guest = Guest(rate)
    guest.sounds.attach(program(f"f64 {own}"))
    found = guest.send(UNIT[:900])
    assert len(found) == count and all("were not resampled" in one for one in found)


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 24000])
def test_seconds_that_are_bytes_by_their_number_a_second(rate: int) -> None:
    """A program may have the number for `size / 32000`: a second of 16 bits has so many bytes. A message that
    has it speaks of the rate."""
    for text, count in (("", 0), (f"needs {2 * rate} Hz", 1)):
        guest = Guest(rate)
        guest.sounds.attach(program(f"f64 {2 * rate}", text=text))
        assert len(guest.send(UNIT[:900])) == count


@pytest.mark.parametrize(
    ("rate", "model", "count"),
    [
        (44100, "kws_16k", 1),
        (16000, "kws_16k", 1),
        (44100, "kws_8k", 0),
        (44100, "kws", 0),
        (48000, "a_24k", 0),
    ],
)
def test_a_sound_that_is_resampled_by_its_bytes(rate: int, model: str, count: int) -> None:
    """16 bits a sample: with twice the rate it comes to half of what the model wants."""
    guest = Guest(rate, model)
    guest.sounds.attach(program("f64 16000"))
    long = numpy.concatenate([UNIT] * max(1, 60000 // len(UNIT)))
    guest.source = decoded("long.wav", wav((long * 32767).round(), rate))
    places = numpy.arange(int((len(long) - 1) * 8000 / rate)) * rate / 8000
    found = guest.send(numpy.interp(places, numpy.arange(len(long)), long).astype("f4"))
    assert len(found) == count and all(f"{2 * rate:,} a second, which are its bytes" in one for one in found)


@pytest.mark.parametrize(("rates", "shape", "count"), [
    ((22050, 16000), (1, 2048), 1), ((16000, 8000, 16000), ("n", 2048, 1), 1), ((8000, 8000), (1, 2048), 0),
    ((22050, 16000), (1, None), 0), ((22050, 16000), (1, 40), 0), ((22050, 16000), None, 0),
])  # fmt: skip
def test_sounds_of_two_rates(rates: tuple[int, ...], shape: tuple[int, ...] | None, count: int) -> None:
    guest, found = Guest(rates[0]), []
    guest.graph.inputs = [TensorSpec("x", DType.F32, shape)]
    for rate in rates:
        guest.source = decoded(f"{rate}.wav", wav(SAMPLES, rate))
        found += guest.send(UNIT[:900])
    assert len(found) == count and all(f"of {rates[0]}.wav at {rates[0]:,} Hz" in one for one in found)
