"""Models with a state that forecast step by step: a sine and a cosine exchanged, and twins without that."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif import steps_ahead
from pywasm_nn.watch.whatif.steps_ahead import ROUNDS, Step, Steps, circle_in, forecast_otherwise
from tests.watch.oracles import StandIn

SPECS = [TensorSpec(name, DType.F32, (1, 3)) for name in ("x", "h", "y", "h_next")]
GRAPH: Any = SimpleNamespace(inputs=tuple(SPECS[:2]), outputs=tuple(SPECS[2:]))


def level(hour: Any) -> Any:
    angle = hour * 2 * numpy.pi / 24
    return numpy.sin(angle - 1) + 0.4 * numpy.cos(2 * angle)


def of(numbers: Any) -> Tensor:
    return Tensor.from_numpy(numpy.array([numbers], "f4"))


class Hourly(StandIn):
    """Stands for the runs of a model that says what comes next by the hour, of a sine before a cosine; its
    state counts steps. `offset`: it says something else than the series' next number."""

    def __init__(self, offset: float = 0.0) -> None:
        self._offset = offset

    def outputs(self, given: dict[int, Tensor]) -> list[Tensor]:
        _, sine, cosine = given[0].numpy()[0].tolist()
        hour = numpy.arctan2(sine, cosine) * 24 / (2 * numpy.pi)
        return [of([level(hour + 1) + self._offset]), of(given[1].numpy()[0] + 1)]


def steps_of(model: Hourly, order: list[int], steps: Steps, *, resets: bool = False) -> list[Step]:
    """The steps of a guest that sends the sine and the cosine in an order."""
    kept: list[Step] = []
    state = numpy.zeros(3)
    for hour in range(ROUNDS):
        angle = hour * 2 * numpy.pi / 24
        data = numpy.array([level(hour), numpy.sin(angle), numpy.cos(angle)])[order]
        given = [of(data), of(state)]
        outputs = model.outputs(dict(enumerate(given)))
        event: Any = SimpleNamespace(graph=GRAPH, graph_id=1, context_id=1, tensors=outputs)
        kept = steps.take(event, given)
        state = numpy.zeros(3) if resets else outputs[1].numpy()[0]
    return kept


@pytest.mark.parametrize("offset", [0.0, 0.05, 9.0])
@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1]])
def test_a_sine_and_a_cosine_exchanged(
    order: list[int], offset: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Hourly(offset)
    monkeypatch.setattr(steps_ahead, "Runs", model)
    found = forecast_otherwise(GRAPH, steps_of(model, order, Steps()), 0.01)
    assert ("are a sine and a cosine; with both exchanged" in found) is (order == [0, 2, 1] and offset < 1)
    assert found == "" or "the next element 0" in found


def test_steps_that_do_not_go_on() -> None:
    assert steps_of(Hourly(), [0, 2, 1], Steps(), resets=True) == []


def test_what_a_sine_and_a_cosine_are() -> None:
    angles = numpy.linspace(0, 3, 9)
    rows = numpy.column_stack([angles, numpy.sin(angles), numpy.cos(angles)])
    assert circle_in(rows) == (1, 2)
    assert circle_in(rows * 0.9) is None
    assert circle_in(rows[:, [0, 0, 1]]) is None
    assert circle_in(numpy.tile([0.3, 0.6, 0.8], (9, 1))) is None, "one angle alone"
