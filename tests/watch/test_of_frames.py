"""Frames of a sound in one input: another distance, window or law than a model was trained with. Right twins
of each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.block_spectra import LAWS
from pywasm_nn.watch.whatif import of_frames
from pywasm_nn.watch.whatif.of_frames import Frames, framed_otherwise
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn
from tests.watch.test_origin import wav

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="frames")])
LENGTH, COUNT, BANDS = 128, 8, 20
HANN = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(LENGTH) / LENGTH)


def sweep(seed: int) -> Any:
    """A tone that goes up or down, and noise."""
    numbers = numpy.random.default_rng(seed)
    time = numpy.arange(20 * LENGTH) / 8000
    rate = (200 + 900 * seed) * time + (3 - seed) * 1500 * time**2
    return numpy.rint(9000 * numpy.sin(2 * numpy.pi * rate) + numbers.normal(0, 300, len(time)))


def frames(numbers: Any, hop: int, window: Any, law: str, floor: float = 0.0) -> Any:
    blocks = numpy.stack([numbers[at * hop : at * hop + LENGTH] for at in range(COUNT)]) / 32768
    power, made, _ = LAWS[law]
    sizes = abs(numpy.fft.rfft(blocks * window))[:, 1 : 1 + 3 * BANDS] ** power
    return made(sizes.reshape(COUNT, BANDS, 3).sum(axis=2) + floor).astype("f4")


class Trained(StandIn):
    """Stands for the runs of a model that knows sounds in one way, and guesses at others."""

    def __init__(self, known: Any, guess: float) -> None:
        self._known, self._guess = known, guess

    def changed(self, _: int, array: Any) -> Answer:
        for kind, one in enumerate(self._known):
            if abs(one - array.reshape(one.shape)).max() < 1e-2 * abs(one).max():
                return Answer(kind, 0.97, 5, 4.0)
        return Answer(4, self._guess, 5, 0.5)


def said(own: Any, sent: Any, monkeypatch: pytest.MonkeyPatch, guess: float = 0.5, count: int = 3) -> str:
    """What is said of sounds, of which each file is read just before it is sent."""
    sounds = [sweep(seed) for seed in range(count)]
    model = Trained([frames(one, *own) for one in sounds], guess)
    monkeypatch.setattr(of_frames, "Runs", model)
    read: list[tuple[str, bytes]] = []
    kept = Frames(lambda: read)
    for at, one in enumerate(sounds):
        read.append((f"{at}.wav", wav(one.astype("<i2"), rate=8000)))
        made = frames(one, *sent)[None]
        found = kept.take(1, Tensor.from_numpy(made), model.changed(0, made))
        if found and (text := framed_otherwise(GRAPH, found, 0.01)):
            return text
    return ""


WAYS = [
    ((64, HANN, "log10 of the magnitude", 0.1), (128, HANN, "log10 of the magnitude", 0.1), "half as long?"),
    ((128, HANN, "ln of the power", 1e-6), (64, HANN, "ln of the power", 1e-6), "twice as long?"),
    ((64, HANN, "log10 of the power", 1e-6), (64, 1.0, "log10 of the power", 1e-6), "window forgotten?"),
    ((64, HANN, "log10 of the power", 1e-6), (64, HANN, "the power"), "was the model trained?"),
    ((100, HANN, "log10 of the power", 1e-6), (100, HANN, "the power"), "was the model trained?"),
]


@pytest.mark.parametrize(("own", "sent", "why"), WAYS)
def test_frames_in_another_way(own: Any, sent: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(own, sent, monkeypatch)
    assert why in text and f"every {sent[0]} " in text and "blocks of 128 numbers of 0.wav" in text
    assert said(own, own, monkeypatch) == said(sent, sent, monkeypatch) == "", "the model was trained so"
    assert said(own, sent, monkeypatch, guess=0.9) == "", "it may be so"
    assert said(own, sent, monkeypatch, count=2) == "", "too few"


def test_other_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = (96, HANN, "log10 of the power", 1e-6)
    assert said((80, HANN, "log10 of the power", 1e-6), sent, monkeypatch) == "", "no way that is tried"
    kept = Frames(lambda: [("a.wav", wav(sweep(1).astype("<i2"), rate=8000))])
    made = numpy.random.default_rng(0).normal(size=(1, COUNT, BANDS)).astype("f4")
    assert not kept.take(1, Tensor.from_numpy(made), Answer(1, 0.4, 5, 0.1)) and not kept.are_likely(1)
