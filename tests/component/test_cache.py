"""Compiled code of a component's core modules is kept, and taken by the next process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import CodeFolder, Component, Module, Trap, cli, run
from pywasm_nn.component.syntax import core_modules
from pywasm_nn.interpreter import validate as validation
from pywasm_nn.interpreter.engine import CompileEngine
from tests.component.components import LIBC, assembled
from tests.component.hostile.binaries import components

GUESTS = Path(__file__).parents[1] / "guests" / "components"
ARGS = str(GUESTS / "args_env.wasm")
NESTED = f"""(component
  (component $part
    (core module $deep (func $half (export "f") (param i32) (result i32)
      (if (i32.eqz (local.get 0)) (then unreachable)) (i32.div_u (local.get 0) (i32.const 2))))
    (core instance $d (instantiate $deep))
    (func (export "half") (param "n" u32) (result u32) (canon lift (core func $d "f"))))
  (component $whole
    {LIBC}
    (import "half" (func $half (param "n" u32) (result u32)))
    (core func $half_ (canon lower (func $half)))
    (core module $main
      (import "p" "half" (func $half (param i32) (result i32)))
      (func $quarter (export "f") (param i32) (result i32) (call $half (call $half (local.get 0))))
      (func (export "g") (param i32 i32) (result i32) (local.get 1)))
    (core instance $m (instantiate $main (with "p" (instance (export "half" (func $half_))))))
    (func (export "quarter") (param "n" u32) (result u32) (canon lift (core func $m "f")))
    (func (export "size") (param "x" string) (result u32)
      (canon lift (core func $m "g") (memory $memory) (realloc $realloc))))
  (instance $p (instantiate $part))
  (instance $w (instantiate $whole (with "half" (func $p "half"))))
  (export "quarter" (func $w "quarter"))
  (export "size" (func $w "size")))"""
CALLED = 4
"""Functions of core modules that `play` calls: one in each, and both of the main one."""
AGAIN = """
import sys
from pywasm_nn import CodeFolder, Component
from tests.component.test_cache import played
print(played(Component.from_file(sys.argv[1], cache=CodeFolder(sys.argv[2])))[1:])
"""


@pytest.fixture
def folder(tmp_path: Path) -> CodeFolder:
    return CodeFolder(tmp_path / "code")


def played(component: Component, **settings: Any) -> tuple[list[object], int, int]:
    """What is seen of the component, and how many functions were compiled and cached."""
    with component.instantiate(**settings) as instance:
        exports = instance.exports
        seen: list[object] = [exports.quarter(100), exports.size("Zoë"), exports.size("x" * 5000)]
        with pytest.raises(Trap) as caught:
            exports.quarter(0)
        seen.append((str(caught.value), caught.value.frames))
        engines = [core.engine for core in instance._tree.cores if isinstance(core.engine, CompileEngine)]
        counts = sum(len(each.compiled) for each in engines), sum(len(each.cached) for each in engines)
    return seen, *counts


def test_a_second_component_compiles_nothing(folder: CodeFolder) -> None:
    data = assembled(NESTED)
    plain, *_ = played(Component(data))
    assert not os.listdir(folder.folder)
    assert played(Component.from_bytes(data, cache=folder)) == (plain, CALLED, 0)
    assert played(Component.from_bytes(data, cache=folder)) == (plain, 0, CALLED)
    assert len(os.listdir(folder.folder)) == 3


def test_modules_with_stored_code_are_not_validated_again(
    folder: CodeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[bytes] = []
    original = validation.validate_module

    def counted(module: Module, *settings: Any) -> None:
        checked.append(module.data)
        original(module, *settings)

    monkeypatch.setattr(validation, "validate_module", counted)
    data = assembled(NESTED)
    first = Component.from_bytes(data, cache=folder)
    modules = {module.data for module in first.core_modules}
    assert set(checked) == modules
    played(first)
    checked.clear()
    again = Component.from_bytes(data, cache=folder)
    assert not checked
    assert repr(again.exports) == repr(first.exports)


def test_a_second_process_compiles_nothing(folder: CodeFolder, tmp_path: Path) -> None:
    path = tmp_path / "nested.wasm"
    path.write_bytes(assembled(NESTED))
    told = [
        subprocess.run(
            [sys.executable, "-c", AGAIN, path, folder.folder],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert told == [f"({CALLED}, 0)", f"(0, {CALLED})"]


def test_each_module_in_the_bytes_is_asked_for_once() -> None:
    """However often a component is named by others."""
    text = components(25, '(core module (func (export "f")))')
    doubled = text.replace("(component $p))", "(component $p)) (alias outer 1 $c0 (component $q))")

    class Counting(CodeFolder):
        asked = 0

        def code_of(self, data: bytes, features: Sequence[str] = ()) -> Any:
            Counting.asked += 1
            return super().code_of(data, features)

    component = Component(assembled(f"(component {doubled})"), cache=Counting())
    assert Counting.asked == len(list(core_modules(component._syntax))) == 1


def test_commands_use_the_users_cache_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))

    def code(*options: object) -> int:
        return cli.call(["run", *map(str, options), ARGS])

    plain = code("--no-cache"), capfd.readouterr().out
    assert "argument 0" in plain[1]
    assert not (tmp_path / "home").exists()
    assert (code(), capfd.readouterr().out) == plain
    files = kept(tmp_path / "home" / "pywasm-nn")
    assert files
    assert (code(), capfd.readouterr().out) == plain
    assert kept(tmp_path / "home" / "pywasm-nn") == files
    assert (code("--cache-dir", tmp_path / "other"), capfd.readouterr().out) == plain
    assert kept(tmp_path / "other").keys() == files.keys()


def kept(folder: Path) -> dict[str, int]:
    """Files of a cache, and which file of the disk each is: a new one is another."""
    return {path.name: path.stat().st_ino for path in folder.iterdir()}


def test_a_program_may_have_a_cache(folder: CodeFolder) -> None:
    plain = run(ARGS)
    assert run(ARGS, cache=folder).stdout == plain.stdout
    assert kept(Path(folder.folder))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: Component(5), "data"),  # type: ignore[arg-type] # what is refused
        (lambda: Component.from_bytes(5), "data"),  # type: ignore[arg-type] # likewise
        (lambda: Component.from_bytes("(component)"), "data"),  # type: ignore[arg-type] # likewise
        (lambda: Component.from_bytes(b"", 5), "name"),  # type: ignore[arg-type] # likewise
        (lambda: Component.from_bytes(b"", cache="folder"), "cache"),  # type: ignore[arg-type] # likewise
        (lambda: Component.from_file(ARGS, cache=CodeFolder), "cache"),  # type: ignore[arg-type] # likewise
        (lambda: Component.from_file(b"\0asm\r\0\1\0"), "path"),  # type: ignore[arg-type] # likewise
    ],
)
def test_arguments_that_are_something_else_are_refused(call: Any, told: str) -> None:
    with pytest.raises(TypeError, match=f"^{told}"):
        call()
