"""docs/nn-matrix.md: what works, found by doing it. PYWASM_NN_WRITE_DOCS=1 writes the file anew."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pywasm_nn.nn import NN, Backend, DType, GraphConfig, NNError, Target, Tensor
from pywasm_nn.nn import legacy as legacy_face
from pywasm_nn.nn import own as own_face
from pywasm_nn.nn import witx as witx_face
from pywasm_nn.nn.backends import builtin

from .backends.onnx_writer import BFLOAT16, TYPES, Model, node
from .backends.tflite_writer import copying
from .conftest import ADD_MUL, FakeBackend, Guest, floats
from .test_legacy import Guest as LegacyGuest
from .test_own import PASSTHROUGH, set_by_name
from .wit_matrix import matrix

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "nn-matrix.md"
DIGITS = ROOT / "examples" / "digits" / "models"
HEAD = """# What works
Written by `tests/nn/test_matrix.py`, which does each of these things and compares;
`PYWASM_NN_WRITE_DOCS=1 pytest tests/nn/test_matrix.py` writes it anew. Linux, CPU.
"""
Call = Callable[..., None]


class Recorded:
    """Names of functions that answered success."""

    def __init__(self, call: Callable[..., int]) -> None:
        self._call = call
        self.passed: set[str] = set()

    def __call__(self, name: str, *values: int) -> int:
        error = self._call(name, *values)
        if error == 0:
            self.passed.add(name)
        return error


def core_functions(directory: Path) -> set[str]:
    """Everything of WITX and of our own namespace that answers success when used well."""
    (directory / "m.onnx").write_bytes(ADD_MUL)
    nn = NN(plugins=[FakeBackend()], backends={"onnx": "fake"}, models=directory)
    with PASSTHROUGH.instantiate(nn=nn) as instance:
        call = Recorded(lambda name, *values: instance.exports[name](*values))
        guest = Guest(instance.memory, call, [])
        ctx = guest.ready()
        call("load_by_name", *guest.poke(0x1000, b"m"), 0x10)
        call("load_by_name_with_config", *guest.poke(0x1000, b"m"), *guest.poke(0x1100, b"{}"), 0x10)
        guest.set_input(ctx, 0, floats(1, 2))
        set_by_name(guest, ctx, b"b", floats(3, 4))
        call("set_output", ctx, 0, 0x8000, 8)
        call("set_output_by_name", ctx, *guest.poke(0x300, b"prod"), 0x8100, 8)
        call("compute", ctx)
        guest.output(ctx, 0)
        call("get_output_by_name", ctx, *guest.poke(0x300, b"prod"), 0x8200, 8, 0x10)
        call("get_output_dimensions", ctx, 0, 0x8300, 8, 0x10)
        call("set_input_from", ctx, 0, ctx, 0)
        call("count", 0, 0x10)
        for side in ("input", "output"):
            call(f"describe_{side}", 0, 0, 0x10)
            call(f"{side}_name", 0, 0, 0x40, 8)
            call(f"{side}_dimensions", 0, 0, 0x40, 8)
        guest.load(b"FAKE text", encoding=5)
        text = guest.u32()
        call("init_execution_context", text, 0x10)
        ctx = guest.u32()
        guest.set_input(ctx, 0, b"word", dims=[4], type=3)
        for name in ("compute_single", "fini_single"):
            call(name, ctx)
            if name == "compute_single":
                call("get_output_single", ctx, 0, 0x8000, 8, 0x10)
        call("finalize_execution_context", ctx)
        call("unload", text)
    with PASSTHROUGH.instantiate(nn=NN(backends={"onnx": "openvino"})) as instance:
        guest = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), [])
        guest.ready()
        late = "init_execution_context_with_config"
        if instance.exports[late](0, *guest.poke(0x300, b'{"threads": 1}'), 0x10) == 0:
            call.passed.add(late)
    return call.passed


def legacy_functions(directory: Path) -> set[str]:
    guest = LegacyGuest(models=directory)
    recorded = Recorded(guest.call)
    guest.call = recorded  # type: ignore[method-assign] # to see the calls
    guest.output(guest.computed(), 0, 2)
    recorded("load_by_name", *guest.poke(0x1000, b"m"), 0x10)
    return recorded.passed


def dialects(directory: Path) -> Iterator[str]:
    core, older = core_functions(directory), legacy_functions(directory)
    yield "## Dialect x function"
    yield "| function | `wasi_ephemeral_nn` | `wasi_nn` | `pywasm_nn` |\n|---|---|---|---|"
    columns = [(witx_face.face, core), (legacy_face.face, older), (own_face.face, core)]
    for name in dict.fromkeys(name for face, _ in columns for name in face):
        cells = ["-" if name not in face else "pass" if name in done else "FAIL" for face, done in columns]
        yield f"| {name} | {' | '.join(cells)} |"


def onnx_of(dtype: DType) -> bytes:
    """A tensor goes through two transpositions, or two reshapes where a framework can't transpose it."""
    type_ = BFLOAT16 if dtype is DType.BF16 else {str(np.dtype(n)): n for n in TYPES}.get(
        str(np.dtype(dtype.numpy_name).newbyteorder("="))
    )  # fmt: skip
    assert type_ is not None
    shape = (type_, [2, 2])
    ops = ["Reshape", "Reshape"] if dtype is DType.BF16 else ["Transpose", "Transpose"]
    weights = {"s": np.array([2, 2])} if dtype is DType.BF16 else {}
    extra = list(weights)
    nodes = [node(ops[0], ["x", *extra], ["h"]), node(ops[1], ["h", *extra], ["y"])]
    return Model(nodes, {"x": shape}, {"y": shape}, weights, opset=13).data()


def dtype_cell(backend: str, dtype: DType) -> str:
    """A tensor of extremes goes through a model that changes nothing."""
    found = NN().registry.backend(backend, "here")
    format = "onnx" if "onnx" in found.formats else "tflite"
    data = onnx_of(dtype) if format == "onnx" else copying(dtype, [2, 2])
    array = np.zeros((2, 2), dtype.numpy_name)
    if dtype is DType.BF16:
        array[:] = [[0x3F80, 0xBF80], [1, 0x7F80]]
    else:
        limits = np.finfo(array.dtype) if array.dtype.kind == "f" else np.iinfo(array.dtype)
        array[:] = [[limits.min, limits.max], [1, 0]]
    try:
        graph = found.load(format, [data], GraphConfig(Target.CPU))
        context = graph.context()
        context.set_input(0, Tensor.from_numpy(array, dtype))
        context.compute()
    except NNError as error:
        return error.reason.split(";")[0].replace("|", "/")
    same = context.output(0).numpy().tobytes() == array.tobytes()
    return "pass" if same else f"values change: {graph.notes[0] if graph.notes else 'NOT SAID'}"


GUEST_TYPES = (DType.F16, DType.F32, DType.F64, DType.BF16, DType.U8, DType.I32, DType.I64)


def plain() -> list[Backend]:
    """The backends that every change is tested with: those of the extra `all`, and numpy."""
    extras = ("onnx", "openvino", "tflite")
    return [each for each in builtin() if each.extra in extras or each.name == "numpy"]


def dtypes() -> Iterator[str]:
    names = [backend.name for backend in plain()]
    yield "## Backend x element type"
    yield "Smallest and largest values go in and come out as the same bytes.\n"
    yield f"| type | {' | '.join(names)} |\n|---{'|---' * len(names)}|"
    for dtype in GUEST_TYPES:
        yield f"| {dtype} | {' | '.join(dtype_cell(name, dtype) for name in names)} |"


FILES = {"onnx": ["digits.onnx"], "openvino": ["digits.xml", "digits.bin"], "tflite": ["digits.tflite"]}
ENCODINGS = {"onnx": 1, "openvino": 0, "tflite": 4}


def digits(nn: NN, file: str) -> bool:
    model = nn.load(DIGITS / file)
    shape = [length if isinstance(length, int) else 1 for length in model.inputs[0].shape or ()]
    answer = next(iter(model.compute({model.inputs[0].name: np.full(shape, 0.5, "f4")}).values())).ravel()
    return bool(abs(float(answer.sum()) - 1) < 1e-4)


def by_guest(nn: NN, format: str, encoding: int) -> str:
    reports: list[str] = []
    with PASSTHROUGH.instantiate(nn=nn, report=reports.append) as instance:
        guest = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)
        instance.memory.grow(4)
        parts = [(DIGITS / file).read_bytes() for file in FILES[format]]
        return "pass" if guest.load(*parts, encoding=encoding, at=0x10000) == 0 else reports[-1]


def by_name(nn: NN, name: str) -> str:
    with PASSTHROUGH.instantiate(nn=nn) as instance:
        guest = Guest(instance.memory, lambda f, *values: instance.exports[f](*values), [])
        error = guest.call("load_by_name", *guest.poke(0x1000, name.encode()), 0x10)
        return "pass" if error == 0 else f"errno {error}"


def formats() -> Iterator[str]:
    yield "## Format x way to load"
    ways = (
        "a guest's bytes, declared",
        "a guest's bytes, detected",
        "named directory",
        "named file",
        "Python",
    )
    yield f"| format | backend | {' | '.join(ways)} |"
    yield "|---|---|---|---|---|---|---|"
    for backend in plain():
        for format in backend.formats:
            nn = NN(backends={format: backend.name})
            path = DIGITS / FILES[format][0]
            named = NN(models=DIGITS, backends={format: backend.name})
            single = NN(models={"one": path}, backends={format: backend.name})
            cells = [
                by_guest(nn, format, ENCODINGS[format]), by_guest(nn, format, 5), by_name(named, path.name),
                by_name(single, "one"), "pass" if digits(nn, path.name) else "FAIL",
            ]  # fmt: skip
            yield f"| {format} | {backend.name} | {' | '.join(cells)} |"
    yield ""
    unread = "pickle, ort"
    yield f"{unread}: no backend in this package reads them."
    yield "A plugin's is used where there is one; it gets a guest's bytes if it says so"
    yield "(`Backend.from_guests`), or with `trust_guest_models`."


SERVERS = """
## Models on servers
Open Inference Protocol v2, by name only. `tests/nn/backends/test_real_servers.py` runs a guest in each way.

| server | HTTP, binary tensors | HTTP, JSON | gRPC |
|---|---|---|---|
| Triton 2.51 (nvidia-pytriton 0.7.0) | pass | pass | pass |
| MLServer 1.7.1 | answers 500: found out once, then JSON | pass | pass |

JSON can't say f16 and bf16, NaN and infinity; elements of the type BYTES are refused.
""".rstrip("\n")
TEXTS = """
## Texts
GGUF models on llama.cpp, by name, with WasmEdge's protocol: `tests/nn/backends/test_gguf.py` has every code.
`tests/nn/backends/test_prebuilt_texts.py` runs the guests of WasmEdge's examples as they were built.

| guest | what it uses | |
|---|---|---|
| llama, basic, chatml, command-r, gemma, phi-3 | options, prompt, numbers of tokens, compute | pass |
| llama-stream | compute_single, get_output_single, fini_single | pass |
| grammar, json-schema | a grammar, a schema | pass |
| nnrpc, set-input-twice | options of the context, a prompt set again | pass |
| unload | five times the whole, with unload | pass |
| embedding | embeddings as JSON | pass |
| model-not-found | error 103 | pass |
| llava, qwen2vl, gemma-3, gemma-4, multimodel | a picture's path | no: a guest names no file |
| tts | speech as output | no |

Pictures and recordings within prompts, as `<img src="data:image/png;base64,...">`, are read by xllamacpp
where the host names the projector (option `mmproj`); llama-cpp-python says that it can't.
`tests/nn/backends/test_gguf_media.py` shows pictures to a model of random weights: no registry has others.
""".rstrip("\n")


def torch_models(directory: Path) -> dict[str, Path]:
    """A network of one layer in each format of PyTorch."""
    import torch

    layer, paths = torch.nn.Linear(2, 2).eval(), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths["torchscript"] = directory / "script.pt"
        torch.jit.save(torch.jit.script(layer), str(paths["torchscript"]))
        paths["torch-export"] = directory / "export.pt2"
        torch.export.save(torch.export.export(layer, (torch.zeros(1, 2),)), str(paths["torch-export"]))
    return paths


def tensorflow_models(directory: Path) -> dict[str, Path]:
    """An operator in each format of TensorFlow."""
    import tensorflow

    tf = tensorflow.compat.v1
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder("float32", (1, 2), "x")
        y = tf.nn.relu(x, "y")
        saved = directory / "saved"
        tf.saved_model.simple_save(session, str(saved), {"x": x}, {"y": y})
    frozen = directory / "frozen.pb"
    frozen.write_bytes(graph.as_graph_def().SerializeToString())
    return {"savedmodel": saved, "tensorflow": frozen}


def bytes_of(path: Path, trusted: bool, encoding: int) -> str:
    """How a guest's bytes fare."""
    reports: list[str] = []
    with PASSTHROUGH.instantiate(nn=NN(trust_guest_models=trusted), report=reports.append) as instance:
        guest = Guest(instance.memory, lambda name, *values: instance.exports[name](*values), reports)
        instance.memory.grow(4)
        file = path / "saved_model.pb" if path.is_dir() else path
        error = guest.load(file.read_bytes(), encoding=encoding, at=0x10000)
        refused = "refused" if reports and "bytes are refused" in reports[-1] else f"errno {error}"
        return "pass" if error == 0 else refused


@dataclass(frozen=True)
class Framework:
    """A framework that isn't part of `all`, and whose models deserve as much trust as programs."""

    backend: str
    title: str
    encoding: int
    models: Callable[[Path], dict[str, Path]]

    def section(self, directory: Path) -> Iterator[str]:
        """What it reads, and how; as the document has it where it isn't installed."""
        if NN().registry.backend(self.backend, "here").unavailable() is not None:
            yield from kept(f"## {self.title}")
            return
        directory = directory / self.backend
        directory.mkdir()
        paths = self.models(directory)
        yield f"## {self.title}"
        where = f"tests/nn/backends/test_{self.backend}.py"
        yield f"Not in `[all]`; `{where}` has every element type.\n"
        yield "| format | a guest's bytes | the same, trusted | named directory | named file | Python |"
        yield "|---|---|---|---|---|---|"
        for format, path in paths.items():
            x = np.ones((1, 2), "f4")
            model = NN().load(path)
            alone = model.compute({model.inputs[0].name: x})[model.outputs[0].name].shape == (1, 2)
            cells = [
                bytes_of(path, False, self.encoding), bytes_of(path, True, self.encoding),
                by_name(NN(models=directory), path.stem), by_name(NN(models={"m": path}), "m"),
                "pass" if alone else "FAIL",
            ]  # fmt: skip
            yield f"| {format} | {' | '.join(cells)} |"


FRAMEWORKS = (
    Framework("torch", "PyTorch", 3, torch_models),
    Framework("tensorflow", "TensorFlow", 2, tensorflow_models),
)


def kept(title: str) -> list[str]:
    """A section of the document as it stands, for what isn't installed here."""
    _, head, section = DOC.read_text().partition(title)
    return (head + section.partition("\n## ")[0]).rstrip("\n").split("\n")


def test_the_matrix_is_what_the_document_says(tmp_path: Path) -> None:
    for backend in plain():
        if reason := backend.unavailable():
            pytest.skip(reason)
    sections = [line for each in FRAMEWORKS for line in [*each.section(tmp_path), ""]]
    lines = [
        HEAD,
        *dialects(tmp_path),
        "",
        *matrix(tmp_path),
        "",
        *dtypes(),
        "",
        *formats(),
        "",
        *sections[:-1],
        SERVERS,
        TEXTS,
    ]
    text = "\n".join(lines) + "\n"
    if os.environ.get("PYWASM_NN_WRITE_DOCS"):
        DOC.write_text(text)
    assert "FAIL" not in text
    assert "NOT SAID" not in text
    assert DOC.read_text() == text
