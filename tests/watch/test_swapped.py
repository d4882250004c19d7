"""Many pictures that were sent with blue first, to models of either order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif.blue import Blue
from pywasm_nn.watch.whatif.swapped import Swapped, red_first_of_all
from tests.nn.backends.onnx_writer import Model, node

COLOURS = numpy.array([[0.9, 0.5, 0.1], [0.1, 0.9, 0.5], [0.5, 0.1, 0.9]])
"""Of things, red first. With blue first each is as like one of the others as the other one."""


def model(order: str, colours: Any, shape: tuple[int, ...]) -> bytes:
    """A model that knows things by their colours, in this order."""
    own = colours[:, ::-1] if order == "BGR" else colours
    numbers = {"w": numpy.float32(60 * own.T), "b": numpy.float32(-30 * (own**2).sum(axis=1))}
    nodes = [
        node("GlobalAveragePool", ["x"], ["m"]),
        node("Flatten", ["m"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=1),
    ]
    declared = ["n", *shape[1:]]
    return Model(nodes, {"x": ("float32", declared)}, {"y": ("float32", ["n", len(own)])}, numbers).data()


def said(path: Any, order: str, pictures: Any, name: str, *, together: int = 1) -> str:
    """What is said of pictures [n, 3, height, width], red first, that were sent with blue first."""
    path.write_bytes(model(order, COLOURS, pictures.shape))
    kept = Swapped()
    kept.take(1, Blue(0, name))
    with NN(backends={"onnx": "numpy"}).load(path) as loaded:
        for at in range(0, len(pictures), together):
            sent = numpy.ascontiguousarray(pictures[at : at + together, ::-1])
            answer = Tensor.from_numpy(loaded.compute({"x": sent})["y"])
            event: Any = SimpleNamespace(graph_id=1, specs=loaded.outputs, tensors=[answer])
            kept.computed(event, [Tensor.from_numpy(sent)])
        return "".join(red_first_of_all(loaded.graph, one, 5.0) for one in kept.due())


def things(seed: int, count: int) -> Any:
    """Pictures of things, each nearly in one of the colours."""
    random = numpy.random.default_rng(seed)
    colours = COLOURS[random.permutation(count) % len(COLOURS)] + random.normal(0, 0.04, (count, 3))
    return numpy.float32((colours[:, :, None, None] + random.normal(0, 0.1, (count, 3, 9, 9))).clip(0, 1))


@pytest.mark.parametrize("name", ["a.ppm", "a.bmp"])
@pytest.mark.parametrize("together", [1, 5])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_that_a_model_knows(seed: int, together: int, name: str, tmp_path: Any) -> None:
    pictures = things(seed, (3, 5, 20, 50)[seed] if together == 1 else 10)
    text = said(tmp_path / "m.onnx", "RGB", pictures, name, together=together)
    assert f"sent with blue first (BGR), as {name} shows; with red first (RGB)" in text
    assert said(tmp_path / "m.onnx", "BGR", pictures, name, together=together) == ""


def test_few_pictures_and_grey_ones(tmp_path: Any) -> None:
    """And those that are the same ones again and again."""
    assert said(tmp_path / "m.onnx", "RGB", things(1, 2), "a.ppm") == ""
    assert said(tmp_path / "m.onnx", "RGB", things(1, 1).repeat(9, axis=0), "a.ppm") == ""
    grey = things(1, 9).mean(axis=1, keepdims=True).repeat(3, axis=1)
    assert said(tmp_path / "m.onnx", "RGB", grey, "a.ppm") == ""
