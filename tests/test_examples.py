"""The digits example: its files belong together, its models agree through their frameworks, its guests work.

What is here: `examples/digits`, first as data without our engine, then whole. What is not: other programs
(`test_guests.py`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pywasm_nn import CodeFolder, demo
from pywasm_nn.nn import NN, GraphConfig, NamedModel, NNError
from pywasm_nn.program import Result, run

from .conftest import examples

ROOT = Path(__file__).parents[1]
DIGITS = ROOT / "examples" / "digits"
MODELS = DIGITS / "models"

Array = NDArray[np.float32]
Network = Callable[[Array], Array]
"""Pictures [n, 8, 8] with values from 0 to 1 -> probabilities [n, 10]."""


@pytest.fixture(scope="module")
def pictures() -> Array:
    """[100, 8, 8]"""
    header = b"P5 8 8 16\n"
    raw = (DIGITS / "pictures" / "held-out.pgm").read_bytes()
    size = len(header) + 64
    parts = [raw[start : start + size] for start in range(0, len(raw), size)]
    assert all(part.startswith(header) and len(part) == size for part in parts)
    shades = np.frombuffer(b"".join(part[len(header) :] for part in parts), np.uint8)
    return (shades.reshape(-1, 8, 8) / 16).astype(np.float32)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CodeFolder:
    """A folder for code, so that guests are compiled once for all tests."""
    return CodeFolder(tmp_path_factory.mktemp("code"))


@pytest.fixture(scope="module")
def expected(pictures: Array) -> list[int]:
    """The digit of each picture, by the reference implementation."""
    found: list[int] = through_reference(pictures).argmax(axis=1).tolist()
    return found


@pytest.fixture(scope="module")
def labels() -> list[int]:
    return [int(line) for line in (DIGITS / "pictures" / "held-out.txt").read_text().split()]


def one_by_one(pictures: Array, shape: tuple[int, ...], answer: Network) -> Array:
    return np.concatenate([answer(picture.reshape(shape)) for picture in pictures])


def through_onnxruntime(pictures: Array) -> Array:
    session = pytest.importorskip("onnxruntime").InferenceSession(MODELS / "digits.onnx")
    return one_by_one(pictures, (1, 1, 8, 8), lambda picture: session.run(None, {"picture": picture})[0])


def through_openvino(pictures: Array) -> Array:
    core = pytest.importorskip("openvino").Core()
    # New processors would compute in bfloat16.
    model = core.compile_model(MODELS / "digits.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return one_by_one(pictures, (1, 1, 8, 8), lambda picture: model([picture])[0].copy())


def through_litert(pictures: Array) -> Array:
    litert = pytest.importorskip("ai_edge_litert.interpreter")
    interpreter = litert.Interpreter(model_path=str(MODELS / "digits.tflite"))
    interpreter.allocate_tensors()
    [given], [answer] = interpreter.get_input_details(), interpreter.get_output_details()

    def ask(picture: Array) -> Array:
        interpreter.set_tensor(given["index"], picture)
        interpreter.invoke()
        return np.asarray(interpreter.get_tensor(answer["index"]))

    return one_by_one(pictures, (1, 8, 8, 1), ask)


def through_reference(pictures: Array) -> Array:
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator(str(MODELS / "digits.onnx"))
    return one_by_one(pictures, (1, 1, 8, 8), lambda picture: reference.run(None, {"picture": picture})[0])


FRAMEWORKS = [through_onnxruntime, through_openvino, through_litert]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_models_know_held_out_digits(framework: Network, pictures: Array, labels: list[int]) -> None:
    assert len(pictures) == len(labels) == 100
    assert set(labels) == set(range(10))
    right = framework(pictures).argmax(axis=1) == labels
    assert right.sum() >= 95


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_models_have_the_same_weights(framework: Network, pictures: Array) -> None:
    # Float32 sums in another order: the largest difference seen is 3e-7.
    np.testing.assert_allclose(framework(pictures[:20]), through_reference(pictures[:20]), rtol=0, atol=2e-6)


def test_the_demo_carries_what_the_example_made() -> None:
    carried = [
        file for file in demo.path().rglob("*") if file.is_file() and file.suffix not in (".py", ".pyc")
    ]
    names = {file.relative_to(demo.path()).as_posix() for file in carried}
    models = {"digit.pgm", "digits.onnx", "digits.tflite", "digits.xml", "digits.bin"}
    assert names == {"app.wasm", *(f"models/{name}" for name in models)}
    for name in names:
        assert (demo.path() / name).read_bytes() == (DIGITS / name).read_bytes(), (
            f"{name}: run examples/build.py"
        )


def test_every_guest_says_how_it_was_built() -> None:
    folders = [ROOT / "examples", ROOT / "tests" / "guests"]
    said = "".join(
        source.read_text(encoding="utf-8")
        for folder in folders
        for source in folder.rglob("*")
        if source.suffix in {".c", ".cpp", ".zig", ".ts", ".rs", ".go", ".js", ".wat"}
    )
    guests = [guest for folder in folders for guest in folder.rglob("*.wasm")]
    assert len(guests) >= 10
    for guest in guests:
        assert f"{guest.name} " in said or f"{guest.name}\n" in said, f"no source builds {guest.name}"


def answers(result: Result) -> list[int]:
    """What the guest printed for `pictures/held-out.pgm`."""
    assert (result.exit_code, result.stderr) == (0, b"")
    found = []
    for number, line in enumerate(result.stdout.decode().splitlines()):
        begin = f"pictures/held-out.pgm[{number}]: "
        assert line.startswith(begin)
        found.append(int(line.removeprefix(begin)))
    return found


BACKENDS = [
    ("digits.onnx", "onnx", "numpy", None),
    ("digits.onnx", "onnx", "onnxruntime", "onnxruntime"),
    ("digits.tflite", "tflite", "litert", "ai_edge_litert"),
    ("digits.xml", "openvino", "openvino", "openvino"),
]
"""Model, its format, backend, the package that this needs."""


def ask_guest(
    guest: str,
    backend: tuple[str, str, str, str | None],
    engine: str,
    compiled: CodeFolder,
    trusted: bool = False,
) -> list[int]:
    model, format, name, package = backend
    if package:
        pytest.importorskip(package)
    dirs = {"models": MODELS, "pictures": DIGITS / "pictures"}
    arguments = ["pictures/held-out.pgm", f"models/{model}"]
    nn = NN(backends={format: name}, trust_guest_models=trusted)
    return answers(run(DIGITS / guest, arguments, dirs=dirs, nn=nn, engine=engine, cache=compiled))


guests = pytest.mark.parametrize("guest", ["app.wasm", "assemblyscript/app.wasm"])


@guests
@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend[2])
def test_guests_agree_through_every_backend(
    guest: str,
    backend: tuple[str, str, str, str | None],
    expected: list[int],
    labels: list[int],
    compiled: CodeFolder,
) -> None:
    found = ask_guest(guest, backend, "compile", compiled)
    assert found == expected
    assert sum(digit == label for digit, label in zip(found, labels, strict=True)) >= 95


@guests
@pytest.mark.parametrize("engine", ["compile", "interpret"])
@pytest.mark.parametrize("portable", ["0", "1"])
def test_guests_agree_through_every_engine_and_flavour(
    guest: str,
    engine: str,
    portable: str,
    expected: list[int],
    compiled: CodeFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYWASM_NN_PORTABLE", portable)
    assert ask_guest(guest, BACKENDS[0], engine, compiled, trusted=True) == expected


@guests
def test_without_arguments_the_guest_shows_its_three_best(guest: str, compiled: CodeFolder) -> None:
    result = run(DIGITS / guest, dirs={"models": MODELS}, cache=compiled)
    assert (result.exit_code, result.stderr) == (0, b"")
    assert result.stdout == b"5  97.1 %\n3   1.5 %\n8   1.2 %\n"
    [inference] = result.nn_calls
    assert inference.outputs[0].shape == (1, 10)
    assert inference.outputs[0].argmax() == 5


def test_the_command_of_the_readme() -> None:
    command = "pywasm-nn run app.wasm --dir models"
    assert command in (DIGITS / "README.md").read_text(encoding="utf-8").splitlines()
    words = command.replace("pywasm-nn", "-m pywasm_nn").split()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *words], cwd=DIGITS, env=environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"5  97.1 %\n3   1.5 %\n8   1.2 %\n"


@guests
def test_text_pictures_and_several_files(guest: str, tmp_path: Path, compiled: CodeFolder) -> None:
    binary = (MODELS / "digit.pgm").read_bytes()
    numbers = " ".join(str(shade) for shade in binary[-64:])
    (tmp_path / "text.pgm").write_text(f"P2 # plain\n8 8\n# of 16\n16\n{numbers}\n")
    (tmp_path / "binary.pgm").write_bytes(binary)
    dirs = {"models": MODELS, "new": tmp_path}
    result = run(DIGITS / guest, ["new/text.pgm", "new/binary.pgm"], dirs=dirs, cache=compiled)
    assert result.stdout == b"new/text.pgm: 5\nnew/binary.pgm: 5\n"
    one = run(DIGITS / guest, ["new/text.pgm"], dirs=dirs, cache=compiled)
    assert one.stdout.startswith(b"5  97.1 %\n")


MISTAKES = {
    "models/nothing.onnx": b"models/nothing.onnx: cannot open\n",
    "models/digits.bin": b"models/digits.bin: not a .pgm picture, nor a model: .onnx, .tflite or .xml\n",
    "new/renamed.onnx": b"load: invalid_encoding\n",
    "new/corrupt.onnx": b"load: runtime_error\n",
    "new/short.pgm": b"new/short.pgm: the picture is cut short\n",
    "new/other.pgm": b"new/other.pgm: not a PGM picture\n",
    "new/wide.pgm": b"set_input: invalid_argument\n",
}


@guests
@pytest.mark.parametrize("argument", MISTAKES)
def test_mistakes_are_named(guest: str, argument: str, tmp_path: Path, compiled: CodeFolder) -> None:
    (tmp_path / "renamed.onnx").write_bytes((MODELS / "digits.tflite").read_bytes())
    (tmp_path / "corrupt.onnx").write_bytes((MODELS / "digits.onnx").read_bytes()[:20_000])
    (tmp_path / "short.pgm").write_bytes((MODELS / "digit.pgm").read_bytes()[:-1])
    (tmp_path / "other.pgm").write_bytes(b"P6 1 1 255\nabc")
    (tmp_path / "wide.pgm").write_bytes(b"P5 9 8 16\n" + bytes(72))
    result = run(DIGITS / guest, [argument], dirs={"models": MODELS, "new": tmp_path}, cache=compiled)
    assert (result.exit_code, result.stdout) == (1, b"")
    assert result.stderr == b"digits: " + MISTAKES[argument]


PLAIN = ROOT / "examples" / "plain_backend"


def test_the_backend_of_the_example_computes_what_frameworks_do(pictures: Array) -> None:
    model = NN(plugins=[f"{PLAIN / 'plain.py'}:Plain"]).load(MODELS / "digits.onnx")
    assert model.graph.backend == "plain"
    for picture in pictures[:10]:
        shaped = picture.reshape(1, 1, 8, 8)
        answer = model.compute({"picture": shaped})["probabilities"]
        np.testing.assert_allclose(answer, through_onnxruntime(shaped), atol=1e-6)


def test_the_backend_of_the_example_runs_by_its_readmes_command() -> None:
    (command,) = re.findall("^pywasm-nn (run .*)$", (PLAIN / "README.md").read_text(), re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-m", "pywasm_nn", *command.split()],
        cwd=PLAIN,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "5  97.1 %"


def test_the_small_backend_of_the_readme_runs_as_written(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", (PLAIN / "README.md").read_text(), re.DOTALL)[0]
    (tmp_path / "own.py").write_text(code)
    (tmp_path / "m.vnd").write_bytes(b"VND1")
    model = NN(plugins=[f"{tmp_path / 'own.py'}:Vendor"]).load(tmp_path / "m.vnd")
    assert model.compute({"x": np.ones((1, 4), "f4")})["y"].tolist() == [[2, 2, 2, 2]]


def test_the_options_of_the_readme_reach_the_backend(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", (PLAIN / "README.md").read_text(), re.DOTALL)[0]
    (tmp_path / "own.py").write_text(code)
    (tmp_path / "m.vnd").write_bytes(b"VND1")
    named = NamedModel((tmp_path / "m.vnd",), config=GraphConfig(options={"warmth": 5}))
    graph: Any = NN(plugins=[f"{tmp_path / 'own.py'}:Warm"]).load(named).graph
    assert graph.warmth == 5


@pytest.mark.parametrize("damage", [b"", b"not a model", b"\x3a\x05\x0a\x03\x0a\x01a"])
def test_the_backend_of_the_example_refuses_what_it_cannot_run(damage: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(damage)
    with pytest.raises(NNError):
        NN(plugins=[f"{PLAIN / 'plain.py'}:Plain"]).load(tmp_path / "model.onnx").compute({})


SHADES = st.binary(min_size=60, max_size=68)
HEADERS = st.sampled_from(
    [
        b"P5 8 8 16\n",
        b"P5\n# 7\n8 8 255 ",
        b"P2 8 8 16\n",
        b"P2 1 1 1 1 ",
        b"P5 0 8 16\n",
        b"P5 999999999 1 1\n",
    ]
)
NUMBERS = st.lists(st.integers(0, 300), min_size=60, max_size=68).map(
    lambda ns: " ".join(map(str, ns)).encode()
)


@examples(30)
@given(st.lists(st.tuples(HEADERS, SHADES | NUMBERS), min_size=1, max_size=2), st.binary(max_size=3))
def test_both_guests_read_any_picture_alike(
    compiled: CodeFolder, pictures: list[tuple[bytes, bytes]], rest: bytes
) -> None:
    here = NN(trust_guest_models=True)  # without a process for each model
    with TemporaryDirectory() as new:
        (Path(new) / "any.pgm").write_bytes(b"".join(map(b"".join, pictures)) + rest)
        c, assemblyscript = (
            run(DIGITS / guest, ["new/any.pgm"], dirs={"models": MODELS, "new": new}, nn=here, cache=compiled)
            for guest in ("app.wasm", "assemblyscript/app.wasm")
        )
    assert c == replace(assemblyscript, nn_calls=c.nn_calls)
    assert len(c.nn_calls) == len(assemblyscript.nn_calls)
