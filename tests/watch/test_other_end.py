"""Sequences that are padded at the end at which the model doesn't know them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn.nn import NN
from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.whatif import other_end
from pywasm_nn.watch.whatif.other_end import Ends, Padded, padded_otherwise
from pywasm_nn.watch.whatif.sureness import Answer
from tests.nn.backends.onnx_writer import Model, node
from tests.watch.oracles import StandIn

SEQUENCES = [[1.5, 2, 1], [2.5, 1, 1], [1, 1, 2, 3], [2, 2], [3, 1, 2], [1, 2, 1, 2, 3]]
GRAPH: Any = SimpleNamespace(inputs=[SimpleNamespace(name="steps")])


def batch(*, at_end: bool, kind: str = "f4") -> Any:
    rows = [[0] * (5 - len(one)) + one if at_end else one + [0] * (5 - len(one)) for one in SEQUENCES]
    return numpy.array(rows, kind)


def due(array: Any) -> list[Padded]:
    ends = Ends()
    for row in array if array.ndim == 3 else [array]:
        ends.take(0, Tensor.from_numpy(numpy.ascontiguousarray(row)))
    return ends.due(0)


class Reader(StandIn):
    """Stands for the runs of a model that is sure of sequences from the first element on, or of all."""

    of_all = False

    def changed(self, _: int, array: Any) -> Answer:
        number = int(abs(array).sum() * 2) % 7
        is_known = bool(array[0, 0]) or self.of_all
        return Answer(number if array[0, 0] else number + 7, 0.998 if is_known else 0.8, 14, 6.0)


@pytest.mark.parametrize(
    ("at_end", "of_all", "seen"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_the_other_end(monkeypatch: pytest.MonkeyPatch, at_end: bool, of_all: bool, seen: bool) -> None:
    reader = Reader()
    reader.of_all = of_all
    monkeypatch.setattr(other_end, "Runs", reader)
    rows = due(batch(at_end=at_end))
    assert len(rows) == 5
    found = padded_otherwise(GRAPH, rows, 0.001)
    assert ("with the zeros behind them the answers are 1.00 sure on average, as sent 0.80" in found) is seen


def test_which_sequences_are_kept() -> None:
    one_by_one = batch(at_end=True)[:, None]
    assert len(due(one_by_one)) == 5 and len(due(batch(at_end=True, kind="i8"))) == 5
    table = batch(at_end=True) * [1, 900, 3, 0.1, 20]
    within, both = batch(at_end=False), batch(at_end=False)
    within[2, 1] = 0
    both[1:3] = numpy.roll(both[1:3], 1, axis=1)
    for other in (table.astype("f4"), within, both, batch(at_end=True)[:3]):
        assert due(other) == []


def test_sequences_without_a_fixed_length_are_not_kept() -> None:
    ends = Ends()
    for row in batch(at_end=True):
        ends.take(0, Tensor.from_numpy(row[None]))
        ends.take(0, Tensor.from_numpy(numpy.append(0, row)[None].astype("f4")))
    assert ends.due(0) == []


@pytest.mark.parametrize("at_end", [True, False])
def test_a_share_of_one_of_two_classes(at_end: bool, tmp_path: Path) -> None:
    """A network that goes by the first element, and has one output: how likely it is that all is well."""
    weights = numpy.array([[8], [-0.1], [-0.1], [-0.1], [-0.2]], "f4")
    network = [node("MatMul", ["x", "w"], ["a"]), node("Sigmoid", ["a"], ["y"])]
    model = Model(network, {"x": ("float32", [1, 5])}, {"y": ("float32", [1, 1])}, {"w": weights})
    (tmp_path / "m.onnx").write_bytes(model.data())
    signs = numpy.resize([1, -1, 1], len(SEQUENCES))
    array = (batch(at_end=at_end) * signs[:, None]).astype("f4")
    with NN(backends={"onnx": "numpy"}).load(tmp_path / "m.onnx") as loaded:
        found = padded_otherwise(loaded.graph, due(array[:, None]), 0.01)
    assert ("with the zeros behind them the answers are 1.00 sure" in found) is at_end is bool(found)


@pytest.mark.parametrize(("sure", "doubted"), [(0.95, 0.7), (0.998, 0.9)])
def test_one_answer_to_all_that_ends_in_zeros(
    sure: float, doubted: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network that was trained with sequences at the end of its input doubts some of them."""

    class FromTheEnd(Reader):
        def changed(self, _: int, array: Any) -> Answer:
            last = int(array[0, -1])
            return Answer(last % 2, doubted, 3, 1.0) if last else Answer(2, sure, 3, 3.0)

    monkeypatch.setattr(other_end, "Runs", FromTheEnd())
    assert padded_otherwise(GRAPH, due(batch(at_end=True)), 0.001) == ""
