"""Processor time of this tree against that of another checkout: `python benchmarks/against.py ../before`.

A process for each tree; they take turns, round by round, so that a busy machine disturbs both alike. Measured
are the crossings (a call from outside, with and without a deadline; a call to the host; making and closing an
instance; `Limits()`; an inference of next to nothing by onnxruntime), the kernels of `compare.py`, and whole
processes: a hello world whose code is kept, the import of this package, and `import click` beside it. Both
trees run on this Python with the same packages.

A ratio is that of the best times; beside it the middle half of the ratios of single rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HELLO = ROOT / "tests" / "guests" / "hello_c.wasm"
CROSSING = """(module (import "env" "nothing" (func $nothing (param i32))) (memory (export "memory") 1)
  (func (export "id") (param i32) (result i32) (local.get 0))
  (func (export "call") (param i32)
    (loop (call $nothing (local.get 0))
      (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))"""
CALLS = 2000
KERNELS = {
    "fib": 18, "loop32": 20_000, "loop64": 10_000, "sieve": 20_000, "matmul": 24, "sha256": 2048,
    "crc32": 20_000, "preproc": 64, "vm": 1000, "strmem": 5000, "qsort_": 2000, "icall": 10_000,
}  # fmt: skip
"""What each is called with, for a few milliseconds."""
PROCESSES = {
    "python": ["-c", "pass"],
    "import click": ["-c", "import click"],
    "import pywasm_nn": ["-c", "import pywasm_nn"],
    "hello world": ["-m", "pywasm_nn", "run", "--cache-dir=CACHE", str(HELLO)],
}
INFERENCE = "inference"
Measure = Callable[[], object]


def crossings() -> dict[str, tuple[Measure, int]]:
    """What is measured inside of a process, and how often it does it in one call."""
    from pywasm_nn import Limits, Module

    def nothing(n: int) -> None:
        pass

    imports = {"env": {"nothing": nothing}}
    module = Module.from_text(CROSSING)
    timed = {"imports": imports, "limits": Limits(seconds=3600)}
    plain, hurried = (module.instantiate(**given).exports for given in ({"imports": imports}, timed))

    def again(call: Measure) -> tuple[Measure, int]:
        def calls() -> None:
            for _ in range(CALLS):
                call()

        return calls, CALLS

    def make() -> None:
        module.instantiate(imports=imports).close()

    def make_timed() -> None:
        module.instantiate(**timed).close()

    def make_and_call() -> None:
        with module.instantiate(imports=imports) as instance:
            instance.exports.id(7)

    plain_id, hurried_id = plain.id, hurried.id
    return {
        "entry": again(lambda: plain_id(7)),
        "entry, seconds": again(lambda: hurried_id(7)),
        "host call": (lambda: plain.call(CALLS), CALLS),
        "host call, seconds": (lambda: hurried.call(CALLS), CALLS),
        "instance": (lambda: [make() for _ in range(100)], 100),
        "instance, seconds": (lambda: [make_timed() for _ in range(100)], 100),
        "instance, call": (lambda: [make_and_call() for _ in range(100)], 100),
        "Limits()": again(Limits),
        "Limits(seconds=)": again(lambda: Limits(seconds=1.0)),
    }


def kernels() -> dict[str, tuple[Measure, int]]:
    from pywasm_nn import Module

    exports = Module.from_file(HERE / "kernels" / "kern.wasm").instantiate().exports
    return {name: (lambda call=exports[name], n=n: call(n), 1) for name, n in KERNELS.items()}


def inference() -> dict[str, tuple[Measure, int]]:
    """A guest's set_input twice, compute and get_output, on the addition of `nn_overhead.py`."""
    from pywasm_nn import NN, Module  # before `nn_overhead`, which would import those of its own checkout

    sys.path.insert(0, str(HERE))
    import nn_overhead as overhead

    model = overhead.addition()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        path.write_bytes(model.data())
        nn = NN(models={"m": overhead.named(path)}, backends={"onnx": "onnxruntime"})
        guest = overhead.Guest(nn, Module.from_text(overhead.GUEST), overhead.inputs_of(model), 16)
    return {INFERENCE: (lambda: guest.loop(500), 500)}


def serve() -> None:
    """Measure what is asked for on standard input, a name a line; answer in seconds."""
    known = crossings() | kernels()
    for line in sys.stdin:
        if line.strip() == INFERENCE and INFERENCE not in known:
            known |= inference()
        measure, times = known[line.strip()]
        start = time.process_time()
        measure()
        print((time.process_time() - start) / times, flush=True)


def environment_of(root: Path) -> dict[str, str]:
    """The environment of a process that imports the package of a checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(root)}


def processor_time(command: Sequence[str], **given: Any) -> tuple[float, bytes]:
    """The processor time of a process, and what it prints. Raises CalledProcessError if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, **given)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


class Tree:
    """A checkout, and the process that measures it: a script with `--serve`."""

    def __init__(self, root: Path, cache: str, script: str = __file__) -> None:
        self.cache, self.script = cache, script
        self.environment = environment_of(root)
        self._server: subprocess.Popen[str] | None = None

    def measure(self, name: str) -> float:
        return self.process(name) if name in PROCESSES else self.ask(name)

    def process(self, name: str) -> float:
        """The processor time of a whole process."""
        words = [word.replace("CACHE", self.cache) for word in PROCESSES[name]]
        return processor_time([sys.executable, *words], env=self.environment, cwd=self.cache)[0]

    def ask(self, name: str) -> float:
        if self._server is None:
            self._server = subprocess.Popen(
                [sys.executable, self.script, "--serve"], env=self.environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        server: Any = self._server
        print(name, file=server.stdin, flush=True)
        return float(server.stdout.readline())


def middle(ratios: list[float], digits: int = 3) -> str:
    low, _, high = statistics.quantiles(ratios, n=4)
    return f"{low:.{digits}f}-{high:.{digits}f}"


def main() -> None:
    names = [*PROCESSES, *CROSSINGS, INFERENCE, *KERNELS]
    parser = argparse.ArgumentParser(description="Processor time of this tree against another checkout's.")
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("only", nargs="*", metavar="MEASURE", help=f"which ones ({', '.join(names)})")
    parser.add_argument("--rounds", type=int, default=40, help="turns of each (40)")
    parser.add_argument("--json", action="store_true", help="print all times as JSON")
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        here, there = Tree(ROOT, one), Tree(arguments.other.resolve(), two)
        print("| | here | there | ratio of best times (middle half) |\n|---|---:|---:|---:|")
        best_of: dict[str, float] = {}
        for name in arguments.only or names:
            times = take_turns(here, there, name, arguments.rounds)
            if arguments.json:
                print(json.dumps({name: times}))
            mine, others = (min(each) for each in zip(*times, strict=True))
            best_of[name] = mine
            spread = middle([a / b for a, b in times])
            print(
                f"| {name} | {shown(mine)} | {shown(others)} | {mine / others:.3f} ({spread}) |", flush=True
            )
        if {"import click", "hello world"} <= best_of.keys():
            print(f"\nhello world / import click: {best_of['hello world'] / best_of['import click']:.2f}")


CROSSINGS = (
    "entry", "entry, seconds", "host call", "host call, seconds", "instance", "instance, seconds",
    "instance, call", "Limits()", "Limits(seconds=)",
)  # fmt: skip


class Measured(Protocol):
    """A checkout that can be measured."""

    def measure(self, name: str) -> float:
        """The processor time of what has this name."""
        ...


def take_turns(
    here: Measured, there: Measured, name: str, rounds: int, warm: int = 2
) -> list[tuple[float, float]]:
    """Times of both, after some rounds to warm up; the one that goes first changes."""
    times = []
    for turn in range(rounds + warm):
        if turn % 2:
            mine, others = here.measure(name), there.measure(name)
        else:
            others, mine = there.measure(name), here.measure(name)
        times.append((mine, others))
    return times[warm:]


def shown(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds > 1e-3 else f"{seconds * 1e6:.2f} us"


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
