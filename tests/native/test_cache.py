"""Native code in the code cache: kept for other processes, and trusted only as far as the folder is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pywasm_nn import Limits, Module
from pywasm_nn.interpreter.compile.cache import CodeFolder
from pywasm_nn.native import problem

if reason := problem():
    pytest.skip(reason, allow_module_level=True)

TEXT = """(module (memory (export "memory") 1) (func $start (i32.store (i32.const 0) (i32.const 6)))
  (start $start) (func (export "run") (result i32) (i32.mul (i32.const 7) (i32.load (i32.const 0)))))"""


def played(folder: CodeFolder, limits: Limits | None = None) -> str:
    """Run a module that knows nothing yet; whether its code was compiled or came from the cache."""
    module = Module.from_text(TEXT, "app.wat", cache=folder)
    with module.instantiate(engine="wasmtime", limits=limits) as instance:
        assert instance.exports.run() == 42
        return instance.engine.summary(instance).rpartition(", ")[2]


def kept(folder: CodeFolder) -> list[Path]:
    return sorted(Path(folder.folder).glob("*.code"))


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    folder = CodeFolder(tmp_path / "cache")
    assert played(folder) == "compiled"
    (path,) = kept(folder)
    assert path.stat().st_mode & 0o777 == 0o600
    assert played(CodeFolder(tmp_path / "cache")) == "from the cache"


def test_other_limits_that_change_the_code_have_their_own(tmp_path: Path) -> None:
    folder = CodeFolder(tmp_path / "cache")
    for limits in (None, Limits(fuel=1000), Limits(seconds=60)):
        assert played(folder, limits) == "compiled"
    assert len(kept(folder)) == 3
    for limits in (None, Limits(fuel=1000), Limits(seconds=60)):
        assert played(folder, limits) == "from the cache"


def test_both_kinds_of_code_are_kept_side_by_side(tmp_path: Path) -> None:
    folder = CodeFolder(tmp_path / "cache")
    assert played(folder) == "compiled"
    with Module.from_text(TEXT, cache=folder).instantiate(engine="compile") as instance:
        assert instance.exports.run() == 42
    assert len(kept(folder)) == 2
    assert played(folder) == "from the cache"


@pytest.mark.parametrize("at", [0.3, 0.6, 0.999])
def test_damaged_code_is_not_run(tmp_path: Path, at: float) -> None:
    folder = CodeFolder(tmp_path / "cache")
    played(folder)
    (path,) = kept(folder)
    data = bytearray(path.read_bytes())
    data[int(len(data) * at)] ^= 1
    path.write_bytes(data)
    assert played(folder) == "compiled"
    assert played(folder) == "from the cache"  # it was replaced


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="nobody else is known there")
def test_code_that_others_may_write_is_not_run(tmp_path: Path) -> None:
    folder = CodeFolder(tmp_path / "cache")
    played(folder)
    (path,) = kept(folder)
    path.chmod(0o666)
    assert played(folder) == "compiled"
    Path(folder.folder).chmod(0o777)
    shared = CodeFolder(folder.folder)
    assert shared.refusal
    assert played(shared) == "compiled"
