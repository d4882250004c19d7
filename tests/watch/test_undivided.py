"""Samples of 16 bits for a model that says for each class whether it hears it, and wants -1 to 1."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.origin import Origin, Source
from pywasm_nn.watch.whatif import undivided
from pywasm_nn.watch.whatif.sureness import Answer
from pywasm_nn.watch.whatif.undivided import Undivided, heard, heard_divided
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="samples")])
TONE = 13000 * numpy.sin(numpy.arange(1600) / 9).astype("f4")[None]
SENT = Answer(4, 0.01, 9)


class Ear(StandIn):
    """Stands for the runs of a model that hears tones from -1 to 1, or anything of that size (`of_all`), or
    tones that are loud (`of_loud`)."""

    of_all = of_loud = False

    def changed(self, _: int, array: Any) -> Answer:
        is_tone = float((array[0, 1:] * array[0, :-1]).sum()) > 0.9 * float((array**2).sum())
        is_heard = abs(array).max() <= 1 and (is_tone or self.of_all)
        return Answer(2, 0.9 if is_heard and not (self.of_loud and abs(array).max() < 0.3) else 0.1, 9)

    def shuffled(self, change: Any, seeds: range) -> tuple[Answer, ...]:
        mixed = [numpy.random.default_rng(seed).permutation(change.array, axis=1) for seed in seeds]
        return tuple(self.changed(0, one) for one in mixed)


@pytest.mark.parametrize(("how", "seen"), [({}, True), ({"of_all": True}, False), ({"of_loud": True}, False)])
def test_what_a_model_hears(monkeypatch: pytest.MonkeyPatch, how: dict[str, bool], seen: bool) -> None:
    ear = Ear()
    vars(ear).update(how)
    monkeypatch.setattr(undivided, "Runs", ear)
    said = heard_divided(GRAPH, [Tensor.from_numpy(TONE)], 0, SENT, 0.001)
    assert bool(said) is seen
    assert not seen or "divided by 32768) the model is sure of class 2 at 0.90; as sent, from -13000" in said


def test_noise_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undivided, "Runs", Ear())
    noise = numpy.random.default_rng(1).normal(0, 9000, (1, 1600)).astype("f4")
    assert heard_divided(GRAPH, [Tensor.from_numpy(noise)], 0, SENT, 0.001) == ""


def answer(*numbers: float) -> Answer | None:
    shape = (1, len(numbers))
    tensor = Tensor.from_numpy(numpy.array([numbers], "f4"))
    return heard([TensorSpec("y", DType.F32, shape)], [tensor])


def test_models_that_say_of_each_class_whether_it_is_there() -> None:
    assert str(answer(0.1, 0.9, 0.8)) == "1 at 0.90" and str(answer(0.25)) == "0 at 0.25"
    assert answer(0.1, 0.7, 0.2) is None and answer(2, 0.5, 0.1) is None and answer(-0.5, 0.5) is None


def test_which_inputs_are_asked_about() -> None:
    def is_due(array: Any, rate: int = 16000, wrong: str = "") -> bool:
        kept, source = Undivided(), Source("a.wav", TONE[0], "a sound", rate=rate)
        kept.take(7, 0, Tensor.from_numpy(array), Origin(source, (), wrong))
        return kept.due(7, 1) == 0

    assert is_due(TONE) and is_due(TONE[0])
    assert not is_due(TONE / 32768) and not is_due(TONE, rate=0) and not is_due(TONE, wrong="cut off")
    assert not is_due(TONE.reshape(40, 40)) and not is_due(TONE[:, :100]) and not is_due(TONE.astype("i2"))


def test_three_windows_at_most() -> None:
    kept, source = Undivided(), Source("a.wav", TONE[0], "a sound", rate=16000)
    found = cast(Any, Origin(source, ()))
    for context in range(5):
        kept.take(context, 0, Tensor.from_numpy(TONE), found)
    assert [kept.due(context, 1) for context in range(5)] == [0, 0, 0, None, None]
