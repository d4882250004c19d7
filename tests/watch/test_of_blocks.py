"""Guests send spectra of a sound's blocks, an equal step apart: of misread samples, at another rate, without
a logarithm or a window, or by the wrong logarithm. Each mistake has right twins."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.budget import Budget
from pywasm_nn.watch.origin.placed_spectra import placed_in, readings_of
from pywasm_nn.watch.whatif import of_blocks
from pywasm_nn.watch.whatif.of_blocks import Blocks, heard_rightly
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn
from tests.watch.test_origin import wav
from tests.watch.test_sounds import riff

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="bins")])
LENGTH, WIDTH, STEP, START, KINDS = 128, 24, 300, 37, (0, 3, 1, 2, 3, 0, 1)
HANN = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(LENGTH) / LENGTH)
Law = Callable[[Any], Any]


def hum(rate: int = 8000, seed: int = 0) -> Any:
    """Returns a sound that whistles in four ways, one in each step of 8,000 Hz."""
    many, noise = len(KINDS) * STEP * rate // 8000, numpy.random.default_rng(seed)
    time = numpy.arange(many) / rate
    pitch = 210.0 * (2 + numpy.array(KINDS)[(time * 8000 // STEP).astype("i4")])
    made = 0.5 * numpy.sin(2 * numpy.pi * pitch * time) + 0.1 * numpy.sin(6.1 * numpy.pi * pitch * time)
    return numpy.clip(made + noise.normal(0, 0.02, many), -1, 1)


def fifth(powers: Any) -> Any:
    return 0.2 * numpy.log(powers + 1e-6) + 1


def rows_of(samples: Any, law: Law = fifth, window: Any = HANN) -> Any:
    starts = range(START, len(samples) - LENGTH, STEP)
    blocks = numpy.stack([samples[at : at + LENGTH] for at in starts])
    return law(abs(numpy.fft.rfft(blocks * window))[:, 1 : 1 + WIDTH] ** 2)


class Trained(StandIn):
    """Stands for the runs of a model that knows some rows, and guesses others."""

    def __init__(self, known: Any) -> None:
        self._known = known

    def changed(self, _: int, array: Any) -> Answer:
        off = abs(self._known - array.reshape(-1)).max(axis=1)
        return (
            Answer(KINDS[int(off.argmin()) % len(KINDS)], 0.97, 4, 4.0)
            if off.min() < 0.2
            else Answer(1, 0.5, 4, 0.4)
        )


def said(known: Any, sent: Any, file: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    model, files = Trained(known), [("hum.wav", file)]
    monkeypatch.setattr(of_blocks, "Runs", model)
    kept = Blocks(lambda: files, Budget())
    for row in sent.astype("f4"):
        event: Any = SimpleNamespace(graph_id=1)
        kept.take(event, Tensor.from_numpy(row[None]), model.changed(0, row))
    return " ".join(heard_rightly(GRAPH, one, files, 1e-3) for one in kept.due())


def words(samples: Any) -> Any:
    return numpy.rint(samples * 32000).astype("<i2")


MONO, FAST = words(hum()), words(hum(16000))
HALF = FAST[: len(FAST) // 2 * 2].reshape(-1, 2).mean(axis=1) / 32768
STEREO = numpy.stack([words(hum()), words(hum(seed=1))], axis=1)
OCTETS = numpy.rint(hum() * 120 + 128).astype("u1")
PLAIN, NO_WINDOW = (lambda powers: powers / 9), numpy.ones(LENGTH)
WIDE = numpy.rint(hum() * 8e6).astype("<i4")
THREE = WIDE.view("u1").reshape(-1, 4)[:, :3].tobytes()


def decibels(powers: Any) -> Any:
    return 20 * numpy.log10(numpy.sqrt(powers) + 1e-3)


def by_ln(powers: Any) -> Any:
    return 20 * numpy.log(numpy.sqrt(powers) + 1e-3)


CASES = {
    "channels": (
        rows_of(STEREO[:, 0] / 32768),
        rows_of(STEREO.reshape(-1) / 32768),
        wav(STEREO, 8000),
        "its channels, which lie in turns, taken as one",
    ),
    "bytes": (
        rows_of(OCTETS / 128 - 1),
        rows_of(OCTETS.view("i1") / 128),
        wav(OCTETS, 8000, "u1"),
        "are they unsigned bytes",
    ),
    "sign": (
        rows_of(MONO / 32768),
        rows_of(MONO.view("<u2") / 32768),
        wav(MONO, 8000),
        "are its samples read as its header says?",
    ),
    "order": (rows_of(MONO / 32768), rows_of(MONO.byteswap() / 32768), wav(MONO, 8000), "opposite order"),
    "width": (
        rows_of(WIDE / (1 << 23)),
        rows_of(numpy.frombuffer(THREE[: len(THREE) // 2 * 2], "<i2") / 32768),
        riff(1, 24, THREE),
        "samples of 24 bits (whole numbers) were read as 16 bits",
    ),
    "ln": (
        rows_of(MONO / 32768, decibels),
        rows_of(MONO / 32768, by_ln),
        wav(MONO, 8000),
        "is log10 meant",
    ),
    "rate": (rows_of(HALF), rows_of(FAST / 32768), wav(FAST), "trained with 8,000 Hz?"),
    "law": (
        rows_of(MONO / 32768, lambda powers: numpy.log(powers + 1e-6) / 9),
        rows_of(MONO / 32768, PLAIN),
        wav(MONO, 8000),
        "was the logarithm forgotten?",
    ),
    "window": (
        rows_of(MONO / 32768),
        rows_of(MONO / 32768, window=NO_WINDOW),
        wav(MONO, 8000),
        "is Hann's window forgotten?",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_blocks_in_another_way(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong, file, why = CASES[case]
    text = said(right, wrong, file, monkeypatch)
    assert why in text and f"{STEP} apart" in text and "hum.wav" in text
    assert said(right, right, file, monkeypatch) == ""
    assert said(wrong, wrong, file, monkeypatch) == "", "the model was trained so"
    unsure = numpy.full_like(right, 50.0)
    assert said(unsure, right, file, monkeypatch) == said(unsure, wrong, file, monkeypatch) == "", "in no way"
    assert said(right, wrong[:3], file, monkeypatch) == "", "too few"


def test_where_blocks_are() -> None:
    file = wav(MONO, 8000)
    reading = next(readings_of([("hum.wav", file)]))
    assert not reading.wrong
    laws = (
        (fifth, HANN, "Hann"),
        (PLAIN, NO_WINDOW, "none"),
        (numpy.sqrt, HANN, "Hann"),
        (decibels, HANN, "Hann"),
    )
    for law, window, name in laws:
        rows = rows_of(MONO / 32768, law, window)
        found = placed_in(rows, reading)
        assert found is not None and (found.start, found.step, found.first) == (START, STEP, 1)
        assert (found.length, found.window) == (LENGTH, name)
        assert placed_in(rows[::-1], reading) is None and placed_in(rows[:, ::-1], reading) is None


def test_a_sound_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine is in one state all the time: a misread sound needs no several answers."""
    hums = words(0.4 * numpy.sin(numpy.arange(2400) / 5) + numpy.random.default_rng(3).normal(0, 0.02, 2400))
    file, right, wrong = wav(hums, 8000), rows_of(hums / 32768), rows_of(hums.view("<u2") / 32768)
    monkeypatch.setattr("tests.watch.test_of_blocks.KINDS", (2,))
    assert "as unsigned (u16)" in said(right, wrong, file, monkeypatch)
    assert said(right, right, file, monkeypatch) == said(wrong, wrong, file, monkeypatch) == ""


@pytest.mark.parametrize("quiet", [0, 1])
def test_silence_and_a_single_click_say_nothing(quiet: int) -> None:
    samples = numpy.zeros(3 * LENGTH)
    samples[LENGTH] = quiet
    rows = numpy.random.default_rng(1).normal(-3, 2, (2, WIDTH))
    reading = next(readings_of([("door.wav", wav(words(samples), 8000))]))
    assert placed_in(rows, reading) is None
