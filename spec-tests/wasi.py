"""The official tests of WASI preview1, each on every engine, in three ways of holding files.

    python spec-tests/wasi.py DIR [--record] [--components MADE]

DIR is a checkout of https://github.com/WebAssembly/wasi-testsuite on its branch prod/testsuite-base, where
the programs are built. `--record` writes the figure and the checkout's commit into docs/conformance.md. How a
test is described: doc/specification.md there. What is not here: the programs of later versions of WASI.

`--components` runs them as components of WASI 0.2, which `jco new --wasi-command` (of npm's
@bytecodealliance/jco, on the PATH) makes in the folder MADE with the stock adapter, unless they are there.
Four programs fail then in any host: two of AssemblyScript that want an allocator, one that writes to a
closed descriptor, and one that exits with 33: the stock adapters, from that for 0.2.0 (jco 1.2) to that for
0.2.12 (jco 1.35), call `exit`, which knows success and failure alone, and wasmtime says 1 as well.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pywasm_nn import Capture, Component, Err, GuestExit, MemoryDirectory, Module, Wasi, WasmError  # noqa: E402 # from this checkout
from pywasm_nn.native import problem  # noqa: E402 # the same

CONFORMANCE = ROOT / "docs" / "conformance.md"
HEADING = "## WASI preview1"
PORTABLE = "PYWASM_NN_PORTABLE"
ENGINES = ("compile", "interpret")
WAYS = [(engine, kind) for engine in ENGINES for kind in ("", "portable", "in memory")]
"""Engines, with how files and memory are held."""
NATIVE = [] if problem() else [("wasmtime", ""), ("wasmtime", "in memory")]
"""The same for the native engine, where it is installed; for core modules."""
Run = Callable[[Path, Wasi, str], None]
"""Runs a program in a world on an engine."""
DEFAULTS: dict[str, Any] = {"args": [], "env": {}, "root": None, "exit_code": 0}


def programs(checkout: Path) -> list[Path]:
    """The tests of preview1, in order."""
    return sorted(checkout.glob("tests/*/testsuite/wasm32-wasip1/*.wasm"))


def in_memory(directory: Path) -> MemoryDirectory:
    """A copy of a directory that no disk knows."""
    files = {}
    for path in directory.rglob("*"):
        name = path.relative_to(directory).as_posix()
        files[name + "/" * path.is_dir()] = b"" if path.is_dir() else path.read_bytes()
    return MemoryDirectory(files)


def run_module(program: Path, wasi: Wasi, engine: str) -> None:
    with Module.from_file(program).instantiate(wasi, engine=engine) as instance:
        instance.exports["_start"]()


def component_of(program: Path, made: Path) -> Path:
    """The program as a component of WASI 0.2, made in a folder if it isn't there."""
    component = made / f"{program.parts[-4]}.{program.name}"
    if not component.exists():
        command = ["jco", "new", str(program), "--wasi-command", "-o", str(component)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return component


def runner_of_components(made: Path) -> Run:
    def run(program: Path, wasi: Wasi, engine: str) -> None:
        component = Component.from_file(component_of(program, made))
        with component.instantiate(wasi=wasi, engine=engine) as instance:
            (entry,) = (export for export in instance.exports if export.startswith("wasi:cli/run@"))
            try:
                instance.exports[entry].run()
            except Err:
                raise GuestExit(1) from None

    return run


def failures(program: Path, engine: str, kind: str, run: Run) -> Iterator[str]:
    """Run a test and say what came out other than its description has it."""
    described = program.with_suffix(".json")
    wanted = {**DEFAULTS, **(json.loads(described.read_text("utf-8")) if described.exists() else {})}
    out, err, exit_code = Capture(), Capture(), 0
    with tempfile.TemporaryDirectory() as work:
        dirs: dict[str, Path | MemoryDirectory] = {}
        if wanted["root"]:
            copied = shutil.copytree(program.parent / wanted["root"], Path(work, "root"), symlinks=True)
            dirs["/"] = in_memory(copied) if kind == "in memory" else copied
        wasi = Wasi([program.name, *wanted["args"]], wanted["env"], dirs, b"", out, err)
        try:
            run(program, wasi, engine)
        except GuestExit as exit_:
            exit_code = exit_.code
        except WasmError as error:
            yield f"{type(error).__name__}: {error}"
    if exit_code != wanted["exit_code"]:
        yield f"exit code {exit_code}, not {wanted['exit_code']}"
    for stream, capture in ("stdout", out), ("stderr", err):
        text = capture.value.decode("utf-8", "replace")
        if stream in wanted and text != wanted[stream]:
            yield f"{stream} {text!r}, not {wanted[stream]!r}"
        elif exit_code != wanted["exit_code"] and text:
            yield text.strip()


def run_all(tests: list[Path], run: Run, ways: list[tuple[str, str]]) -> dict[str, int]:
    """How many tests pass, by the way in which they ran; failures are printed."""
    passed = {}
    for engine, kind in ways:
        way = f"{engine}, {kind}" if kind else engine
        os.environ[PORTABLE] = str(int(kind == "portable"))
        passed[way] = 0
        for program in tests:
            wrong = list(failures(program, engine, kind, run))
            passed[way] += not wrong
            for line in wrong:
                print(f"{way}: {program.parts[-4]}/{program.stem}: {line}", flush=True)
        print(f"{way}: {passed[way]} of {len(tests)} tests pass", flush=True)
    return passed


def commit_of(checkout: Path) -> str:
    """The checkout's commit, "unknown" outside git."""
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    inside = (checkout / ".git").exists()
    done = subprocess.run(command, capture_output=True, text=True, check=False) if inside else None
    return done.stdout.strip() if done and done.returncode == 0 else "unknown"


def record(checkout: Path, total: int, passed: dict[str, int]) -> None:
    """Replace the section of docs/conformance.md."""
    lines = [
        HEADING, "",
        "[wasi-testsuite](https://github.com/WebAssembly/wasi-testsuite), branch prod/testsuite-base,",
        f"commit {commit_of(checkout)}: all programs of preview1, as `spec-tests/wasi.py` runs them.", "",
        "| engine | passed | of |", "| --- | ---: | ---: |",
        *(f"| {way} | {count} | {total} |" for way, count in passed.items()), "",
    ]  # fmt: skip
    text = CONFORMANCE.read_text("utf-8") if CONFORMANCE.exists() else "# Conformance\n"
    without = re.sub(rf"\n*{HEADING}\n.*?(?=\n## |\Z)", "", text, flags=re.DOTALL)
    CONFORMANCE.write_text(without.rstrip("\n") + "\n\n" + "\n".join(lines), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="The official tests of WASI preview1 on every engine.")
    parser.add_argument("checkout", type=Path, metavar="DIR")
    parser.add_argument("--record", action="store_true", help="write the figure into docs/conformance.md")
    parser.add_argument("--components", type=Path, metavar="MADE", help="run them as components, made there")
    given = parser.parse_args()
    tests = programs(given.checkout)
    if not tests:
        parser.error(f"{given.checkout} has no built programs: check out the branch prod/testsuite-base")
    if given.components:
        passed = run_all(tests, runner_of_components(given.components), WAYS)
    else:
        passed = run_all(tests, run_module, WAYS + NATIVE)
    if given.record:
        record(given.checkout, len(tests), passed)
    return int(any(count != len(tests) for count in passed.values()))


if __name__ == "__main__":
    sys.exit(main())
