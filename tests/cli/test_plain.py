"""Plain command lines, which don't go through click, mean what they mean to click."""

from __future__ import annotations

import os
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
from pywasm_nn.cli import call, profile, run
from pywasm_nn.cli.asked import Asked
from pywasm_nn.cli.plain import BEFORE, PROFILES, TAKES, read
from pywasm_nn.cli.root import root
from pywasm_nn.cli.split import Split
from pywasm_nn.cli.words import COMMANDS, COMPLETING

WORDS = st.sampled_from(
    ["run", "debug", "app.wasm", "a.wat", __file__, "nothing", "-", "--", "-v", "-5", "--dir=.", "--dir=",
     "-h", "--version", "--frob", "", "x", ".", "--trace=nn", "--trace=", "*.wasm", "compile",
     "--engine=wasmtime", "--trust-models=yes", "--env=A=B", "--cache-dir=--dir", "profile",
     "--speedscope=p.json", *TAKES, *PROFILES, *BEFORE]
)  # fmt: skip


def as_click_reads(words: list[str]) -> tuple[str | None, Split, dict[str, Any]]:
    """What click makes of the command line, without running the program: the command, whose words are whose,
    and the values of options."""
    read: list[tuple[str | None, Split, dict[str, Any]]] = []

    @click.pass_context
    def keep(ctx: click.Context, /, **given: Any) -> None:
        read.append((ctx.command.name, ctx.obj, given))

    with patch.object(run.command, "callback", keep), patch.object(profile.command, "callback", keep):
        root.main(words, "pywasm-nn", standalone_mode=False)
    return read[0]


@given(st.lists(WORDS, max_size=6), st.sampled_from([[], ["profile"]]))
def test_click_reads_the_same(words: list[str], command: list[str]) -> None:
    plain = read([*command, *words])
    if plain is None:
        return
    named, shared, given = as_click_reads([*command, *words])
    assert (named, shared) == (plain.command, plain.shared)
    files = {name[2:]: given.pop(name[2:], None) for name in PROFILES}
    assert {name: value for name, value in files.items() if value} == {
        name: value for name, value in plain.values.items() if name in files
    }
    own = {name: value for name, value in plain.values.items() if name not in files}
    assert Asked(**own) == Asked(**given)


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
        ["profile", "app.wasm", "--dir", "models"],
        ["profile", "--speedscope", "a.json", "--perfetto=b.json", "app.wasm", "--collapsed", "c"],
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
        ["run", "--speedscope=a.json", "app.wasm"],
        ["profile", "--speedscope=", "app.wasm"],
        ["profile", "app.wasm", "--perfetto", "a.json", "--perfetto", "b.json"],
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
        ["profile", "--engine", "wasmtime", str(adder)],
        ["profile", "--speedscope", str(tmp_path / "none" / "p.json"), str(adder)],
    ]
    told = [(call(line), capsys.readouterr()) for line in lines]
    assert all(code for code, _ in told)
    monkeypatch.setattr("pywasm_nn.cli.plain.read", lambda _words: None)
    assert [(call(line), capsys.readouterr()) for line in lines] == told


@pytest.mark.parametrize(
    "words",
    [["run"], ["run", "--trace"], ["run", "--trace=hints"], ["profile", "--speedscope", os.devnull]],
    ids=" ".join,
)
def test_a_guest_that_asks_a_model_needs_no_click(words: list[str]) -> None:
    """On Windows click reads all lines, and writes to consoles."""
    code = "import sys; from pywasm_nn.cli import call; sys.exit(call() or 7 * ('click' in sys.modules))"
    line = [*words, str(demo.path() / "app.wasm"), "--dir", f"{demo.path() / 'models'}::models"]
    python = [sys.executable, "-c", code, *line, "models/digits.onnx", "models/digit.pgm"]
    done = subprocess.run(python, check=False)
    assert done.returncode == (7 if sys.platform == "win32" else 0)
