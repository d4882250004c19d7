"""Guests that balance a pole on a cart: with places and speeds in another order, with the angle in degrees,
and as the model wants them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import degrees
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import balancing
from pywasm_nn.watch.whatif.balancing import ELEMENTS, STEPS, held_otherwise
from pywasm_nn.watch.whatif.steered import WAYS, Steered
from tests.watch.oracles import StandIn

WANTED = numpy.array([0.09, 0.18, 2.4, 0.6])
"""How strongly an answer pushes for the cart's place and speed, and the pole's angle and its speed."""


class Model(StandIn):
    """Stands for the runs of a model that wants elements by these pulls."""

    def __init__(self, pulls: Any, bend: Callable[[Any], Any], is_chosen: bool) -> None:
        self._pulls, self._bend, self._is_chosen = pulls, bend, is_chosen

    def answer(self, given: Any) -> Any:
        level = self._bend(float(self._pulls @ given.reshape(-1)))
        return numpy.array([[-level, level] if self._is_chosen else [level]], "f4")

    def outputs_of(self, _: int, array: Any) -> list[Tensor]:
        return [Tensor.from_numpy(self.answer(array))]


def said(
    monkeypatch: pytest.MonkeyPatch, order: Sequence[int] = (0, 1, 2, 3), *, units: Any = 1.0,
    pulls: Any = WANTED, bend: Callable[[Any], Any] = numpy.tanh, is_chosen: bool = False, early: bool = True,
    noise: float = 0.0, gravity: float = 16.0,
) -> str:  # fmt: skip
    """What is said of a guest that sends place, speed, angle and its speed in an order, in these units."""
    model = Model(numpy.array(pulls), bend, is_chosen)
    monkeypatch.setattr(balancing, "Runs", model)
    graph: Any = SimpleNamespace(
        inputs=[SimpleNamespace(name="obs")], outputs=[SimpleNamespace(shape=(1, 1 + is_chosen))]
    )
    kept, state, found, rng = (
        Steered(ELEMENTS, WAYS, STEPS),
        numpy.array([0.1, 0.0, 0.08, 0.0]),
        "",
        numpy.random.default_rng(3),
    )
    for _ in range(STEPS[-1] + 3):
        row = ((state + rng.normal(0, noise or 1e-12, 4)) * units)[[*order]].astype("f4")
        answer = model.answer(row)
        event: Any = SimpleNamespace(graph_id=1, tensors=(Tensor.from_numpy(answer),))
        if steps := kept.take(event, [Tensor.from_numpy(row[None])]):
            found = found or held_otherwise(graph, steps, 0.01)
        force = 20 * float(answer[0, 0]) if not is_chosen else 10 * float(numpy.sign(answer[0, 1]))
        pushed = numpy.array(
            [0, force - 0.7 * numpy.sin(state[2]), 0, gravity * numpy.sin(state[2]) - 1.4 * force]
        )
        before, state = state, state + 0.02 * pushed
        state[[0, 2]] += 0.02 * (before if early else state)[[1, 3]]
    return found


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("is_chosen", [True, False])
@pytest.mark.parametrize("order", [(0, 2, 1, 3), (2, 3, 0, 1)])
def test_places_and_speeds_in_another_order(
    order: tuple[int, ...], is_chosen: bool, early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = said(monkeypatch, order, early=early, is_chosen=is_chosen)
    back = ", ".join(map(str, numpy.argsort(order)))
    assert f"if they came in the order {back}: is that" in found
    right = said(monkeypatch, order, pulls=WANTED[[*order]], early=early, is_chosen=is_chosen)
    assert right == "", "the order that it wants"


@pytest.mark.parametrize("bend", [numpy.tanh, lambda level: 1.5 * numpy.tanh(level)])
@pytest.mark.parametrize("odd", [2, 3])
def test_an_angle_in_degrees_whose_speed_is_in_radians(
    odd: int, bend: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    units = numpy.where(numpy.arange(4) == odd, degrees(1), 1.0)
    found = said(monkeypatch, units=units, bend=bend)
    assert f"with element {odd} in radians the model's answers grow evenly" in found
    assert "element 2 grows by " in found and "times element 3" in found
    assert said(monkeypatch, units=units, pulls=WANTED / units, bend=bend) == "", "so was it trained"


@pytest.mark.parametrize("pulls", [WANTED, -WANTED, 0.3 * WANTED, 40 * WANTED, 0 * WANTED])
@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("is_chosen", [True, False])
def test_models_that_get_what_they_want(
    pulls: Any, noise: float, is_chosen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also such as push the wrong way, or too weakly, or always as strongly as they can."""
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (1, 0, 3, 2)):
        own = pulls[[*order]]
        assert said(monkeypatch, order, pulls=own, noise=noise, is_chosen=is_chosen) == ""


def test_other_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, (0, 2, 1, 3), noise=0.01) == "", "measured"
    kept, rng = Steered(ELEMENTS, WAYS, STEPS), numpy.random.default_rng(1)
    for shape in ((1, 4), (1, 6), (1, 5), (8, 4)):
        rows = [Tensor.from_numpy(rng.random(shape).astype("f4")) for _ in range(STEPS[0])]
        event: Any = SimpleNamespace(graph_id=shape, tensors=(Tensor.from_numpy(rng.random((1, 1))),))
        found = [kept.take(event, [row]) for row in rows]
        assert bool(found[-1]) is (shape in ((1, 4), (1, 6)))
        if found[-1]:
            graph: Any = SimpleNamespace(outputs=[SimpleNamespace(shape=(1, 1))])
            assert held_otherwise(graph, found[-1], 0.01) == ""
