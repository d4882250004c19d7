"""The digits example: its files belong together, and its models agree through their own frameworks.

What is here: `examples/digits` as data, without our engine. What is not: guests at work (`test_guests.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pywasm_nn import demo

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
        source.read_text()
        for folder in folders
        for source in folder.rglob("*")
        if source.suffix in {".c", ".cpp", ".zig", ".ts", ".rs", ".go"}
    )
    guests = [guest for folder in folders for guest in folder.rglob("*.wasm")]
    assert len(guests) >= 10
    for guest in guests:
        assert f"{guest.name} " in said or f"{guest.name}\n" in said, f"no source builds {guest.name}"
