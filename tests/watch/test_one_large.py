"""Models with several inputs of which one is far larger than all others: in a smaller unit, and as it should
be."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import one_large
from pywasm_nn.watch.whatif.one_large import Large, in_larger_unit, large_of
from pywasm_nn.watch.whatif.sureness import Answer, chosen
from tests.watch.oracles import StandIn

ORDER = numpy.random.default_rng(50)
WEIGHTS = ORDER.normal(0, 1, (9, 3))
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="beat"), SimpleNamespace(name="rr")])


class Model(StandIn):
    """Stands for the runs of a model of eight numbers and one in a unit."""

    def __init__(self, unit: float = 1.0) -> None:
        self._unit, self._beat = unit, numpy.zeros(8)

    def __call__(self, _: Any, inputs: Sequence[Tensor], *more: Any, **others: Any) -> Any:
        self._beat = inputs[0].numpy().reshape(-1)
        return self

    def changed(self, _: int, number: Any) -> Answer:
        found = chosen(2 * numpy.append(self._beat, number.reshape(-1) / self._unit) @ WEIGHTS)
        assert found is not None
        return found


def inputs(beat: Any, number: float) -> list[Tensor]:
    return [Tensor.from_numpy(numpy.array(one, "f4").reshape(1, -1)) for one in (beat, number)]


def said(numbers: Sequence[float], unit: float, monkeypatch: pytest.MonkeyPatch) -> str:
    model, large, order = Model(unit), Large(), numpy.random.default_rng(3)
    monkeypatch.setattr(one_large, "Runs", model)
    found = []
    for number in numbers:
        sent = inputs(order.normal(0, 1, 8), number)
        model(GRAPH, sent)
        if rounds := large.take(1, sent, model.changed(1, sent[1].numpy())):
            found.append(in_larger_unit(GRAPH, rounds, 0.01))
    assert len(found) <= 1
    return "".join(found)


MILLISECONDS = [766.0, 812, 600, 829, 550, 837, 640]


def test_milliseconds_for_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'input 1 "rr" is 550 to 829, far larger' in said(MILLISECONDS, 1, monkeypatch)
    assert said([one / 1000 for one in MILLISECONDS], 1, monkeypatch) == ""
    assert said(MILLISECONDS, 1000, monkeypatch) == "", "a model of milliseconds"
    assert said(MILLISECONDS[:4], 1, monkeypatch) == "", "too few"
    assert said([one * 1000 for one in MILLISECONDS], 1, monkeypatch) == "", "in no unit that is known"


def test_which_input_is_large() -> None:
    beat = ORDER.normal(0, 1, 8)
    assert large_of(inputs(beat, 700)) == 1
    assert large_of(inputs(beat * 100, 700)) is None
    assert large_of(inputs(beat, 30)) is None
    assert large_of(inputs(beat, numpy.nan)) is None
    assert large_of(inputs([*beat, 900], 1)) is None, "a line with a number"
    assert large_of(inputs(beat, 700)[1:]) is None
