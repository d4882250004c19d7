"""`run` keeps compiled code from one run to the next."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pywasm_nn import cli

HELLO = Path(__file__).parents[1] / "guests" / "hello_rust.wasm"


@pytest.fixture
def summary(capfd: pytest.CaptureFixture[str]):
    """Runs hello world with these options and `-v`, and gives the line about its functions."""

    def run(*options: object) -> str:
        assert cli.call(["run", "-v", *map(str, options), str(HELLO)]) == 0
        out, err = capfd.readouterr()
        assert out == "Hello, world!\n"
        (line,) = (line for line in err.splitlines() if "engine compile" in line)
        return line

    return run


def test_a_second_run_compiles_nothing(summary, tmp_path: Path) -> None:
    assert " 0 cached, 0 interpreted" in summary("--cache-dir", tmp_path / "code")
    assert " 0 compiled, " in summary("--cache-dir", tmp_path / "code")
    assert len(os.listdir(tmp_path / "code")) == 1


def test_the_users_cache_unless_told_otherwise(
    summary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert " 0 cached" in summary("--no-cache")
    assert not os.listdir(tmp_path)
    assert " 0 cached" in summary()
    assert " 0 compiled" in summary()
    assert os.listdir(tmp_path) == ["pywasm-nn"]


def test_where_nothing_can_be_kept_the_run_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["run", "--cache-dir", str(HELLO), str(HELLO)]) == 0
    out, err = capfd.readouterr()
    assert out == "Hello, world!\n"
    assert err == f"note: code cache {HELLO}: off, File exists\n"
