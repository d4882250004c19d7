"""Models that read texts (CTC) are asked about lines that were sent upside down, and the like."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN, Tensor
from pywasm_nn.nn.operation import NNEvent
from pywasm_nn.watch.origin.comparing import softmax
from pywasm_nn.watch.whatif.asking import Runs
from pywasm_nn.watch.whatif.following import WhatIf
from pywasm_nn.watch.whatif.texts import read_otherwise, text_of
from tests.nn.backends.onnx_writer import Model, node

HEIGHT, WIDTH, CLASSES, STEPS = 8, 48, 12, 12
CUT = WIDTH // STEPS
GLYPHS = numpy.random.default_rng(3).normal(0, 1, (CLASSES, HEIGHT * CUT))
GLYPHS[0] = 0
WORD = [3, 0, 5, 7, 0, 7, 9, 2, 0, 11, 4, 0]


def reader() -> bytes:
    """An ONNX model that knows a letter by its pixels, at each step."""
    shape, cut = numpy.array([1, HEIGHT, STEPS, CUT]), numpy.array([1, STEPS, HEIGHT * CUT])
    bias = numpy.full(CLASSES, -12.0)
    bias[0] = 0
    nodes = [
        node("Reshape", ["x", "shape"], ["a"]),
        node("Transpose", ["a"], ["b"], perm=[0, 2, 1, 3]),
        node("Reshape", ["b", "cut"], ["c"]),
        node("MatMul", ["c", "w"], ["d"]),
        node("Add", ["d", "bias"], ["y"]),
    ]
    known = {"shape": shape, "cut": cut, "w": GLYPHS.T.astype("f4"), "bias": bias.astype("f4")}
    sizes = {"x": ("float32", [1, 1, HEIGHT, WIDTH])}, {"y": ("float32", [1, STEPS, CLASSES])}
    return Model(nodes, *sizes, known).data()


LINE = numpy.concatenate([GLYPHS[one].reshape(HEIGHT, CUT) for one in WORD], axis=1)[None, None].astype("f4")
SENT = {
    "": LINE,
    "turned by 180 degrees": LINE[..., ::-1, ::-1],
    "with rows and columns swapped": LINE[0, 0].T.reshape(LINE.shape),
    "from bottom to top": LINE[..., ::-1, :],
    "in the mirror": LINE[..., ::-1],
    "nothing that it knows": numpy.random.default_rng(5).normal(0, 1, LINE.shape).astype("f4"),
}


@pytest.mark.parametrize("how", SENT)
def test_lines_as_they_were_sent(how: str, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(reader())
    tensor = Tensor.from_numpy(numpy.ascontiguousarray(SENT[how]))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        with Runs(loaded.graph, [tensor], judge=text_of) as runs:
            sent = runs.answer({})
        assert sent is not None
        found = read_otherwise(loaded.graph, [tensor], sent, 0.01, 5.0)
    said = found.said if found is not None else ""
    if how in ("", "nothing that it knows"):
        assert said == ""
    else:
        assert how in said
        assert "the model reads 8 letters" in said
        assert found is not None
        assert found.is_sent(Tensor.from_numpy(LINE))
        assert not found.is_sent(tensor)


@pytest.mark.parametrize("both", [True, False])
def test_a_guest_that_reads_a_line_in_both_ways(both: bool, tmp_path: Path) -> None:
    """It knows itself which is right; what is said of the first is kept until the end."""
    (tmp_path / "m.onnx").write_bytes(reader())
    asking = WhatIf()
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        graph, hints = loaded.graph, []
        load: Any = SimpleNamespace(
            operation="load", error=None, graph=graph, graph_id=1, parts=(reader(),), tensors=(), specs=()
        )
        hints += asking.nn_event(load)
        for line in (LINE[..., ::-1, ::-1], LINE)[: 1 + both]:
            sent = Tensor.from_numpy(numpy.ascontiguousarray(line))
            answer = Tensor.from_numpy(loaded.compute({"x": sent})["y"])
            for what, index, specs, tensor in (
                ("set_input", 0, graph.inputs, sent),
                ("compute", None, graph.outputs, answer),
            ):
                event = NNEvent(what, "", 0.001, None, "m", 1, 1, graph, index, tuple(specs), (tensor,))
                hints += asking.nn_event(event)
        assert hints == []
        assert [*asking.finish()] == [] if both else "upside down" in next(iter(asking.finish()))[1]


@pytest.mark.parametrize("scale", [1.0, 320.0])
@pytest.mark.parametrize("is_turned", [False, True])
def test_boxes_with_scores_are_no_letters(scale: float, is_turned: bool) -> None:
    """A detector is asked nothing about lines of text: five runs take the time of all other questions."""
    numbers = numpy.random.default_rng(7)
    rows = numpy.concatenate([scale * numbers.random((400, 4)), 0.9 * numbers.random((400, 18)) ** 9], axis=1)
    logits = numbers.normal(0, 4, rows.shape)
    for made, is_text in ((rows.T if is_turned else rows, False), (logits, True), (softmax(logits), True)):
        array = numpy.ascontiguousarray(made[None], "f4")
        assert (text_of([], [Tensor.from_numpy(array)]) is not None) is is_text
