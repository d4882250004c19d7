"""Models of an accelerometer's windows: were a sensor's counts sent? A mistake, and twins without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import counts
from pywasm_nn.watch.whatif.counts import Counts, in_units
from pywasm_nn.watch.whatif.sureness import Answer
from tests.watch.oracles import StandIn

RANDOM = numpy.random.default_rng(7)
MOTIONS = [0.02, 0.4, 1.2, 3.0, 0.021]
"""How hard somebody moves, in g."""
IN_G = [numpy.array([0.1, 0.2, 0.97]) + RANDOM.normal(0, one, (40, 3)) for one in MOTIONS]
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="motion")])


class Moving(StandIn):
    """Stands for the runs of a model that says how hard somebody moves, in a unit, up to four times the
    hardest."""

    def __init__(self, unit: float) -> None:
        self._unit = unit

    def changed(self, _: int, array: Any) -> Answer:
        spread = numpy.tanh(array / self._unit / 12).std() * 12
        return Answer(int(numpy.searchsorted([0.5, 0.75, 1.5, 8.0], spread)), 0.93, 5)


def said(unit: float, per_g: float, layout: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said of a guest that sends so many counts for 1 g to a model that wants a unit."""
    model, kept = Moving(unit), Counts()
    monkeypatch.setattr(counts, "Runs", model)
    for one in IN_G:
        rows = numpy.rint(one * per_g).astype("f4")
        array = rows[None] if layout == "steps" else numpy.ascontiguousarray(rows.T)[None]
        if windows := kept.take(0, Tensor.from_numpy(array), model.changed(0, array)):
            return in_units(GRAPH, windows, 0.01)
    return ""


@pytest.mark.parametrize("layout", ["steps", "axes"])
@pytest.mark.parametrize("per_g", [16384.0, 256.0, 4096.0])
def test_counts_for_a_model_of_g(per_g: float, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(1.0, per_g, layout, monkeypatch)
    assert f"in g (divided by {per_g:g})" in text and "was the division forgotten?" in text


def test_counts_that_a_model_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(16384.0, 16384.0, "steps", monkeypatch) == "", "it sees how large they are"
    assert said(1.0, 1.0, "steps", monkeypatch) == "", "numbers in g"
    assert said(1.0, 100000.0, "steps", monkeypatch) == "", "no counts in which gravity is known"
