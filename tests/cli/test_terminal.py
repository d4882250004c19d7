"""The edge to the terminal: one file writes, and what it writes is visible."""

import ast
from pathlib import Path

import pytest

import pywasm_nn.cli
from pywasm_nn.cli import terminal

FILES = sorted(Path(pywasm_nn.cli.__file__).parent.glob("*.py"))
WRITING = {"echo", "secho", "style", "print", "echo_via_pager", "confirm", "prompt"}
ALLOWED = {
    ("terminal.py", "echo"), ("terminal.py", "style"),
    ("lazy.py", "echo"),  # our own help
    ("tracing.py", "print"),  # to a file, each line visible
}  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_the_terminal_writes(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            assert "std" not in ast.unparse(node.func) or not name.startswith("write"), node.lineno
            assert name not in WRITING or (file.name, name) in ALLOWED, f"{file.name}:{node.lineno}: {name}"


def test_a_stream_that_is_missing_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)  # as with pythonw
    terminal.print_line("nobody reads it")


def test_what_is_said_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say("error", "a\nnote: b\x1b[31m\u202e")
    terminal.say("help", "a\nnote: b\x1b[31m\u202e", in_lines=True)
    terminal.print_line("c\x07\nd")
    terminal.print_text("e\x9b\nf")
    terminal.print_lines("g\n h\x9b")
    out, err = capsys.readouterr()
    assert err == "error: a\\nnote: b\\x1b[31m\\u202e\nhelp: a\n  note: b\\x1b[31m\\u202e\nc\\x07\\nd\n"
    assert out == "e\\x9b\\nf\ng\n h\\x9b\n"
