"""What a limit of the host refused to a guest is said once, if the guest then fails: C's malloc only returns
NULL."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn import GuestExit, Limits, Module, Trap, Wasi, cli, run
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
    "the guest asked for 20 more pages of memory (1.31 MB), which the host refused: "
    'its limit "memory" is 1048576'
)
TABLE = 'the guest asked for 50 more elements of a table, which the host refused: its limit "table" is 10'
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
    assert result.notes[0].endswith('its limit "memory_total" has 786432 left')


@pytest.mark.parametrize(
    ("end", "maximum"),
    [("", ""), ("(call $exit (i32.const 0))", ""), ("(call $exit (i32.const 1))", "8")],
    ids=["it ends well", "it exits well", "its own maximum"],
)
def test_nothing_is_said_without_need(end: str, maximum: str, tmp_path: Path) -> None:
    assert run(program(tmp_path, end, maximum), limits=LIMITS).notes == ()


def test_a_component_that_returns_an_error() -> None:
    heard: list[str] = []
    component = Component(assembled(RUN), "run.wasm")
    with component.instantiate(limits=LIMITS, report=heard.append) as app:
        assert app.run() == 1
    assert heard == [MEMORY]
    with component.instantiate(limits=Limits(), report=heard.append) as app:
        assert app.run() == 0
    assert heard == [MEMORY]


@pytest.mark.parametrize("end", ["(call $exit (i32.const 1))", "unreachable"])
def test_the_command_says_it_in_one_line(end: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cli.call(["run", "--max-memory", "1MiB", str(program(tmp_path, end))])
    assert [line for line in capfd.readouterr().err.splitlines() if "limit" in line] == [f"note: {MEMORY}"]
