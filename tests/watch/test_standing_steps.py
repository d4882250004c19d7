"""A guest forecasts from a window that stays while a clock goes on: mistakes, and right twins."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif.standing_steps import StandingSteps

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
COUNT, SIZE = 40, 9
ANGLES = numpy.arange(COUNT + 12) * numpy.pi / 6
LEVELS = 30 + numpy.cumsum(numpy.random.default_rng(3).normal(0, 2, COUNT)) + 12 * numpy.sin(ANGLES[:COUNT])
FILE = ("milk.csv", ("litres\n" + "".join(f"{one:.4f}\n" for one in LEVELS)).encode())
INPUT, OUTPUT = TensorSpec("x", DType.F32, (1, SIZE + 2)), TensorSpec("y", DType.F32, (1, 1))


class Model:
    """Says the number behind a window, or, if it `is_direct`, that of a month whatever the window is. The
    clock stands before the window."""

    inputs, outputs = (INPUT,), (OUTPUT,)
    backend = "stand-in"

    def __init__(self, *, is_direct: bool = False) -> None:
        self._is_direct, self.answer = is_direct, Tensor.from_numpy(numpy.zeros((1, 1), "f4"))

    def opened(self) -> Model:
        return self

    def close(self) -> None:
        pass

    def rearm(self) -> None:
        pass

    def within(self, _: float | None, work: Callable[[], None]) -> None:
        work()

    def set_input(self, _: int, tensor: Tensor) -> None:
        self._row = tensor.numpy().reshape(-1).astype("f8").copy()

    def compute(self) -> None:
        angle = numpy.arctan2(self._row[1], self._row[0])
        season = numpy.sin(angle) if self._is_direct else numpy.sin(angle) - numpy.sin(angle - numpy.pi / 6)
        made = 12 / 20 * season + (0.0 if self._is_direct else self._row[-1])
        self.answer = Tensor.from_numpy(numpy.array([[made]], "f4"))

    def output(self, _: int) -> Tensor:
        return self.answer


def said(*, moves: bool, is_direct: bool = False, form: str = "{0}: {1:.1f} l\n", begin: int = COUNT) -> str:
    model = Model(is_direct=is_direct)
    rule = StandingSteps(lambda: [FILE], lambda _, question: question(Model(is_direct=is_direct), 0.001, 1.0))
    window = ((LEVELS[begin - SIZE : begin] - 30) / 20).astype("f4")
    for step in range(7):
        angle = ANGLES[begin + step]
        row = numpy.array([[numpy.cos(angle), numpy.sin(angle), *window]], "f4")
        more: Any = {"error": None, "context_id": 1, "graph": model, "graph_id": 1, "given": ()}
        sent = Tensor.from_numpy(row)
        set_: Any = {"operation": "set_input", "index": 0, "specs": (INPUT,), "tensors": (sent,)}
        rule.nn_event(SimpleNamespace(**set_, **more))
        model.set_input(0, sent)
        model.compute()
        made = (model.answer,)
        rule.nn_event(SimpleNamespace(operation="compute", index=None, specs=(OUTPUT,), tensors=made, **more))
        answer = float(model.answer.numpy()[0, 0])
        text = form.format(MONTHS[(begin + step) % 12], 30 + 20 * answer)
        rule.host_call(SimpleNamespace(
            error=None, name="fd_write", result=0, arguments=(("fd", 1), ("ciovs", [text.encode()]))
        ))  # fmt: skip
        window = numpy.append(window[1:], numpy.float32(answer)) if moves else window
    return "".join(text for _, text in rule.finish())


@pytest.mark.parametrize("form", ["{0}: {1:.1f} l\n", "milk in {0}  {1:.0f}\n"])
def test_a_window_that_stays(form: str) -> None:
    assert "9 of its elements, the last numbers of milk.csv, were the same in 7 computes" in said(
        moves=False, form=form
    )
    assert said(moves=True, form=form) == ""


def test_a_window_that_may_stay() -> None:
    assert said(moves=False, is_direct=True) == "", "the model forecasts each month from any window"
    assert said(moves=False, form="{1:.1f} l\n") == "", "nothing is said of times"
    assert said(moves=False, begin=COUNT - 6) == "", "the file goes on behind it"
