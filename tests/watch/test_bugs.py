"""Mistakes in asking a model, each named by the first screen of a trace; none is seen where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap

import numpy
import pytest

from pywasm_nn import cli
from tests.nn.backends.onnx_writer import Model, node

GUEST = Path(__file__).parents[1] / "guests" / "bugs.wasm"
ROWS, COLUMNS = 24, 100

NAMED = {
    "layout": r"NCHW.*NHWC",
    "layout_shape": r"NHWC.*NCHW",
    "legacy_u8": r"legacy",
    "normalisation": r"normalised",
    "stale_buffer": r"stale",
    "short_buffer": r"40 bytes, the buffer has 10",
    "wrong_dtype": r"another type \(u8, wanted is f32\)",
    "wrong_directory": r"begin with one of these \(/models: bytes\.onnx, pair\.onnx, photo\.onnx\)",
    "silent_cpu": r"gpu was asked for, the model runs on .*CPU",
    "wrong_rank": r"rank 2, wanted is rank 4",
    "swapped_inputs": r"are inputs swapped\?",
    "all_zeros": r"all 3072 elements are 0",
    "unknown_model": r'did you mean "photo"\?',
}
"""What shall be read on the first screen."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    order = numpy.random.default_rng(3)
    weights = {"w": order.standard_normal((3, 10)).astype("f4"), "s": numpy.array([10], "f4")}
    photo = Model(
        [
            node("GlobalAveragePool", ["x"], ["a"]),
            node("Flatten", ["a"], ["b"]),
            node("MatMul", ["b", "w"], ["c"]),
            node("Softmax", ["c"], ["y"]),
        ],
        {"x": ("float32", [1, 3, 32, 32])},
        {"y": ("float32", [1, 10])},
        weights,
    )
    pixels = Model(
        [node("Cast", ["x"], ["a"], to=1), node("ReduceMean", ["a"], ["y"], axes=[1, 2], keepdims=0)],
        {"x": ("uint8", [1, 32, 32, 3])},
        {"y": ("float32", [1, 3])},
    )
    pair = Model(
        [
            node("ReduceSum", ["long"], ["a"], keepdims=0),
            node("ReduceSum", ["short"], ["b"], keepdims=0),
            node("Sub", ["a", "b"], ["y"]),
        ],
        {"long": ("float32", [1, 4]), "short": ("float32", [1, 3])},
        {"y": ("float32", [])},
    )
    for name, model in {"photo": photo, "bytes": pixels, "pair": pair}.items():
        (folder / f"{name}.onnx").write_bytes(model.data())
    return folder


@pytest.fixture
def screen(
    models: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., str]:
    """The first screen of what a run with a trace shows."""

    def show(*guest: str) -> str:
        monkeypatch.chdir(tmp_path)
        given = ["--trace", "--dir", f"{models}::/models", "--models", str(models)]
        cli.call(["run", *given, str(GUEST), *guest])
        out, err = capfd.readouterr()
        rows = [row for line in (out + err).splitlines() for row in wrap(line, COLUMNS) or [""]]
        return " ".join(rows[:ROWS])

    return show


@pytest.mark.parametrize("bug", NAMED)
def test_the_first_screen_names_the_bug(bug: str, screen: Callable[..., str]) -> None:
    shown = screen(bug)
    assert re.search(NAMED[bug], shown), shown


@pytest.mark.parametrize("bug", NAMED)
def test_what_is_done_right_gets_no_hint(bug: str, screen: Callable[..., str]) -> None:
    shown = screen(bug, "right")
    assert "hint" not in shown
    assert "note" not in shown
