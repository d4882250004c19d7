"""Guests fill a buffer between set_input and compute: too late in each round, or ahead on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from pywasm_nn.api import Module
from pywasm_nn.nn import NN
from pywasm_nn.watch.trace import Trace
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.test_hints import FREED, hints_of

SET, COMPUTE = "set", "compute"
ROWS = numpy.random.default_rng(5).uniform(-1, 1, (40, 8)).astype("f4")


def said(steps: Sequence[Any], folder: Path) -> str:
    """Returns what is said of a guest that sets its buffer, computes, and fills it with rows (numbers)."""
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", ["N", 8])}, {"y": ("float32", ["N", 8])})
    (folder / "m.onnx").write_bytes(model.data())
    trace = Trace(["nn"])
    with Module.from_text(FREED).instantiate(
        nn=NN(models=folder, backends={"onnx": "numpy"}), observer=trace
    ) as app:
        app.exports.begin()
        for step in steps:
            if step == SET:
                app.exports.set()
            elif step == COMPUTE:
                app.exports.compute()
            else:
                app.memory.write(0x100, ROWS[step].tobytes() if step >= 0 else bytes(32))
    trace.flush()
    return "; ".join(hint for hint in hints_of(trace) if "stale" in hint)


@pytest.mark.parametrize("count", [5, 9, 30])
def test_each_is_filled_too_late(count: int, tmp_path: Path) -> None:
    late = [step for at in range(count) for step in (SET, at, COMPUTE)]
    assert f"in each of {count} rounds its buffer was filled after" in said(late, tmp_path)
    right = [step for at in range(count) for step in (at, SET, COMPUTE)]
    assert said(right, tmp_path) == ""


def test_three_rounds_are_said_once(tmp_path: Path) -> None:
    late = [step for at in range(3) for step in (SET, at, COMPUTE)]
    assert said(late, tmp_path).count("stale") == 1


@pytest.mark.parametrize("count", [5, 12])
def test_buffers_that_are_filled_ahead(count: int, tmp_path: Path) -> None:
    """Guests begin with the first row, or with a warm-up. Behind the last row nothing follows, or zeros
    do."""
    ahead = [step for at in range(1, count) for step in (SET, at, COMPUTE)]
    for steps in ([0, *ahead, SET, COMPUTE], [SET, 0, COMPUTE, *ahead, SET, COMPUTE]):
        assert said(steps, tmp_path) == ""
    assert said([SET, 0, COMPUTE, *ahead, SET, -1, COMPUTE], tmp_path) == ""
    assert said([SET, COMPUTE, *ahead, SET, COMPUTE], tmp_path) == "", "a warm-up"


def test_another_row_is_set_than_was_filled_in(tmp_path: Path) -> None:
    """The buffer has something else while the model runs."""
    steps = [step for at in range(9) for step in (SET, 30 - at, COMPUTE, at)]
    assert "rounds its buffer" not in said(steps, tmp_path)
