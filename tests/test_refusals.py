"""What a limit of the host refused to a guest is said once: C's malloc only returns NULL, and few programs
check what they could write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pywasm_nn import Capture, GuestExit, Limits, Module, Trap, Wasi, cli, run
from pywasm_nn.components import Component

from .component.components import assembled

PROGRAM = """(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1 MAXIMUM)
  (table 1 funcref)
  (func (export "_start")
    (drop (memory.grow (i32.const 3)))
    (drop (memory.grow (i32.const 20)))
    (drop (table.grow (ref.null func) (i32.const ELEMENTS)))
    END))"""
LIMITS = Limits(memory=1 << 20, table=10)
MEMORY = (
    "the guest asked for 20 more pages of memory (1.25 MiB), which the host refused: "
    'its limit "memory" is 1 MiB'
)
TABLE = 'the guest asked for 50 more elements of a table, which the host refused: its limit "table" is 10'
CARELESS = "(drop (memory.grow (i32.const 20))) (i32.const 0)"
RUN = """(component
  (core module $Main
    (memory 1)
    (func (export "run") (result i32) (i32.ne (memory.grow (i32.const 20)) (i32.const 1))))
  (core instance $main (instantiate $Main))
  (func $run (result (result)) (canon lift (core func $main "run")))
  (instance $exported (export "run" (func $run)))
  (export "wasi:cli/run@0.2.0" (instance $exported)))"""


def program(folder: Path, end: str, maximum: str = "", elements: int = 0) -> Path:
    text = PROGRAM.replace("END", end).replace("MAXIMUM", maximum).replace("ELEMENTS", str(elements))
    path = folder / "app.wat"
    path.write_text(text)
    return path


@pytest.mark.parametrize("engine", ["compile", "interpret"])
def test_a_program_that_exits_with_an_error_has_a_note(engine: str, tmp_path: Path) -> None:
    result = run(program(tmp_path, "(call $exit (i32.const 1))"), limits=LIMITS, engine=engine)
    assert result.notes == (MEMORY,)


def test_a_trap_has_it_once(tmp_path: Path) -> None:
    with pytest.raises(Trap) as caught:
        run(program(tmp_path, "unreachable"), limits=LIMITS)
    assert caught.value.__notes__[1:] == [MEMORY]


def test_an_instance_says_it_with_one_failure(tmp_path: Path) -> None:
    heard: list[str] = []
    module = Module.from_file(program(tmp_path, "(call $exit (i32.const 3))", elements=50))
    with module.instantiate(Wasi(), limits=LIMITS, report=heard.append) as app:
        with pytest.raises(GuestExit) as caught:
            app.exports._start()
        assert caught.value.__notes__ == heard == [MEMORY, TABLE]
        with pytest.raises(GuestExit) as again:
            app.exports._start()
    assert TABLE in again.value.__notes__  # refused again


def test_memories_together(tmp_path: Path) -> None:
    limits = Limits(memory_total=1 << 20)
    result = run(program(tmp_path, "(call $exit (i32.const 1))"), limits=limits)
    assert result.notes[0].endswith('its limit "memory_total" has 768 KiB left')


@pytest.mark.parametrize("end", ["", "(call $exit (i32.const 0))"], ids=["it ends", "it exits"])
def test_a_result_has_it_though_the_guest_took_no_notice(end: str, tmp_path: Path) -> None:
    result = run(program(tmp_path, end, elements=50), limits=LIMITS)
    assert (result.exit_code, result.notes) == (0, (MEMORY, TABLE))


@pytest.mark.parametrize("options", [[], ["-v"], ["--trace=hints"]])
def test_the_command_says_it_of_a_guest_that_ends_well_when_asked(
    options: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.call(["run", *options, "--max-memory", "1MiB", str(program(tmp_path, ""))]) == 0
    assert capfd.readouterr().err.count(MEMORY) == bool(options)


def test_nothing_is_said_of_its_own_maximum(tmp_path: Path) -> None:
    assert run(program(tmp_path, "(call $exit (i32.const 1))", "8"), limits=LIMITS).notes == ()


def test_a_component_that_returns_an_error() -> None:
    heard: list[str] = []
    component = Component(assembled(RUN), "run.wasm")
    with component.instantiate(limits=LIMITS, report=heard.append) as app:
        assert app.run() == 1
    assert heard == [MEMORY]
    with component.instantiate(limits=Limits(), report=heard.append) as app:
        assert app.run() == 0
    assert heard == [MEMORY]


def test_a_component_that_took_no_notice(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.wasm"
    path.write_bytes(assembled(RUN.replace("(i32.ne (memory.grow (i32.const 20)) (i32.const 1))", CARELESS)))
    result = run(path, limits=LIMITS)
    assert (result.exit_code, result.notes) == (0, (MEMORY,))
    for options in ([], ["-v"]):
        assert cli.call(["run", *options, "--max-memory", "1MiB", str(path)]) == 0
        assert capfd.readouterr().err.count(MEMORY) == bool(options)


@pytest.mark.parametrize("end", ["(call $exit (i32.const 1))", "unreachable"])
def test_the_command_says_it_in_one_line(end: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cli.call(["run", "--max-memory", "1MiB", str(program(tmp_path, end))])
    assert [line for line in capfd.readouterr().err.splitlines() if "limit" in line] == [f"note: {MEMORY}"]


WRITER = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\10\\00\\00\\00\\02\\00\\00\\00")
  (data (i32.const 16) "hi")
  (func $say (param i32) (drop (call $write (local.get 0) (i32.const 0) (i32.const 1) (i32.const 32))))
  (func (export "_start")
    (call $say (i32.const 1)) (call $say (i32.const 2)) (call $say (i32.const 1))))"""
CUT = 'the guest\'s output was cut off: the guest may write 2 bytes of output (limit "output")'


def test_output_that_was_cut_off_is_said_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "writer.wat"
    path.write_text(WRITER)
    result = run(path, limits=Limits(output=2))
    assert (result.exit_code, result.stdout, result.notes) == (0, b"hi", (CUT,))
    assert run(path, limits=Limits(output=6)).notes == ()
    assert cli.call(["run", "--max-output", "2", str(path)]) == 0
    said = "the guest's output was cut off: the guest may write 2 bytes of output (--max-output)"
    assert capfd.readouterr() == ("hi", f"note: {said}\n")
    batch = ["batch", str(path), "--max-output", "2", "--workers", "1", "--over", str(path)]
    assert cli.call(batch) == 0
    assert json.loads(capfd.readouterr().out)["notes"] == said


def test_output_beyond_a_capture_is_said(tmp_path: Path) -> None:
    heard: list[str] = []
    module = Module.from_text(WRITER)
    with module.instantiate(Wasi(stdout=Capture(3), stderr=Capture(3)), report=heard.append) as app:
        app.exports._start()
    assert heard == ["the guest's output was cut off: a Capture takes at most 3 bytes"]


def test_calls_of_the_host_are_an_option_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "writer.wat"
    path.write_text(WRITER)
    for most, code, told in (
        ("3", 0, ""),
        ("0", 134, "error: the guest may call the host 0 times (--max-host-calls)\n"),
    ):
        assert cli.call(["run", "--max-host-calls", most, str(path)]) == code
        assert capfd.readouterr().err.partition("  0:")[0].removeprefix("hi") == told
