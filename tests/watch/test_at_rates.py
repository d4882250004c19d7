"""Sounds of which a model hears nothing, window by window, as they have another rate than in training."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin import Origin, Source
from pywasm_nn.watch.sent.other_rate import windows_of
from pywasm_nn.watch.whatif import at_rates
from pywasm_nn.watch.whatif.at_rates import AtRates, heard_at_another_rate
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="samples")])
SIZE, RATE, KNOWN = 800, 8000, (410, 530, 670, 770, 970)
NOTHING = len(KNOWN)


class Ear(StandIn):
    """Stands for the runs of a model that knows some tones at a rate. `of_silence`: what it says of silence;
    `is_fleeting`: a little later it says something else; `is_loud`: of softer sounds it says nothing; `sure`:
    how sure it is of what it doesn't know."""

    of_silence, is_fleeting, is_loud, sure = NOTHING, False, False, 0.99

    def changed(self, _: int, array: Any) -> Answer:
        flat = array.reshape(-1).astype("f8")
        if not flat.any():
            return Answer(self.of_silence, 0.99, NOTHING + 1)
        spectrum = abs(numpy.fft.rfft(flat))
        high = float(spectrum.argmax()) * RATE / len(flat)
        is_tone = spectrum.max() ** 2 > 0.3 * (spectrum**2).sum()
        near = [place for place, one in enumerate(KNOWN) if abs(one - high) < 12 and is_tone]
        if self.is_loud and abs(flat).max() < 0.4:
            near = []
        if self.is_fleeting and near:
            near = [(near[0] + round(1000 * flat[0])) % NOTHING]
        return Answer(near[0] if near else NOTHING, 0.99 if near else self.sure, NOTHING + 1)

    def shuffled(self, change: Any, seeds: range) -> tuple[Answer, ...]:
        mixed = [numpy.random.default_rng(seed).permutation(change.array, axis=1) for seed in seeds]
        return tuple(self.changed(0, one) for one in mixed)


def sound(rate: int, tones: tuple[int, ...] = (410, 670, 970, 530)) -> Any:
    """Tones with silence between them, a tenth of a second each."""
    at = numpy.arange(rate // 10) / rate
    parts = [part for one in tones for part in (0.5 * numpy.sin(6.2832 * one * at), numpy.zeros(len(at)))]
    return numpy.concatenate(parts).astype("f4")


def hint(samples: Any, rate: int, monkeypatch: pytest.MonkeyPatch, **how: Any) -> str:
    """What is said to a guest that sends a sound as it is, window by window."""
    ear, kept = Ear(), AtRates()
    vars(ear).update(how)
    monkeypatch.setattr(at_rates, "Runs", ear)
    source = Source("a.wav", samples, "a sound", rate=rate)
    for start in range(0, len(samples) - SIZE + 1, SIZE):
        tensor = Tensor.from_numpy(samples[None, start : start + SIZE])
        kept.take(1, windows_of(0, Origin(source, (), span=(start, start + SIZE, 0)), tensor))
        event: Any = SimpleNamespace(graph_id=1)
        if kept.is_open(1):
            kept.computed(event, [tensor], ear.changed(0, samples[None, start : start + SIZE]))
    return "".join(heard_at_another_rate(GRAPH, one, 0.001) for one in kept.due())


@pytest.mark.parametrize("rate", [16000, 32000, 24000])
def test_a_sound_at_twice_the_rate(rate: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = hint(sound(rate), rate, monkeypatch)
    assert f"which has {rate:,} Hz, get the answer 5, as silence does; resampled to 8,000 Hz" in found
    assert "0 at 0.99, " in found


def test_some_tones_are_near_others_at_the_wrong_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """820 Hz taken at half the rate are 410 Hz, so that something is heard."""
    tones = (410, 670, 970, 530, 770, 820)
    found = hint(without_pauses(16000, tones), 16000, monkeypatch)
    assert "10 of 12 windows of a.wav, which has 16,000 Hz, get the answer 5, as silence does" in found
    assert hint(without_pauses(16000, (410, 670, 820)), 16000, monkeypatch) == "", "a third is heard"
    assert hint(without_pauses(16000, (410, 670, 410, 670, 820)), 16000, monkeypatch) == "", "two alone"
    quiet = numpy.concatenate([sound(8000, (3000,)), sound(8000, (3300, 820))[::-1], sound(8000, (3700,))])
    assert hint(quiet, 8000, monkeypatch) == "", "nothing that it knows"
    few = without_pauses(16000, tones)
    few[len(few) // 3 :] *= numpy.linspace(0.01, 1, len(few) - len(few) // 3) ** 8
    assert hint(few, 16000, monkeypatch) == "", "hardly any window is loud"


def test_sounds_that_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hint(sound(RATE), RATE, monkeypatch) == "", "it hears them"
    assert hint(0 * sound(16000), 16000, monkeypatch) == "", "silence"
    assert hint(sound(16000, (3000, 3300, 3700)), 16000, monkeypatch) == "", "nothing that it knows"
    noise = numpy.random.default_rng(1).normal(0, 0.3, 16000).astype("f4")
    assert hint(noise, 16000, monkeypatch) == ""


@pytest.mark.parametrize("how", [{"of_silence": 2}, {"is_fleeting": True}, {"is_loud": True}])
def test_models_that_say_something_of_anything(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hint(sound(16000), 16000, monkeypatch, **how) == ""


def test_one_thing_alone_says_little(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hint(sound(16000, (410, 410, 410, 410)), 16000, monkeypatch) == ""


def test_a_model_that_knows_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tones an octave low are to it the one that is nearest, and in doubt."""
    how = {"of_silence": 2, "sure": 0.6}
    tones = (410, 670, 970, 530, 770)
    found = hint(without_pauses(16000, tones), 16000, monkeypatch, **how)
    assert "get the answer 5, 0.60 sure on average; resampled to 8,000 Hz" in found
    assert hint(without_pauses(16000, (410, 670, 410, 670, 410)), 16000, monkeypatch, **how) == "", (
        "two alone"
    )
    assert hint(without_pauses(16000, tones), 16000, monkeypatch, **how | {"sure": 0.9}) == "", "no doubt"
    assert hint(without_pauses(16000, tones[:3]), 16000, monkeypatch, **how) == "", "few windows"
    assert hint(without_pauses(8000, (3000, 3300, 3700) * 3), 8000, monkeypatch, **how) == ""


def without_pauses(rate: int, tones: tuple[int, ...]) -> Any:
    parts = numpy.split(sound(rate, tones), 2 * len(tones))
    return numpy.concatenate(parts[::2])
