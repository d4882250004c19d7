"""The official tests of WASI preview1, each on every engine, in three ways of holding files.

    python spec-tests/wasi.py DIR [--record] [--components MADE]

DIR is a checkout of https://github.com/WebAssembly/wasi-testsuite on its branch prod/testsuite-base, where
the programs are built. `--record` writes the figure and the checkout's commit into docs/conformance.md. How a
test is described: doc/specification.md there. What is not here: the programs of later versions of WASI.

`--components` runs them as components of WASI 0.2, which `jco new --wasi-command` (of npm's
@bytecodealliance/jco, on the PATH) makes in the folder MADE with the stock adapter, unless they are there.
The programs in `ADAPTED` fail then in any host: wasmtime's package runs them all as well, and has to fail
where the engines here fail, with the same exit code and output.
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

from pywasm_nn import Capture, Component, GuestExit, MemoryDirectory, Module, Wasi, WasmError  # noqa: E402 # from this checkout
from pywasm_nn.native import problem  # noqa: E402 # the same
from pywasm_nn.records import Frozen  # noqa: E402 # the same
from tests.wasi.native_command import under_wasmtime, written  # noqa: E402 # the same

try:
    from wasmtime import WasmtimeError
except ImportError:  # where there is no package of it, only core modules run
    WasmtimeError = RuntimeError

CONFORMANCE = ROOT / "docs" / "conformance.md"
HEADING = "## WASI preview1"
PORTABLE = "PYWASM_NN_PORTABLE"
ENGINES = ("compile", "interpret")
WAYS = [(engine, kind) for engine in ENGINES for kind in ("", "portable", "in memory")]
"""Engines, with how files and memory are held."""
NATIVE = [] if problem() else [("wasmtime", ""), ("wasmtime", "in memory")]
"""The same for the native engine, where it is installed; for core modules."""
ADAPTED = {
    "args_get-multiple-arguments": "the adapter wants an allocator, which the program doesn't export",
    "environ_get-multiple-variables": "the adapter wants an allocator, which the program doesn't export",
    "fd_write-to-invalid-fd": "the adapter lets a write of no buffers succeed, whatever the descriptor",
    "proc_exit-failure": "the adapter calls `exit`, which knows success and failure, and no 33",
}
"""Programs, all of AssemblyScript, that fail as components, by what the stock adapter does. So do those for
0.2.0 (jco 1.2) and 0.2.12 (jco 1.35), and wasmtime's source of it on 2026-08-21: its `proc_exit` calls `exit`
with an error for every code but 0, though `exit-with-code` is in 0.2.12."""
Ended = tuple[str, bytes, bytes]
"""Exit code, or the error that there is in its place, and output of a program."""
Failures = dict[str, list[str]]
"""What came out wrong, by the name of the test."""


class World(Frozen):
    """What a test gives its program. `dirs` has folders on the disk, or copies in memory."""

    program: Path
    args: list[str]
    env: dict[str, str]
    dirs: dict[str, Path | MemoryDirectory]


Run = Callable[[World, str], Ended]
"""Runs a test's program on an engine."""
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


def ended(world: World, run: Callable[[Wasi], None]) -> Ended:
    """How a program ended that runs here."""
    out, err, code = Capture(), Capture(), "0"
    try:
        run(Wasi([world.program.name, *world.args], world.env, world.dirs, b"", out, err))
    except GuestExit as exit_:
        code = str(exit_.code)
    except WasmError as error:
        code = f"{type(error).__name__}: {error}"
    return code, out.value, err.value


def run_module(world: World, engine: str) -> Ended:
    def run(wasi: Wasi) -> None:
        with Module.from_file(world.program).instantiate(wasi, engine=engine) as instance:
            instance.exports["_start"]()

    return ended(world, run)


def component_of(program: Path, made: Path) -> Path:
    """The program as a component of WASI 0.2, made in a folder if it isn't there."""
    component = made / f"{program.parts[-4]}.{program.name}"
    if not component.exists():
        command = ["jco", "new", str(program), "--wasi-command", "-o", str(component)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return component


def runner_of_components(made: Path) -> Run:
    def run_component(world: World, engine: str) -> Ended:
        def run(wasi: Wasi) -> None:
            component = Component.from_file(component_of(world.program, made))
            with component.instantiate(wasi=wasi, engine=engine) as instance:
                raise GuestExit(instance.run())

        return ended(world, run)

    return run_component


def runner_of_wasmtime(made: Path) -> Run:
    def run_component(world: World, engine: str) -> Ended:
        component = component_of(world.program, made)
        given = {"args": world.args, "env": world.env, "dirs": world.dirs}
        with tempfile.TemporaryDirectory() as place:
            try:
                return str(under_wasmtime(component, Path(place), **given)[0]), *written(Path(place))
            except WasmtimeError as error:
                last = str(error).strip().splitlines()[-1]
                return "Trap: unreachable" if "wasm `unreachable`" in last else last, *written(Path(place))

    return run_component


def run_all(tests: list[Path], run: Run, ways: list[tuple[str, str]]) -> dict[str, Failures]:
    """What fails, by the way in which the tests ran; failures are printed."""
    failed = {}
    for engine, kind in ways:
        way = f"{engine}, {kind}" if kind else engine
        os.environ[PORTABLE] = str(int(kind == "portable"))
        failed[way] = dict(failures(tests, run, engine, kind))
        for name, wrong in failed[way].items():
            print(*(f"{way}: {name}: {line}" for line in wrong), sep="\n", flush=True)
        print(f"{way}: {len(tests) - len(failed[way])} of {len(tests)} tests pass", flush=True)
    return failed


def failures(tests: list[Path], run: Run, engine: str, kind: str) -> Iterator[tuple[str, list[str]]]:
    """Run tests, and say of those that fail what came out other than their description has it."""
    for program in tests:
        described = program.with_suffix(".json")
        wanted = {**DEFAULTS, **(json.loads(described.read_text("utf-8")) if described.exists() else {})}
        with tempfile.TemporaryDirectory() as work:
            dirs: dict[str, Path | MemoryDirectory] = {}
            if wanted["root"]:
                copied = shutil.copytree(program.parent / wanted["root"], Path(work, "root"), symlinks=True)
                dirs["/"] = in_memory(copied) if kind == "in memory" else copied
            got = run(World(program, wanted["args"], wanted["env"], dirs), engine)
        if wrong := list(differences(wanted, *got)):
            yield f"{program.parts[-4]}/{program.stem}", wrong


def differences(wanted: dict[str, Any], code: str, out: bytes, err: bytes) -> Iterator[str]:
    """What isn't as wanted."""
    failed = code != str(wanted["exit_code"])
    if failed:
        yield f"exit code {code}, not {wanted['exit_code']}"
    for stream, data in ("stdout", out), ("stderr", err):
        text = data.decode("utf-8", "replace")
        if stream in wanted and text != wanted[stream]:
            yield f"{stream} {text!r}, not {wanted[stream]!r}"
        elif failed and text:
            yield text.strip()


def unlike_wasmtime(failed: dict[str, Failures], native: Failures) -> Iterator[str]:
    """What fails here in another way than in wasmtime, or for no reason that is known."""
    for way, here in failed.items():
        for name in sorted({*here, *native}):
            if here.get(name) != native.get(name):
                yield f"{way}: {name}: {here.get(name)} here, {native.get(name)} in wasmtime"
    yield from (f"{name}: no reason is known" for name in native if Path(name).name not in ADAPTED)


def commit_of(checkout: Path) -> str:
    """The checkout's commit, "unknown" outside git."""
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    inside = (checkout / ".git").exists()
    done = subprocess.run(command, capture_output=True, text=True, check=False) if inside else None
    return done.stdout.strip() if done and done.returncode == 0 else "unknown"


def record_figures(checkout: Path, total: int, failed: dict[str, Failures]) -> None:
    """Replace the section of docs/conformance.md."""
    lines = [
        HEADING, "",
        "[wasi-testsuite](https://github.com/WebAssembly/wasi-testsuite), branch prod/testsuite-base,",
        f"commit {commit_of(checkout)}: all programs of preview1, as `spec-tests/wasi.py` runs them.", "",
        "| engine | passed | of |", "| --- | ---: | ---: |",
        *(f"| {way} | {total - len(wrong)} | {total} |" for way, wrong in failed.items()), "",
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
        return int(compare_components(tests, given.components))
    failed = run_all(tests, run_module, WAYS + NATIVE)
    if given.record:
        record_figures(given.checkout, len(tests), failed)
    return int(any(failed.values()))


def compare_components(tests: list[Path], made: Path) -> bool:
    """Run the tests as components; whether anything fails here that doesn't in wasmtime."""
    failed = run_all(tests, runner_of_components(made), WAYS)
    native = run_all(tests, runner_of_wasmtime(made), [("wasmtime's package", "")])
    unlike = list(unlike_wasmtime(failed, *native.values()))
    print(*(unlike or ["What fails, and how, is the same here and in wasmtime:"]), sep="\n")
    print(*(f"  {name}: {reason}" for name, reason in ADAPTED.items()), sep="\n")
    return bool(unlike)


if __name__ == "__main__":
    sys.exit(main())
