"""Random modules of binaryen's fuzzer on every engine (`foreign.py`), and that a difference would be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from foreign import Foreign, found_tool

from pywasm_nn.interpreter.instructions import OPS
from pywasm_nn.interpreter.interpret import code

COUNT = 100


@pytest.fixture(scope="module")
def tool() -> Path:
    found = found_tool()
    if found is None:
        pytest.skip("no node, or no wasm-opt of npm's package binaryen: BINARYEN names its folder")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tests keep the modules."""
    return tmp_path_factory.mktemp("modules")


def test_modules_are_kept_in_a_folder_that_was_not_there(tool: Path, tmp_path: Path) -> None:
    made = tmp_path / "not" / "there"
    foreign = Foreign(tool, seed=2, folder=made)
    assert [None for _ in foreign.run(2)]
    assert [path.name for path in sorted(made.glob("*.wasm"))] == ["0.wasm", "1.wasm"]


@pytest.mark.parametrize("count", [COUNT, pytest.param(10_000, marks=pytest.mark.slow)])
def test_all_engines_agree(tool: Path, folder: Path, count: int) -> None:
    foreign = Foreign(tool, seed=1, folder=folder)
    for _ in foreign.run(count):
        assert not foreign.tally.differences, foreign.tally.differences[0]
    tally = foreign.tally
    print(tally)
    assert tally.modules >= count * 9 // 10
    assert tally.calls >= count
    assert tally.trapped < tally.calls
    assert not tally.handed_over


def test_a_wrong_row_is_seen(tool: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = OPS["i32.and"], OPS["i32.or"]
    handler = code.handler_for
    monkeypatch.setattr(code, "handler_for", lambda op: handler(wrong if op is right else op))
    foreign = Foreign(tool, seed=1, folder=folder)
    assert any(foreign.tally.differences for _ in foreign.run(COUNT))
