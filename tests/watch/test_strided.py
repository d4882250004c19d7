"""Every n-th sample of a sound: of a channel, and of all channels in turns; and quiet samples, which are like
any others at another height."""

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import Source, decoded
from pywasm_nn.watch.origin.sequences import heard


def sound(channels: int, rate: int = 48000) -> tuple[Any, Source]:
    """Noise [12000, channels] that begins quietly, and its WAV."""
    loud = numpy.linspace(0.001, 1, 12000)[:, None] ** 2
    noise = numpy.random.default_rng(channels).normal(0, 6000, (12000, channels)) * loud
    samples = noise.clip(-32768, 32767).astype("<i2")
    head = struct.pack("<HHIIHH", 1, channels, rate, 2 * rate * channels, 2 * channels, 16)
    body = samples.tobytes()
    chunks = b"fmt " + struct.pack("<I", 16) + head + b"data" + struct.pack("<I", len(body)) + body
    found = decoded("a.wav", b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    assert found is not None
    return samples, found


@pytest.mark.parametrize("step", [3, 5])
@pytest.mark.parametrize("begins", [2000, 9001])
@pytest.mark.parametrize("scale", [1, 32767, 32768])
def test_channels_in_turns_are_no_channel(step: int, begins: int, scale: int) -> None:
    samples, source = sound(2)
    wrongly = samples.reshape(-1)[begins::step][:512] / scale
    found = heard(wrongly[None].astype("f4"), source)
    assert found is not None and "lie in turns, and every" in found.wrong
    rightly = samples[begins::step, 1][:512] / scale
    found = heard(rightly[None].astype("f4"), source)
    assert found is not None and not found.wrong and f"from {begins:,} on" in str(found)


@pytest.mark.parametrize("step", [2, 3, 4])
def test_one_channel(step: int) -> None:
    samples, source = sound(1)
    found = heard((samples[7::step, 0][None, :600] / 32768).astype("f4"), source)
    assert found is not None and not found.wrong and "channel" not in str(found)


@pytest.mark.parametrize(("height", "is_read_so"), [(0.6, False), (0.9, False), (1.0, True), (0.0, True)])
def test_bytes_at_an_odd_height_are_no_samples(height: float, is_read_so: bool) -> None:
    """Quiet samples are like bytes that hardly move, too, but at another height."""
    samples, source = sound(1)
    octets = samples.view("u1").reshape(-1)[12000:12512] / 128.0 - 1
    found = heard((0.25 * octets + 0.25 * height)[None].astype("f4"), source)
    assert is_read_so == (found is not None and "were read as 8 bits" in found.wrong)
