"""Spectra of sounds by a formula that somebody wrote, with a logarithm to another base than a model was
trained with; and twins of those that are right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.depicted import Depicted
from pywasm_nn.watch.origin.bases import formulas
from pywasm_nn.watch.origin.decoding import decoded
from pywasm_nn.watch.origin.spectral import spectral
from pywasm_nn.watch.whatif import other_bases
from pywasm_nn.watch.whatif.other_bases import Bases, are_usual, by_another_base
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn
from tests.watch.test_origin import wav

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="bands")])
COUNT, RATE = 12, 8000
LAWS: dict[str, Any] = {
    "ln": numpy.log,
    "log10": numpy.log10,
    "10 log10": lambda x: 10 * numpy.log10(x),
    "20 log10": lambda x: 20 * numpy.log10(x),
}


def sound(seed: int, length: int) -> Any:
    """Noise that is louder at low frequencies, and comes and goes, with a tone of its own."""
    numbers = numpy.random.default_rng(seed)
    count = (COUNT + 1) * length // 2
    time = numpy.arange(count) / RATE
    noise = numpy.convolve(numbers.normal(0, 1, count + 20), 0.8 ** numpy.arange(21), "valid")
    tone = numpy.sin(2 * numpy.pi * (300 + 500 * seed) * time)
    return numpy.rint(3000 * (tone + noise) * (0.1 + numpy.sin(9 * (seed + 1) * time) ** 2))


def features(samples: Any, law: str, more: float, by: float, length: int = 512, *, whole: bool = True) -> Any:
    """Logarithms of the powers of 16 groups of frequencies, by the square of the frames' length unless it is
    `whole`."""
    window = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(length) / length)
    frames = numpy.stack([samples[at * length // 2 :][:length] for at in range(COUNT)]) / 32768
    power = abs(numpy.fft.rfft(frames * window))[:, : length // 2] ** 2 / (1 if whole else length**2)
    made = power.reshape(COUNT, 16, -1).sum(axis=2)
    return ((LAWS[law](made + 1e-8) + more) / by).astype("f4")[None]


def found_in(samples: Any, made: Any) -> Any:
    origin = spectral(made, decoded("a.wav", wav(samples.astype("<i2"), rate=RATE)))
    assert origin is not None and origin.otherwise is not None
    return origin.otherwise


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("more", "by", "whole"), [(6.0, 3.0, True), (5.0, 2.0, False), (-1.0, 4.0, True)])
def test_formulas_that_somebody_wrote(law: str, more: float, by: float, whole: bool) -> None:
    samples = sound(1, 512)
    made = features(samples, law, more, by, whole=whole)
    found = [one for one in formulas(found_in(samples, made).found) if one.base == law]
    assert [(one.more, one.by) for one in found] == [(more, by)]
    for other in LAWS:
        right = features(samples, other, more, by, whole=whole)
        assert numpy.allclose(found[0].moved(made, other), right, rtol=1e-3, atol=1e-3)


def test_numbers_that_nobody_writes() -> None:
    samples = sound(1, 512)
    made = features(samples, "ln", 5.137, 2.2371)
    assert not [*formulas(found_in(samples, made).found)], "a scaler's"


class Trained(StandIn):
    """Stands for the runs of a model that knows sounds in one way, and guesses at others."""

    def __init__(self, known: Any, guess: float, odd: int) -> None:
        self._known, self._guess, self._odd, self.count = known, guess, odd, 0

    def changed(self, _: int, array: Any) -> Answer:
        for kind, one in enumerate(self._known):
            if abs(one - array.reshape(one.shape)).max() < 2e-2 * abs(one).max():
                return Answer(kind, 0.98, 5, 4.0)
        return Answer(self._odd, self._guess, 5, 0.5)


def said(
    own: Any,
    sent: Any,
    monkeypatch: pytest.MonkeyPatch,
    *,
    count: int = 3,
    names: bool = False,
    guess: float = 0.5,
    length: int = 512,
) -> str:
    """What is said of sounds that are sent in one way to a model that knows them in another."""
    sounds = [sound(seed, length) for seed in range(count)]
    model = Trained([features(one, *own, length=length) for one in sounds], guess, 4)
    monkeypatch.setattr(other_bases, "Runs", model)
    kept, known = Bases(), None
    for at, one in enumerate(sounds):
        made = features(one, *sent, length=length)
        known = known or found_in(one, made)
        shown = Depicted(f"kind{at}.wav", (at,)) if names else None
        event: Any = SimpleNamespace(graph_id=1)
        answer = model.changed(0, made)
        kept.take(event, Tensor.from_numpy(made), known, answer, lambda shown=shown: shown)
        model.count = 0
    return "".join(by_another_base(GRAPH, one, 0.01) for one in kept.due())


WAYS = [
    ("ln", "log10"),
    ("log10", "ln"),
    ("10 log10", "20 log10"),
    ("20 log10", "log10"),
    ("log10", "20 log10"),
]


@pytest.mark.parametrize(("own", "sent"), WAYS)
@pytest.mark.parametrize("length", [256, 512])
def test_logarithms_to_another_base(
    own: str, sent: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = (own, 3.0, 4.0), (sent, 3.0, 4.0)
    text = said(right, wrong, monkeypatch, length=length)
    assert "by which logarithm was the model trained?" in text
    named = said(right, wrong, monkeypatch, count=1, names=True, length=length)
    assert "the answer is 0 at 0.98, as kind0.wav is named after; as sent 4 at 0.50" in named
    assert said(right, right, monkeypatch, length=length) == "", "as it is meant"
    assert said(right, wrong, monkeypatch, count=2, length=length) == "", "too few"
    assert said(right, wrong, monkeypatch, count=1, names=True, guess=0.9, length=length) == "", "it is sure"


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("law", ["ln", "log10"])
def test_elements_far_below_all_that_models_are_trained_with(law: str, count: int) -> None:
    """The model is as sure as it can be."""
    kept, event, known = Bases(), cast(Any, SimpleNamespace(graph_id=1)), None
    for seed in range(count):
        soft = numpy.rint(sound(seed, 512) / 20)
        made = features(soft, law, 5.0, 2.0, whole=False)
        known = known or found_in(soft, made)
        kept.take(event, Tensor.from_numpy(made), known, Answer(seed, 1.0, 5, 20.0), lambda: None)
    text = "".join(
        by_another_base(GRAPH, one, 0.01) for one in kept.due() if are_usual(one, next(iter(one[0].moves)))
    )
    assert ("and with log10 in place of ln" in text) == (law == "ln" and count == 3)
