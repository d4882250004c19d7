"""Commands from the outside: what is printed where, and exit codes, in this process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.cli.root import COMMANDS
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.text import parse

GUESTS = Path(__file__).parents[1] / "guests"
EXPORTS = """(module
  (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)
  (func (export "pair") (param f64 i64) (result f64 i64) local.get 0 local.get 1)
  (func (export "null") (result externref) ref.null extern)
  (func $deep (export "deep") call $deep)
  (func $boom (export "boom") i32.const 0 i32.load drop)
  (memory 0))"""


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    path = tmp_path / "exports.wat"
    path.write_text(EXPORTS)
    return path


# Exit codes


def test_the_guests_exit_code_and_output_are_its_own(pywasm) -> None:
    outcome = pywasm("run", "--env", "CODE=7", GUESTS / "args_env.wasm", "a", "--env", "X=1")
    assert outcome.code == 7
    assert "argument 3: X=1" in outcome.out
    assert "variable: X" not in outcome.out
    assert outcome.err == ""


def test_argv0(pywasm) -> None:
    assert "argument 0: me\n" in pywasm("run", "--argv0", "me", GUESTS / "args_env.wasm").out


def test_a_large_exit_code_does_not_become_success(pywasm, tmp_path: Path) -> None:
    source = """(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))
      (func (export "_start") (call 0 (i32.const 256))) (memory (export "memory") 1))"""
    (tmp_path / "exit.wat").write_text(source)
    assert pywasm("run", "exit.wat").code == 1


def test_a_trap(pywasm, exports: Path) -> None:
    outcome = pywasm("run", exports, "--invoke", "boom")
    assert outcome.code == 134
    first, frame = outcome.err.splitlines()[:2]
    assert first.startswith("error: wasm trap: out of bounds memory access")
    assert frame.endswith("exports.wat!boom")


def test_an_uncaught_exception(pywasm, tmp_path: Path) -> None:
    source = """(module (tag $broken (param i32)) (func $throw (throw $broken (i32.const -1)))
      (func (export "_start") (call $throw)) (memory (export "memory") 1))"""
    (tmp_path / "throw.wat").write_text(source)
    outcome = pywasm("run", "throw.wat")
    assert outcome.code == 134
    lines = outcome.err.splitlines()
    assert lines[0] == "error: uncaught exception of tag [i32] with -1"
    assert [line.rpartition("!")[2] for line in lines[1:3]] == ["throw", "_start"]
    assert "exceptions" in pywasm("inspect", "throw.wat").out


def test_a_stack_too_deep_is_shown_briefly(pywasm, exports: Path) -> None:
    outcome = pywasm("run", exports, "--max-stack", "1000", "--invoke", "deep")
    assert outcome.code == 134
    assert outcome.err.startswith("error: wasm trap: call stack exhausted")
    assert len(outcome.err.splitlines()) < 20


def test_an_exception_in_a_host_function_is_no_trap(
    pywasm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pywasm_nn.wasi.system import System

    def broken(*given: object) -> None:
        raise ZeroDivisionError("of the host")

    monkeypatch.setattr(System, "fill_random", broken)
    source = """(module (import "wasi_snapshot_preview1" "random_get" (func (param i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "_start") (drop (call 0 (i32.const 0) (i32.const 8)))))"""
    (tmp_path / "random.wat").write_text(source)
    outcome = pywasm("run", "random.wat")
    assert outcome.code == 1
    assert outcome.err.startswith("error: a host function failed")
    assert "ZeroDivisionError: of the host" in outcome.err


# Files that are no modules


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>", "HTML page"),
        (b"hello, this is text\n", "text file"),
        (b"\x7fELF\2\1\1", "Linux program"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"PK\3\4\0\0", "zip"),
        (b"\0asm\2\0\0\0", "version"),
        (b"\0asm\1\0", "cut off"),
        (b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", "ff fe fd fc"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        ((demo.path() / "models" / "digits.onnx").read_bytes(), "ONNX model"),
        ((demo.path() / "models" / "digits.tflite").read_bytes(), "TFLite model"),
    ],
)
def test_a_file_is_named_for_what_it_is(pywasm, tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "app.wasm").write_bytes(data)
    outcome = pywasm("run", "app.wasm")
    assert outcome.code == 1
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.startswith("error: app.wasm: this ")
    assert words in outcome.err


def test_a_component_is_named_where_modules_are_wanted(pywasm, tmp_path: Path) -> None:
    (tmp_path / "app.wasm").write_bytes(b"\0asm\x0d\0\1\0")
    for command in ("print", "compile"):
        assert "app.wasm: this is a component" in pywasm(command, "app.wasm").err
    assert "app.wasm is a component" in pywasm("debug", "app.wasm").err


def test_every_truncation_is_one_line(pywasm, tmp_path: Path) -> None:
    data = encode(parse(EXPORTS))
    for length in range(8, len(data)):
        (tmp_path / "app.wasm").write_bytes(data[:length])
        outcome = pywasm("validate", "app.wasm")
        if outcome.code:  # a module may end after a whole section
            assert outcome.code == 1
            assert len(outcome.err.splitlines()) == 1
            assert outcome.err.startswith("error: ")


def test_text_that_is_wrong_says_where(pywasm, tmp_path: Path) -> None:
    (tmp_path / "app.wat").write_text("(module\n  (func i32.nonsense))")
    outcome = pywasm("run", "app.wat")
    assert outcome.code == 1
    assert "2:9" in outcome.err


def test_a_missing_file_names_its_neighbours(pywasm, exports: Path) -> None:
    outcome = pywasm("run", "exprots.wat")
    assert outcome.code == 1
    assert "no such file" in outcome.err
    assert "exports.wat" in outcome.err


def test_a_directory_is_no_module(pywasm, tmp_path: Path) -> None:
    assert pywasm("run", tmp_path).code == 1


# Linking


def test_a_missing_import_is_named_with_what_there_is(pywasm, tmp_path: Path) -> None:
    source = """(module (import "wasi_snapshot_preview1" "fd_wirte" (func)) (import "env" "log" (func))
      (import "wasi_snapshot_preview2" "fd_read" (func))
      (import "wasi:nn/graph@0.2.0-rc-2024-10-29" "load" (func)) (func (export "_start")))"""
    (tmp_path / "app.wat").write_text(source)
    outcome = pywasm("run", "app.wat")
    assert outcome.code == 1
    assert outcome.err.startswith("error: can't link: unknown import wasi_snapshot_preview1::fd_wirte")
    assert outcome.err.splitlines()[1:] == [
        "help: missing: func wasi_snapshot_preview1::fd_wirte (there is fd_write)",
        "  missing: func env::log",
        "  missing: func wasi_snapshot_preview2::fd_read (wasi_snapshot_preview1 has it)",
        "  missing: func wasi:nn/graph@0.2.0-rc-2024-10-29::load (wasi:nn/graph@0.2.0-rc-2024-10-28 has it)",
        "  --preload NAME=MODULE or --host FILE.py provides them, --unknown-imports runs without them",
        "  provided here: wasi_snapshot_preview1, wasi_unstable, wasi, wasi_ephemeral_nn, wasi_nn, pywasm_nn",
        "  and interfaces of wasi:nn: 0.2.0-rc-2024-10-28, 0.2.0-rc-2024-08-19, 0.2.0-rc-2024-06-25, "
        "without a version",
        "  and interfaces of wasi:io, wasi:cli, wasi:clocks, wasi:random, wasi:filesystem: 0.2.0 to 0.2.12",
    ]


def test_a_module_without_a_start(pywasm, exports: Path) -> None:
    outcome = pywasm("run", exports)
    assert outcome.code == 1
    assert "add, pair, null, deep, boom" in outcome.err


# Options


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "--nonsense", "app.wasm"],
        ["run", "--dir", "a:b", "exports.wat"],
        ["run", "--max-memory", "much", "exports.wat"],
        ["run", "--trace=hots", "exports.wat"],
        ["run", "--engine", "fast", "exports.wat"],
        ["run", "--engine", "compile", "--trace=instr", "exports.wat"],
        ["nonsense"],
    ],
)
def test_usage(pywasm, exports: Path, arguments: list[str]) -> None:
    outcome = pywasm(*arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")


@pytest.mark.parametrize("option", ["--dir", "--models", "--nn-graph"])
def test_a_missing_directory(pywasm, option: str) -> None:
    value = {"--nn-graph": "onnx::nowhere"}.get(option, "nowhere")
    outcome = pywasm("run", option, value, demo.path() / "app.wasm")
    assert (outcome.code, outcome.err) == (2, f"error: {option}: nowhere is no directory\n")


def test_a_directory_that_is_not_given_is_not_there(pywasm) -> None:
    outcome = pywasm("run", demo.path() / "app.wasm")
    assert outcome.code == 1
    assert outcome.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nn-graph", "onnx::nowhere"],
        ["-S", "nn-graph=onnx::nowhere"],
    ],
)
def test_a_missing_model(pywasm, arguments: list[str]) -> None:
    outcome = pywasm("run", *arguments, demo.path() / "app.wasm")
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
    assert "nowhere" in outcome.err or "nonsense" in outcome.err


def test_a_corrupt_model_is_explained(pywasm, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    for file in (demo.path() / "models").iterdir():
        (models / file.name).write_bytes(file.read_bytes())
    (models / "digits.onnx").write_bytes((models / "digits.onnx").read_bytes()[:2000])
    outcome = pywasm("run", demo.path() / "app.wasm", "--dir", "models")
    assert outcome.code == 1
    assert "note: wasi-nn load(" in outcome.err


@pytest.mark.parametrize("levels", ["host,nn", "host,nn,whatif"])
def test_a_trace_tells_what_was_before_a_note_before_it(pywasm, tmp_path: Path, levels: str) -> None:
    (tmp_path / "m.wat").write_text("""(module
      (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
      (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 8) "digits")
      (func $both (drop (call $yield)) (drop (call $yield)) (drop (call $yield))
        (drop (call $load (i32.const 8) (i32.const 6) (i32.const 0))))
      (func (export "_start") (call $both) (call $both)))""")
    outcome = pywasm("run", f"--trace={levels}", "m.wat")
    begun = [line.split("(")[0] for line in outcome.err.splitlines() if not line.startswith("hint")]
    assert begun == ["host  sched_yield", "note: wasi-nn load_by_name", "nn    load_by_name"] * 2
    assert outcome.err.count("  and 2 more") == 2


def test_limits(pywasm, tmp_path: Path) -> None:
    (tmp_path / "big.wat").write_text('(module (memory 100) (func (export "_start")))')
    assert pywasm("run", "big.wat").code == 0
    outcome = pywasm("run", "--max-memory", "1MiB", "big.wat")
    assert outcome.code == 1
    assert "wants 6.25 MiB" in outcome.err


def test_a_single_colon_shows_two_commands(pywasm, exports: Path) -> None:
    outcome = pywasm("run", "--dir", "/:models", "exports.wat")
    assert outcome.code == 2
    assert [line.split("    ")[0].strip() for line in outcome.err.splitlines()[1:]] == [
        "--dir /::models", "--dir models::/",
    ]  # fmt: skip


def test_verbose_shows_the_split_the_mappings_and_the_engine(pywasm) -> None:
    outcome = pywasm("run", demo.path() / "app.wasm", "-v", "--dir", f"{demo.path() / 'models'}::models")
    assert outcome.code == 0
    assert "note: options: -v --dir" in outcome.err
    assert "is models in the guest" in outcome.err
    assert "note: backend numpy (onnx): ready" in outcome.err
    assert "note: engine " in outcome.err
    assert outcome.out.startswith("5 ")


# Calls


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["add", "1", "-2"], "-1\n"),
        (["add", "0xffffffff", "2"], "1\n"),
        (["pair", "0.5", "9223372036854775807"], "0.5\n9223372036854775807\n"),
        (["pair", "nan", "-1"], "nan\n-1\n"),
        (["null"], "null\n"),
    ],
)
def test_invoke(pywasm, exports: Path, arguments: list[str], printed: str) -> None:
    outcome = pywasm("run", exports, "--invoke", *arguments)
    assert (outcome.code, outcome.out, outcome.err) == (0, printed, "")


@pytest.mark.parametrize(
    "arguments",
    [["add", "1"], ["add", "1", "x"], ["add", "1", "4294967296"], ["add", "1", "1.5"], ["nonsense"]],
)
def test_invoke_with_what_does_not_fit(pywasm, exports: Path, arguments: list[str]) -> None:
    outcome = pywasm("run", exports, "--invoke", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")


def test_a_reactor_is_initialised_first(pywasm, tmp_path: Path) -> None:
    source = """(module (global (mut i32) (i32.const 0))
      (func (export "_initialize") (global.set 0 (i32.const 5)))
      (func (export "get") (result i32) global.get 0))"""
    (tmp_path / "reactor.wat").write_text(source)
    assert pywasm("run", "reactor.wat", "--invoke", "get").out == "5\n"


# The other commands


@pytest.mark.parametrize("backend", ["numpy", "onnxruntime", "openvino", "litert"])
def test_demo(pywasm, backend: str) -> None:
    packages = {"onnxruntime": "onnxruntime", "openvino": "openvino", "litert": "ai_edge_litert"}
    if backend in packages:
        pytest.importorskip(packages[backend])
    outcome = pywasm("demo", "--backend", backend)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert len([line for line in lines if set(line) <= set(" ░▒▓█")]) == 8
    assert [line.split()[1].split("(")[0] for line in lines if line.startswith("nn ")] == [
        "load",
        "init_execution_context",
        "set_input",
        "compute",
        "get_output",
    ]
    answer = next(line for line in lines if line[0].isdigit())
    assert answer.split() == ["5", "97.1", "%"]
    assert f"answered by {backend}/" in outcome.out


def test_the_command_that_the_demo_shows_does_the_same(pywasm) -> None:
    import shlex

    words = shlex.split(pywasm("demo", "--backend", "numpy").out.splitlines()[-1])
    assert words[0] == "pywasm-nn"
    outcome = pywasm(*words[1:])
    assert outcome.code == 0
    assert outcome.out.startswith("5  97.1 %")


def test_validate_takes_components(pywasm, tmp_path: Path) -> None:
    empty = b"\0asm\x0d\0\1\0"
    (tmp_path / "empty.wasm").write_bytes(empty)
    (tmp_path / "invalid.wasm").write_bytes(empty + b"\6\5\1\3\2\1\0")  # an alias of what nothing is around
    (tmp_path / "cut.wasm").write_bytes(empty + b"\7\3\0")
    outcome = pywasm("validate", "empty.wasm", "invalid.wasm", "cut.wasm")
    assert outcome.code == 1
    assert outcome.out == "empty.wasm: ok\n"
    assert "invalid.wasm: invalid outer alias count of 1" in outcome.err
    assert "cut.wasm: length out of bounds (at offset 0x9)" in outcome.err
    assert "Component.from_file" in pywasm("print", "empty.wasm").err


def test_validate(pywasm, exports: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.wat").write_text("(module (func (result i32)))")
    outcome = pywasm("validate", "exports.wat", "bad.wat", demo.path() / "app.wasm")
    assert outcome.code == 1
    assert [line.rsplit(": ", 1)[1] for line in outcome.out.splitlines()] == ["ok", "ok"]
    assert "bad.wat: type mismatch" in outcome.err


def test_inspect(pywasm) -> None:
    outcome = pywasm("inspect", demo.path() / "app.wasm")
    assert outcome.code == 0
    assert "wasi_ephemeral_nn load  [i32 i32 i32 i32 i32] -> [i32]" in outcome.out
    assert "func    _start  [] -> []" in outcome.out
    assert "wasi-nn: WITX (wasi_ephemeral_nn)" in outcome.out


NAMES = {"escape": "a\x1b[2Jb", "what spells one": r"a\x1b[2Jb", "both": "\\\u202e\\u202e", "quotes": "'\"\\"}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_are_escaped_once(pywasm, tmp_path: Path, name: str) -> None:
    """JSON and the text format say every name exactly, by their own escapes alone."""
    quoted = "".join(f"\\{byte:02x}" for byte in name.encode())
    source = f"""(module (import "{quoted}" "{quoted}" (func)) (func $"{quoted}" (param $"{quoted}" i32))
      (export "{quoted}" (func 0)))"""
    (tmp_path / "names.wat").write_text(source)
    shown = json.loads(pywasm("inspect", "--json", "names.wat").out)
    assert [shown["imports"][0][key] for key in ("module", "name")] == [name, name]
    assert shown["exports"][0]["name"] == name
    printed = pywasm("print", "names.wat").out
    assert parse(printed) == parse(source)
    assert "@custom" not in printed, "the ids say the names"
    assert printed.replace("\n", "").isprintable()


def test_inspect_tells_typed_references_from_the_heap(pywasm, tmp_path: Path) -> None:
    (tmp_path / "typed.wat").write_text(
        "(module (type $f (func)) (func (param (ref $f)) (call_ref $f (local.get 0))))"
    )
    (tmp_path / "heap.wat").write_text("(module (func (drop (ref.i31 (i32.const 0)))))")
    typed, heap = pywasm("inspect", "typed.wat").out, pywasm("inspect", "heap.wat").out
    assert "typed function references" in typed and "garbage collection" not in typed
    assert "garbage collection" in heap and "typed function references" not in heap


def test_inspect_names_the_features_of_a_module(pywasm, tmp_path: Path) -> None:
    source = """(module (import "wasi_ephemeral_nn" "unload" (func (param i32) (result i32)))
      (import "pywasm_nn" "count" (func (param i32 i32) (result i32)))
      (type $pair (struct (field i32 i32))) (memory 1) (memory i64 1)
      (func (result (ref $pair)) (struct.new_default $pair))
      (func (param v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 0)))
      (func (param funcref) (result i32) (ref.is_null (local.get 0))))"""
    (tmp_path / "new.wat").write_text(source)
    lines = [line.strip() for line in pywasm("inspect", "new.wat").out.splitlines()]
    assert lines[lines.index("features:") + 1 : -1] == [
        "reference types",
        "SIMD",
        "relaxed SIMD",
        "garbage collection",
        "multi-memory",
        "64-bit memories and tables",
    ]
    assert lines[-1] == "wasi-nn: WITX (wasi_ephemeral_nn) with WasmEdge's unload, and functions of pywasm_nn"


def test_print_and_assemble(pywasm, exports: Path, tmp_path: Path) -> None:
    assert pywasm("assemble", "exports.wat").code == 0
    printed = pywasm("print", "exports.wasm").out
    assert encode(parse(printed)) == (tmp_path / "exports.wasm").read_bytes()
    outcome = pywasm("assemble", "exports.wasm")
    assert outcome.code == 2, "the source would be overwritten"
    assert Module.from_file(tmp_path / "exports.wasm")


def test_wast(pywasm, tmp_path: Path) -> None:
    (tmp_path / "a.wast").write_text(
        '(module (func (export "f") (result i32) i32.const 1))\n'
        '(assert_return (invoke "f") (i32.const 1))\n(assert_return (invoke "f") (i32.const 2))'
    )
    (tmp_path / "b.wast").write_text('(assert_malformed (module quote "(") "unexpected token")')
    (tmp_path / "c.wast").write_text('(module) (assert_return (invoke "f") (i32.const')
    outcome = pywasm("wast", "b.wast", "a.wast")
    assert outcome.code == 1
    assert outcome.out.splitlines() == [
        "b.wast: 1 passed, 0 failed (malformed 1 passed, 0 failed)",
        "a.wast: 1 passed, 1 failed (return 1 passed, 1 failed)",
        "  line 3: return: expected (i32.const 2), got i32 1",
        "total: 2 passed, 1 failed (malformed 1 passed, 0 failed; return 1 passed, 1 failed)",
    ]
    assert pywasm("wast", "--engine", "interpret", "b.wast").code == 0
    outcome = pywasm("wast", "c.wast", "b.wast")
    assert outcome.code == 1
    assert outcome.out.splitlines() == [
        "c.wast: 0 passed, 1 failed (script 0 passed, 1 failed)",
        "  line 1: script: 1:48: unexpected token: expected a number, found the end of the text",
        "b.wast: 1 passed, 0 failed (malformed 1 passed, 0 failed)",
        "total: 1 passed, 1 failed (malformed 1 passed, 0 failed; script 0 passed, 1 failed)",
    ]


def test_doctor(pywasm) -> None:
    found = json.loads(pywasm("doctor", "--json").out)
    by_subject = {finding["subject"]: finding for finding in found}
    assert by_subject["backend numpy"]["ok"]
    for finding in found:
        if finding["subject"].startswith("backend"):
            assert finding["ok"] != bool(finding["fix"])
    assert by_subject["python"]["version"] in pywasm("doctor").out


def test_help_names_every_command(pywasm) -> None:
    printed = pywasm("--help").out
    assert all(f"  {name} " in printed for name in COMMANDS)
    for name in COMMANDS:
        assert pywasm(name, "--help").code == 0


# Ends, and pages of traces


LOOP = '(module (func (export "_start") (loop br 0)) (memory (export "memory") 0))'


@pytest.mark.parametrize("engine", ["compile", "interpret"])
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--fuel=10000", r"all fuel is used up \(--fuel\)\n  0: 0x0"),
        # On a busy machine the time is over before the loop begins, or even the reading has ended.
        (
            "--timeout=50ms",
            r"longer than 0.05 s \(--timeout\)\n",
        ),
        (
            "--timeout=0.01ms",
            r"longer than 1e-05 s \(--timeout\)\n",
        ),
    ],
)
def test_an_endless_loop_ends_as_it_is_told(
    pywasm, tmp_path: Path, engine: str, option: str, message: str
) -> None:
    (tmp_path / "loop.wat").write_text(LOOP)
    outcome = pywasm("run", option, "--engine", engine, tmp_path / "loop.wat")
    assert outcome.code == 134
    assert re.match(f"error: (the guest ran for |reading the module took |){message}", outcome.err)


@pytest.mark.parametrize("text", ["2x", "s", "-1s", "1e3s"])
def test_times_that_are_none(pywasm, exports: Path, text: str) -> None:
    outcome = pywasm("run", f"--timeout={text}", exports)
    assert outcome.code == 2 and "write seconds or a time such as 2s" in outcome.err


def test_a_trace_is_a_page(pywasm, exports: Path, tmp_path: Path) -> None:
    outcome = pywasm("run", "--trace-html", "page.html", "--invoke", "add", exports, 2, 3)
    assert (outcome.code, outcome.out, outcome.err) == (0, "5\n", "")
    assert '"2 + 3"' in (tmp_path / "page.html").read_text()
    assert pywasm("run", "--trace-html", "page.html", "--invoke", "boom", exports).code == 134
    assert "out of bounds" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--trace-file", "lines"], "can't be combined"),
        (["--trace-format", "json"], "can't be combined"),
        (["--engine", "compile"], "interpret"),
        (["--trace-only", "0x9-0x1"], "ends before it begins"),
        (["--trace=nonsense"], "no level"),
    ],
)
def test_a_page_is_refused_in_words(pywasm, exports: Path, options: list[str], said: str) -> None:
    outcome = pywasm("run", "--trace-html", "page.html", *options, "--invoke", "add", exports, 2, 3)
    assert outcome.code == 2 and said in outcome.err
    assert pywasm("run", "--trace-html", "no/page.html", "--invoke", "add", exports, 2, 3).code == 1
