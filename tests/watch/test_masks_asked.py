"""Masks of the other meaning: a model is asked whether it sees the words at all."""

from pathlib import Path

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.watch.whatif.masks import hidden_words
from tests.nn.backends.onnx_writer import Model, node

WORDS = numpy.array([[4, 9, 11, 2, 7, 0]], "i8")


def reader(*, hides_ones: bool) -> bytes:
    """A model that adds numbers of the words that a mask shows."""
    table = numpy.random.default_rng(1).normal(0, 1, 20).astype("f4")
    weight = numpy.arange(1, 7, dtype="f4").reshape(1, 6)
    nodes = [
        node("Gather", ["table", "x"], ["e"]),
        node("Cast", ["mask"], ["m"], to=1),
        *([node("Sub", ["one", "m"], ["shown"])] if hides_ones else [node("Mul", ["one", "m"], ["shown"])]),
        node("Mul", ["e", "shown"], ["seen"]),
        node("Mul", ["seen", "weight"], ["weighed"]),
        node("ReduceMean", ["weighed"], ["y"], axes=[1], keepdims=1),
    ]
    inputs, outputs = {"x": ("int64", [1, 6]), "mask": ("int64", [1, 6])}, {"y": ("float32", [1, 1])}
    constants = {"table": table, "one": numpy.ones(1, "f4"), "weight": weight}
    return Model(nodes, inputs, outputs, constants).data()


@pytest.mark.parametrize("hides_ones", [False, True])
@pytest.mark.parametrize("mask", [[1] * 6, [1] * 5 + [0], [0] * 6, [0] * 5 + [1]])
def test_the_meaning_of_a_mask(hides_ones: bool, mask: list[int], tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(reader(hides_ones=hides_ones))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": WORDS, "mask": numpy.array([mask], "i8")})
        found = hidden_words(model.graph, given, 0.01)
    assert (found is not None) is (mask[0] == hides_ones)
    assert found is None or f"the model hides what is {mask[0]}" in found


def test_words_that_are_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(reader(hides_ones=True))
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as model:
        given = model.tensors({"x": numpy.full((1, 6), 3), "mask": numpy.ones((1, 6), "i8")})
        assert hidden_words(model.graph, given, 0.01) is None
