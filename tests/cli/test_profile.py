"""`profile`: the files it writes, and that it is `run` otherwise."""

from __future__ import annotations

import json
import time
from pathlib import Path

from ..conftest import HANGS
from .test_processes import process

GUESTS = Path(__file__).parents[1] / "guests"


def test_a_program_runs_as_ever_and_leaves_its_profile(pywasm, tmp_path: Path) -> None:
    options = ["--perfetto", "p.json", "--collapsed", "c.txt", "--env", "CODE=7"]
    outcome = pywasm("profile", *options, GUESTS / "args_env.wasm", "one")
    assert (outcome.code, "argument 1: one" in outcome.out) == (7, True)
    assert "open profile.speedscope.json" in outcome.err
    assert "the command start" not in outcome.err  # this process does more than one command
    for name in ("profile.speedscope.json", "p.json"):
        assert json.loads((tmp_path / name).read_text())
    assert (tmp_path / "c.txt").exists()


def test_the_whole_process_is_in_its_profile(tmp_path: Path) -> None:
    began = time.perf_counter()
    options = ["--speedscope", tmp_path / "x.json", "--env", "CODE=7"]
    with process("profile", *options, GUESTS / "args_env.wasm", "one") as running:
        out, err = running.communicate(timeout=HANGS)
    took = time.perf_counter() - began
    assert (running.returncode, b"argument 1: one" in out, b"open " in err) == (7, True, True)
    found = json.loads((tmp_path / "x.json").read_text())
    (profile,), frames = found["profiles"], found["shared"]["frames"]
    names = [frames[stack[0]]["name"] for stack in profile["samples"]]
    assert (names[0], names[-1]) == (
        "process: Python and the command start",
        "process: the profile is made",
    )
    # 0.98 where nobody else uses the processor.
    assert 0.5 * took < sum(profile["weights"]) < took + 0.02


def test_a_trap_has_a_profile_and_its_exit_code(pywasm, tmp_path: Path) -> None:
    (tmp_path / "t.wat").write_text('(module (func (export "_start") unreachable))')
    assert pywasm("profile", "--speedscope", "x.json", "t.wat").code == 134
    assert json.loads((tmp_path / "x.json").read_text())["exporter"] == "pywasm-nn"


def test_a_component_has_a_profile(pywasm, tmp_path: Path) -> None:
    found = sorted((GUESTS / "components").glob("*.wasm"))
    outcome = pywasm("profile", found[0])
    assert outcome.code in (0, 1)
    assert (tmp_path / "profile.speedscope.json").exists()


def test_an_engine_whose_functions_nobody_sees_is_refused_at_the_start(pywasm, tmp_path: Path) -> None:
    outcome = pywasm("profile", "--engine", "wasmtime", GUESTS / "hello_c.wasm")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--engine wasmtime can't show where native code spends its time" in outcome.err
    assert not (tmp_path / "profile.speedscope.json").exists()


def test_a_file_that_can_not_be_written_is_told_before_the_run(pywasm) -> None:
    outcome = pywasm("profile", "--speedscope", "no/where.json", GUESTS / "hello_c.wasm")
    assert (outcome.code, outcome.out) == (1, "")
