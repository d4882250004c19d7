"""Weekdays that are days since 1970 modulo 7, as if that had begun with a Monday, and right twins."""

from __future__ import annotations

from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN, DType, Tensor, TensorSpec
from pywasm_nn.watch.whatif.epoch_days import EpochDays
from tests.nn.backends.onnx_writer import Model, node

WEEKENDS = {"Monday": (-0.1, 0.0, 0.05, -0.05, 0.1, 1.2, 1.1), "Sunday": (1.2, 0, 0.1, -0.1, 0.05, 0, 1.1)}
FLAT = (0.3, -0.4, 0.1, 0.5, -0.2, 0.7, 0.6)
FRIDAY = date(2025, 3, 7)
HOURS, OUTPUTS = 5, 3


def load(days: Any) -> bytes:
    """A network of a window, and of a weekday and two more numbers; three numbers are its answer."""
    weights = numpy.array([*days, 0.1, -0.2]).reshape(9, 1) * numpy.array([[1.0, 0.9, 1.1]])
    constants = {"w": weights.astype("f4"), "v": numpy.full((HOURS, OUTPUTS), 0.1, "f4")}
    inputs = {"past": ("float32", [1, HOURS]), "calendar": ("float32", [1, 9])}
    nodes = [
        node("MatMul", ["past", "v"], ["a"]),
        node("MatMul", ["calendar", "w"], ["b"]),
        node("Add", ["a", "b"], ["y"]),
    ]
    return Model(nodes, inputs, {"y": ("float32", [1, OUTPUTS])}, constants).data()


def said(tmp_path: Any, days: Any, by: int, *, form: str = "seconds", rounds: int = 1) -> str:
    """Returns the hint about a guest that asks about the day behind a file's last one, or about its first
    lines, of weekdays that are off from Monday's by so many places."""
    (tmp_path / "m.onnx").write_bytes(load(days))
    step = timedelta(1)
    dates = [FRIDAY - step * at for at in range(11, -1, -1)]
    forms = {
        "seconds": lambda one: str((one - date(1970, 1, 1)).days * 86400 + 3600),
        "milliseconds": lambda one: str((one - date(1970, 1, 1)).days * 86400000),
        "dates": lambda one: one.isoformat(),
        "words": lambda _: "a day",
    }
    loads = [round(at * 0.3 + at % 3, 2) for at in range(len(dates))]
    text = "".join(f"{forms[form](one)},{at}\n" for one, at in zip(dates, loads, strict=True))
    about = [FRIDAY + step] if rounds == 1 else dates[:rounds]
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        graph: Any = model.graph
        rule = EpochDays(lambda: [("grid.csv", f"time,mw\n{text}".encode())], lambda _, ask: ask(graph, 0.01))
        specs = TensorSpec("past", DType.F32, (1, HOURS)), TensorSpec("calendar", DType.F32, (1, 9))
        for day in about:
            row = numpy.array([*numpy.eye(7)[(day.weekday() + by) % 7], 0.3, 0.95])
            past = (numpy.array(loads[-HOURS:]) - 2) / 0.7
            for operation, index, arrays in (
                ("set_input", 0, [past]), ("set_input", 1, [row]), ("compute", None, []),
            ):  # fmt: skip
                event: Any = SimpleNamespace(
                    error=None, context_id=1, graph=graph, graph_id=1, operation=operation, given=(),
                    specs=specs, model=None, index=index,
                    tensors=tuple(Tensor.from_numpy(one[None].astype("f4")) for one in arrays),
                )  # fmt: skip
                rule.nn_event(event)
        return "; ".join(one for _, one in rule.finish())


@pytest.mark.parametrize("rounds", [1, 6])
@pytest.mark.parametrize("form", ["seconds", "milliseconds", "dates"])
@pytest.mark.parametrize("begins", WEEKENDS)
def test_days_since_1970(tmp_path: Any, begins: str, form: str, rounds: int) -> None:
    wrong = said(tmp_path, WEEKENDS[begins], 4, form=form, rounds=rounds)
    day = "Saturday" if rounds == 1 else "Monday"
    place = {"Saturday": 2, "Monday": 4}[day]
    assert (
        f'input 1 "calendar": elements 0 to 6 are a weekday as zeros and a one, {place} for a {day}' in wrong
    )
    assert f"a week that begins with {begins}" in wrong
    assert said(tmp_path, WEEKENDS[begins], begins == "Sunday", form=form, rounds=rounds) == ""


def test_what_says_nothing(tmp_path: Any) -> None:
    assert said(tmp_path, FLAT, 4) == "", "no two days are unlike the others"
    assert said(tmp_path, numpy.roll(WEEKENDS["Monday"], -3), 4) == "", "a model that counts from Thursday"
    assert said(tmp_path, WEEKENDS["Monday"], 4, form="words") == ""
    assert said(tmp_path, WEEKENDS["Monday"], 2) == "", "one day, which may be another than the next one"
    assert "that day is 0" in said(tmp_path, WEEKENDS["Monday"], 2, rounds=6)
