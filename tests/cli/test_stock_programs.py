"""What programs that others have built want, on the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pywasm_nn import demo
from pywasm_nn.cli.provided import ELSEWHERE, namespaces

LOADS = """(module (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1) (data (i32.const 8) "m")
  (func (export "_start") (call $exit (call $load (i32.const 8) (i32.const 1) (i32.const 0)))))"""


@pytest.mark.parametrize(
    ("option", "code"), [("m:ggml:auto:gone.gguf", 103), ("m:onnx:cpu:gone.onnx", 8), ("other:onnx:cpu:x", 8)]
)
def test_a_preloaded_model_that_is_not_there(pywasm, tmp_path: Path, option: str, code: int) -> None:
    (tmp_path / "loads.wat").write_text(LOADS)
    outcome = pywasm("run", "--nn-preload", option, "loads.wat")
    assert outcome.code == code
    assert f"note: --nn-preload {option[: option.index(':')]}: there is no file" in outcome.err


def test_a_preloaded_model_that_is_there(pywasm, tmp_path: Path) -> None:
    (tmp_path / "loads.wat").write_text(LOADS)
    shutil.copy(demo.path() / "models" / "digits.onnx", tmp_path)
    outcome = pywasm("run", "--nn-preload", "m:onnx:cpu:digits.onnx", "loads.wat")
    assert (outcome.code, outcome.err) == (0, "")


def test_a_path_of_the_guests_becomes_a_name_as_the_note_says(pywasm, tmp_path: Path) -> None:
    source = LOADS.replace('"m"', '"models/digits.onnx"').replace("(i32.const 1)", "(i32.const 18)")
    (tmp_path / "loads.wat").write_text(source)
    shutil.copytree(demo.path() / "models", tmp_path / "models")
    outcome = pywasm("run", "loads.wat")
    assert outcome.code == 8
    words = outcome.err.split()
    option = words[words.index("--nn-preload") + 1]
    assert pywasm("run", "--nn-preload", option, "loads.wat").code == 0


@pytest.mark.parametrize("name", ["whisper", "ChatTTS", "piper", "mlx"])
def test_formats_that_nobody_serves(pywasm, name: str) -> None:
    outcome = pywasm("run", "--nn-preload", f"m:{name}:cpu:x", demo.path() / "app.wasm")
    assert outcome.code == 2
    assert f"no backend here serves {name}" in outcome.err and "--nn-plugin" in outcome.err


def test_namespaces_that_are_elsewhere(pywasm, tmp_path: Path) -> None:
    assert not ELSEWHERE.keys() & namespaces().keys()
    (tmp_path / "old.wat").write_text(
        '(module (import "wasmedge_tensorflow" "wasmedge_tensorflow_create_session" (func))'
        '(import "wasmedge_image" "wasmedge_image_load_jpg_to_rgb8" (func)))'
    )
    outcome = pywasm("run", "old.wat")
    assert outcome.code == 1
    assert "wasmedge_tensorflow is WasmEdge's TensorFlow of before wasi-nn" in outcome.err
    assert "wasmedge_image is WasmEdge's pictures" in outcome.err
