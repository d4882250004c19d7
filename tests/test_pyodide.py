"""The wheel in Pyodide, which is CPython as WebAssembly, under Node: no threads, no processes, no numpy.

What is here: getting Pyodide (the npm package; PYODIDE=FOLDER names a copy) and the wheel, and running
`pyodide/inside.py` there, with guests, files, models and every file of the official suite.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pywasm_nn.interpreter.script import ASSERTIONS, KINDS
from pywasm_nn.interpreter.text import parse_script

from .conftest import HANGS

ROOT = Path(__file__).parents[1]
SUITE = ROOT / ".." / "shared" / "spec-testsuite"
CHECKS = ["hello", "memory", "depth", "files", "refusals", "awaited", "digits"]

Inside = Callable[..., list[str]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the npm package."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} isn't installed")
    if "PYODIDE" in os.environ:
        return Path(os.environ["PYODIDE"])
    folder = tmp_path_factory.mktemp("pyodide")
    command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "pyodide"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANGS)
    if done.returncode:
        pytest.skip(f"npm can't install pyodide: {(done.stderr.strip().splitlines() or ['no reason'])[0]}")
    return folder / "node_modules" / "pyodide"


@pytest.fixture(scope="module")
def inside(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """Runs `inside.py` with arguments; gives the lines that it prints."""
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=HANGS)
    (wheel,) = place.glob("*.whl")
    folders = {"/root": str(ROOT)}
    if SUITE.is_dir():
        folders["/suite"] = str(SUITE.resolve())

    def run(*arguments: str) -> list[str]:
        here = ROOT / "tests" / "pyodide"
        command = ["node", str(here / "run.mjs"), str(pyodide), str(wheel), json.dumps(folders)]
        command += [str(here / "inside.py"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout.splitlines()

    return run


def test_guests_files_models_and_depth(inside: Inside) -> None:
    assert inside(*CHECKS) == CHECKS


def all_passed(names: Sequence[str]) -> list[str]:
    """What is printed if every assertion that the files have passes on both engines."""
    wanted = sum(
        KINDS[type(command)] in ASSERTIONS
        for name in names
        for command in parse_script((SUITE / f"{name}.wast").read_bytes().decode())
    )
    return [f"spec interpret={wanted} compile={wanted}"]


@pytest.mark.skipif(not SUITE.is_dir(), reason="../shared/spec-testsuite isn't there")
def test_the_whole_official_suite(inside: Inside) -> None:
    names = sorted(path.stem for path in SUITE.glob("*.wast"))
    assert inside("spec", *names) == all_passed(names)
