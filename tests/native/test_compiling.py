"""Compiling in a child process: what it makes is what is made here, and it ends when it must."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import Limits, Module
from pywasm_nn.errors import DeadlineError, InvalidError, LinkError, MemoryLimitError, Trap, TrapKind
from pywasm_nn.interpreter.compile.cache import CodeFolder
from pywasm_nn.native import problem

if reason := problem():
    pytest.skip(reason, allow_module_level=True)
from pywasm_nn.native import apart, code

GUEST = """(module (import "h" "f" (func $h (param i32) (result i32))) (memory (export "memory") 1)
  (tag $t) (func $start (i32.store (i32.const 0) (i32.const 6))) (start $start)
  (func (export "run") (param i32) (result i32)
    (block $caught (try_table (catch_all $caught) (throw $t)))
    (i32.div_u (call $h (i32.const 42)) (local.get 0))))"""
PADDED = GUEST[:-1] + " (func nop)" * 400 + ")"
"""More than what is compiled in the host's process."""
LOOPS = "(module (func " + "(loop " * 12_000 + ")" * 12_000 + "))"
"""wasmtime takes some 5 s for these 36 KB."""
CALLS = f"""(module (type $t (func (param{" i32" * 1000}) (result{" i32" * 1000})))
  (func $f (type $t) unreachable)
  (func {"(i32.const 0) " * 1000} {"(call $f) " * 9000} unreachable))"""
"""And some GB for this."""


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The child processes that are started meanwhile; none is left at the end."""
    made: list[Any] = []
    begin = apart.started
    monkeypatch.setattr(apart, "started", lambda *given: made.append(begin(*given)) or made[-1])
    before = set(os.listdir("/proc/self/fd")) if sys.platform == "linux" else None
    yield made
    assert all(process.returncode is not None for process in made)
    assert before is None or len(os.listdir("/proc/self/fd")) <= len(before)


def answered(text: str, limits: Limits | None, argument: int = 1, **more: Any) -> int:
    module = Module.from_text(text, "app.wat", **more)
    imports = {"h": {"f": lambda value: value}}
    with module.instantiate(engine="wasmtime", limits=limits, imports=imports) as instance:
        found: int = instance.exports.run(argument)
        return found


@pytest.mark.parametrize(
    "limits", [Limits(seconds=60), Limits(seconds=60, fuel=10_000), Limits(seconds=60, call_depth=5)]
)
def test_what_the_child_compiles_runs_as_what_is_compiled_here(processes: list[Any], limits: Limits) -> None:
    assert answered(PADDED, limits) == 42
    with pytest.raises(Trap) as trapped:
        answered(PADDED, limits, 0)
    assert trapped.value.kind is TrapKind.DIVIDE_BY_ZERO
    assert [frame.funcidx for frame in trapped.value.frames] == [2]
    assert len(processes) == 2


def test_without_a_deadline_and_for_small_modules_no_process_is_started(processes: list[Any]) -> None:
    assert answered(PADDED, None) == answered(PADDED, Limits(fuel=10_000)) == 42
    assert answered(GUEST, Limits(seconds=60)) == 42
    assert processes == []


def test_kept_code_is_compiled_once(processes: list[Any], tmp_path: Path) -> None:
    for _ in range(3):
        assert answered(PADDED, Limits(seconds=60), cache=CodeFolder(tmp_path / "cache")) == 42
    assert len(processes) == 1


def test_a_deadline_ends_the_compiler(processes: list[Any]) -> None:
    module = Module.from_text(LOOPS)
    began = time.monotonic()
    with pytest.raises(DeadlineError) as failed:
        module.instantiate(engine="wasmtime", limits=Limits(seconds=0.5))
    assert time.monotonic() - began < 3
    assert "compiling" in failed.value.__notes__[0]
    assert len(processes) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="held on Linux alone")
def test_a_compiler_that_wants_more_memory_than_it_may_ends_alone(
    processes: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "MEMORY", 400 << 20)
    with pytest.raises(MemoryLimitError, match="wasmtime's compiler ended"):
        Module.from_text(CALLS).instantiate(engine="wasmtime", limits=Limits(seconds=60))


def test_what_wasmtime_refuses_is_said_in_our_words(processes: list[Any]) -> None:
    text = PADDED[:-1] + " (func (result i32) i64.const 1))"
    with pytest.raises(InvalidError):
        answered(text, Limits(seconds=60))
    assert len(processes) == 1


ANSWERS = {
    "nothing": "",
    "a part of a head": "out(b'\\0\\1')",
    "half": "out(b'\\0' + (1000).to_bytes(8, 'little') + b'x' * 500)",
    "more than memory": "out(b'\\0' + b'\\xff' * 8 + b'x')",
    "too much": "out(b'\\0' + (1 << 40).to_bytes(8, 'little') + b'x')",
    "an end": "os.kill(os.getpid(), 11)",
    "an exit in the middle": "out(b'\\0' + (10).to_bytes(8, 'little') + b'x'); os._exit(0)",
}
"""What a child may answer, or do instead, when the compiler goes wrong."""


@pytest.mark.parametrize("does", ANSWERS.values(), ids=ANSWERS)
def test_a_broken_answer_is_no_code(
    processes: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, does: str
) -> None:
    program = tmp_path / "compiler.py"
    program.write_text(f"import os\nout = lambda data: os.write(1, data)\nos.read(0, 100)\n{does}\n")
    monkeypatch.setattr(apart, "PROGRAM", program)
    with pytest.raises(MemoryLimitError, match="wasmtime's compiler ended"):
        answered(PADDED, Limits(seconds=60))


@pytest.mark.parametrize("found", [b"", b"x" * 5000, b"\x7fELF" + bytes(5000)])
def test_code_that_is_none_of_wasmtimes_is_refused(
    processes: list[Any], monkeypatch: pytest.MonkeyPatch, found: bytes
) -> None:
    monkeypatch.setattr(code, "compiled_apart", lambda *given: found)
    with pytest.raises(LinkError, match="can't read what its compiler wrote"):
        answered(PADDED, Limits(seconds=60))


def test_a_child_that_reads_nothing_ends_at_the_deadline(
    processes: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "compiler.py"
    program.write_text("import time; time.sleep(60)")
    monkeypatch.setattr(apart, "PROGRAM", program)
    text = PADDED[:-1] + f'(data "{"x" * 500_000}"))'  # more than a pipe holds
    with pytest.raises(DeadlineError):
        answered(text, Limits(seconds=0.5))


def test_the_child_gets_no_secrets_and_reads_no_folder(
    processes: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither the environment nor the working directory adds code to it."""
    (tmp_path / "ctypes.py").write_text("raise SystemExit(9)")
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit(9)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SECRET_KEY", "abc")
    monkeypatch.chdir(tmp_path)
    given: list[Any] = []
    begin = subprocess.Popen

    def seen(arguments: Any, **more: Any) -> Any:
        given.append(more["env"])
        return begin(arguments, **more)

    monkeypatch.setattr(subprocess, "Popen", seen)
    assert answered(PADDED, Limits(seconds=60)) == 42
    assert "SECRET_KEY" not in given[0]
    assert "PYTHONPATH" not in given[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_the_child_ends_with_its_host(tmp_path: Path) -> None:
    source = f"""
import threading
from pywasm_nn import *
from pywasm_nn.native import apart
begin = apart.started
def started(*given):
    process = begin(*given)
    print(process.pid, flush=True)
    return process
apart.started = started
Module.from_text({LOOPS!r}).instantiate(engine="wasmtime", limits=Limits(seconds=100))
"""
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        time.sleep(0.5)
        host.kill()
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline, "it runs on"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
