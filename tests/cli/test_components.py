"""Components on the command line: programs, `--invoke` with values, and what is refused."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import wasmtime

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
    assert "--invoke 'demo:math/vectors@1.2.0#scale(...)'" in done.err


@pytest.mark.parametrize(
    "option",
    [
        ["--trace-html", "a.html"],
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
    opened = sum(line.endswith("-> ok(descriptor)") for line in lines)
    closed = sum(line == "host  wasi:filesystem/types descriptor.drop(self descriptor)" for line in lines)
    assert closed == opened + 1 > 5, "the directory that it was given too"


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


# Inside core modules

ADAPTER = "wit-component:adapter:wasi_snapshot_p..."


@pytest.fixture
def args_env(tmp_path: Path) -> str:
    shutil.copy(GUESTS / "args_env.wasm", tmp_path)
    return "args_env.wasm"


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_a_trace_of_calls_says_in_which_core_module(
    pywasm: Any, tmp_path: Path, args_env: str, engine: str
) -> None:
    done = pywasm("run", "--engine", engine, "--trace=calls", "--trace-file", "log", args_env, "x")
    assert (done.code, done.err) == (0, "")
    lines = (tmp_path / "log").read_text().splitlines()
    called = [line.split("(")[0].split()[-1] for line in lines if line.endswith(")")]
    assert {name.partition("!")[0] for name in called} == {"main", ADAPTER, "wit-component-shim-module"}
    first = called.index("main!$_start")
    assert called[first - 1] == f"{ADAPTER}!$wasi:cli/run@0.2.12#run"
    assert f"{ADAPTER}!$environ_sizes_get" in called[first:]
    assert sum(line.startswith("call") and "returns" in line for line in lines) == len(called)


def test_a_trace_of_instructions_of_chosen_functions(pywasm: Any, tmp_path: Path, args_env: str) -> None:
    options = ("--trace=instr,host", "--trace-format", "json", "--trace-file", "log", "--trace-budget", "400")
    done = pywasm("run", *options, "--trace-only", "_start", args_env)
    assert (done.code, done.err) == (0, "")
    told = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    shown = [one for one in told if one["kind"] == "instr"]
    assert shown
    assert {one["function"] for one in shown} == {"main!$_start"}
    assert any(one.get("module") == "wasi:cli/environment" for one in told)
    done = pywasm("run", "--trace=instr", "--trace-only", "_strat", args_env)
    assert done.code == 2
    assert "--trace-only _strat: args_env.wasm has no such function; did you mean _start?" in done.err


def test_only_the_interpreter_shows_instructions(pywasm: Any, args_env: str) -> None:
    done = pywasm("run", "--engine", "compile", "--trace=instr", args_env)
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_monitors_count_in_each_core_module(pywasm: Any, args_env: str, engine: str) -> None:
    monitors = ("--monitor", "calls", "--monitor", "hotness", "--monitor", "host")
    done = pywasm("run", "--engine", engine, *monitors, "--monitor-format", "json", args_env, "x", "y")
    tables = {one["monitor"]: one["rows"] for one in map(json.loads, done.err.splitlines())}
    calls = {(one["core module"], one["function"]): one["calls"] for one in tables["calls"]}
    assert calls["main", "$_start"] == calls[ADAPTER, "$wasi:cli/run@0.2.12#run"] == 1
    assert all(one["core module"] and one["instructions"] for one in tables["hotness"])
    assert {one["core module"] for one in tables["hotness"]} == {name for name, _ in calls}
    host = {one["function"]: one["calls"] for one in tables["host"]}
    assert host["wasi:cli/stdout.get-stdout"] == host["wasi:cli/environment.get-environment"] == 1
    assert "core module" not in tables["host"][0]


def test_monitors_on_both_engines_count_the_same(pywasm: Any, args_env: str) -> None:
    command = ("run", "--monitor", "hotness", "--monitor-format", "csv", args_env, "x")
    one, other = (
        pywasm(*command[:1], "--engine", engine, *command[1:]) for engine in ("compile", "interpret")
    )
    assert one.err == other.err


def test_a_core_module_is_debugged_within_its_component(
    pywasm: Any, monkeypatch: pytest.MonkeyPatch, args_env: str
) -> None:
    """It stops in one of the modules, and at what any of them asks of the host; the rest is as in `run`."""
    commands = [
        "break _start",
        "break host get-arguments",
        "continue",
        "backtrace",
        "list",
        "continue",
        "finish",
    ]
    monkeypatch.setattr(
        sys, "stdin", io.StringIO("\n".join([*commands, "delete", "continue", "quit"]) + "\n")
    )
    done = pywasm("debug", f"{args_env}/main", "first")
    assert done.code == 0
    lines = [line.rstrip() for line in done.out.splitlines() if not line.startswith("(wasm)")]
    assert lines[0].startswith("0x026d  _start  block")
    assert (
        "breakpoint 2: host  wasi:cli/environment get-arguments() -> ['args_env.wasm', 'first']" in done.out
    )
    frames = [line.split()[2 + (line[0] == ">")] for line in lines if re.match(r"[> ] \d+: ", line)]
    assert [frame.split("!")[0].removeprefix("args_env.wasm/") for frame in frames] == [
        "wit-component-shim-module", ADAPTER, "wit-component-shim-module", "main", "main", "main",
    ]  # fmt: skip
    assert lines[-3:] == [
        "argument 0: args_env.wasm",
        "argument 1: first",
        "the guest has ended, exit code 0",
    ]


def test_a_component_alone_is_no_place_to_stop(pywasm: Any, args_env: str) -> None:
    done = pywasm("debug", args_env)
    assert done.code == 2
    assert "args_env.wasm is a component" in done.err
    assert "args_env.wasm/main" in done.err
    assert "there is no core module args_env.wasm/mian" in pywasm("debug", f"{args_env}/mian").err


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_a_trap_in_the_adapter_shows_all_core_modules(pywasm: Any, tmp_path: Path, engine: str) -> None:
    shutil.copy(GUESTS / "outside.wasm", tmp_path)
    done = pywasm("run", "--engine", engine, "outside.wasm")
    assert (done.code, done.out) == (134, "hello\n")
    error, *frames = done.err.splitlines()
    assert "list pointer/length out of bounds of memory: 6 bytes at 0xfffffff0" in error
    places = [line.split()[2] for line in frames if line.lstrip()[0].isdigit()]
    modules = [place.partition("!")[0].removeprefix("outside.wasm/") for place in places]
    assert modules[0] == modules[4] == "wit-component-shim-module"
    assert modules[1:4] == [ADAPTER] * 3
    assert places[5:7] == ["outside.wasm/main!say", "outside.wasm/main!_start"]
    assert "last host call: wasi:io/streams [method]output-stream.blocking-write-and-flush(" in done.err
    assert "contents=b'hello\\n') -> ok" in done.err


def test_a_file_that_is_there_but_not_given(pywasm: Any, tmp_path: Path) -> None:
    shutil.copy(GUESTS / "files.wasm", tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "data").mkdir()
    for options in ((), ("--dir", "data")):
        done = pywasm("run", *options, "files.wasm", "notes.txt")
        assert done.code == 1
        assert 'the guest was told "notes.txt", which is here, but in no directory' in done.err


def test_a_word_that_is_no_text_is_refused(pywasm: Any, tmp_path: Path) -> None:
    """Python has bytes that are no UTF-8 as lone surrogates."""
    text = """(component
      (core module $M (memory (export "memory") 1) (func (export "f") (param i32 i32))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))
      (core instance $m (instantiate $M))
      (func (export "f") (param "a" string)
        (canon lift (core func $m "f") (memory (core memory $m "memory"))
          (realloc (core func $m "realloc")))))"""
    (tmp_path / "text.wasm").write_bytes(bytes(wasmtime.wat2wasm(text)))
    for call in ('f("\udcff")', 'f("good \udcc3")'):
        done = pywasm("run", "--invoke", call, "text.wasm")
        assert done.code == 2
        assert "surrogate" in done.err
