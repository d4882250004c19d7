"""What a model answers to another view of the picture that was computed."""

from __future__ import annotations

from pathlib import Path

import numpy

from pywasm_nn.nn import NN
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import WhatIf
from pywasm_nn.watch.whatif.views import MIRRORED, UPSIDE_DOWN, Rescaled, View
from tests.nn.backends.onnx_writer import Model, node

NUMPY = {"onnx": "numpy"}
SHAPE = [1, 1, 8, 12]
PICTURE = numpy.arange(96, dtype="f4").reshape(SHAPE)


def test_a_model_is_asked_about_a_view(tmp_path: Path) -> None:
    model = Model([node("Relu", ["x"], ["y"])], {"x": ("float32", SHAPE)}, {"y": ("float32", SHAPE)})
    (tmp_path / "m.onnx").write_bytes(model.data())
    whatif = WhatIf()
    with NN(backends=NUMPY).load(tmp_path / "m.onnx") as loaded:
        sent, graph = Tensor.from_numpy(PICTURE), loaded.graph
        given = NNEvent("set_input", "", 0.001, None, "m", 1, 1, graph, 0, tuple(graph.inputs), (sent,))
        computed = NNEvent("compute", "", 0.001, None, "m", 1, 1, graph, None, tuple(graph.outputs), (sent,))
        assert whatif.answer_to(computed, MIRRORED) == {}
        assert [*whatif.nn_event(given)] == []
        assert (whatif.answer_to(computed, MIRRORED)[0] == PICTURE[..., ::-1]).all()
        assert (whatif.answer_to(computed, UPSIDE_DOWN)[0] == PICTURE[..., ::-1, :]).all()
        halves = whatif.answer_to(computed, Rescaled(4, 2))[0]
        higher = whatif.answer_to(computed, View(0.25))[0]
    assert (halves == (PICTURE - 4).clip(0) / 2).all()
    assert (higher[..., ::2, :] == PICTURE[..., 2:6, :]).all()
