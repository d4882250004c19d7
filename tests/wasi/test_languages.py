"""Programs that work with files, in C, C++, Rust, Go and AssemblyScript: they say here what they say under
wasmtime, and leave nothing behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pywasm_nn import CodeFolder
from pywasm_nn.program import run

GUESTS = Path(__file__).parents[1] / "guests"
PROGRAMS = ["files", "walk_cpp", "walk_rust", "walk_assemblyscript"]


@cache
def under_wasmtime(program: Path) -> bytes:
    """What a program writes when wasmtime runs it in an empty directory, which it leaves empty."""
    with TemporaryDirectory() as place:
        directory = Path(place, "directory")
        directory.mkdir()
        written = written_under_wasmtime(program, directory, Path(place))
        assert not list(directory.iterdir())
    return written


def written_under_wasmtime(program: Path, directory: Path, place: Path) -> bytes:
    wasmtime = pytest.importorskip("wasmtime")
    engine = wasmtime.Engine()
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    config = wasmtime.WasiConfig()
    config.argv = [program.name, "/work"]
    config.preopen_dir(str(directory), "/work")
    config.stdout_file = str(place / "stdout")
    store.set_wasi(config)
    start = linker.instantiate(store, wasmtime.Module.from_file(engine, str(program))).exports(store)[
        "_start"
    ]
    try:
        start(store)
    except wasmtime.ExitTrap as exit_:
        assert exit_.code == 0
    return (place / "stdout").read_bytes()


def compare(program: Path, engine: str, tmp_path: Path, cache: CodeFolder) -> None:
    result = run(program, ["/work"], dirs={"/work": tmp_path}, engine=engine, cache=cache)
    assert (result.exit_code, result.stderr) == (0, b"")
    assert result.stdout == under_wasmtime(program)
    assert result.stdout.count(b"\n") > 10
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CodeFolder:
    """A folder for code, so that programs are compiled once for all ways of resolving paths."""
    return CodeFolder(tmp_path_factory.mktemp("code"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_say_what_they_say_under_wasmtime(
    program: str, engine: str, walking: Any, tmp_path: Path, compiled: CodeFolder
) -> None:
    compare(GUESTS / f"{program}.wasm", engine, tmp_path, compiled)


@pytest.fixture(scope="session")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built here, for Go's programs are megabytes."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("needs Go's compiler, `go`")
    place = tmp_path_factory.mktemp("go")
    shutil.copy(GUESTS / "walk.go", place)
    target = {"GOOS": "wasip1", "GOARCH": "wasm", "GOCACHE": str(place / "cache"), "GO111MODULE": "off"}
    subprocess.run([go, "build", "walk.go"], cwd=place, env={**os.environ, **target}, check=True)
    return (place / "walk").rename(place / "walk_go.wasm")


@pytest.mark.slow
def test_go_says_what_it_says_under_wasmtime(
    go_program: Path, engine: str, walking: Any, tmp_path: Path, compiled: CodeFolder
) -> None:
    compare(go_program, engine, tmp_path, compiled)
