"""Frames of a sound with as many bands, exchanged. Mistakes, and twins without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import squares_of_frames
from pywasm_nn.watch.whatif.squares_of_frames import Squares, exchanged
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="bands")])
SIDE = 20
DOUBT = Answer(0, 0.5, 5, 0.3)


def features(like: float = 0.99999, side: int = SIDE, *, is_turned: bool = False) -> Any:
    layout = SimpleNamespace(frames=numpy.zeros((side, side)), is_turned=is_turned)
    return SimpleNamespace(found=SimpleNamespace(like=like, layout=layout))


class Hearing(StandIn):
    """Knows a few inputs, and doubts others, or is as sure of all that has their elements."""

    def __init__(self, known: Any, other: Answer = DOUBT) -> None:
        self._known, self._other = known, other

    def changed(self, _: int, array: Any) -> Answer:
        places = [at for at, one in enumerate(self._known) if numpy.array_equal(one, array)]
        return Answer(1 + places[0], 0.98, 5, 5.0) if places else self._other

    def shuffled(self, change: Any, _: Any) -> list[Answer]:
        return [self.changed(0, change.array[..., ::-1, ::-1])]


def hummed(*, shape: tuple[int, ...], count: int = 3) -> list[Any]:
    order = numpy.random.default_rng(2)
    return [order.normal(0, 1, shape).astype("f4") for _ in range(count)]


def said(
    monkeypatch: pytest.MonkeyPatch, model: Hearing, sent: Any, of_first: Any, *, is_closed: bool = False
) -> str:
    monkeypatch.setattr(squares_of_frames, "Runs", model)
    kept = Squares()
    if is_closed:
        kept.close(7)
    for array in sent:
        given = Tensor.from_numpy(array)
        if taken := kept.take(7, given, model.changed(0, array), of_first):
            return exchanged(GRAPH, taken, of_first, 1e-3)
    return ""


@pytest.mark.parametrize("shape", [(1, SIDE, SIDE), (1, 1, SIDE, SIDE), (SIDE, SIDE)])
def test_frames_and_bands_exchanged(monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...]) -> None:
    meant = hummed(shape=shape)
    sent = [numpy.ascontiguousarray(one.swapaxes(-2, -1)) for one in meant]
    text = said(monkeypatch, Hearing(meant), sent, features())
    assert f"it has {SIDE} frames of {SIDE} bands of a sound, frame by frame" in text
    assert "band by band 0.98" in text
    assert ", band by band;" in said(monkeypatch, Hearing(meant), sent, features(is_turned=True))
    assert said(monkeypatch, Hearing(meant), sent, features(), is_closed=True) == ""
    for of_first in (None, features(like=0.99), features(side=SIDE + 4)):
        assert said(monkeypatch, Hearing(meant), sent, of_first) == "", "it may be a picture"


def test_right_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    meant = hummed(shape=(1, SIDE, SIDE))
    sent = [numpy.ascontiguousarray(one.swapaxes(-2, -1)) for one in meant]
    assert said(monkeypatch, Hearing(meant), meant, features()) == "", "the model is sure"
    assert said(monkeypatch, Hearing(meant[:1]), sent, features()) == "", "it knows one of them only"
    assert said(monkeypatch, Hearing(sent[:1] + meant[1:]), sent, features()) == "", "it is sure of the first"
    same = [sent[0], sent[0]]
    assert said(monkeypatch, Hearing(meant), same, features()) == "", "one answer says little"
    wide = [one.reshape(1, SIDE // 2, SIDE * 2) for one in sent]
    assert said(monkeypatch, Hearing(meant), wide, features()) == ""


def test_a_model_that_is_sure_of_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    meant = hummed(shape=(1, SIDE, SIDE))
    sent = [numpy.ascontiguousarray(one.swapaxes(-2, -1)) for one in meant]

    class Sure(Hearing):
        def changed(self, index: int, array: Any) -> Answer:
            is_sent = any(numpy.array_equal(one, array) for one in sent)
            return DOUBT if is_sent else super().changed(index, array)

    assert said(monkeypatch, Sure(meant), sent, features())
    assert said(monkeypatch, Sure(meant, Answer(3, 0.97, 5, 4.0)), sent, features()) == ""
