"""`%%wat` in IPython, and the notebook of the course, cell by cell."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from pywasm_nn import demo
from pywasm_nn.api import Module
from pywasm_nn.errors import GuestExit, InvalidError, MalformedError, Trap
from pywasm_nn.records import changed
from pywasm_nn.watch.notebook import Line, Ran, assembled, play, printable_lines

from ..conftest import HANGS

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "learn" / "notebook.ipynb"
ADD = '(module (func (export "add") (param i32 f64) (result i32 f64) local.get 0 local.get 1))'


def played(path: Path, folder: Path) -> list[dict[str, Any]]:
    """What the cells of a notebook showed."""
    pytest.importorskip("IPython", reason="the package ipython isn't there")
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("play_notebook.py"), path],
        env={**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder)},
        cwd=folder, capture_output=True, text=True, timeout=HANGS, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    shown: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == any(cell["error"] for cell in shown)
    return shown


def playing(line: str, text: str) -> Ran:
    """What a cell shows."""
    words = Line.of(line)
    return play(words, assembled(words, text))


def cells_in(path: Path, *sources: str) -> Path:
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    path.write_text(json.dumps({"cells": cells}))
    return path


def test_the_cells_of_the_course_show_what_they_promise(tmp_path: Path) -> None:
    cells = played(NOTEBOOK, tmp_path)
    assert [cell["error"] for cell in cells] == [None] * len(cells)
    _, square, digits, numbers, gcd, inference, tensor = cells
    html = [cell["formats"].get("text/html", "") for cell in cells]
    assert "<pre>144\n</pre>" in square["formats"]["text/html"]
    assert "proc_exit" in digits["formats"]["text/html"] and "fib" in digits["formats"]["text/html"]
    assert numbers["printed"] == "[0, 1, 1, 2, 3, 5, 8, 13, 21, 34]\n"
    assert "<pre>6\n</pre><iframe" in gcd["formats"]["text/html"]
    assert "sandbox=" in inference["formats"]["text/html"] and "image/png" in html[5]
    assert "f32[3,32,32]" in tensor["formats"]["text/html"] and "<img" in html[6]


def test_the_notebook_is_stored_with_what_it_shows(tmp_path: Path) -> None:
    """`python tests/watch/play_notebook.py docs/learn/notebook.ipynb --store` makes it so."""
    stored = [
        cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"
    ]
    for cell, shown in zip(stored, played(NOTEBOOK, tmp_path), strict=True):
        data = {kind: "".join(text) for out in cell["outputs"] for kind, text in out.get("data", {}).items()}
        assert data.keys() == shown["formats"].keys()
        assert data.get("text/plain") == shown["formats"].get("text/plain")
        text = "".join(line for out in cell["outputs"] for line in out.get("text", ()))
        assert text == shown["printed"].partition("Out[")[0]
    assert NOTEBOOK.stat().st_size < 200_000
    assert f"({NOTEBOOK.name})" in (NOTEBOOK.parent / "README.md").read_text()


def test_mistakes_stop_the_cell(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.onnx").touch()
    path = cells_in(
        tmp_path / "mistakes.ipynb",
        "%load_ext pywasm_nn",
        "%%wat --nonsense\n(module)",
        "%%wat\n(module (func i32.nonsense))",
        "%%wat\n(module (func i32.add))",
        "%%wat f\n(module)",
        '%%wat f\n(module (memory (export "f") 1))',
        '%%wat f 1\n(module (func (export "f")))',
        '%%wat f\n(module (func (export "f") unreachable))',
        "%%wat f x\n(module)",
        '%%wat --models nowhere f\n(module (func (export "f")))',
        '%%wat --models models/m.onnx f\n(module (func (export "f")))',
        "%load_ext pywasm_nn\n1 + 1",
    )
    errors = [cell["error"] for cell in played(path, tmp_path)]
    assert errors[0] is None and errors[-1] is None
    expected = ["Usage", "Malformed", "Invalid", "Usage", "Usage", "Usage", "Trap", "Usage", "Usage", "Usage"]
    assert [error.split("(")[0].removesuffix("Error") for error in errors[1:-1]] == expected
    assert "2:15: " in errors[2] and "line 2, column 15)" in errors[3]
    assert "--models: nowhere is no directory" in errors[-3]
    assert "--models: models/m.onnx is no directory; m.onnx is in --models models" in errors[-2]


def test_the_module_is_there_for_the_next_cell_though_it_was_not_run(tmp_path: Path) -> None:
    path = cells_in(
        tmp_path / "next.ipynb",
        "%load_ext pywasm_nn",
        '%%wat --name needs go\n(module (import "env" "f" (func $f)) (func (export "go") (call $f)))',
        'needs.instantiate(imports={"env": {"f": lambda: print("called")}}).exports.go()',
        f"%%wat --name adds addd 2 3\n{ADD}",
        "adds",
        "%%wat --name wrong\n(module (func i32.add))",
        "wrong",
    )
    cells = played(path, tmp_path)
    errors = [(cell["error"] or "").split("(")[0] for cell in cells]
    assert errors == ["", "LinkError", "", "UsageError", "", "InvalidError", "NameError"]
    assert cells[2]["printed"] == "called\n"


def test_lines() -> None:
    assert Line.of("") == Line("module", None, (), None, ())
    whole = Line("m", "my models", ("host", "nn", "instr"), "f", ("-3", "0x10", "inf"))
    assert Line.of("--name m --trace --models 'my models' f -3 0x10 inf") == whole
    assert Line.of("f -3 --name=m 0x10 --models='my models' inf --trace") == whole
    assert Line.of("--trace=nn,host f") == Line("module", None, ("nn", "host"), "f", ())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--name", "--name wants a value: %%wat [--name"),
        ("--models= f", "--models wants a value: %%wat [--name"),
        ("--name 3x f 2", "--name 3x: '3x' is no name of a variable"),
        ("--name class f", "'class' is no name of a variable"),
        ("--what=3 f", "--what isn't understood: %%wat [--name"),
        ("--trace=nm f", "no level 'nm'; there are host, nn, "),
        ("f 'x", "No closing quotation"),
    ],
)
def test_a_line_that_is_none(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        Line.of(line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("add x 0.5", "add: 'x' is no i32"),
        ("add 1.5 0.5", "add: '1.5' is no i32"),
        ("add 1 0,5", "add: '0,5' is no f64"),
        ("add 1", "add [i32 f64] -> [i32 f64] takes 2 arguments, 1 is given"),
    ],
)
def test_arguments_that_the_function_does_not_take(line: str, words: str) -> None:
    """As `--invoke` says it."""
    with pytest.raises(ValueError, match=re.escape(words)):
        playing(line, ADD)


def test_a_cell_runs() -> None:
    ran = playing("add 2 0.5", ADD)
    assert ran.result == (2, 0.5) and ran.trace is None
    assert ran._repr_html_().startswith("<pre>(2, 0.5)\n</pre><p>module.wat: 1 function, 0")
    assert len(list(playing("--trace add 2 0.5", ADD).trace or ())) == 3
    assert [event.kind for event in playing("add 2 0.5 --trace=calls", ADD).trace or ()] == ["call", "return"]
    assert playing("", ADD) == Ran(Module.from_text(ADD, "module.wat"))
    with pytest.raises(MalformedError):
        playing("", "(module")


def test_a_mistake_in_types_is_told_with_its_line() -> None:
    with pytest.raises(InvalidError, match=r"^type mismatch.*, line 3, column 6\)$") as caught:
        playing("", "(module (func (result i32)\n  (i64.const 1)\n    (i32.eqz)))")
    assert (caught.value.line, caught.value.column) == (3, 6)


def test_a_trap_is_shown_with_its_trace() -> None:
    ran = playing("--trace f", '(module (func (export "f") nop unreachable))')
    assert isinstance(ran.error, Trap)
    assert [event.kind for event in ran.trace or ()] == ["instr", "instr", "end"]
    assert "<iframe" in ran._repr_html_()


def test_a_guest_that_exits_is_shown_without_internals() -> None:
    text = """(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1) (func (export "f") (call $exit (i32.const 3))))"""
    ran = playing("f", text)
    assert isinstance(ran.error, GuestExit)
    entries = traceback.extract_tb(ran.error.__traceback__)
    assert [entry.name for entry in entries] == ["play", "__call__", "call", "enter"]


def test_a_function_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no function 'addd'; its functions are add"):
        playing("addd 2 3", ADD)


def test_a_cell_asks_a_model() -> None:
    lesson = (ROOT / "docs" / "learn" / "09-wasi-nn.md").read_text()
    guest = lesson.split("```wat\n")[1].split("```")[0]
    ran = playing(f"--models {demo.path() / 'models'} --trace infer", guest)
    assert ran.error is None
    assert "data:image/png" in ran._repr_html_()
    trace = ran.trace
    assert trace is not None and trace[0] == next(iter(trace)) and trace[-1] == list(trace)[-1]
    (sent,) = next(each for each in trace if getattr(each, "operation", "") == "set_input").tensors
    assert "<img" in sent._repr_html_() and f"{sent.dtype}[" in sent._repr_html_()
    assert "<img" not in changed(sent, data=None)._repr_html_()


def test_why_a_call_failed_is_shown_beside_its_number() -> None:
    asking = """(module
      (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
      (memory (export "memory") 1) (data (i32.const 8) "cats")
      (func (export "ask") (result i32) (call $load (i32.const 8) (i32.const 4) (i32.const 0))))"""
    ran = playing("ask", asking)
    assert ran.notes[0].endswith("; --models DIR names the models in DIR")
    assert repr(ran).startswith(f"Ran(result=8, notes=({ran.notes[0]!r},), error=None, output=''")
    assert ran.result and len(ran.notes) == 1 and 'no model is named "cats"' in ran.notes[0]
    assert f"{ran.result}\nnote: wasi-nn load_by_name" in ran._repr_html_()


WRITING = """(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\08\\00\\00\\00\\12\\00\\00\\00<b>hello</b>\\1b[31m\\n")
  (func (export "_start")
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))
    (call $exit (i32.const 0))))"""


def test_a_program_is_started_and_its_output_is_text() -> None:
    ran = playing("", WRITING)
    assert ran.output == "<b>hello</b>\\x1b[31m\n"
    assert "&lt;b&gt;hello" in ran._repr_html_() and "<b>" not in ran._repr_html_()
    assert printable_lines(b"a\xff\n\xe2\x80\xae") == "a\ufffd\n\\u202e\n"
