"""`new` and `include`: a guest to begin with, in each language, that classifies."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pywasm_nn import cli, guest

from ..conftest import HANGS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def classified(module: str, folder: Path) -> bytes:
    """What the guest says of the picture of a 5."""
    command = [
        sys.executable,
        "-m",
        "pywasm_nn",
        "run",
        module,
        "--models",
        "models",
        "--nn-backend",
        "onnx=numpy",
    ]
    with (folder / "models" / "digit.pgm").open("rb") as picture:
        return subprocess.run(
            command, cwd=folder, stdin=picture, capture_output=True, timeout=HANGS, check=True
        ).stdout


def test_text_runs_at_once(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["new", "wat", str(folder)]) == 0
    printed = capfd.readouterr().out
    made, run = printed.splitlines()
    assert "classify.wat" in made and "run: pywasm-nn run classify.wat" in run
    assert classified("classify.wat", folder) == b"5\n"


@pytest.mark.slow
def test_c_is_built_by_its_own_line(folder: Path) -> None:
    if find_spec("ziglang") is None:
        pytest.skip("no ziglang")
    build(guest.begin("c", folder), folder)
    assert classified("classify.wasm", folder) == b"5\n"


def test_assemblyscript_is_built_by_its_own_line(folder: Path) -> None:
    if shutil.which("asc") is None:
        pytest.skip("no asc (npm install -g assemblyscript)")
    build(guest.begin("assemblyscript", folder), folder)
    assert classified("classify.wasm", folder) == b"5\n"


def test_rust_is_built_by_its_own_line(folder: Path) -> None:
    source = guest.begin("rust", folder)
    line = build_line(source)
    targets = ["rustup", "target", "list", "--installed"]
    if shutil.which("rustup") is None or "wasm32-wasip1" not in subprocess.check_output(targets, text=True):
        pytest.skip("no Rust for wasm32-wasip1")
    subprocess.run(line.split(), cwd=folder, check=True, timeout=HANGS)
    assert classified("target/wasm32-wasip1/release/classify.wasm", folder) == b"5\n"


def build_line(source: Path) -> str:
    line = next(step for step in guest.steps(source) if step.startswith("build:"))
    return line.removeprefix("build:").split("  ")[0].strip()


def build(source: Path, folder: Path) -> None:
    words = build_line(source).split()
    words = [sys.executable, *words[1:]] if words[0] == "python" else words[1:]
    subprocess.run(words, cwd=folder, check=True, timeout=HANGS)


def test_a_folder_that_has_something_is_left_alone(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    assert cli.call(["new", "c", str(folder)]) == 1
    assert "is not empty" in capfd.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_include_is_a_folder_with_the_bindings(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["include"]) == 0
    names = {path.name for path in Path(capfd.readouterr().out.strip()).iterdir()}
    assert names == {"wasi_nn.h", "pywasm_nn.h", "wasi_nn.rs", "wasi_nn.ts"}
