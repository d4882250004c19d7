"""Inputs that stay as they are while a model's state goes on, by the names of the states: mistakes, and twins
without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import DType, Tensor, TensorSpec
from pywasm_nn.watch.feedback import Feedback, states

ROUNDS = 20


def specs(names: str, shape: tuple[int, ...]) -> tuple[TensorSpec, ...]:
    return tuple(TensorSpec(name, DType.F32, shape) for name in names.split())


def said(
    inputs: str,
    outputs: str,
    sent: Any,
    *,
    is_set_again: bool = True,
    has_data: bool = True,
    stays: bool = False,
) -> str:
    """Returns what is said of a guest that sends numbers round by round, and the states back as they come, or
    the same ones (`stays`)."""
    feedback, hints = Feedback(has_data=lambda: has_data), []
    numbers = numpy.atleast_2d(numpy.array(sent, "f4"))
    data = TensorSpec("x", DType.F32, (1, numbers.shape[1]))
    given = (data, *specs(inputs, (1, 4)))
    graph = SimpleNamespace(inputs=given, outputs=(*specs("kind", (1, 3)), *specs(outputs, (1, 4))))

    def event(operation: str, index: int | None = None, array: Any = None) -> None:
        tensors = () if array is None else (Tensor.from_numpy(array),)
        one: Any = SimpleNamespace(
            error=None, context_id=1, graph=graph, operation=operation, index=index, tensors=tensors
        )
        hints.extend(text for _, text in feedback.nn_event(one))

    for number, row in enumerate(numbers):
        if is_set_again or not number:
            event("set_input", 0, row[None])
        for index in range(1, len(given)):
            event("set_input", index, numpy.full((1, 4), index / 8 + number * (not stays), "f4"))
        event("compute")
    return "; ".join([*hints, *(text for _, text in feedback.finish())])


NAMES = [("h m", "h_next m_next"), ("z", "new_z"), ("a_in b_in", "a_out b_out"), ("state", "state_out")]
MOVING = numpy.cos(numpy.arange(ROUNDS))[:, None]


@pytest.mark.parametrize(("inputs", "outputs"), NAMES)
def test_one_number_that_is_set_once(inputs: str, outputs: str) -> None:
    assert "does the guest advance in its data?" in said(inputs, outputs, MOVING, is_set_again=False)
    assert said(inputs, outputs, MOVING) == ""
    held = numpy.where(MOVING > 0, 1.0, 1.0)
    assert said(inputs, outputs, held) == "", "a number may be measured again"
    assert "advance" in said(inputs, outputs, numpy.repeat([[1.0, 2.5]], ROUNDS, axis=0))


@pytest.mark.parametrize(("inputs", "outputs"), NAMES)
def test_a_guest_that_makes_its_inputs_itself(inputs: str, outputs: str) -> None:
    """It may hold two switches, or ask of many numbers what follows on the same state."""
    held = numpy.repeat([[1.0, 2.5]], ROUNDS, axis=0)
    assert "advance" in said(inputs, outputs, held)
    assert said(inputs, outputs, held, has_data=False) == ""
    assert "has to be sent back" in said(inputs, outputs, MOVING, stays=True)
    assert said(inputs, outputs, MOVING, stays=True, has_data=False) == ""


@pytest.mark.parametrize(
    ("inputs", "outputs", "count"),
    [
        ("p m", "p_next m_next", 2),
        ("x", "x_new", 1),
        ("x", "next_token", 0),
        ("x", "y", 0),
        ("up", "down", 0),
    ],
)
def test_what_an_input_becomes(inputs: str, outputs: str, count: int) -> None:
    assert len(states(specs(inputs, (1, 4)), specs(outputs, (1, 4)))) == count
    assert states(specs(inputs, (1, 4)), specs(outputs, (1, 3))) == []
