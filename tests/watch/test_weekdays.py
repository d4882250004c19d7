"""Weekdays as zeros and a one, in a week that begins with another day than the model's; and right weeks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN, DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif.weekdays import Weekdays, weekend_of
from tests.nn.backends.onnx_writer import Model, node

DAYS = {"2025-03-08": 5, "2025-03-12": 2, "2025-03-09": 6, "2025-03-10": 0, "2025-03-14": 4}
WORDS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HIGH, FLAT = (-0.1, 0.0, 0.05, -0.05, 0.1, 1.2, 1.1), (0.3, -0.4, 0.1, 0.5, -0.2, 0.7, 0.6)
MONDAYS, SUNDAYS = 0, 1


def demand(days: Any) -> bytes:
    """A network of two numbers, a weekday and a switch."""
    weights = numpy.array([0.4, -0.3, *days, 0.2]).reshape(10, 1)
    constants = {"w": weights.astype("f4"), "b": numpy.full(1, 0.5, "f4")}
    inputs, outputs = {"x": ("float32", ["n", 10])}, {"y": ("float32", ["n", 1])}
    return Model([node("Gemm", ["x", "w", "b"], ["y"])], inputs, outputs, constants).data()


def said(tmp_path: Any, days: Any, by: int, *, cells: Any = tuple(DAYS), at_once: bool = False) -> str:
    """Returns the hint about a guest that counts days from Monday, or from Sunday if `by` is 1."""
    (tmp_path / "m.onnx").write_bytes(demand(days))
    text = "".join(f"{at};{one};{at * 3 % 7}\n" for at, one in enumerate(cells))
    rows = numpy.random.default_rng(5).normal(size=(len(DAYS), 10))
    rows[:, 2:9] = numpy.eye(7)[(numpy.array([*DAYS.values()]) + by) % 7]
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        graph: Any = model.graph
        rule = Weekdays(
            lambda: [("shop.csv", f"no;when;staff\n{text}".encode())], lambda _, ask: ask(graph, 0.01)
        )
        specs = TensorSpec("x", DType.F32, (1, 10)), TensorSpec("y", DType.F32, (1, 1))
        for part in [rows] if at_once else rows[:, None]:
            for operation, index, tensors in (
                ("set_input", 0, (Tensor.from_numpy(part.astype("f4")),)),
                ("compute", None, ()),
            ):
                event: Any = SimpleNamespace(
                    error=None, context_id=1, graph=graph, graph_id=1, operation=operation, given=(),
                    specs=specs, model=None, index=index, tensors=tensors,
                )  # fmt: skip
                rule.nn_event(event)
        return "; ".join(one for _, one in rule.finish())


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("cells", [tuple(DAYS), tuple(WORDS[one] for one in DAYS.values())])
def test_a_week_that_begins_with_another_day(tmp_path: Any, cells: Any, at_once: bool) -> None:
    wrong = said(tmp_path, HIGH, SUNDAYS, cells=cells, at_once=at_once)
    assert 'elements 2 to 8 are the weekday of column 2 ("when")' in wrong
    assert "is it to be counted from Monday?" in wrong
    assert said(tmp_path, HIGH, MONDAYS, cells=cells, at_once=at_once) == ""
    turned = numpy.roll([-one for one in HIGH], 1)
    assert "counted from Sunday?" in said(tmp_path, turned, MONDAYS, cells=cells, at_once=at_once)
    assert said(tmp_path, turned, SUNDAYS, cells=cells, at_once=at_once) == ""


def test_what_says_no_day(tmp_path: Any) -> None:
    assert said(tmp_path, FLAT, SUNDAYS) == "", "no two days are unlike the others"
    assert said(tmp_path, HIGH, SUNDAYS, cells=("a", "b", "c", "d", "e")) == ""
    assert said(tmp_path, HIGH, 3) == "", "another order of the program's own"


def test_days_of_no_order() -> None:
    random = numpy.random.default_rng(7)
    assert sum(weekend_of(one) != "" for one in random.normal(size=(2000, 7))) < 10


def test_an_input_without_dimensions() -> None:
    rule = Weekdays(tuple, lambda _, ask: None)
    spec = TensorSpec("x", DType.F32, None)
    for array in (numpy.zeros((1, 10), "f4"), numpy.float32(3)):
        event: Any = SimpleNamespace(
            error=None, context_id=1, graph=None, graph_id=1, operation="set_input", given=(),
            specs=(spec,), model=None, index=0, tensors=(Tensor.from_numpy(array),),
        )  # fmt: skip
        rule.nn_event(event)
    assert not [*rule.finish()]
