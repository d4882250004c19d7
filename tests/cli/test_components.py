"""Components on the command line: programs, `--invoke` with values, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Component

from ..component.components import LIBC, assembled

GUESTS = Path(__file__).parents[1] / "guests" / "components"
SCALE = f"""(component {LIBC}
  (core module $M (import "libc" "memory" (memory 1))
    (func (export "scale") (param $at i32) (param $count i32) (param $by f64) (result i32) (local $end i32)
      (i32.store (i32.const 16) (local.get $at))
      (i32.store (i32.const 20) (local.get $count))
      (local.set $end (i32.add (local.get $at) (i32.mul (local.get $count) (i32.const 8))))
      (loop $next
        (if (i32.lt_u (local.get $at) (local.get $end)) (then
          (f64.store (local.get $at) (f64.mul (f64.load (local.get $at)) (local.get $by)))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (br $next))))
      (i32.const 16))
    (func (export "same") (param i32 i32) (result i32)
      (i32.store (i32.const 16) (local.get 0)) (i32.store (i32.const 20) (local.get 1)) (i32.const 16)))
  (core instance $m (instantiate $M (with "libc" (instance $libc))))
  (func $scale (param "values" (list f64)) (param "by" f64) (result (list f64))
    (canon lift (core func $m "scale") (memory $memory) (realloc $realloc)))
  (func $same (param "text" string) (result string)
    (canon lift (core func $m "same") (memory $memory) (realloc $realloc)))
  (instance $vectors (export "scale" (func $scale)))
  (export "demo:math/vectors@1.2.0" (instance $vectors))
  (export "scale" (func $scale))
  (export "same" (func $same)))"""


@pytest.fixture
def math(tmp_path: Path) -> str:
    (tmp_path / "math.wasm").write_bytes(assembled(SCALE))
    return "math.wasm"


def test_a_program_runs(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "args_env.wasm", tmp_path)
    done = pywasm("run", "--env", "A=1", "args_env.wasm", "x")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["argument 0: args_env.wasm", "argument 1: x", "variable: A=1"]


def test_files_are_those_of_a_directory(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "files.wasm", tmp_path)
    (tmp_path / "work").mkdir()
    assert pywasm("run", "--dir", "work", "files.wasm", "work").code == 0
    assert pywasm("run", "files.wasm", "work").code == 1


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["math.wasm", "--invoke", "scale([1.5, 2], 2.0)"], "[3, 4]\n"),
        (["--invoke", "scale( [1.5,2,] , 2 )", "math.wasm"], "[3, 4]\n"),
        (["--invoke", "scale", "math.wasm", "[1.5, 2]", "0.1"], "[0.15000000000000002, 0.2]\n"),
        (["--invoke", "demo:math/vectors#scale([], -1)", "math.wasm"], "[]\n"),
        (["--invoke", "demo:math/vectors@1.2.0#scale([1], -1)", "math.wasm"], "[-1]\n"),
        (["--invoke", 'same("a\\u{1b}[1m")', "math.wasm"], '"a\\u{1b}[1m"\n'),
        (["--invoke", "same", "math.wasm", "plain words"], '"plain words"\n'),
        (["--invoke", "same", "math.wasm", '"quoted"'], '"quoted"\n'),
    ],
)
def test_a_function_is_called_with_values(pywasm: Any, math: str, words: list[str], out: str) -> None:
    done = pywasm("run", *words)
    assert (done.code, done.out, done.err) == (0, out, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--invoke", 'scale([1, "a"], 2)', "math.wasm"], "character 11"),
        (["--invoke", "scale([1])", "math.wasm"], "1 arguments are given, 2 are wanted"),
        (["--invoke", "scale([1], 2", "math.wasm"], "`)` is wanted"),
        (["--invoke", "scale", "math.wasm", "[1]"], "1 arguments are given, 2 are wanted"),
        (["--invoke", "scale([1], 2)", "math.wasm", "3"], "parentheses"),
    ],
)
def test_a_wrong_argument_shows_the_functions_type(
    pywasm: Any, math: str, words: list[str], said: str
) -> None:
    done = pywasm("run", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "func(values: list<f64>, by: f64) -> list<f64>" in done.err


def test_a_function_that_is_not_there_shows_those_that_are(pywasm: Any, math: str) -> None:
    done = pywasm("run", "--invoke", "scal([1], 2)", "math.wasm")
    assert done.code == 2
    assert "math.wasm exports no function scal" in done.err
    assert "demo:math/vectors@1.2.0#scale, scale, same" in done.err


def test_no_command(pywasm: Any, math: str) -> None:
    done = pywasm("run", "math.wasm")
    assert done.code == 1
    assert "math.wasm has no wasi:cli/run to run; it exports demo:math/vectors@1.2.0, scale, same" in done.err


@pytest.mark.parametrize(
    "option",
    [
        ["--trace=instr"],
        ["--trace=host,calls"],
        ["--trace-html", "a.html"],
        ["--monitor", "calls"],
        ["--unknown-imports", "trap"],
        ["--preload", "a=b.wasm"],
    ],
)
def test_what_core_modules_alone_have_is_refused(pywasm: Any, math: str, option: list[str]) -> None:
    done = pywasm("run", *option, "--invoke", "same", "math.wasm", "x")
    assert (done.code, done.out) == (2, "")
    assert "works only with core modules so far" in done.err


def test_a_trace_tells_host_calls_as_wit_has_them(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "files.wasm", tmp_path)
    (tmp_path / "work").mkdir()
    done = pywasm("run", "--trace=host", "--trace-file", "log", "--dir", "work", "files.wasm", "work")
    assert (done.code, done.err) == (0, "")
    lines = [re.sub(r"  [0-9.]+ ms$", "", line) for line in (tmp_path / "log").read_text().splitlines()]
    assert (
        "host  wasi:filesystem/types descriptor.open-at(self descriptor, path-flags {symlink-follow},"
        " path 'a.txt', open-flags {create, truncate}, flags {write}) -> ok(descriptor)" in lines
    )
    assert any(line.endswith("-> err(no-entry)") for line in lines)
    assert any("contents b'0123456789') -> ok" in line for line in lines)


def test_a_monitor_watches_host_calls(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "cat.wasm", tmp_path)
    done = pywasm("run", "--monitor", "host", "cat.wasm")
    assert done.code == 0
    assert "blocking-write-and-flush" in done.err


def test_a_trap_tells_the_last_host_call(pywasm: Any, tmp_path: Path) -> None:
    text = """(component
      (import "wasi:random/random@0.2.0" (instance $random
        (export "get-random-u64" (func (result u64)))))
      (core func $get (canon lower (func $random "get-random-u64")))
      (core module $M (import "" "get" (func $get (result i64)))
        (func (export "f") (drop (call $get)) (unreachable)))
      (core instance $m (instantiate $M (with "" (instance (export "get" (func $get))))))
      (func (export "f") (canon lift (core func $m "f"))))"""
    (tmp_path / "trap.wasm").write_bytes(assembled(text))
    done = pywasm("run", "--invoke", "f()", "trap.wasm")
    assert done.code == 134
    assert "trap.wasm/M" in done.err
    assert "last host call: wasi:random/random get-random-u64() -> " in done.err
    assert "`--trace=host`" in done.err


def test_inspect(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "cat.wasm", tmp_path)
    shutil.copy(GUESTS / "reader.wasm", tmp_path)
    shown = pywasm("inspect", "cat.wasm").out
    assert "cat.wasm/main" in shown
    assert "imports that this host lacks: none" in shown
    assert "export wasi:cli/run@0.2" in shown
    assert "demo:library/critics judge (func(text: string) -> result<u8, string>)" in (
        pywasm("inspect", "reader.wasm").out
    )
    told = json.loads(pywasm("inspect", "--json", "reader.wasm").out)
    assert len(told["missing"]) == 7
    assert told["exports"] == ["demo:library/reading"]
    assert told["wit"].startswith("package root:component;")


def test_core_modules_are_modules_for_other_commands(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "reader.wasm", tmp_path)
    assert pywasm("print", "reader.wasm/main").out.startswith("(module")
    assert "demo:library/critics judge" in pywasm("inspect", "reader.wasm/main").out
    assert pywasm("validate", tmp_path / "reader.wasm" / "wit-component-fixup").code == 0
    wrong = pywasm("print", "reader.wasm/mein")
    assert wrong.code == 1
    assert "there is no core module reader.wasm/mein" in wrong.err
    assert "reader.wasm/main, " in wrong.err
    assert "no such file" in pywasm("print", "writer.wasm/main").err


# bindgen


def test_bindgen_writes_a_module_for_the_component(pywasm: Any, math: str, tmp_path: Path) -> None:
    shown = pywasm("bindgen", math)
    assert shown.code == 0
    assert "def scale(self, values: Sequence[float] | Buffer, by: float) -> list[float]:" in shown.out
    assert pywasm("bindgen", math, "-o", "math_types.py").code == 0
    assert (tmp_path / "math_types.py").read_text("utf-8") == shown.out
    spaces: dict[str, Any] = {"__name__": "math_types"}
    exec(shown.out, spaces)
    with spaces["instantiate"](Component.from_file(tmp_path / math)) as instance:
        assert instance.exports.vectors.scale([1, 2], 0.5) == [0.5, 1.0]


def test_bindgen_says_what_it_cannot_write(pywasm: Any, math: str, tmp_path: Path) -> None:
    (tmp_path / "module.wasm").write_bytes(b"\0asm\1\0\0\0")
    (tmp_path / "broken.wasm").write_bytes((tmp_path / math).read_bytes()[:50])
    for words, code, text in [
        (["nothing.wasm"], 1, "there is no such file"),
        (["module.wasm"], 1, "module.wasm is no component"),
        (["broken.wasm"], 1, "error: "),
        ([math, "-o", "nowhere/math.py"], 1, "nowhere/math.py: No such file"),
        ([math, "-o", math], 2, "would be overwritten"),
        ([], 2, "Missing argument"),
    ]:
        outcome = pywasm("bindgen", *words)
        assert outcome.code == code, words
        assert text in outcome.err and "Traceback" not in outcome.err
    assert Component.from_file(tmp_path / math).exports
