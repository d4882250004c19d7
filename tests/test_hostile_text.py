"""Text of a guest, a model or a directory that would steer a terminal, a table, a page: through every command
and everything that shows something, and no character of it gets out as it is.

The commands are taken from the command line itself, so that a new one is tried too.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from pywasm_nn import NN, Linker, MemoryDirectory, Module, Tensor, Trace, Wasi, WasmError, cli, run
from pywasm_nn.cli.root import root
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.text import parse, print_module
from pywasm_nn.interpreter.text.literals import bytes_text
from pywasm_nn.nn.errors import NNError
from pywasm_nn.printable import is_visible
from pywasm_nn.watch.monitor import FORMATS
from pywasm_nn.watch.monitors import BUILT_IN
from pywasm_nn.watch.notebook import Line, play
from pywasm_nn.watch.text import lines

STEERING = (
    "\x1b[2J\x1b]0;title\x07\x9b31m\x7f\b\x0b\x0c\x0e\x85\u2028\u2029\u061c\u200e\u202e\u2066\u2069\u200b\u200d\ufeff"
    "\u00ad\u034f\u3164\u2800\ufe0f\ufff9\u00a0\ue000\U000e0041\U000e0100"
)
EVIL = f"E{STEERING}\t\r\nFORGED: x\r\n  FORGED</script><img src=x onerror=a()>\"'`${{x}}&--><!--\x00"
"""Begins with a letter, so that it can be recognised; no line that is shown may begin with FORGED."""
FORMULAS = ["=cmd()", "+1+cmd()", "-1+cmd()", "@cmd", "\tcmd", "\rcmd"]
FILE = EVIL.replace("\0", "").replace("/", "|")
LONG = "L" * 1_000_000
PUNYCODE = (
    f"x{''.join(c for c in STEERING if not c.isascii())}FORGED".encode("punycode").decode().replace("-", "_")
)
RUST = f"_RNvC1cu{len(PUNYCODE)}{PUNYCODE}"
"""A symbol in plain ASCII, which stands for a name that isn't."""


def quoted(text: str) -> str:
    return bytes_text(text.encode("utf-8", "replace"))


def guest(name: str = EVIL, ending: str = "(call $next)") -> str:
    """A module in which everything that has a name is called `name`. It opens a file, loads a model by its
    name and from bytes, reads out of bounds."""
    q, data = quoted, quoted(name)
    length = len(name.encode())
    return f"""(module ${q(name)}
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "load_by_name" (func $by_name (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 40)
  (global ${q(name + "g")} (export {q(name + "g")}) (mut i32) (i32.const 0))
  (table (export {q(name + "t")}) 1 funcref)
  (tag (export {q(name + "e")}) (param i32))
  (data (i32.const 64) {data})
  (data (i32.const 0) "\\40\\00\\00\\00" "\\10\\00\\00\\00")
  (func ${q(name + "f")} (export {q(name)}) (param ${q(name + "p")} i32) (result i32)
    (local ${q(name + "l")} i32)
    (i32.load (i32.const -4)))
  (func ${q(RUST)} (export {q("rust")}) (drop (call ${q(name + "f")} (i32.const 7))))
  {"".join(f"(func (export {q(text)}))" for text in FORMULAS)}
  (func (export "_initialize_not"))
  (func $next (if (memory.size) (then (call ${q(RUST)}))))
  (func (export "_start")
    (drop (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const {min(length, 4000)}) (i32.const 0)
      (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 32)))
    (drop (call $by_name (i32.const 64) (i32.const {min(length, 4000)}) (i32.const 40)))
    (drop (call $load (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 40)))
    {ending})
  (@custom {q(name)} "data"))"""


UNLINKED = f"""(module (import {quoted(EVIL)} {quoted(EVIL)} (func $f))
  (import {quoted(EVIL)} "t" (table 1 funcref))
  (import "wasi_snapshot_preview1" {quoted(EVIL)} (func)) (func (export "_start") (call $f)))"""
INVALID = f"(module (func ${quoted(EVIL)} (export {quoted(EVIL)}) (result i32)))"
TWICE = f"(module (func (export {quoted(EVIL)})) (func (export {quoted(EVIL)})))"
MALFORMED = f"(module (func ${quoted(EVIL)} (call ${quoted(EVIL + '?')})))"
RAW = f"(module (func {EVIL}))"
SCRIPT = f"""(module ${quoted(EVIL)} (func (export {quoted(EVIL)}) (result i32) (i32.const 1)))
(assert_return (invoke {quoted(EVIL)}) (i32.const 2)) (invoke {quoted(EVIL + "?")})
(assert_trap (invoke {quoted(EVIL)}) {quoted(EVIL)}) (register {quoted(EVIL)})
(assert_malformed (module quote {quoted(EVIL)}) {quoted(EVIL)})
(assert_unlinkable (module (import {quoted(EVIL)} "x" (func))) {quoted(EVIL)})"""


def seen(text: str, where: str = "") -> None:
    """What a person would see: every character is visible, and no line is one of the guest's."""
    for line in text.split("\n"):
        assert is_visible(line), (
            f"{where}: {[c for c in line if not is_visible(c)][:5]!r} in {ascii(line)[:300]}"
        )
        assert not line.lstrip().startswith("FORGED"), f"{where}: {line[:100]}"
        assert not re.match(r"\s*\d*\s*FORGED", line), f"{where}: {line[:100]}"


def seen_cells(text: str) -> None:
    """No cell of CSV that a spreadsheet would compute."""
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            is_number = re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", cell)
            assert is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell


def seen_html(text: str, scripts: int = 0) -> None:
    seen(text, "html")
    assert "<img src=x" not in text
    assert text.count("</script") == scripts
    assert "onerror=a()>" not in text


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of hostile things under hostile names."""
    onnx = pytest.importorskip("onnx")
    here = tmp_path_factory.mktemp("hostile") / FILE[:40]
    here.mkdir()
    ending = "(drop (call $by_name (i32.const -1) (i32.const -1) (i32.const 0)))"
    for name, text in {
        "guest.wat": guest(), "ending.wat": guest(ending=ending), "unlinked.wat": UNLINKED, "junk": EVIL,
        "invalid.wat": INVALID, "twice.wat": TWICE, "malformed.wat": MALFORMED, "raw.wat": RAW,
        "script.wast": SCRIPT,
    }.items():  # fmt: skip
        (here / f"{FILE[:30]}{name}").write_bytes(text.encode())
    (here / f"{FILE[:30]}binary.wasm").write_bytes(encode(parse(guest())))
    name = EVIL.replace("\0", "")
    value = lambda n: onnx.helper.make_tensor_value_info(n, 1, [1, name])  # noqa: E731
    for op, file in ("Relu", "model.onnx"), (name, "unknown.onnx"):
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node(op, [name], [name + "out"], name=name)],
            name,
            [value(name)],
            [value(name + "out")],
        )
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
        model.producer_name = name
        (here / f"{FILE[:30]}{file}").write_bytes(model.SerializeToString())
    return here


class Told:
    """What a command line wrote."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def say(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Told]:
    """Runs a command line beside hostile files; what it writes is checked."""
    monkeypatch.chdir(place)

    def told(*arguments: str, stdin: str = "") -> Told:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = cli.call(arguments)
        out, err = capfd.readouterr()
        for text in (out, err):
            seen(text, " ".join(arguments)[:60])
            assert "Traceback" not in text
            assert "L" * 2000 not in text
        return Told(code, out, err)

    return told


def file(name: str) -> str:
    return f"{FILE[:30]}{name}"


def commands(group: click.Group = root, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that there is, as its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name)


def options(words: tuple[str, ...]) -> list[str]:
    """Options of a command that take a value."""
    command: Any = root
    for word in words:
        command = command.get_command(click.Context(command), word)
    return [
        p.opts[-1]
        for p in command.params
        if isinstance(p, click.Option) and not p.is_flag and p.opts[-1] != "--json"
    ]


COMMANDS = list(commands())
FILES = [
    "guest.wat", "ending.wat", "unlinked.wat", "invalid.wat", "twice.wat", "malformed.wat", "raw.wat", "junk",
    "script.wast", "binary.wasm", "model.onnx", "unknown.onnx", "missing.wasm",
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_on_every_file(say: Callable[..., Told], words: tuple[str, ...]) -> None:
    for name in FILES:
        say(*words, file(name))
    say(*words, EVIL.replace("\0", ""))
    say(*words, os.fsdecode(b"\xff\xfe\x1b[2J"))
    say(*words, f"--{FILE}")
    say(*words, "--help")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_of_every_command(say: Callable[..., Told], words: tuple[str, ...]) -> None:
    for option in options(words):
        for value in (
            FILE,
            f"{FILE}={FILE}",
            f"{FILE[:20]}::{FILE[:20]}",
            f"a:{FILE[:20]}:cpu:{FILE[:20]}",
            f"{FILE[:9]}.py:X",
        ):
            say(
                *words,
                f"{option}={value}" if option.startswith("--") else f"{option}{value}",
                file("guest.wat"),
            )


TRACED = ["--engine=interpret", "--dir=.::.", "--models=."]
LEVELS = "host,nn,calls,instr"
RUNS = {
    "plain": ["guest.wat"], "ending": ["ending.wat"], "binary": ["binary.wasm"], "told": ["-v", "guest.wat"],
    "trace": [f"--trace={LEVELS}", "guest.wat"], "ring": [f"--trace=ring:50,{LEVELS}", "guest.wat"],
    "json": [f"--trace={LEVELS}", "--trace-format=json", "guest.wat"],
    "csv": [f"--trace={LEVELS}", "--trace-format=csv", "guest.wat"],
    "github": [f"--trace={LEVELS}", "--trace-format=github", "guest.wat"],
    "junit": [f"--trace={LEVELS}", "--trace-format=junit", "guest.wat"],
    "fail": ["--trace-fail=hint", "guest.wat"], "record": ["--record=x", "guest.wat"],
}  # fmt: skip
for name in BUILT_IN:
    for format in FORMATS:
        RUNS[f"{name} {format}"] = [f"--monitor={name}", f"--monitor-format={format}", "guest.wat"]


@pytest.mark.parametrize("kind", RUNS)
def test_runs(say: Callable[..., Told], kind: str) -> None:
    *given, name = RUNS[kind]
    told = say("run", *TRACED, *given, file(name), EVIL.replace("\0", ""))
    assert told.code == 134
    assert "help:" in told.err or "last host call" in told.err
    if "csv" in kind:
        begins = ("monitor,", "number,", f"{kind.split()[0]},")
        table = [line for line in told.err.split("\n") if line.startswith(begins) or line[:1].isdigit()]
        assert len(table) > 1
        seen_cells("\n".join(table))
    if "json" in kind:
        found = [line for line in told.err.split("\n") if line.startswith("{")]
        assert found
        for line in found:
            assert line.isascii()
            json.loads(line)


@pytest.mark.parametrize("name", [EVIL.replace("\0", ""), *FORMULAS[:4], "rust", FILE + "?"])
def test_invoke(say: Callable[..., Told], name: str) -> None:
    say("run", "--invoke", name, file("guest.wat"), "1")
    say("run", f"--invoke={name}", file("guest.wat"), FILE)
    say("compile", "--function", name, file("guest.wat"))


def test_directories_and_files(say: Callable[..., Told], place: Path, tmp_path: Path) -> None:
    (tmp_path / FILE[:40]).mkdir()
    say(
        "run",
        "-v",
        f"--dir={tmp_path / FILE[:40]}::{FILE}",
        f"--env={FILE[:20]}={FILE}",
        f"--argv0={FILE}",
        file("guest.wat"),
    )
    say("run", f"--trace-html={place / 'page.html'}", *TRACED, file("guest.wat"))
    seen_html((place / "page.html").read_text(encoding="utf-8"), scripts=2)
    for format in ("text", "json", "csv"):
        say(
            "run",
            "--trace=host,nn,calls",
            f"--trace-format={format}",
            "--trace-file=trace",
            file("guest.wat"),
        )
        text = (place / "trace").read_text(encoding="utf-8")
        seen(text, format)
        if format == "csv":
            seen_cells(text)
        say("run", "--monitor=calls", f"--monitor-format={format}", "--monitor-file=table", file("guest.wat"))
        seen((place / "table").read_text(encoding="utf-8"), format)


DEBUGGED = """break *
break host
break nn
break {evil}
break
functions
continue
backtrace
frame 0
up
locals
stack
globals
memory 64 200 text
memory 64 20 hex
list
tensors
set global {evil} 1
set local ${evil} 1
memory ${evil}
continue
continue
continue
backtrace
locals
list
step
{evil}
help {evil}
continue
run
delete
continue
quit
"""


def test_the_debugger(say: Callable[..., Told]) -> None:
    evil = EVIL.replace("\n", "").replace("\r", "").replace("\0", "")
    told = say("debug", *TRACED[1:], file("guest.wat"), stdin=DEBUGGED.format(evil=evil))
    assert "breakpoint" in told.out
    assert "c::" in told.out  # Rust's name was read


@pytest.mark.parametrize("backend", ["numpy", "onnxruntime", "openvino"])
def test_models(say: Callable[..., Told], backend: str, place: Path, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    numpy.save(tmp_path / "a.npy", numpy.zeros((1, 3), "f4"))
    numpy.save(tmp_path / "bad.npy", numpy.zeros((1, 3), "f8"))
    chosen = f"--nn-backend=onnx={backend}"
    for json_ in ([], ["--json"]):
        say("nn", "inspect", chosen, *json_, file("model.onnx"))
        say("nn", "inspect", chosen, *json_, file("unknown.onnx"))
    for array in ("a", "bad", "missing"):
        say(
            "nn",
            "run",
            chosen,
            f"--save={tmp_path / 'out'}",
            file("model.onnx"),
            str(tmp_path / f"{array}.npy"),
        )
    say("nn", "run", chosen, file("model.onnx"))
    say("nn", "run", chosen, file("model.onnx"), file("junk"))
    for model in ("model.onnx", "unknown.onnx"):
        try:
            with NN(backends={"onnx": backend}).load(place / file(model)) as loaded:
                for one in (loaded, *loaded.inputs, loaded.graph):
                    seen(repr(one))
                loaded.compute({"x": 1})
        except NNError as error:
            seen("".join(traceback.format_exception(error)))  # with what the framework said
            seen(str(error) + repr(error))


def test_text_is_valid_and_comes_back(say: Callable[..., Told], place: Path, tmp_path: Path) -> None:
    """`print` cuts nothing that a module needs, and reads as the same module."""
    out = say("print", file("binary.wasm")).out
    assert encode(parse(out)) == (place / file("binary.wasm")).read_bytes()


def test_names_of_a_megabyte(say: Callable[..., Told], place: Path) -> None:
    (place / "long.wasm").write_bytes(encode(parse(guest(LONG))))
    for words in (
        ["run"], ["run", "-v"], ["run", f"--trace={LEVELS}", "--engine=interpret"], ["inspect"], ["validate"],
        ["compile"], *(["run", f"--monitor={name}"] for name in BUILT_IN), ["run", "--invoke=no"], ["debug"],
    ):  # fmt: skip
        told = say(
            *words, "long.wasm", stdin="break *\nfunctions\ncontinue\nlocals\nglobals\nlist\nbacktrace\n"
        )
        assert len(told.out) + len(told.err) < 200_000, words
    with Module.from_file(place / "long.wasm").instantiate(Wasi(), NN()) as app:
        with pytest.raises(WasmError) as caught:
            app.exports._start()
        assert len("".join(traceback.format_exception_only(caught.value))) < 20_000
        with pytest.raises(AttributeError) as missing:
            app.exports.missing  # noqa: B018
        assert len(str(missing.value)) < 2000


def test_in_python(place: Path, tmp_path: Path) -> None:
    heard: list[str] = []
    module = Module.from_bytes(encode(parse(guest())), EVIL)
    for engine in ("compile", "interpret"):
        trace = Trace(["host", "nn", "calls"] + ["instr"] * (engine == "interpret"), keep_bytes=1 << 20)
        dirs = {"/": MemoryDirectory({"a": b"b"})}
        with module.instantiate(
            Wasi(dirs=dirs),
            NN(models={FILE: str(place / file("model.onnx"))}),
            engine=engine,
            observer=trace,
            report=heard.append,
        ) as app:
            with pytest.raises(WasmError) as caught:
                app.exports._start()
            for export in app.exports:
                seen(repr(app.exports[export]))
            with pytest.raises(AttributeError) as missing:
                app.exports.missing  # noqa: B018
            seen(str(missing.value))
        seen("".join(traceback.format_exception_only(caught.value)))
        for frame in caught.value.frames:
            seen(f"{frame}{frame!r}")
        for line in lines(trace):
            seen(line)
        seen_html(trace.page(), scripts=2)
        seen_html(trace._repr_html_())
    assert heard
    for text in heard:
        seen(text)
    seen_html(module._repr_html_())
    seen(print_module(module))
    (tmp_path / "app.wasm").write_bytes(module.data)
    with pytest.raises(WasmError) as ended:
        run(tmp_path / "app.wasm", dirs={"/": tmp_path})
    seen("".join(traceback.format_exception_only(ended.value)))
    with Linker() as linker:
        linker.define(EVIL, EVIL, lambda: None)
        with pytest.raises(ValueError) as taken:
            linker.define(EVIL, EVIL, lambda: None)
        seen(f"{linker!r}{taken.value}")


@pytest.mark.parametrize("text", [UNLINKED, INVALID, TWICE, MALFORMED, RAW])
def test_what_is_refused(text: str) -> None:
    with pytest.raises((WasmError, TypeError)) as caught:
        module = Module.from_text(text, EVIL)
        module.validate()
        module.instantiate(imports={EVIL: {EVIL: 3}})
    seen("".join(traceback.format_exception_only(caught.value)))
    seen(repr(caught.value))


def test_in_a_notebook() -> None:
    said = quoted(EVIL.replace("\n", ""))  # a line of a guest's output is a line
    text = f"""(module
      (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 64) {said}) (data (i32.const 0) "\\40\\00\\00\\00\\80")
      (func ${quoted(EVIL)} (export "_start")
        (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 32)))))"""
    for line in ("", "--trace"):
        ran = play(Line.of(line), Module.from_text(text, "module.wat"))
        seen_html(ran._repr_html_())
        seen(repr(ran))
        seen(ran.output)
    seen_html(Tensor.from_numpy(pytest.importorskip("numpy").zeros((8, 8, 3), "u1"))._repr_html_())


def test_formulas_in_tables(say: Callable[..., Told], place: Path) -> None:
    """Names that begin as formulas do, called: in every column where a name can stand."""
    calls = "".join(f"(call ${quoted(text)})" for text in FORMULAS)
    functions = "".join(f"(func ${quoted(text)} (export {quoted(text)}))" for text in FORMULAS)
    (place / "formulas.wat").write_text(f'(module {functions} (func (export "_start") {calls}))')
    for name in BUILT_IN:
        say("run", f"--monitor={name}", "--monitor-format=csv", "--monitor-file=table", "formulas.wat")
        seen_cells((place / "table").read_text(encoding="utf-8"))
    say("run", "--trace=calls", "--trace-format=csv", "--trace-file=trace", "formulas.wat")
    text = (place / "trace").read_text(encoding="utf-8")
    seen_cells(text)
    assert "cmd" in text
