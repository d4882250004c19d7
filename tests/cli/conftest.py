"""What tests of the command line have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from pywasm_nn import cli


class Outcome:
    """What a command line did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def pywasm(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a command line in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Outcome:
        code = cli.call([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Outcome(code, out, err)

    return run
