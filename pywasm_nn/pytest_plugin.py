"""A plugin for pytest, found by its entry point: the fixture `wasm_cassette`.

    def test_digits(wasm_cassette):
        result = wasm_cassette.run("classify.wasm", ["digit.pgm"], dirs={"/": "data"}, models="models")
        assert result.stdout.startswith(b"5")

The first run records the answers of files and models in `cassettes/` beside the test; later runs need
neither, and fail if the guest makes other calls. `pytest --cassette=record` records again,
`--cassette=replay` never records, for use in CI. What is not here: cassettes (`watch.cassette`). Only pytest
is imported until a test uses the fixture.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .program import Result

MODES = ("auto", "record", "replay")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("pywasm-nn").addoption(
        "--cassette",
        choices=MODES,
        default="auto",
        help="wasm_cassette: record missing cassettes (auto, the default), record all again, or only replay.",
    )


class WasmCassette:
    """Runs programs through the cassettes of one test, in `folder`; each run of a test has its own
    cassette."""

    def __init__(self, folder: Path, name: str, mode: str) -> None:
        self.folder = folder
        self._name = name
        self._mode = mode
        self._runs = 0

    def path(self, run: int) -> Path:
        """The file for the run with this number (from 1)."""
        return self.folder / (f"{self._name}.cassette" if run == 1 else f"{self._name}.{run}.cassette")

    def run(self, path: Any, *arguments: Any, **settings: Any) -> Result:
        """Like `pywasm_nn.run`, recorded or replayed. Raises CassetteError if a replayed guest behaves
        differently, or if there is nothing to replay."""
        from .errors import CassetteError
        from .program import run
        from .watch.cassette import Recording, Replay

        self._runs += 1
        file = self.path(self._runs)
        if self._mode != "record" and file.exists():
            return run(path, *arguments, cassette=Replay(file), **settings)
        if self._mode == "replay":
            raise CassetteError(f"{file} is not there, and --cassette=replay records nothing")
        self.folder.mkdir(exist_ok=True)
        # Only a successful run becomes a cassette.
        made = file.with_suffix(".new")
        with Recording(made) as recording:
            result = run(path, *arguments, cassette=recording, **settings)
        made.replace(file)
        return result


@pytest.fixture
def wasm_cassette(request: pytest.FixtureRequest) -> WasmCassette:
    """Runs programs, and keeps the answers of hosts and models in `cassettes/` beside the test."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{request.path.stem}.{request.node.name}")
    return WasmCassette(request.path.parent / "cassettes", name, request.config.getoption("--cassette"))
