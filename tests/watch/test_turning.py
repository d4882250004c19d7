"""Guests that steer a pendulum: with sine and cosine exchanged, too weakly, and as the model wants it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import turning
from pywasm_nn.watch.whatif.steered import Steered
from pywasm_nn.watch.whatif.turning import ELEMENTS, STEPS, steered_otherwise
from tests.watch.oracles import StandIn

GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="obs")])
Order = tuple[int, int, int]


def policy(cosine: float, sine: float, speed: float) -> float:
    """Swings up, and holds what is up."""
    held = -(1.5 * sine + 0.45 * speed)
    return float(numpy.tanh(held if cosine > 0.3 else 0.9 * numpy.sign(speed or 1)))


class Model(StandIn):
    """Stands for the runs of a model that wants its inputs in an order."""

    def __init__(self, order: Order, steer: Callable[..., float] = policy) -> None:
        self._order, self._steer = order, steer

    def answer(self, given: Any) -> float:
        own = given.reshape(-1)
        return self._steer(*(float(own[at]) for at in self._order))

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        return [Tensor.from_numpy(numpy.array([[self.answer(array)]], "f4"))]


def said(
    model: Model, sent: Order, monkeypatch: pytest.MonkeyPatch, *, torque: float = 8, of: Any = numpy.sin,
    angle: float = 0.35, drag: float = 0.0, noise: float = 0.0,
) -> str:  # fmt: skip
    """What is said of a guest that sends cosine, sine and speed in an order."""
    monkeypatch.setattr(turning, "Runs", model)
    kept, speed, order = Steered([ELEMENTS], 1, [STEPS]), 0.2, numpy.random.default_rng(1)
    found = []
    for _ in range(STEPS + 8):
        known = (numpy.cos(angle), numpy.sin(angle), speed)
        row = numpy.zeros(3, "f4")
        row[[*sent]] = known
        answer = model.answer(row)
        tensors = (Tensor.from_numpy(numpy.array([[answer]], "f4")),)
        event: Any = SimpleNamespace(graph_id=1, tensors=tensors)
        if steps := kept.take(event, [Tensor.from_numpy(row[None])]):
            found.append(steered_otherwise(GRAPH, steps, 0.01))
        speed += (6 * of(angle) + torque * answer - drag * speed) * 0.02 + order.normal(0, noise or 1e-9)
        angle += speed * 0.02
    assert len(found) == 1
    return found[0]


ORDERS = [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)]


@pytest.mark.parametrize("wanted", ORDERS)
@pytest.mark.parametrize("torque", [5, 8])
@pytest.mark.parametrize("drag", [0, 0.4])
def test_sine_and_cosine_exchanged(
    wanted: Order, torque: float, drag: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cosine, sine, speed = wanted
    model = Model(wanted)
    found = said(model, (sine, cosine, speed), monkeypatch, torque=torque, drag=drag)
    assert f"the speed changes with element {cosine}, as by" in found and "are they exchanged?" in found
    assert said(model, wanted, monkeypatch, torque=torque, drag=drag) == ""


@pytest.mark.parametrize("wanted", ORDERS)
@pytest.mark.parametrize("angle", [-0.4, 0.2, 0.5])
def test_answers_without_their_factor(wanted: Order, angle: float, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(wanted)
    for torque in (0.8, 1.2):
        found = said(model, wanted, monkeypatch, torque=torque, angle=angle)
        assert f"push it back by {torque / 4:.0%} of what" in found and "are they to be multiplied" in found
    for torque in (4.5, 8, 30):
        assert said(model, wanted, monkeypatch, torque=torque, angle=angle) == ""
    assert said(model, wanted, monkeypatch, angle=numpy.pi + angle, torque=1) == "", "it is to swing up"
    larger = Model(wanted, lambda *given: 3 * policy(*given))
    assert said(larger, wanted, monkeypatch, angle=angle, torque=0.6) == "", "in a unit of its own"


@pytest.mark.parametrize("start", [-2.5, -0.3, 0.1, 1.4, 3.0])
def test_no_other_pendulum(start: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Angles from the horizon, models of nothing, and things that are moved by more than is sent."""
    level = Model((0, 1, 2), lambda cosine, sine, speed: policy(sine, -cosine, speed))
    assert said(level, (0, 1, 2), monkeypatch, of=lambda angle: -numpy.cos(angle), angle=start) == ""
    other = Model((0, 1, 2), lambda *given: float(numpy.cos(7 * sum(given))))
    for sent in ((0, 1, 2), (1, 0, 2)):
        assert said(other, sent, monkeypatch, angle=start) == ""
        assert said(Model((0, 1, 2)), sent, monkeypatch, angle=start, noise=0.1) == ""
        assert said(Model((0, 1, 2)), sent, monkeypatch, angle=start, of=lambda _: 0.1) == ""
