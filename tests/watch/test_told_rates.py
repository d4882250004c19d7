"""Rates that a guest writes, and that are other fields of the sound's header."""

from __future__ import annotations

from struct import pack
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn import Module
from pywasm_nn.watch.written.told_rates import ToldRates

NOTHING = "(module)"


def wave(rate: int, channels: int = 1, bits: int = 16, before: bytes = b"") -> bytes:
    frame = channels * bits // 8
    head = b"fmt " + pack("<IHHIIHH", 16, 1, channels, rate, rate * frame, frame, bits)
    body = before + head + b"data" + pack("<I", 400) + bytes(400)
    return b"RIFF" + pack("<I", 4 + len(body)) + b"WAVE" + body


def said(text: str, *sounds: bytes, program: str = NOTHING) -> str:
    rates = ToldRates(lambda: [(f"{at}.wav", data) for at, data in enumerate(sounds)])
    rates.attach(Module.from_text(program))
    event: Any = SimpleNamespace(
        name="fd_write", error=None, result=0, arguments=(("fd", 1), ("ciovs", [text.encode()]))
    )
    rates.host_call(event)
    return "; ".join(text for _, text in rates.finish())


@pytest.mark.parametrize("before", [b"", b"LIST" + pack("<I", 6) + b"artist"])
@pytest.mark.parametrize(("rate", "channels", "bits"), [(8000, 2, 16), (44100, 1, 16), (22050, 2, 24)])
@pytest.mark.parametrize("form", ["{} Hz, 400 bytes\n", "rate={}\n", "Sample rate: {}\n", "fs {}"])
def test_bytes_a_second(form: str, rate: int, channels: int, bits: int, before: bytes) -> None:
    sound, wrong = wave(rate, channels, bits, before), rate * channels * bits // 8
    place = 28 + len(before)
    hint = said(form.format(wrong), sound)
    assert "the number of bytes a second" in hint and f"at byte {place}: " in hint
    assert f"read at byte {place - 4}?" in hint
    assert said(form.format(rate), sound) == ""
    assert said(form.format(rate) + "\n" + form.format(wrong), sound) == "", "it knows the rate"
    assert said(form.format(wrong), sound, wave(wrong)) == "", "that of another sound"


def test_thousands_and_small_fields() -> None:
    assert "bytes a second" in said("a tone of 32.0 kHz", wave(8000, 2))
    assert "bits of a sample" in said("sample rate 16\n", wave(8000, 2))
    assert "in all channels" in said("sampling_rate=4", wave(8000, 2))


@pytest.mark.parametrize(
    "text", ["error rate 16", "rate 2", "byte rate 32000", "bit rate: 32000", "440 Hz", "16 Hz"]
)
def test_other_numbers(text: str) -> None:
    assert said(text, wave(8000, 2)) == ""


@pytest.mark.parametrize(
    "program",
    [
        "(module (func (drop (i32.const 16000))))",
        "(module (func (drop (f64.const 16000))))",
        '(module (memory 1) (data (i32.const 0) "16000 Hz is wanted"))',
        '(module (memory 1) (data (i32.const 0) "\\80\\3e\\00\\00"))',
    ],
)
def test_a_rate_of_the_program(program: str) -> None:
    """A sound of one channel at 8,000 Hz has as many bytes a second as most models want samples."""
    assert said("resampled to 16000 Hz", wave(8000), program=program) == ""
    assert said("resampled from 16000 Hz", wave(8000)) != ""


def test_another_rate_than_that_of_samples() -> None:
    for what in ("data rate", "byte rate", "bit-rate"):
        assert said(f"{what}: 32000", wave(8000, 2)) == ""
    assert said("rate: 32000", wave(8000, 2)) != ""
