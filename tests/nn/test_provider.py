"""NN as people use it: models in plain Python, and sharing between instances."""

from __future__ import annotations

import pickle
import re
import time
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pywasm_nn import cli
from pywasm_nn.cli.models import Inference, with_backends
from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, DType, NamedModel, NNError, NNEvent, Tensor
from pywasm_nn.nn.errors import Nature

from .backends.onnx_writer import Model as OnnxModel
from .backends.onnx_writer import node
from .conftest import ADD_MUL, FIXTURES, FakeBackend, files_that_go, floats

MODEL = FIXTURES / "add_mul_dyn.onnx"


@pytest.fixture(params=["fake", "onnxruntime", "openvino", "numpy"])
def nn(request: pytest.FixtureRequest) -> NN:
    nn = NN(plugins=[FakeBackend()], backends={"onnx": request.param}, models={"m": MODEL})
    if reason := nn.registry.backend(request.param, "here").unavailable():
        pytest.skip(reason)
    return nn


def test_a_name_that_could_be_two_models_is_told(tmp_path: Path) -> None:
    for name in ("m.onnx", "m.tflite"):
        (tmp_path / name).write_bytes(ADD_MUL)
    reports: list[str] = []
    NN(models=tmp_path, backends={"onnx": "numpy"}).load("m", report=reports.append)
    assert reports == ['wasi-nn: "m" names m.onnx; "m.tflite" names the other']


def test_a_model_in_plain_python(nn: NN) -> None:
    model = nn.load(MODEL)
    assert [spec.name for spec in model.inputs] == ["a", "b"]
    assert [spec.name for spec in model.outputs] == ["sum", "prod"]
    for batch in (1, 3):
        a = np.arange(2 * batch, dtype="f4").reshape(batch, 2)
        outputs = model.compute({"b": a + 1, "a": a})
        assert list(outputs) == ["sum", "prod"]
        assert np.array_equal(outputs["sum"], a + a + 1)
        assert np.array_equal(outputs["prod"], a * (a + 1))
    kept = model.compute({"a": [[1, 2]], "b": [[3, 4]]})
    model.compute({"a": [[5, 6]], "b": [[7, 8]]})
    assert kept["sum"].tolist() == [[4, 6]]


def test_arrays_that_can_only_be_read(nn: NN) -> None:
    a, b = (np.frombuffer(floats(*values), "f4").reshape(1, 2) for values in ((1, 2), (3, 4)))
    assert nn.load(MODEL).compute({"a": a, "b": b})["sum"].tolist() == [[4, 6]]


def test_a_named_model_in_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with files_that_go(other="gone.onnx") as models:
        nn = NN(plugins=[FakeBackend()], backends={"onnx": "fake"}, models={"m": MODEL, **models})
    assert [spec.name for spec in nn.load("m").inputs] == ["a", "b"]
    for gone in ("n", "other", Path("m")):
        with pytest.raises(NNError, match="there is no file"):
            nn.load(gone)
    with pytest.raises(
        NNError, match=r'no file oter, and no model is named "oter"; named are: m, other; .*"other"'
    ):
        nn.load("oter")
    (tmp_path / "m").write_bytes(b"FAKE picture")
    assert nn.load("m").inputs[0].name == "in"


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"a": [[1, 2]]}, "wants the inputs a, b; given were a"),
        ({"a": [[1, 2]], "b": [[1, 2]], "c": 1}, "given were a, b, c"),
        ({"a": [[1, 2]], "b": [[1, 2, 3]]}, r'input "b" wants f32\[N,2\]; you gave f32\[1,3\]'),
        ({"a": np.zeros((1, 2)), "b": [[1, 2]]}, r'input "a" wants f32\[N,2\]; you gave f64\[1,2\]'),
        ({"a": "what", "b": [[1, 2]]}, 'input "a" wants'),
        ({"a": np.zeros((1, 2), complex), "b": [[1, 2]]}, "complex128"),
    ],
)
def test_what_a_model_refuses(inputs: dict[str, object], words: str) -> None:
    model = NN(plugins=[FakeBackend()], backends={"onnx": "fake"}).load(MODEL)
    with pytest.raises(NNError, match=words) as caught:
        model.compute(inputs)
    assert caught.value.code is Code.INVALID_ARGUMENT


WANTED = "(the model wants a, b)"
NO_ARRAY = "must be an array, a Tensor, or numbers in lists, not"


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([1, 2], f"inputs must be a mapping of names to arrays {WANTED}, not list"),
        ({0: [[1, 2]], 1: [[1, 2]]}, f"each name in inputs must be a str {WANTED}, not int 0"),
        ({"a": None, "b": [[1, 2]]}, f"inputs['a'] {NO_ARRAY} None; the model wants f32[N,2]"),
        ({"a": [[1, 2]], "b": object()}, f"inputs['b'] {NO_ARRAY} object; the model wants f32[N,2]"),
        ({"a": [[1, 2]], "b": {}}, f"inputs['b'] {NO_ARRAY} dict; the model wants f32[N,2]"),
    ],
)
def test_what_is_no_input(inputs: Any, words: str) -> None:
    model = NN(plugins=[FakeBackend()], backends={"onnx": "fake"}).load(MODEL)
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        model.compute(inputs)


def test_a_tensor_is_an_input() -> None:
    """As those of `Result.nn_calls` are."""
    model = NN(plugins=[FakeBackend()], backends={"onnx": "fake"}).load(MODEL)
    given = Tensor(DType.F32, (1, 2), floats(1, 2))
    assert model.compute({"a": given, "b": [[1, 1]]})["sum"].tolist() == [[2, 3]]
    with pytest.raises(NNError, match=r'input "a" wants f32\[N,2\]; you gave f32\[1,1\]'):
        model.compute({"a": Tensor(DType.F32, (1, 1), floats(1)), "b": [[1, 1]]})


@pytest.mark.parametrize("backend", ["onnxruntime", "numpy"])
def test_a_model_without_a_guest_is_stopped(backend: str, tmp_path: Path) -> None:
    """Thousands of products, each of which is over soon: it is stopped between two."""
    n = 600
    nodes = [node("MatMul", [f"h{i}", "w"], [f"h{i + 1}"]) for i in range(2000)]
    nodes += [node("Neg", ["h2000"], ["y"])]
    shape = ("float32", [n, n])
    model = OnnxModel(nodes, {"h0": shape}, {"y": shape}, {"w": np.zeros((n, n), np.float32)}, 13)
    (tmp_path / "long.onnx").write_bytes(model.data())
    nn = NN(backends={"onnx": backend}, limits=Limits(compute_seconds=0.1))
    if reason := nn.registry.backend(backend, "here").unavailable():
        pytest.skip(reason)
    with nn.load(tmp_path / "long.onnx") as loaded:
        for _ in range(2):  # the second run isn't stopped by what stopped the first
            began = time.monotonic()
            with pytest.raises(NNError, match=r"stopped after 0\.1 s") as caught:
                loaded.compute({"h0": np.zeros((n, n), np.float32)})
            assert caught.value.nature is Nature.TIMEOUT
            assert time.monotonic() - began >= 0.1


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(NNError, match=r"there is no file nowhere\.onnx") as caught:
        NN().load("nowhere.onnx")
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize("place", ["none.onnx", [MODEL, "none.onnx"], NamedModel((Path("none.onnx"),))])
def test_a_model_is_named_whose_file_is_not_there(place: Any) -> None:
    """It is refused where it is given, not when a guest asks."""
    with pytest.raises(FileNotFoundError, match=r"^models\['wine'\]: there is no file none\.onnx$"):
        NN(models={"ok": MODEL, "wine": place})
    with pytest.raises(FileNotFoundError, match=r"^model 'wine': there is no file none\.onnx$"):
        NN().register("wine", place)
    NN(models={"served": "oip+http://127.0.0.1:1/wine"})


def test_what_an_nn_served_it_serves_though_files_are_gone() -> None:
    with files_that_go(gone="gone.onnx") as models:
        nn = NN(models={"m": MODEL, **models})
    for other in (pickle.loads(pickle.dumps(nn)), nn.watched_by(print)):
        assert list(other.registry.models) == ["m", "gone"]
        with pytest.raises(NNError, match="there is no file"):
            other.load("gone")


def test_in_python_the_advice_is_of_python(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.vnd").write_bytes(b"VND1")
    for nn in (NN(), pickle.loads(pickle.dumps(NN())), NN().watched_by(print)):
        with pytest.raises(NNError) as caught:
            nn.load(tmp_path / "model.vnd")
        assert caught.value.reason.endswith("; NN(plugins=[...]) adds a backend that reads them")
    assert cli.call(["nn", "inspect", str(tmp_path / "model.vnd")]) == 1
    told = capfd.readouterr().err
    assert "--nn-plugin FILE.py:NAME adds a backend that reads them" in told and "NN(" not in told


def test_where_no_model_is_named_the_advice_names_some() -> None:
    for nn, way in ((NN(), "models=DIR"), (with_backends(Inference()), "--models DIR")):
        with pytest.raises(NNError, match="not_found") as caught:
            nn.registry.load_named("lin", None, print)
        told = f'no model is named "lin"; named are: none; {way} names the models in DIR'
        assert caught.value.reason == told


def test_a_batch_keeps_the_advice_of_the_command() -> None:
    nn = pickle.loads(pickle.dumps(with_backends(Inference())))
    assert nn.registry.ways.plugin == "--nn-plugin FILE.py:NAME"


def test_a_folder_with_a_similar_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    meant = f'there is no folder or file {tmp_path / "model"}; did you mean "{tmp_path / "models"}"?'
    with pytest.raises(FileNotFoundError, match=re.escape(meant)):
        NN(models=tmp_path / "model")


def test_an_empty_file_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").touch()
    for nn, model in (NN(), tmp_path / "m.onnx"), (NN(models=tmp_path), "m"):
        with pytest.raises(NNError, match=re.escape(f"the file {tmp_path / 'm.onnx'} is empty")):
            nn.load(model)


def test_settings_are_frozen_and_checked() -> None:
    with pytest.raises(FrozenInstanceError):
        NN().strict = True  # type: ignore[misc] # as a person might try
    with pytest.raises(ValueError, match="there is no backend 'what'"):
        NN(backends={"onnx": "what"})
    with pytest.raises(FileNotFoundError, match=r"^models: there is no folder or file no-such-directory$"):
        NN(models="no-such-directory")
    one = re.escape(f'; one model is named by {{"add_mul_dyn": "{MODEL}"}}')
    with pytest.raises(NotADirectoryError, match=one):
        NN(models=MODEL)


def test_a_format_that_nobody_knows() -> None:
    with pytest.raises(ValueError, match=r"no model format 'onx'; there are .*onnx, openvino"):
        NN(backends={"onx": "numpy"})


def test_a_watched_copy_shares_the_models() -> None:
    backend = FakeBackend()
    nn = NN(plugins=[backend], backends={"onnx": "fake"}, models={"m": MODEL})
    events: list[NNEvent] = []
    for which in (nn, nn.watched_by(events.append)):
        which.open(lambda text: None).session.load_by_name("m")
    assert len(backend.graphs) == 1
    assert [(event.operation, event.model) for event in events] == [("load_by_name", "m")]


def test_only_namespaces_of_wasi_nn() -> None:
    host = NN().open(lambda text: None)
    assert host.lookup("wasi_ephemeral_nn", "load") is not None
    assert host.lookup("wasi_ephemeral_nn", "what") is None
    assert host.lookup("env", "load") is None


def test_bytes_and_files_are_the_same_model() -> None:
    assert MODEL.read_bytes() == ADD_MUL
