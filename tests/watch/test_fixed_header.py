"""Samples from byte 44 on of WAV files whose header is longer, as guests take them that don't look for the
chunk of the samples."""

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin.decoding import Source, decoded
from pywasm_nn.watch.origin.sequences import heard


def sound(channels: int, kind: str, chunk: bytes) -> Source:
    """A WAV with another chunk before that of the samples."""
    size = numpy.dtype(kind).itemsize
    numbers = numpy.random.default_rng(3).normal(0, 0.1, (4000, channels))
    body = (numbers * (1 if kind == "<f4" else 2 ** (8 * size - 1))).astype(kind).tobytes()
    form = 3 if kind == "<f4" else 1
    head = struct.pack("<HHIIHH", form, channels, 16000, 16000 * size * channels, size * channels, 8 * size)
    chunks = b"fmt " + struct.pack("<I", 16) + head + b"LIST" + struct.pack("<I", len(chunk)) + chunk
    chunks += b"data" + struct.pack("<I", len(body)) + body
    found = decoded("a.wav", b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    assert found is not None and found.start == 52 + len(chunk)
    return found


def taken(source: Source, kind: str, begins: int, step: int, channels: int) -> Any:
    """Each `step`-th sample of the last channel, from a byte on."""
    size = numpy.dtype(kind).itemsize * channels
    body = source.data[begins:]
    samples = numpy.frombuffer(body[: len(body) // size * size], kind).reshape(-1, channels)
    scale = 1 if kind == "<f4" else 2.0 ** (8 * numpy.dtype(kind).itemsize - 1)
    return (numpy.nan_to_num(samples[::step, -1].astype("f8")) / scale).astype("f4")[None, :1000]


@pytest.mark.parametrize(
    ("kind", "channels", "step"), [("<i2", 2, 1), ("<i2", 2, 3), ("<i4", 1, 2), ("<f4", 3, 1)]
)
def test_a_longer_header(kind: str, channels: int, step: int) -> None:
    source = sound(channels, kind, b"INFOISFT\x10\0\0\0a recorder\x01\x02\x03\x04\x05\x06")
    found = heard(taken(source, kind, 44, step, channels), source)
    assert found is not None
    assert f"the file's header has {source.start} bytes and 44 were skipped" in found.wrong
    rightly = heard(taken(source, kind, source.start, step, channels), source)
    assert rightly is None or not rightly.wrong


def test_the_only_channel_with_a_sound_is_missed() -> None:
    """Behind the header all elements are the silent channel's."""
    source = sound(2, "<i2", b"INFOISFT\x10\0\0\0a recorder\x01\x02\x03\x04")
    body = bytearray(source.data)
    body[source.start + 2 :: 4] = bytes(len(body[source.start + 2 :: 4]))
    body[source.start + 3 :: 4] = bytes(len(body[source.start + 3 :: 4]))
    half = decoded("a.wav", bytes(body))
    assert half is not None
    elements = numpy.frombuffer(half.data[44 : 44 + 8000], "<i2").reshape(-1, 2)[::2, 0] / 32768
    found = heard(elements[None].astype("f4"), half)
    assert (half.start - 44) % 4 == 2 and elements[100:].any() == 0
    assert found is not None and "channels behind them change their places" in found.wrong
