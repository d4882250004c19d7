"""Reasons of errors as notes: what tracebacks, notebooks and pytest show below the message."""

import copy
import io
import pickle
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from pywasm_nn import (
    ExhaustionError,
    FuelError,
    HostError,
    Limits,
    Module,
    Trap,
    WasmError,
    WasmException,
    run,
)
from pywasm_nn.backtrace import MOST_FRAMES
from pywasm_nn.errors import WasmError as Base
from pywasm_nn.printable import LONGEST, is_visible

from .conftest import HANGS, ROOT

DEEP = """(module
  (import "env" "host" (func $host (param i32)))
  (tag $t (param i32))
  (func $down (export "down") (param $n i32)
    (call $host (local.get $n))
    (if (local.get $n) (then (call $down (i32.sub (local.get $n) (i32.const 1)))))
    unreachable)
  (func (export "throw") (throw $t (i32.const 7)))
  (func $endless (export "endless") (call $endless))
  (func (export "forever") (loop (br 0))))"""


TOLD = 'the guest was told "rows.csv", which is here, but in no directory that it was given: '


@pytest.fixture(params=["compile", "interpret"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def failed(export: str, *arguments: int, engine: str, limits: Limits | None = None, host=None) -> WasmError:
    def quiet(n: int) -> None:
        pass

    module = Module.from_text(DEEP, "deep.wat")
    with module.instantiate(imports={"env": {"host": host or quiet}}, engine=engine, limits=limits) as app:
        with pytest.raises(WasmError) as caught:
            app.exports[export](*arguments)
        return caught.value


def test_a_traceback_shows_the_guest_and_the_last_host_call(engine: str) -> None:
    error = failed("down", 1, engine=engine)
    assert "".join(traceback.format_exception_only(error)).splitlines() == [
        "pywasm_nn.errors.Trap: unreachable",
        "the guest, innermost function first:",
        *(
            f"  {number}: 0x{offset:04x}  deep.wat!down   $n={number}"
            for number, offset in enumerate(offsets(error))
        ),
        "last host call: env.host(n=0)",
    ]


def offsets(error: WasmError) -> list[int]:
    return [frame.offset for frame in error.frames]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANGS)


def test_an_uncaught_error_shows_them(engine: str) -> None:
    """As the interpreter itself prints it, which no Python code may do."""
    text = f"""
from pywasm_nn import Module
def host(n: int) -> None: pass
module = Module.from_text({DEEP!r}, "deep.wat")
module.instantiate(imports={{"env": {{"host": host}}}}, engine={engine!r}).exports.down(3)
"""
    done = python("-c", text)
    assert "Trap: unreachable\nthe guest, innermost function first:\n  0: 0x" in done.stderr
    assert done.stderr.rstrip().endswith("last host call: env.host(n=0)")


@pytest.mark.parametrize(
    ("export", "limits", "kind"),
    [
        ("throw", None, WasmException),
        ("endless", Limits(call_depth=1000), ExhaustionError),
        ("forever", Limits(fuel=1000), FuelError),
    ],
)
def test_every_error_of_a_guest_has_them(export: str, limits: Limits | None, kind: type, engine: str) -> None:
    error = failed(export, engine=engine, limits=limits)
    assert isinstance(error, kind)
    assert error.__notes__[0].startswith("the guest, innermost function first:\n")


def test_an_error_of_the_hosts_has_them(engine: str) -> None:
    def broken(n: int) -> None:
        raise OSError("disk full")

    error = failed("down", 1, engine=engine, host=broken)
    assert isinstance(error, HostError)
    assert "deep.wat!down   $n=1" in error.__notes__[0]


def test_an_error_of_the_hosts_shows_the_line_of_the_host_function_once(engine: str) -> None:
    """It is chained to what the function raised."""

    def broken(n: int) -> None:
        raise OSError("disk full")

    shown = "".join(traceback.format_exception(failed("down", 1, engine=engine, host=broken)))
    assert shown.count(f"line {broken.__code__.co_firstlineno + 1}, in broken") == 1


def test_of_many_frames_some_at_each_end_are_shown(engine: str) -> None:
    error = failed("endless", engine=engine, limits=Limits(call_depth=40_000))
    lines = error.__notes__[0].splitlines()
    assert len(lines) == MOST_FRAMES + 2
    assert f"  ... {len(error.frames) - MOST_FRAMES} more ..." in lines
    assert len(error.frames) > 39_000


def test_what_cannot_be_seen_is_not_in_them(engine: str) -> None:
    name = "\\1b[2J\\e2\\80\\ae\\0aerror: forged" + "n" * 100_000
    text = DEEP.replace("$down", f'$"{name}"').replace("$n", f'$"{name}"')
    module = Module.from_text(text, "\x1b]0;title\x07\u2028.wat")
    with module.instantiate(imports=host_imports(), engine=engine) as app, pytest.raises(Trap) as caught:
        app.exports.down(100)
    for line in "\n".join(caught.value.__notes__).split("\n"):
        assert is_visible(line)
        assert len(line) <= LONGEST
        assert not line.lstrip().startswith("error:")


def host_imports() -> dict[str, dict[str, object]]:
    def host(n: int) -> None:
        pass

    return {"env": {"host": host}}


def test_they_survive_pickling_and_copying() -> None:
    error = failed("down", 100, engine="compile")
    error.add_note("mine")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert other.__notes__ == error.__notes__
        assert other.__notes__[-1] == "mine"
    error.add_note("later")
    assert [*other.__notes__, "later"] == error.__notes__


def test_notes_of_ones_own_are_as_of_any_exception() -> None:
    error = Base("wrong")
    assert error.__notes__ == []
    error.add_note("a")
    error.__notes__ = [*error.__notes__, "b"]
    assert error.__notes__ == ["a", "b"]
    with pytest.raises(TypeError, match="note must be a str"):
        error.add_note(1)  # type: ignore[arg-type]
    written = io.StringIO()
    traceback.print_exception(error, file=written)
    assert written.getvalue().endswith("wrong\na\nb\n")


def test_traps_in_a_loop_pay_nothing_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made when somebody looks."""

    def never(self: Base) -> list[str]:
        raise AssertionError

    monkeypatch.setattr(Base, "reasons", never)
    module = Module.from_text('(module (func (export "trap") unreachable))')
    with module.instantiate() as app:
        began = time.process_time()
        for _ in range(1000):
            try:
                app.exports.trap()
            except Trap as error:
                str(error)
        assert time.process_time() - began < 5


NN_PROGRAM = """(module
  (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $load (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 64)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 16)))
    END))"""


def test_a_result_has_the_notes_that_report_gets(tmp_path: Path) -> None:
    (tmp_path / "app.wat").write_text(NN_PROGRAM.replace("END", ""))
    heard: list[str] = []
    result = run(tmp_path / "app.wat", report=heard.append)
    assert list(result.notes) == heard
    assert len(heard) == 1
    assert heard[0].startswith("wasi-nn load(") and "invalid_argument" in heard[0]


def test_notes_of_a_program_that_fails_are_with_its_error(tmp_path: Path) -> None:
    """The call that went wrong is seldom the last one: a guest tells about it first, and then gives up."""
    (tmp_path / "app.wat").write_text(NN_PROGRAM.replace("END", "unreachable"))
    with pytest.raises(Trap) as caught:
        run(tmp_path / "app.wat")
    frames, last, note = caught.value.__notes__
    assert "app.wat!_start" in frames
    assert "fd_write" in last
    assert "invalid_argument" in note


def test_a_guest_that_fails_for_ever_fills_no_memory(tmp_path: Path) -> None:
    failing = "(drop (call $load (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 64)))"
    count = "(global.set $n (i32.add (global.get $n) (i32.const 1)))"
    loop = f"(loop {failing} {count} (br_if 0 (i32.lt_u (global.get $n) (i32.const 500))))"
    text = NN_PROGRAM.replace("END", loop).replace("(memory", "(global $n (mut i32) (i32.const 0)) (memory")
    (tmp_path / "app.wat").write_text(text)
    assert len(run(tmp_path / "app.wat").notes) == 100


def test_the_command_says_each_thing_once(tmp_path: Path) -> None:
    (tmp_path / "app.wat").write_text(NN_PROGRAM.replace("END", "unreachable"))
    done = python("-m", "pywasm_nn", "run", str(tmp_path / "app.wat"))
    assert done.returncode == 134
    assert done.stderr.count("app.wat!_start") == 1
    assert done.stderr.count("last host call") == 1
    assert done.stderr.count("invalid_argument") == 1
    assert "Traceback" not in done.stderr


def test_a_file_that_the_guest_cannot_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the command says it, in Python's words."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("1,2")
    assert run(ROOT / "tests" / "guests" / "files.wasm", ["rows.csv"]).notes == (TOLD + 'dirs={".": "."}',)
    assert run(ROOT / "tests" / "guests" / "cat.wasm", ["rows.csv"]).notes == ()
    (tmp_path / "trap.wat").write_text('(module (func (export "_start") unreachable))')
    heard: list[str] = []
    with pytest.raises(Trap) as caught:
        run("trap.wat", [b"rows.csv"], report=heard.append)  # type: ignore[list-item]
    assert heard == [TOLD + 'dirs={".": "."}'] == caught.value.__notes__[-1:]
    with pytest.raises(Trap) as caught:
        run("trap.wat", ["rows.csv"], dirs={".": "."})
    assert not any("told" in note for note in caught.value.__notes__)
