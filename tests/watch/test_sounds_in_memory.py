"""Samples that lie misread in a guest's memory as floats, while features of any kind are sent; and guests
that read them rightly."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.interpreter.runtime.observe import HostEvent
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin.decoding import decoded
from pywasm_nn.watch.origin.sequences import RAN_OVER
from pywasm_nn.watch.sent.sounds_in_memory import SoundsInMemory
from tests.watch.test_origin import wav

RNG = numpy.random.default_rng(3)
MONO: Any = numpy.clip(RNG.normal(0, 9000, 3000), -32768, 32767).astype("<i2")
STEREO: Any = numpy.clip(RNG.normal(0, 14000, (3000, 2)), -32768, 32767).astype("<i2")
ODD: Any = numpy.frombuffer(MONO.tobytes()[1:-1], "<i2")
BIG: Any = MONO.byteswap()
WHOLE: Any = STEREO.astype("i4").sum(axis=1)
OVER: Any = WHOLE.astype("<i2")


def with_chunk(data: bytes, length: int) -> bytes:
    """A WAV file with one more chunk before the samples, which begin at an even byte again."""
    return data[:36] + b"note" + length.to_bytes(4, "little") + bytes(length + length % 2) + data[36:]


def hint(samples: Any, data: bytes, kind: str = "<f4", said: tuple[str, ...] = (), room: int = 9) -> str:
    """What is said of a guest with these numbers in its memory."""
    held = bytes(8192 * room) + numpy.asarray(samples).astype(kind).tobytes() + bytes(12) + data
    held += bytes(-len(held) % 65536)
    memory = SimpleNamespace(size=len(held), view=lambda at, count: memoryview(held)[at : at + count])
    guest: Any = SimpleNamespace(mems=[memory])
    rule = SoundsInMemory(lambda: decoded("a.wav", data), Budget(), said)
    for name in ("fd_read", "set_input", "compute"):
        module = "wasi_snapshot_preview1" if name == "fd_read" else "wasi_ephemeral_nn"
        rule.asked(HostEvent(module, name, (), 0, None, 0.0), lambda: guest)
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
@pytest.mark.parametrize("scale", [1.0, 1 / 32768, 1 / 32767])
def test_misread_samples(kind: str, scale: float) -> None:
    mono, stereo = wav(MONO), wav(STEREO)
    assert "samples begin at an odd byte" in hint(ODD * scale, mono, kind)
    assert "in the opposite order (big-endian)" in hint(BIG * scale, mono, kind)
    assert RAN_OVER in hint(OVER / 2 * scale, stereo, kind)
    assert hint(MONO * scale, mono, kind) == "", "as they are"
    assert hint(WHOLE / 2 * scale, stereo, kind) == hint(STEREO[:, 1] * scale, stereo, kind) == ""
    assert hint(STEREO.reshape(-1) * scale, stereo, kind) == "", "channels are taken apart later"
    assert hint(numpy.concatenate([ODD, MONO]) * scale, mono, kind) == "", "both ways are tried"


def test_sums_that_are_not_divided() -> None:
    assert RAN_OVER in hint(OVER / 32768, wav(STEREO))
    assert hint(WHOLE / 32768, wav(STEREO)) == ""
    assert hint((WHOLE // 4).astype("<i2") / 32768, wav(STEREO // 4)) == "", "soft ones don't run over"


@pytest.mark.parametrize("length", [7, 27])
def test_a_chunk_of_odd_length(length: int) -> None:
    data = with_chunk(wav(MONO), length)
    assert f'its chunk "note" has {length} bytes' in hint(ODD / 32768, data)
    assert "its chunk" not in hint(ODD / 32768, with_chunk(wav(MONO), length + 1))
    assert hint(MONO / 32768, data) == ""


def test_what_is_left_alone() -> None:
    data = wav(MONO)
    assert hint(ODD / 32768, data, said=('input 0 "x": a.wav, from -1 to 1',)) == "", (
        "it is told by the input"
    )
    assert hint(ODD[:8] / 32768, data) == "", "too few"
    assert hint(numpy.zeros(64), data) == "", "nothing"
    assert hint(ODD / 32768, data, room=1 << 13) == "", "too large a memory"
