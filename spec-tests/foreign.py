"""Random modules of another project's generator on every engine: `python spec-tests/foreign.py --count 10000`

wasm-opt of binaryen makes valid modules of random bytes (`--translate-to-fuzz`), of what 3.0 has. They run on
`interpret`, `compile` in both flavours of memory, and wasmtime: the same exports with the same arguments, and
`foreign.wat` for what they import. How each call ended, what was logged, results, globals and memories must
be the same. wasm-opt is that of the npm package binaryen: `BINARYEN` or --binaryen names its folder. What is
not here: how a module is made to show what it does (`instrumented.py`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import wasmtime
from differential import MEANS, UNCAUGHT, UNDECIDED, Native
from instrumented import Instrumented, instrumented

from pywasm_nn.errors import LimitError, Trap, TrapKind, WasmError, WasmException
from pywasm_nn.interpreter.binary import decode
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.interpreter.engine import ENGINES
from pywasm_nn.interpreter.module import Module
from pywasm_nn.interpreter.runtime.instance import Extern, Instance
from pywasm_nn.interpreter.runtime.link import instantiate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.text import parse
from pywasm_nn.interpreter.validate import validate_all, validate_module
from pywasm_nn.limits import Limits

HERE = Path(__file__).parent
FEATURES = (
    "sign-ext", "mutable-globals", "nontrapping-float-to-int", "simd", "bulk-memory", "bulk-memory-opt",
    "multivalue", "reference-types", "exception-handling", "tail-call", "gc", "memory64", "relaxed-simd",
    "extended-const", "multimemory", "call-indirect-overlong",
)  # fmt: skip
OPTIONS = ("--mvp-features", *(f"--enable-{feature}" for feature in FEATURES), "--emit-exnref")
SIZES = (200, 500, 1000, 2000, 4000)
"""Bytes that a module is made of."""
TOGETHER = 100
"""Modules that one process makes."""
FUEL = 200_000
"""Instructions after which wasmtime gives a call up."""
SUPPORT, GLOBALS = "fuzzing-support", "__fuzz_import"
LIMITS = Limits(), Limits(fuel=10**9), Limits(seconds=60)
"""Of one module and the next: each is other code."""

Ended = tuple[str, ...]
"""How instantiation and each call ended."""


class GivenUp(Exception):
    """A limit was reached, which is another one in each engine."""


def found_tool(folder: str = "") -> Path | None:
    """wasm-opt of npm's binaryen, if it is there and there is a node to run it."""
    folder = folder or os.environ.get("BINARYEN", "")
    which = shutil.which("wasm-opt")
    path = Path(folder) / "bin" / "wasm-opt" if folder else Path(which).resolve() if which else None
    if path is None or not path.is_file() or shutil.which("node") is None:
        return None
    with path.open("rb") as file:
        return path if b"node" in file.readline() else None


def make_modules(tool: Path, seed: int, first: int, last: int, folder: Path) -> None:
    """Write N.wasm for each number, but where it is there already, into a folder that may not be there."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [n for n in range(first, last) if not (folder / f"{n}.wasm").exists()]
    for n in wanted:
        random = Random(f"{seed} {n}")
        (folder / f"{n}.bin").write_bytes(random.randbytes(random.choice(SIZES)))
    if wanted:
        driver = HERE / "translate_to_fuzz.cjs"
        numbers = (str(wanted[0]), str(wanted[-1] + 1))
        command = ["node", "--liftoff-only", str(driver), str(tool), str(folder), *numbers, *OPTIONS]
        subprocess.run(command, check=True, capture_output=True, timeout=600)


@cache
def support() -> Module:
    """What is imported, except from node's world."""
    module = parse((HERE / "foreign.wat").read_text())
    validate_module(module)
    return module


@dataclass(frozen=True, slots=True)
class Outcome:
    ended: Ended
    memories: tuple[str, ...]
    """Of all memories, and what was logged, at the end: hashes. Empty if a limit was reached before."""


def hashed(contents: Any) -> str:
    return f"{len(contents)} {sha256(contents).hexdigest()[:16]}"


class Theirs:
    """wasmtime."""

    def __init__(self) -> None:
        self.native = Native()
        self.support = wasmtime.Module(self.native.engine, encode(support()))

    def run(self, case: Instrumented, module: Module) -> Outcome:
        """Raises GivenUp if it doesn't get as far as to the first call."""
        store = wasmtime.Store(self.native.engine)
        store.set_fuel(FUEL)
        helper = wasmtime.Instance(store, self.support, []).exports(store)
        imports = [helper[imported_name(each.module, each.name)] for each in module.imports]
        theirs = wasmtime.Module(self.native.engine, case.spelled)
        made: list[Any] = []
        start = self.ended(lambda: made.append(wasmtime.Instance(store, theirs, imports)))
        if start or not made:
            return Outcome((start,), ())
        exports, ended = made[0].exports(store), [start]
        for name in case.calls:
            store.set_fuel(FUEL)
            try:
                ended.append(self.ended(lambda name=name: exports[name](store)))
            except GivenUp:
                return Outcome(tuple(ended), ())
        memories = [exports[name] for name in case.memories] + [helper["log"]]
        return Outcome(tuple(ended), tuple(hashed(memory.read(store)) for memory in memories))

    def ended(self, does: Any) -> str:
        try:
            does()
        except wasmtime.Trap as trap:
            if trap.trap_code in UNDECIDED:
                raise GivenUp(str(trap.trap_code)) from None
            uncaught = trap.trap_code in (None, wasmtime.TrapCode.UNCAUGHT_EXCEPTION)
            return UNCAUGHT if uncaught else str(trap.trap_code)
        except wasmtime.WasmtimeError as error:
            if "thrown" in str(error) or "exception" in str(error):
                return UNCAUGHT
            raise GivenUp(str(error)) from None
        return ""


class Ours:
    """One of our engines."""

    def __init__(self, engine: str, flavour: Flavour) -> None:
        self.engine, self.flavour = engine, flavour
        self.handed_over = 0

    def __str__(self) -> str:
        return f"{self.engine}, {self.flavour.value}"

    def run(self, case: Instrumented, module: Module, limits: Limits, calls: int) -> Outcome:
        """Make so many of the calls. Raises GivenUp."""
        engine = ENGINES[self.engine]()
        helper = instantiate(support(), lambda *_: None, ENGINES[self.engine](), flavour=self.flavour)

        def lookup(module_name: str, name: str) -> Extern | None:
            found: Extern = helper.exports[imported_name(module_name, name)]
            return found

        made: list[Instance] = []
        with helper:
            start = self.ended(
                lambda: made.append(instantiate(module, lookup, engine, limits=limits, flavour=self.flavour))
            )
            if not made:
                return Outcome((start,), ())
            with made[0] as instance:
                ended = [start]
                for name in case.calls[:calls]:
                    ended.append(self.ended(instance.exports[name]))
                self.handed_over += len(getattr(engine, "interpreted", ()))
                memories = [instance.exports[name] for name in case.memories] + [helper.exports["log"]]
                return Outcome(tuple(ended), tuple(hashed(memory.buffer) for memory in memories))

    def ended(self, does: Any) -> str:
        try:
            does()
        except LimitError as error:
            raise GivenUp(str(error)) from None
        except WasmException:
            return UNCAUGHT
        except Trap as trap:
            if trap.kind is TrapKind.CALL_STACK_EXHAUSTED:
                raise GivenUp(str(trap)) from None
            return str(MEANS[trap.kind])
        return ""


def imported_name(module: str, name: str) -> str:
    """The export of `foreign.wat` that an import is."""
    return "extern" if module == GLOBALS else name


def linkable(module: Module) -> bool:
    known = {export.name for export in support().exports}
    return all(imported_name(each.module, each.name) in known for each in module.imports)


@dataclass
class Tally:
    """What came of it all."""

    modules: int = 0
    functions: int = 0
    calls: int = 0
    trapped: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """What was not compared, and why."""
    handed_over: int = 0
    differences: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        left = ", ".join(f"{count} {why}" for why, count in sorted(self.left.items())) or "nothing"
        return (
            f"{self.modules} modules of {self.functions} functions, {self.calls} calls, {self.trapped} up to "
            f"a trap or exception; left out: {left}; {self.handed_over} functions handed to interpret; "
            f"{len(self.differences)} differences"
        )


class Foreign:
    """Runs modules of others on all engines and keeps a tally."""

    def __init__(self, tool: Path, seed: int, folder: Path | None = None) -> None:
        self.tool, self.seed, self.folder = tool, seed, folder
        self.theirs = Theirs()
        flavours = sorted({Flavour.default(), Flavour.STRUCT}, key=lambda flavour: flavour.value)
        self.ours = [
            Ours("interpret", Flavour.default()),
            *(Ours("compile", flavour) for flavour in flavours),
        ]
        self.tally = Tally()

    def run(self, count: int, first: int = 0) -> Iterator[None]:
        """Examine so many modules; yields after each."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = self.folder or Path(temporary)
            for start in range(first, first + count, TOGETHER):
                stop = min(start + TOGETHER, first + count)
                make_modules(self.tool, self.seed, start, stop, folder)
                for number in range(start, stop):
                    path = folder / f"{number}.wasm"
                    if path.exists():
                        self.examine(number, path.read_bytes())
                    else:
                        self.tally.left["modules that wasm-opt didn't make"] += 1
                    yield

    def examine(self, number: int, data: bytes) -> None:
        """Run one module on all engines."""
        where = f"seed {self.seed}, module {number}"
        valid = self.theirs.native.accepts(data)
        try:
            module = decode(data)
            validate_all(module)
        except WasmError as error:
            if valid:
                self.tally.differences.append(f"{where}: {error}, wasmtime finds it valid")
            self.tally.left["modules that wasmtime refuses, too"] += not valid
            return
        if not valid:
            self.tally.differences.append(f"{where}: wasmtime finds it invalid")
        elif not linkable(module):
            self.tally.left["modules with other imports"] += 1
        else:
            self.compare(where, number, module)

    def compare(self, where: str, number: int, module: Module) -> None:
        tally = self.tally
        case = instrumented(module, Random(f"{self.seed} {number} arguments"))
        tally.left["exports without arguments"] += case.uncalled
        ours = decode(case.data)
        validate_module(ours)
        try:
            expected = self.theirs.run(case, ours)
            for mine in self.ours:
                limits = LIMITS[number % len(LIMITS)]
                outcome = mine.run(case, ours, limits, len(expected.ended) - 1)
                same_memories = not expected.memories or outcome.memories == expected.memories
                if outcome.ended != expected.ended or not same_memories:
                    tally.differences.append(f"{where}: {mine} {outcome}, wasmtime {expected}")
        except GivenUp as why:
            tally.left[f"modules: {str(why)[:60]}"] += 1
            return
        tally.modules += 1
        tally.functions += len(module.funcs)
        tally.calls += len(expected.ended) - 1
        tally.trapped += sum(map(bool, expected.ended))
        tally.left["modules from a call on that runs on"] += not expected.memories and not expected.ended[0]
        tally.handed_over = sum(mine.handed_over for mine in self.ours)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare all engines and wasmtime on binaryen's modules.")
    parser.add_argument("--count", type=int, default=200, help="modules (200)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (0)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binaryen", default="", help="folder of npm's package binaryen")
    parser.add_argument("--folder", type=Path, help="where modules are kept")
    arguments = parser.parse_args()
    tool = found_tool(arguments.binaryen)
    if tool is None:
        sys.exit("no node, or no wasm-opt of npm's binaryen: --binaryen or BINARYEN names the folder")
    foreign = Foreign(tool, arguments.seed, arguments.folder)
    start = time.perf_counter()
    for _ in foreign.run(arguments.count, arguments.first):
        if len(foreign.tally.differences) > 20:
            break
    for difference in foreign.tally.differences:
        print(difference)
    print(f"{foreign.tally}; {time.perf_counter() - start:.0f} s")
    sys.exit(bool(foreign.tally.differences))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
