"""What `test_pyodide.py` runs in Pyodide, on the installed wheel: checks by name, or files of the suite.

inside.py CHECK ... [spec FILE ...]

Each check prints its name once it has passed; the files' passed assertions are printed by engine, and the
first that fails ends it all.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path

from pywasm_nn import NN, ExhaustionError, Limits, MemoryDirectory, Module, Trap, TrapKind, run
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.script import run_script

ROOT = Path("/root")
SUITE = Path("/suite")
GUESTS = ROOT / "tests" / "guests"
DIGITS = ROOT / "examples" / "digits"
PLAIN = f"{ROOT / 'examples' / 'plain_backend' / 'plain.py'}:Plain"
ENDLESS = '(module (func $f (export "f") (result i32) (i32.add (i32.const 1) (call $f))))'
STORE = '(module (memory 1) (func (export "f") (param i32) (i32.store (local.get 0) (i32.const 7))))'


def hello() -> None:
    for name in ("hello_c.wasm", "hello_rust.wasm", "hello_assemblyscript.wasm"):
        for engine in ENGINES:
            result = run(GUESTS / name, engine=engine)
            assert (result.exit_code, result.stderr) == (0, b"")
            assert result.stdout.lower().startswith(b"hello"), result.stdout


def memory() -> None:
    for flavour in Flavour:
        for engine in ENGINES:
            with Module.from_text(STORE).instantiate(engine=engine, flavour=flavour) as instance:
                instance.exports.f(65532)
                assert instance.memory.load("u32", 65532) == 7
                try:
                    instance.exports.f(65533)
                except Trap as trap:
                    assert trap.kind is TrapKind.OUT_OF_BOUNDS_MEMORY
                else:
                    raise AssertionError("no trap")


def depth() -> None:
    for engine in ENGINES:
        for depth in (100, Limits().call_depth):
            with Module.from_text(ENDLESS).instantiate(
                engine=engine, limits=Limits(call_depth=depth)
            ) as instance:
                try:
                    instance.exports.f()
                except ExhaustionError as error:
                    assert len(error.frames) == depth
                else:
                    raise AssertionError("no trap")


def files() -> None:
    """Programs that walk, write, rename and delete, in a real directory and in one in memory."""
    for program in ("walk_cpp.wasm", "walk_assemblyscript.wasm"):
        real = Path(f"/tmp/{program}")
        real.mkdir()
        results = [
            run(GUESTS / program, ["/w"], dirs={"/w": directory}) for directory in (real, MemoryDirectory())
        ]
        assert results[0].stdout == results[1].stdout
        assert [result.exit_code for result in results] == [0, 0]
        assert results[0].stdout


def refusals() -> None:
    """What the place can't do is an error number for the guest: hard links."""
    real = Path("/tmp/links")
    real.mkdir()
    result = run(GUESTS / "walk_rust.wasm", ["/w"], dirs={"/w": real})
    assert result.exit_code == 1
    assert b"Not supported" in result.stderr, result.stderr


async def awaited() -> None:
    """There are no threads: the guest runs where it is awaited."""
    with Module.from_text(STORE).instantiate() as instance:
        await instance.exports.f.call_async(8)
        assert instance.memory.load("u32", 8) == 7


def digits() -> None:
    """On numpy where there is one, and on the example's own backend, which needs nothing."""
    settings = [NN(plugins=[PLAIN])]
    if find_spec("numpy"):
        settings.append(NN())
    for nn in settings:
        for engine in ENGINES:
            result = run(DIGITS / "app.wasm", dirs={"models": DIGITS / "models"}, nn=nn, engine=engine)
            assert result.stdout.split()[:3] == [b"5", b"97.1", b"%"], result


CHECKS: dict[str, Callable[[], object]] = {
    check.__name__: check for check in (hello, memory, depth, files, refusals, awaited, digits)
}


def spec(names: list[str]) -> None:
    passed = dict.fromkeys(ENGINES, 0)
    for name in names:
        for engine, make in ENGINES.items():
            report = run_script((SUITE / f"{name}.wast").read_text(), make)
            assert not report.failures, (name, engine, *map(str, report.failures))
            passed[engine] += sum(report.passed.values())
    print("spec", *(f"{engine}={count}" for engine, count in passed.items()))


async def main() -> None:
    """What `run.mjs` awaits."""
    words = iter(sys.argv[1:])
    for name in words:
        if name == "spec":
            spec([*words])
            return
        outcome = CHECKS[name]()
        if isinstance(outcome, Awaitable):
            await outcome
        print(name)
