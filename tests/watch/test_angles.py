"""Models of angles: were degrees sent? A mistake, and twins without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import angles
from pywasm_nn.watch.whatif.angles import Angles, in_radians
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

PLACES = numpy.array([[40.42, -3.7], [52.52, 13.4], [60.17, 24.94], [37.98, 23.73], [-33.9, 151.2]], "f4")
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="latlon")])


class Nearest(StandIn):
    """Stands for the runs of a model that knows the places in a unit, and takes what is too far for the last
    one."""

    def __init__(self, factor: float) -> None:
        self._known = PLACES * factor

    def changed(self, _: int, row: Any) -> Answer:
        apart = abs(self._known - row).max(axis=1)
        if apart.min() > 1.5 * abs(self._known).max():
            return Answer(4, 1.0)
        return Answer(int(apart.argmin()), 0.996)


@pytest.mark.parametrize(("factor", "seen"), [(numpy.pi / 180, True), (1.0, False)])
def test_degrees_that_were_to_be_radians(factor: float, seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(angles, "Runs", Nearest(factor))
    said = in_radians(GRAPH, [Tensor.from_numpy(PLACES[:1])], [row[None] for row in PLACES], 0.01)
    assert (said is not None and "were degrees sent?" in said) == seen


@pytest.mark.parametrize(
    ("name", "factor", "due"),
    [
        ("latlon", 1.0, True),
        ("wind_bearing", 1.0, True),
        ("plate", 1.0, False),
        ("lat", numpy.pi / 180, False),
    ],
)
def test_which_inputs_may_be_degrees(name: str, factor: float, due: bool) -> None:
    kept = Angles()
    for row in [*PLACES[:1], *PLACES]:
        assert kept.due(0) == []
        kept.take(0, name, Tensor.from_numpy((row * factor).astype("f4")[None]))
    assert bool(kept.due(0)) == due
    assert kept.due(0) == [], "asked once"
