"""Plain command lines, which don't go through click, mean what they mean to click."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn import demo
from pywasm_nn.cli import call
from pywasm_nn.cli.asked import Asked
from pywasm_nn.cli.plain import BEFORE, TAKES, read
from pywasm_nn.cli.root import root
from pywasm_nn.cli.run import command
from pywasm_nn.cli.split import Split
from pywasm_nn.cli.words import COMMANDS, COMPLETING

WORDS = st.sampled_from(
    ["run", "debug", "app.wasm", "a.wat", __file__, "nothing", "-", "--", "-v", "-5", "--dir=.", "--dir=",
     "-h", "--version", "--frob", "", "x", ".", "--trace=nn", "--trace=", "*.wasm", "compile",
     "--engine=wasmtime", "--trust-models=yes", "--env=A=B", "--cache-dir=--dir", *TAKES, *BEFORE]
)  # fmt: skip


def as_click_reads(words: list[str]) -> tuple[Split, Asked]:
    """What click makes of the command line, without running the program."""
    read: list[tuple[Split, Asked]] = []

    @click.pass_context
    def keep(ctx: click.Context, /, **given: Any) -> None:
        read.append((ctx.obj, Asked(**given)))

    with patch.object(command, "callback", keep):
        root.main(words, "pywasm-nn", standalone_mode=False)
    return read[0]


@given(st.lists(WORDS, max_size=6))
def test_click_reads_the_same(words: list[str]) -> None:
    plain = read(words)
    if plain is not None:
        assert plain.shared.module is not None
        asked = Asked(plain.shared.module, plain.shared.guest, **plain.values)
        assert as_click_reads(words) == (plain.shared, asked)


@pytest.mark.parametrize(
    "words",
    [
        ["app.wasm"],
        ["run", "nothing"],
        ["run", "app.wasm", "x", "--dir"],
        [__file__],
        ["app.wasm", ""],
        ["run", "app.wasm", "--dir", "models"],
        ["run", "-q", "--engine=interpret", "--dir", ".", "--dir", "x::y", "--trust-models", "app.wasm", "x"],
        ["--models", "m", "app.wasm", "--env", "A=B", "--cache-dir=c", "--deterministic"],
        ["run", "--trace", "app.wasm", "x", "--trace"],
        ["app.wasm", "--trace=hints"],
    ],
)
def test_there_are_such_lines(words: list[str]) -> None:
    assert read(words) is not None


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["run"],
        ["-v", "app.wasm"],
        ["app.wasm", "--dir"],
        ["app.wasm", "--"],
        ["--engine", "fast", "app.wasm"],
        ["--models", "a", "--models", "b", "app.wasm"],
        *[[name] for name in COMMANDS],
    ],
)
def test_others_are_clicks(words: list[str]) -> None:
    assert read(words) is None


def test_a_shell_that_completes_asks_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMPLETING, "bash_complete")
    assert read(["app.wasm"]) is None


def test_a_failure_is_told_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.wasm"
    broken.write_bytes(b"\0asm\1\0\0\0\x01")
    adder = tmp_path / "adder.wat"
    adder.write_text("(module)")
    lines = [
        *[["run", str(path)] for path in (tmp_path / "none.wasm", broken, tmp_path)],
        ["run", "--dir", "a:b", str(adder)],
        [str(adder), "--env", "=x"],
        ["run", str(adder), "--dir", str(tmp_path / "none")],
        ["run", "--models", str(tmp_path / "none"), str(adder)],
        ["run", "--trace=everything", str(adder)],
        ["run", "--trace=instr", "--engine=compile", str(adder)],
    ]
    told = [(call(line), capsys.readouterr()) for line in lines]
    assert all(code for code, _ in told)
    monkeypatch.setattr("pywasm_nn.cli.plain.read", lambda _words: None)
    assert [(call(line), capsys.readouterr()) for line in lines] == told


@pytest.mark.parametrize("options", [[], ["--trace"], ["--trace=hints"]])
def test_a_guest_that_asks_a_model_needs_no_click(options: list[str]) -> None:
    """On Windows click reads all lines, and writes to consoles."""
    code = "import sys; from pywasm_nn.cli import call; sys.exit(call() or 7 * ('click' in sys.modules))"
    line = ["run", *options, str(demo.path() / "app.wasm"), "--dir", f"{demo.path() / 'models'}::models"]
    words = [sys.executable, "-c", code, *line, "models/digits.onnx", "models/digit.pgm"]
    done = subprocess.run(words, check=False)
    assert done.returncode == (7 if sys.platform == "win32" else 0)
