"""SavedModels and GraphDefs: what models take and give, in which order, and what hostile ones may do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from pywasm_nn.limits import Limits
from pywasm_nn.nn import NN, Code, DType, GraphConfig, Model, NamedModel, NNError, Tensor

from ..conftest import PASSTHROUGH, Guest

tensorflow = pytest.importorskip("tensorflow")
tf = tensorflow.compat.v1
ROOT = Path(__file__).parents[3]
REAL = ROOT / ".." / "shared" / "models" / "real"
NEEDS_REAL = pytest.mark.skipif(not REAL.exists(), reason="../shared/models/real is absent")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
ENCODING = 2


def f32(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


def frozen(path: Path, build: Callable[[], Any]) -> Path:
    """A GraphDef of what `build` puts into a graph."""
    with tf.Graph().as_default() as graph:
        build()
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return path


Sides = tuple[dict[str, Any], dict[str, Any]]


def saved(path: Path, build: Callable[[], Mapping[str, Sides]], tags: tuple[str, ...] = ("serve",)) -> Path:
    """A SavedModel with the signatures that `build` returns: inputs and outputs by name."""
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = {name: tf.saved_model.predict_signature_def(*sides) for name, sides in build().items()}
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(str(path))
        builder.add_meta_graph_and_variables(session, list(tags), signature_def_map=signatures)
        builder.save()
    return path


def described(model: Model) -> tuple[list[str], list[str]]:
    return tuple([f"{spec.name} {spec}" for spec in side] for side in (model.inputs, model.outputs))


def refusal(load: Callable[[], object], code: Code) -> str:
    with pytest.raises(NNError) as caught:
        load()
    assert caught.value.code is code
    return caught.value.reason


def arithmetic() -> None:
    """z and a: two inputs, of which one is any; the middle is read by both outputs."""
    z = tf.placeholder("float32", (None, 2), "z")
    a = tf.placeholder("float32", None, "a")
    default = tf.placeholder_with_default(np.float32(10), (), "default")
    middle = tf.add(z, a, "middle")
    tf.multiply(middle, 2.0, "twice")
    with tf.control_dependencies([tf.identity(z, "only_controls")]):
        tf.split(middle + default, 2, axis=1, name="halves")


def test_a_graph_takes_placeholders_and_gives_what_nobody_reads(tmp_path: Path) -> None:
    model = NN().load(frozen(tmp_path / "m.pb", arithmetic))
    assert described(model) == (
        ["z f32[?,2]", "a f32[...]"], ["twice f32[...]", "halves f32[...]", "halves:1 f32[...]"],
    )  # fmt: skip
    found = model.compute({"z": [[1, 2], [3, 4]], "a": 1.0})
    assert {name: value.tolist() for name, value in found.items()} == {
        "twice": [[4, 6], [8, 10]], "halves": [[12], [14]], "halves:1": [[13], [15]],
    }  # fmt: skip


def two_signatures() -> dict[str, Sides]:
    y, b = tf.placeholder("float32", (None,), "y_in"), tf.placeholder("float32", (None,), "b_in")
    weight = tf.Variable(3.0, name="weight", use_resource=True)
    made = {"second": y * weight, "first": y - b}
    return {
        "serving_default": ({"y": y, "b": b}, {"z": made["second"], "c": made["first"]}),
        "other": ({"only": y}, {"sum": tf.reduce_sum(y)}),
    }


@pytest.mark.parametrize(
    ("options", "inputs", "outputs"),
    [
        ({}, ["y", "b"], ["z", "c"]),
        ({"order": "sorted"}, ["b", "y"], ["c", "z"]),
        ({"signature": "other"}, ["only"], ["sum"]),
    ],
)
def test_signature_and_order_by_option(
    tmp_path: Path, options: dict[str, str], inputs: list[str], outputs: list[str]
) -> None:
    path = saved(tmp_path / "m", two_signatures)
    model = NN().load(NamedModel((path,), config=GraphConfig(options=options)))
    names = [spec.name for spec in model.inputs], [spec.name for spec in model.outputs]
    assert names == (inputs, outputs)
    given = {"y": [1.0, 2.0], "b": [0.5, 0.5], "only": [1.0, 2.0]}
    found = model.compute({name: given[name] for name in inputs})
    expected = {"z": [3, 6], "c": [0.5, 1.5], "sum": 3}
    assert {name: value.tolist() for name, value in found.items()} == {n: expected[n] for n in outputs}


def test_indices_are_in_the_models_own_order_or_sorted(tmp_path: Path) -> None:
    path = saved(tmp_path / "m", two_signatures)
    nn = NN(
        models={"own": path, "sorted": NamedModel((path,), config=GraphConfig(options={"order": "sorted"}))}
    )
    for name, first, second in (("own", (6.0,), (1.5,)), ("sorted", (-1.5,), (1.5,))):
        guest = guest_of(nn, reports := [])
        assert guest.call("load_by_name", *guest.poke(0x1000, name.encode()), guest.OUT) == 0, reports
        assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0, reports
        ctx = guest.u32()
        for index, value in enumerate((2.0, 0.5)):
            assert guest.set_input(ctx, index, np.float32(value).tobytes(), (1,)) == 0, reports
        assert guest.call("compute", ctx) == 0, reports
        found = [np.frombuffer(guest.output(ctx, index)[1], "f4").tolist() for index in range(2)]
        assert found == [list(first), list(second)], name


def test_a_model_with_other_tags_and_one_signature(tmp_path: Path) -> None:
    def build() -> dict[str, Sides]:
        x = tf.placeholder("float32", (2,), "x")
        return {"mine": ({"x": x}, {"y": x + 1})}

    path = saved(tmp_path / "m", build, ("train", "gpu"))
    for place in (path, path / "saved_model.pb"):
        assert NN().load(place).compute({"x": [1.0, 2.0]})["y"].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"signature": "no"}, 'no signature "no"; option "signature": other, serving_default'),
        ({"order": "size"}, 'there is "sorted"'),
        ({"signature": 5}, 'no signature "5"'),
    ],
)
def test_unknown_options_are_said(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    path = saved(tmp_path / "m", two_signatures)
    model = NamedModel((path,), config=GraphConfig(options=options))
    assert told in refusal(lambda: NN().load(model), Code.INVALID_ARGUMENT)


def test_what_no_tensor_is_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    nothing = frozen(tmp_path / "nothing.pb", lambda: tf.placeholder("float32", (), "x"))
    assert "no outputs" in refusal(lambda: NN().load(nothing), Code.UNSUPPORTED_OPERATION)
    text = frozen(tmp_path / "text.pb", lambda: tf.identity(tf.placeholder("string", (), "x"), "y"))
    assert '"x" of the model is string' in refusal(lambda: NN().load(text), Code.UNSUPPORTED_OPERATION)
    wave = frozen(tmp_path / "wave.pb", lambda: tf.identity(tf.placeholder("complex64", (), "x"), "y"))
    assert "complex64" in refusal(lambda: NN().load(wave), Code.UNSUPPORTED_OPERATION)


TYPES = {
    DType.F16: "float16", DType.F32: "float32", DType.F64: "float64", DType.BF16: "bfloat16",
    DType.U8: "uint8", DType.I8: "int8", DType.I16: "int16", DType.I32: "int32", DType.I64: "int64",
    DType.U16: "uint16", DType.U32: "uint32", DType.U64: "uint64", DType.BOOL: "bool",
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_of_elements_goes_through(tmp_path: Path, dtype: DType) -> None:
    """As the same bytes, in memory of its own."""
    path = frozen(tmp_path / "m.pb", lambda: tf.identity(tf.placeholder(TYPES[dtype], None, "x"), "y"))
    model = NN().load(path)
    data = np.random.default_rng(1).integers(0, 2 if dtype is DType.BOOL else 256, 24 * dtype.size, "u1")
    given = data.view(dtype.numpy_name).reshape(2, 3, 4)
    (spec,) = model.inputs
    assert spec.dtype is dtype
    context = model.graph.context()
    context.set_input(0, Tensor(dtype, (2, 3, 4), given.tobytes()))
    context.compute()
    found = context.output(0)
    context.set_input(0, Tensor(dtype, (2, 3, 4), bytes(given.nbytes)))
    assert (found.dtype, found.shape, bytes(found.view())) == (dtype, (2, 3, 4), given.tobytes())


def test_contexts_keep_nothing_for_each_other(tmp_path: Path) -> None:
    def counting() -> dict[str, Sides]:
        x = tf.placeholder("float32", (), "x")
        count = tf.Variable(0.0, name="count", use_resource=True)
        return {"serving_default": ({"x": x}, {"y": tf.identity(count.assign_add(x))})}

    graph = NN().load(saved(tmp_path / "m", counting)).graph
    contexts = [graph.context(), graph.context()]
    found = []
    for context in (contexts[0], contexts[0], contexts[1]):
        context.set_input(0, Tensor.from_numpy(np.array(2, "f4")))
        context.compute()
        found.append(context.output(0).numpy().tolist())
    assert found == [2, 4, 2]
    for context in contexts:
        context.close()


def test_a_run_that_fails_says_why(tmp_path: Path) -> None:
    def build() -> None:
        tf.reshape(tf.placeholder("float32", None, "x"), (2, 2), "y")

    model = NN().load(frozen(tmp_path / "m.pb", build))
    reason = refusal(lambda: model.compute({"x": [1.0, 2.0, 3.0]}), Code.RUNTIME_ERROR)
    assert "tensorflow: InvalidArgumentError" in reason and "3 values" in reason
    assert model.compute({"x": [1.0, 2.0, 3.0, 4.0]})["y"].shape == (2, 2)


def guest_of(nn: NN, reports: list[str]) -> Guest:
    instance = PASSTHROUGH.instantiate(nn=nn, report=reports.append, limits=Limits(memory=1 << 28))
    instance.memory.grow(40)
    return Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)


def test_two_guests_on_one_graph_on_two_threads(tmp_path: Path) -> None:
    weights = f32(3, 2)

    def build() -> None:
        tf.matmul(tf.placeholder("float32", (None, 3), "x"), tf.constant(weights), name="y")

    nn = NN(models={"m": frozen(tmp_path / "m.pb", build)})
    failures: list[str] = []

    def work(seed: int) -> None:
        guest = guest_of(nn, failures)
        assert guest.call("load_by_name", *guest.poke(0x1000, b"m"), guest.OUT) == 0
        assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0
        ctx = guest.u32()
        for i in range(50):
            x = f32(8, 3, seed=100 * seed + i)
            assert guest.set_input(ctx, 0, x.tobytes(), (8, 3)) == 0
            assert guest.call("compute", ctx) == 0
            error, data = guest.output(ctx, 0)
            if error or not np.allclose(np.frombuffer(data, "f4").reshape(8, 2), x @ weights, atol=1e-5):
                failures.append(f"{seed} {i}")

    threads = [Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(nn.registry.graphs) == 1


def by_tensorflow_alone(model: Path, sound: Any) -> dict[str, Any]:
    """What TensorFlow's own loader says about a sound, without this package."""
    with tf.Session(graph=tf.Graph()) as session:
        signature = tf.saved_model.load(session, ["serve"], str(model)).signature_def["serving_default"]
        asked = {name: said.name for name, said in signature.outputs.items()}
        (heard,) = signature.inputs.values()
        answers: dict[str, Any] = session.run(asked, {heard.name: sound})
    return answers


@NEEDS_REAL
def test_basic_pitch_hears_the_same_in_three_formats() -> None:
    """TensorFlow's answers were 7e-7 from those of ONNX on one machine, and by its own loader too 1e-3 on
    another, whose processor has no AVX-512. Numbers are compared with its own, notes with the others."""
    seconds = np.arange(43844) / 22050
    sound = sum(np.sin(2 * np.pi * tone * seconds) for tone in (440, 659.26)) / 2
    sent = sound.astype("f4").reshape(1, -1, 1)
    answers: dict[str, list[Any]] = {}
    for name, backend in (("nmp", "tensorflow"), ("nmp.onnx", "onnxruntime"), ("nmp.tflite", "litert")):
        model = NN().load(REAL / "basic_pitch" / name)
        assert model.graph.backend == backend
        found = model.compute({model.inputs[0].name: sent})
        answers[backend] = by_mean(found)
        note = answers[backend][2].mean(axis=(0, 1))
        assert sorted((np.argsort(-note)[:2] + 21).tolist()) == [69, 76]  # A4 and E5
    alone = by_mean(by_tensorflow_alone(REAL / "basic_pitch" / "nmp", sent))
    for ours, theirs in ((answers["tensorflow"], alone), (answers["litert"], answers["onnxruntime"])):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5, rtol=0)


def by_mean(found: Mapping[str, Any]) -> list[Any]:
    """Outputs in an order that doesn't depend on their names, which each format has of its own."""
    return sorted(found.values(), key=lambda value: float(value.mean()))


@NEEDS_REAL
def test_a_frozen_graph_with_scalar_inputs_finds_29_faces() -> None:
    image = pytest.importorskip("PIL.Image").open(REAL / "solvay.jpg")
    picture = np.asarray(image.convert("RGB"), "f4")[:, :, ::-1]
    model = NN().load(REAL / "mtcnn.pb")
    assert [spec.name for spec in model.inputs] == ["input", "min_size", "thresholds", "factor"]
    assert [spec.name for spec in model.outputs] == ["prob", "landmarks", "box"]
    settings = {"min_size": 40.0, "thresholds": [0.6, 0.7, 0.7], "factor": 0.709}
    found = model.compute({"input": np.ascontiguousarray(picture), **settings})
    assert found["prob"].shape == (29,) and found["box"].shape == (29, 4)
    assert found["prob"].max() == pytest.approx(0.99999, abs=1e-5)


# What hostile models do


def reads(target: Path) -> Callable[[], dict[str, Sides]]:
    def build() -> dict[str, Sides]:
        x = tf.placeholder("float32", (2,), "x")
        data = tf.cast(tf.io.decode_raw(tf.io.read_file(str(target)), tf.uint8), tf.float32)
        return {"serving_default": ({"x": x}, {"y": tf.concat([x, data], 0, name="y")})}

    return build


def writes(target: Path) -> Callable[[], dict[str, Sides]]:
    def build() -> dict[str, Sides]:
        x = tf.placeholder("float32", (2,), "x")
        with tf.control_dependencies([tf.io.write_file(str(target), "written")]):
            return {"serving_default": ({"x": x}, {"y": tf.identity(x, name="y")})}

    return build


HOSTILE = {"reads a file": reads, "writes a file": writes}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("format", ["savedmodel", "tensorflow"])
@pytest.mark.parametrize("way", ["trusted", "named", "from a guest"])
def test_a_model_touches_files_where_it_is_trusted_and_nowhere_else(
    tmp_path: Path, kind: str, format: str, way: str
) -> None:
    target, model = tmp_path / "target", tmp_path / "m"
    target.write_bytes(b"secret")
    if format == "savedmodel":
        path = saved(model, HOSTILE[kind](target))
        data = (path / "saved_model.pb").read_bytes()
    else:
        data = (path := frozen(tmp_path / "m.pb", HOSTILE[kind](target))).read_bytes()
    guest = guest_of(NN(models={"m": path}, trust_guest_models=way == "trusted"), reports := [])
    for encoding in (ENCODING, 1, 3):
        if way == "named":
            error = guest.call("load_by_name", *guest.poke(0x1000, b"m"), guest.OUT)
        else:
            error = guest.load(data, encoding=encoding, at=0x10000)
        outputs = b""
        if error == 0:
            assert guest.call("init_execution_context", guest.u32(), guest.OUT) == 0, reports
            ctx = guest.u32()
            assert guest.set_input(ctx, 0, bytes(8), (2,)) == 0, reports
            assert guest.call("compute", ctx) == 0, reports
            _, outputs = guest.output(ctx, 0)
        elif encoding == ENCODING:
            assert (way, error) == ("from a guest", Code.UNSUPPORTED_OPERATION)
            assert "tensorflow doesn't declare loading" in reports[-1]
        if encoding == ENCODING or way == "from a guest":
            did = (
                target.read_bytes() == b"written"
                or bytes(np.frombuffer(outputs[8:], "f4").astype("u1")) == b"secret"
            )
            assert did is (way != "from a guest"), reports


def test_damaged_files_are_errors(tmp_path: Path) -> None:
    """Whatever is cut off or changed, in the graph or in the variables, is an NNError."""
    path = saved(tmp_path / "m", two_signatures)
    graph = frozen(tmp_path / "g.pb", arithmetic)
    random = np.random.default_rng(3)
    for file in (path / "saved_model.pb", path / "variables" / "variables.index", graph):
        whole = file.read_bytes()
        for turn in range(12):
            data = bytearray(whole[: int(random.integers(1, len(whole)))] if turn % 2 else whole)
            for place in random.integers(0, len(data), 8):
                data[place] ^= int(random.integers(1, 256))
            file.write_bytes(data)
            try:
                NN().load(graph if file == graph else NamedModel((path,), "tensorflow")).close()
            except NNError:
                continue
        file.write_bytes(whole)
    assert NN().load(path).compute({"y": [1.0], "b": [1.0]})["z"].tolist() == [3]


def test_the_terminal_belongs_to_the_guest(tmp_path: Path) -> None:
    path = saved(tmp_path / "m", two_signatures)
    code = f"""
import os
from pywasm_nn import NN
model = NN().load({str(path)!r})
assert model.compute({{"y": [1.0], "b": [1.0]}})["z"].tolist() == [3.0]
model.close()
assert "TF_CPP_MIN_LOG_LEVEL" not in os.environ
"""
    environment = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment | {"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
