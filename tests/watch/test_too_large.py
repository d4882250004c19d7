"""Pixels from 0 to 255 for models that want small ones, and say something of each place, or of the whole."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif.too_large import too_large
from tests.nn.backends.onnx_writer import Model, node

SIDE, SPAN = 24, 9
PICTURE = numpy.random.default_rng(1).integers(60, 100, (1, 3, SIDE, SIDE)).astype("f8")
PICTURE[..., 14:] += 150
PICTURE[..., 0, 0] = 1


def masks(classes: int, scale: float) -> bytes:
    """A model that takes bright places of its neighbourhood for class 1, and `scale` for white."""
    weights = numpy.zeros((classes, 3, SPAN, SPAN), "f4")
    weights[-1] = 40 / scale / (3 * SPAN * SPAN)
    bias = numpy.zeros(classes, "f4")
    bias[-1] = -27
    conv = node("Conv", ["x", "w", "b"], ["y"], pads=[SPAN // 2] * 4)
    shapes = {"x": ("float32", [1, 3, SIDE, SIDE])}, {"y": ("float32", [1, classes, SIDE, SIDE])}
    return Model([conv], *shapes, {"w": weights, "b": bias}).data()


def presence(scale: float) -> bytes:
    """A model of eight points, always the same ones, and of whether the right side is the brighter one."""
    weights = numpy.zeros((3, SIDE, SIDE), "f4")
    weights[..., 12:], weights[..., :12] = 1, -1
    weights *= 60 / scale / (weights.size / 2)
    nodes = [
        node("Flatten", ["x"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["is_there"]),
        node("Gemm", ["f", "nothing", "points_are"], ["points"]),
    ]
    numbers = {
        "w": weights.reshape(-1, 1),
        "b": numpy.array([-3], "f4"),
        "nothing": numpy.zeros((weights.size, 8), "f4"),
        "points_are": numpy.arange(8, dtype="f4"),
    }
    outputs = {"points": ("float32", [1, 8]), "is_there": ("float32", [1, 1])}
    return Model(nodes, {"x": ("float32", [1, 3, SIDE, SIDE])}, outputs, numbers).data()


def said(tmp_path: Path, model: bytes, by: float) -> str:
    (tmp_path / "m.onnx").write_bytes(model)
    sent = (PICTURE / by).astype("f4")
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        answers = loaded.compute({"x": sent})
        outputs = [Tensor.from_numpy(answers[one.name]) for one in loaded.outputs]
        return too_large(loaded.graph, [Tensor.from_numpy(sent)], outputs, 0.001) or ""


@pytest.mark.parametrize("classes", [1, 2])
def test_classes_of_places(classes: int, tmp_path: Path) -> None:
    found = said(tmp_path, masks(classes, 1.0), 1)
    assert "with pixels from 0 to 1" in found and "elements are far too large" in found
    assert "at most places the surest class is e^" in found
    assert said(tmp_path, masks(classes, 1.0), 255) == ""
    assert said(tmp_path, masks(classes, 255.0), 1) == ""


def test_whether_something_is_there(tmp_path: Path) -> None:
    assert "that something is there is e^" in said(tmp_path, presence(1.0), 1)
    assert said(tmp_path, presence(1.0), 255) == ""
    assert said(tmp_path, presence(255.0), 1) == ""
