"""What it costs to compile an instruction, by phases: `python benchmarks/compile_cost.py`.

All functions of guests in Rust, C++ and Go, one after the other: a body is decoded, validated, translated to
Python, and that compiled. Processor time of the best of some rounds, for each phase.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from pywasm_nn import Module
from pywasm_nn.interpreter.compile import Unsupported, Variant
from pywasm_nn.interpreter.compile.translate import translate
from pywasm_nn.interpreter.runtime.memory import Flavour
from pywasm_nn.interpreter.validate import validate_func

GUESTS = Path(__file__).parents[1] / "tests" / "guests"
NAMES = ("hello_rust", "hello_cpp", "hello_go")
PHASES = ("decode", "validate", "translate", "compile")


def moments(module: Module, index: int) -> Iterator[float]:
    """When the phases of a function begin, and when the last one ends."""
    yield time.process_time()
    _ = module.funcs[index].body
    yield time.process_time()
    facts = validate_func(module, index)
    yield time.process_time()
    translation = translate(module, index, facts, Variant(Flavour.default()))
    yield time.process_time()
    translation.compile()
    yield time.process_time()


def costs(path: Path) -> list[float]:
    """Microseconds an instruction, by phases."""
    module = Module.from_file(path)
    spent, instructions = [0.0] * len(PHASES), 0
    for index, func in enumerate(module.funcs):
        try:
            times = list(moments(module, index))
        except Unsupported:
            continue
        instructions += len(func.body.ops)
        spent = [sum_ + end - start for sum_, start, end in zip(spent, times, times[1:], strict=False)]
    return [seconds / instructions * 1e6 for seconds in spent]


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs to compile an instruction.")
    parser.add_argument("modules", nargs="*", type=Path, help="which modules (hellos in Rust, C++ and Go)")
    parser.add_argument("--rounds", type=int, default=5, help="how many (5)")
    arguments = parser.parse_args()
    paths = arguments.modules or [GUESTS / f"{name}.wasm" for name in NAMES]
    print("Microseconds an instruction\n")
    print(f"| module | {' | '.join(PHASES)} | sum |")
    print("|---|" + "---:|" * (len(PHASES) + 1))
    for path in paths:
        rounds = [costs(path) for _ in range(arguments.rounds)]
        best = [min(phase) for phase in zip(*rounds, strict=True)]
        print(f"| {path.stem} | {' | '.join(f'{cost:.2f}' for cost in [*best, sum(best)])} |")


if __name__ == "__main__":
    main()
