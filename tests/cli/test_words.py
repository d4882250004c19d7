"""Command lines without options, which don't go through click, mean what they mean to click."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.cli import call
from pywasm_nn.cli.asked import Asked
from pywasm_nn.cli.root import root
from pywasm_nn.cli.run import command
from pywasm_nn.cli.split import Split
from pywasm_nn.cli.words import COMMANDS, COMPLETING, without_options

WORDS = st.sampled_from(
    ["run", "debug", "app.wasm", "a.wat", __file__, "nothing", "-", "--", "-v", "-5", "--dir", "--dir=.",
     "-h", "--version", "--frob", "", "x", ".", "--trace=nn", "*.wasm"]
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


@given(st.lists(WORDS, max_size=4))
def test_click_reads_the_same(words: list[str]) -> None:
    shared = without_options(words)
    if shared is not None:
        assert shared.module is not None
        assert as_click_reads(words) == (shared, Asked(shared.module, shared.guest))


@pytest.mark.parametrize(
    "words",
    [["app.wasm"], ["run", "nothing"], ["run", "app.wasm", "x", "--dir"], [__file__], ["app.wasm", ""]],
)
def test_there_are_such_lines(words: list[str]) -> None:
    assert without_options(words) is not None


@pytest.mark.parametrize(
    "words",
    [[], ["run"], ["-v", "app.wasm"], ["app.wasm", "--dir"], ["app.wasm", "--"], *[[n] for n in COMMANDS]],
)
def test_others_are_clicks(words: list[str]) -> None:
    assert without_options(words) is None


def test_a_shell_that_completes_asks_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMPLETING, "bash_complete")
    assert without_options(["app.wasm"]) is None


def test_a_failure_is_told_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.wasm"
    broken.write_bytes(b"\0asm\1\0\0\0\x01")
    for path in [tmp_path / "none.wasm", broken, tmp_path]:
        by_click = call(["run", "-q", str(path)]), capsys.readouterr()
        assert (call(["run", str(path)]), capsys.readouterr()) == by_click
