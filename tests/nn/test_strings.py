"""A model with an output of strings beside others, as scikit-learn's classifiers of names have it: the others
can be had, by guests too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pywasm_nn import cli
from pywasm_nn.nn import NN, Code, DType, NNError, NNEvent, Target, Tensor
from pywasm_nn.nn.backend import GraphConfig
from pywasm_nn.nn.models import NamedModel
from pywasm_nn.nn.registry import Registry
from pywasm_nn.nn.session import Session
from pywasm_nn.watch.tensors import described

from .backends.onnx_writer import Model, node
from .conftest import floats

pytest.importorskip("onnxruntime")

STRING = 8
"""TensorProto.DataType of strings."""
REFUSED = (
    'output 0 "label" has strings, which no wasi-nn tensor supports; to fetch are 1 "probabilities", 2 "sum"'
)


def labelled(length: int | str) -> bytes:
    """ONNX: x f32[length,2] as strings, as it is, and a sum."""
    shape = [length, 2]
    nodes = [
        node("Cast", ["x"], ["label"], to=STRING),
        node("Identity", ["x"], ["probabilities"]),
        node("Add", ["x", "x"], ["sum"]),
    ]
    outputs = {"label": (STRING, shape), "probabilities": ("float32", shape), "sum": ("float32", shape)}
    return Model(nodes, {"x": ("float32", shape)}, outputs).data()


@pytest.fixture(params=["N", 1])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The model, with a batch of any length or of 1."""
    (tmp_path / "labels.onnx").write_bytes(labelled(request.param))
    return tmp_path / "labels.onnx"


@pytest.mark.parametrize("own", [False, True])
def test_a_guest_gets_the_others(path: Path, own: bool) -> None:
    """A named model, and the guest's own, which a child process computes."""
    events: list[NNEvent] = []
    session = Session(Registry(path.parent), lambda text: None, observer=events.append)
    graph = session.load([path.read_bytes()], "onnx", Target.CPU) if own else session.load_by_name("labels")
    ctx = session.init_execution_context(graph)
    for low in (1.0, 3.0):  # the second time sizes are known
        session.set_input(ctx, 0, Tensor(DType.F32, (1, 2), floats(low, 2.5)))
        session.compute(ctx)
        specs, tensors = events[-1].specs, events[-1].tensors
        assert [spec.name for spec in specs] == ["label", "probabilities", "sum"], "each in its place"
        if not own:
            assert described(specs[0], tensors[0]).text == f'["{low:g}", "2.5"]'
        assert bytes(session.get_output(ctx, 1).view()) == floats(low, 2.5)
        with pytest.raises(NNError) as caught:
            session.get_output(ctx, 0)
        assert (caught.value.code, caught.value.reason) == (Code.UNSUPPORTED_OPERATION, REFUSED)
    given = session.compute_named(ctx, [("x", Tensor(DType.F32, (1, 2), floats(1, 2)))])
    assert [(name, bytes(one.view())) for name, one in given] == [
        ("probabilities", floats(1, 2)), ("sum", floats(2, 4))
    ]  # fmt: skip
    room = bytearray(64)
    session.set_output(ctx, "sum", lambda: memoryview(room))
    session.compute(ctx)
    assert room[:8] == floats(2, 4)
    session.set_output(ctx, "label", lambda: memoryview(room))
    with pytest.raises(NNError, match="no wasi-nn tensor supports"):
        session.compute(ctx)
    session.close()


def test_python_gets_the_strings_too(path: Path) -> None:
    outputs = NN().load(path).compute({"x": np.array([[1, 2.5]], "f4")})
    assert outputs["label"].tolist() == [["1", "2.5"]]
    assert outputs["sum"].tolist() == [[2, 5]]


def test_the_command_shows_them(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "row.csv").write_text("1,2.5\n")
    assert (
        cli.call(["nn", "run", str(path), str(tmp_path / "row.csv"), "--top", "1", "--save", str(tmp_path)])
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["#0 label  string[1,2]", "  [0,0] 1", "#1 probabilities  f32[1,2]"]
    assert np.load(tmp_path / "label.npy").tolist() == [["1", "2.5"]]


def test_strings_alone_get_advice() -> None:
    data = Model(
        [node("Cast", ["x"], ["y"], to=STRING)], {"x": ("float32", [1])}, {"y": (STRING, [1])}
    ).data()
    with pytest.raises(NNError, match="train the model on numbers in place of texts") as caught:
        Registry().backend("onnxruntime", "here").load("onnx", [data], GraphConfig(Target.CPU))
    assert caught.value.code is Code.UNSUPPORTED_OPERATION


def test_such_a_model_is_not_batched(path: Path) -> None:
    config = GraphConfig(Target.CPU, {"batch": 4})
    with pytest.raises(NNError, match="a model of texts can't be batched"):
        NN().load(NamedModel((path,), config=config))
