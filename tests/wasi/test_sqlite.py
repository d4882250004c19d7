"""SQLite on a file: a transaction that was killed halfway is as if it had never begun.

Built here from SQLite's amalgamation, which is not part of this repository: SQLITE names a folder with
`sqlite3.c` and `sqlite3.h`, as in `npm pack better-sqlite3` under `deps/sqlite3`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "tests" / "guests" / "transactions.c"
DEFINES = ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"]
ROUNDS = 3
"""So often everything is changed before the kill: then changes have long reached the file."""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("ziglang")
    source = Path(os.environ.get("SQLITE", ROOT / "node_modules" / "better-sqlite3" / "deps" / "sqlite3"))
    if not (source / "sqlite3.c").exists():
        pytest.skip("needs SQLite's amalgamation: SQLITE=FOLDER, or npm install better-sqlite3 here")
    built = tmp_path_factory.mktemp("sqlite") / "transactions.wasm"
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "wasm32-wasi", "-Os", "-s", *DEFINES]
    subprocess.run([*compiler, f"-I{source}", "-o", built, SOURCE, source / "sqlite3.c"], check=True)
    return built


@pytest.mark.slow
@pytest.mark.parametrize("portable", ["0", "1"])
def test_a_killed_transaction_is_rolled_back(program: Path, portable: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pywasm_nn", "run", f"--dir={tmp_path}::/", program, "/t.db"]
    environment = {**os.environ, "PYWASM_NN_PORTABLE": portable, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([*command, "fill"], stdout=subprocess.PIPE, text=True, env=environment) as filling:
        assert filling.stdout is not None
        said = [filling.stdout.readline() for _ in range(1 + ROUNDS)]
        filling.kill()
    assert said == ["committed\n", *(f"changed {number}\n" for number in range(ROUNDS))]
    assert b"lost" in (tmp_path / "t.db").read_bytes(), "the transaction had not reached the file yet"
    assert (tmp_path / "t.db-journal").stat().st_size > 0
    checked = subprocess.run([*command, "check"], capture_output=True, text=True, env=environment, check=True)
    assert (checked.stdout, checked.stderr) == ("1000\nok\n", "")
    assert not (tmp_path / "t.db-journal").exists()
    assert b"lost" not in (tmp_path / "t.db").read_bytes()
