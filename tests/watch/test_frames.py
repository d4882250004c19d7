"""Frames of a sound that was misread, each scaled by itself."""

from __future__ import annotations

import struct
from typing import Any

import numpy
import pytest

from pywasm_nn.watch.origin import decoded
from pywasm_nn.watch.origin.frames import in_frames
from pywasm_nn.watch.origin.spectral import spectral
from tests.watch.test_origin import samples_of, wav

SAMPLES = samples_of(9000)
AU = struct.pack(">4sIIIII", b".snd", 24, 18000, 3, 16000, 1) + SAMPLES.astype(">i2").tobytes()


def frames(samples: Any, size: int, hop: int) -> Any:
    made = numpy.lib.stride_tricks.sliding_window_view(samples.astype("f8"), size)[::hop]
    return ((made - made.mean(axis=1, keepdims=True)) / made.std(axis=1, keepdims=True)).astype("f4")


@pytest.mark.parametrize(("data", "start"), [(AU, 24), (wav(SAMPLES), 44)])
@pytest.mark.parametrize(("size", "hop"), [(1024, 1600), (512, 256), (400, 400)])
def test_frames_in_the_other_byte_order(data: bytes, start: int, size: int, hop: int) -> None:
    source = decoded("a.sound", data)
    assert source is not None
    stored = ">i2" if start == 24 else "<i2"
    read = numpy.frombuffer(data, stored, 9000, start)
    for array in (frames(read.byteswap(), size, hop), frames(read.byteswap(), size, hop)[None]):
        for found in (in_frames(array, source), spectral(array, source)):
            assert found is not None and "opposite order" in found.wrong
    assert in_frames(frames(read, size, hop), source) is None
    assert in_frames(frames(read, size, hop)[:, ::-1], source) is None
    bands = numpy.random.default_rng(0).normal(4, 1, (20, 400)).astype("f4")
    assert in_frames(bands, source) is None
