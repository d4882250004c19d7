"""Commands in processes of their own: what they import, pipes, Ctrl-C."""

from __future__ import annotations

import os
import pstats
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pywasm_nn import Module, Wasi, cli, demo

from ..conftest import HANGS

GUESTS = Path(__file__).parents[1] / "guests"


def process(*arguments: object, python: Sequence[str] = (), **settings: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, *python, "-m", "pywasm_nn", *map(str, arguments)]
    root = str(Path(cli.__file__).parents[2])
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
        **{"stderr": subprocess.PIPE, **settings},  # type: ignore[call-overload] # checked by the callee
    )


def test_hello_imports_no_numpy_and_no_framework() -> None:
    with process("run", GUESTS / "hello_c.wasm", python=["-X", "importtime"]) as running:
        out, err = running.communicate(timeout=HANGS)
    assert (running.returncode, out) == (0, b"Hello, world!\n")
    imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in err.decode().splitlines()}
    unwanted = {"numpy", "rich", "onnxruntime", "openvino", "ai_edge_litert", "tflite_runtime", "torch"}
    unwanted |= {"urllib3", "tritonclient", "grpc"}
    assert not imported & (unwanted | {"tensorflow", "asyncio", "unittest", "ssl"})
    ours = {line.rsplit("|", 1)[1].strip() for line in err.decode().splitlines()}
    assert not {name for name in ours if name.startswith(("pywasm_nn.nn", "pywasm_nn.watch"))}


def test_the_debugger_of_a_guest_without_models_imports_none_of_their_modules() -> None:
    options = {"python": ["-X", "importtime"], "stdin": subprocess.PIPE}
    with process("debug", GUESTS / "hello_c.wasm", **options) as running:
        out, err = running.communicate(b"continue\n", timeout=HANGS)
    assert b"Hello, world!" in out and b"exit code 0" in out
    imported = {line.rsplit("|", 1)[1].strip() for line in err.decode().splitlines() if "|" in line}
    assert "pywasm_nn.watch.debug.debugger" in imported
    assert not {
        name for name in imported if name.startswith(("pywasm_nn.nn.session", "pywasm_nn.nn.formats"))
    }
    assert not imported & {"numpy", "hashlib", "pywasm_nn.watch.cassette"}


def test_hello_from_the_cache_imports_little(tmp_path: Path) -> None:
    for _ in range(2):
        options = ["--cache-dir", tmp_path, GUESTS / "hello_c.wasm"]
        with process("run", *options, python=["-X", "importtime"]) as running:
            out, err = running.communicate(timeout=HANGS)
        assert (running.returncode, out) == (0, b"Hello, world!\n")
    imported = {line.rsplit("|", 1)[1].strip() for line in err.decode().splitlines()}
    inner = "pywasm_nn.interpreter"
    assert f"{inner}.engine" in imported
    assert f"{inner}.compile.lowering" not in imported
    for name in ("validate", "interpret", "text", "encode", "names", "activations", "script"):
        assert f"{inner}.{name}" not in imported
    for name in ("inmemory", "folders", "sockets", "deterministic", "unstable"):
        assert f"pywasm_nn.wasi.{name}" not in imported
    assert not imported & {"socket", "random", "pathlib", "json", "asyncio", "concurrent.futures"}


AT_END = """
import atexit, sys, threading, time

atexit.register(lambda: print("function at the end"))

def late():
    time.sleep(0.2)
    print("thread", file=sys.stderr)

threading.Thread(target=late).start()
"""
EXITS = """(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") i32.const 3 call $exit))"""


def test_what_waits_for_the_end_of_python_still_runs(tmp_path: Path) -> None:
    host, guest = tmp_path / "host.py", tmp_path / "exits.wat"
    host.write_text(AT_END)
    guest.write_text(EXITS)
    with process("run", "--host", host, guest) as running:
        out, err = running.communicate(timeout=HANGS)
    assert (running.returncode, out, err) == (3, b"function at the end\n", b"thread\n")


def test_a_profiler_around_the_command_has_its_say(tmp_path: Path) -> None:
    kept = tmp_path / "profile"
    around = ["-m", "cProfile", "-o", str(kept)]
    with process("run", GUESTS / "hello_c.wasm", python=around) as running:
        out, _ = running.communicate(timeout=HANGS)
    assert (running.returncode, out) == (0, b"Hello, world!\n")
    profiled = vars(pstats.Stats(str(kept)))["stats"]
    assert any("pywasm_nn" in file for file, _, _ in profiled)


def test_no_colour_without_a_terminal() -> None:
    with process("run", "nowhere.wasm") as running:
        _, err = running.communicate(timeout=HANGS)
    assert running.returncode == 1
    assert b"\x1b" not in err


SLEEP = "(i32.const 64) (i32.const 128) (i32.const 1) (i32.const 0)"


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
@pytest.mark.parametrize("engine", ["compile", "interpret"])
@pytest.mark.parametrize("then", ["(loop br 0)", f"(drop (call $p {SLEEP}))"], ids=["in a loop", "asleep"])
def test_ctrl_c(tmp_path: Path, engine: str, then: str) -> None:
    (tmp_path / "loop.wat").write_text(f"""(module
      (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "poll_oneoff" (func $p (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 8) "\\10\\00\\00\\00\\03\\00\\00\\00go\\n")
      (data (i32.const 88) "\\ff\\ff\\ff\\ff\\ff\\ff\\ff\\7f")
      (func (export "_start") (drop (call $w (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 0)))
        {then}))""")
    with process("run", "--engine", engine, tmp_path / "loop.wat") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"go\n"
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=HANGS)
    assert running.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
@pytest.mark.parametrize("command", [["print", demo.path() / "app.wasm"], ["--help"]])
def test_a_broken_pipe_is_quiet(command: list[object]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [sys.executable, "-m", "pywasm_nn", *map(str, command)]
    env = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2])}
    done = subprocess.run(
        arguments, stdout=writer, stderr=subprocess.PIPE, env=env, timeout=HANGS, check=False
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 141


def left_alone(*arguments: object, unbuffered: bool = False) -> tuple[int, bytes]:
    """The exit code of a command whose output is closed after its first line, and what it wrote to stderr."""
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(cli.__file__).parents[2]),
        "PYTHONUNBUFFERED": "1" * unbuffered,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "pywasm_nn", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
    ) as running:  # fmt: skip
        assert running.stdout is not None and running.stderr is not None
        try:
            assert running.stdout.readline()
            running.stdout.close()
            return running.wait(HANGS), running.stderr.read()
        finally:
            running.kill()


YES = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\08\\00\\00\\00\\02\\00\\00\\00y\\n")
  (func (export "_start")
    (loop $again (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
      (br $again))))"""
"""A guest that writes for ever, and ignores error numbers, as C's puts does."""
LOOKS = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\08\\00\\00\\00\\02\\00\\00\\00y\\n")
  (func (export "_start") (local $error i32)
    (loop $again
      (local.set $error (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
      (br_if $again (i32.eqz (local.get $error))))
    (call $exit (i32.sub (local.get $error) (i32.const {less})))))"""
"""A guest that ends when its output has no reader."""
CHAT = """(module (import "env" "say" (func $say))
  (func (export "chat") (loop $again (call $say) (br $again))))"""
pipes = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


ways = pytest.mark.parametrize(
    "options", [[], ["--engine", "interpret"], ["--timeout", "60s"], ["--trace", "--trace-file", "t"]]
)


@pipes
@ways
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_guest_that_writes_on_ends_when_nobody_reads_it(
    options: list[str], unbuffered: bool, tmp_path: Path
) -> None:
    (tmp_path / "yes.wat").write_text(YES)
    options = [str(tmp_path / one) if one == "t" else one for one in options]
    assert left_alone("run", *options, tmp_path / "yes.wat", unbuffered=unbuffered) == (141, b"")


@pipes
@ways
@pytest.mark.parametrize("less", [64, 61])
def test_a_guest_that_looks_ends_by_itself(options: list[str], less: int, tmp_path: Path) -> None:
    """It gets EPIPE, which is 64, and its exit code is the command's."""
    (tmp_path / "looks.wat").write_text(LOOKS.format(less=less))
    options = [str(tmp_path / one) if one == "t" else one for one in options]
    assert left_alone("run", *options, tmp_path / "looks.wat") == (64 - less, b"")


@pipes
def test_a_trace_in_the_same_pipe_ends_with_it(tmp_path: Path) -> None:
    (tmp_path / "yes.wat").write_text(YES)
    with process("run", "--trace", tmp_path / "yes.wat", stderr=subprocess.STDOUT) as running:
        assert running.stdout is not None and running.stdout.readline()
        running.stdout.close()
        assert running.wait(HANGS) == 141


@pipes
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_host_function_ends_when_nobody_reads_it(unbuffered: bool, tmp_path: Path) -> None:
    (tmp_path / "chat.wat").write_text(CHAT)
    (tmp_path / "host.py").write_text("def say() -> None:\n    print('hello')\n")
    words = ["run", "--host", tmp_path / "host.py", "--invoke", "chat", tmp_path / "chat.wat"]
    assert left_alone(*words, unbuffered=unbuffered) == (141, b"")


@pipes
def test_a_pipe_of_the_host_function_itself_is_its_failure(tmp_path: Path) -> None:
    (tmp_path / "chat.wat").write_text(CHAT)
    (tmp_path / "host.py").write_text("def say() -> None:\n    raise BrokenPipeError(32, 'mine')\n")
    with process("run", "--host", tmp_path / "host.py", "--invoke", "chat", tmp_path / "chat.wat") as running:
        _, err = running.communicate(timeout=HANGS)
    assert running.returncode == 1 and b"env.say: BrokenPipeError" in err


@pipes
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_long_product_ends_when_nobody_reads_it(unbuffered: bool, tmp_path: Path) -> None:
    (tmp_path / "long.wat").write_text(f"(module (func {'(drop (i32.const 1))' * 20000}))")
    assert left_alone("print", tmp_path / "long.wat", unbuffered=unbuffered) == (141, b"")


@pipes
def test_a_guest_of_python_keeps_the_error_number() -> None:
    """The process of an embedder doesn't end by itself."""
    reader, writer = os.pipe()
    os.close(reader)
    counted = '(memory (export "memory") 1) (global $n (export "n") (mut i32) (i32.const 0))'
    text = YES.replace('(memory (export "memory") 1)', counted).replace("(br $again)", "")
    module = Module.from_text(text.replace("(drop", "(global.set $n"))
    with os.fdopen(writer, "wb", buffering=0) as sink, module.instantiate(Wasi(stdout=sink)) as app:
        app.exports._start()
        assert app.exports.n.value == 64  # EPIPE
