"""Loops over pictures as three compilers emit them, on this tree and on another checkout.

    python benchmarks/loops.py ../before [--rounds N] [LOOP ...]

The loops are those of `tests/guests/arrays`. A process for each tree; they take turns, and have the same
data. Each loop goes over 224 x 224 x 3 elements, and over 8. Printed is how many times as long the other tree
takes for many elements, and how much of its time this one takes for eight, called from outside: processor
time, best of all rounds, and the middle half of the ratios of single rounds. Exit code 1 if a loop is less
than MANY times as fast, or takes more than FEW times as long.
"""

from __future__ import annotations

import argparse
import struct
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from against import Tree, middle, take_turns

HERE = Path(__file__).resolve().parent
GUESTS = HERE.parent / "tests" / "guests" / "arrays"
COMPILERS = ("clang", "rust", "assemblyscript")
MANY, FEW = 10, 1.1
PICTURE = 224 * 224 * 3
CALLS = 400
"""How often a loop over eight elements is called at a time."""
A, B, C, D = 1 << 20, 3 << 20, 5 << 20, 7 << 20
"""Where bytes, results, floats and more bytes are."""
LOOPS = {
    "normalise": "normalise u8 to f32", "chw": "HWC to CHW, bytes", "hwc": "CHW to HWC, floats",
    "ycc": "YCbCr to RGB", "argmax": "argmax", "argmax-again": "argmax, the best value loaded again",
    "sumb": "sum of bytes", "sumf": "sum of floats", "threshold": "threshold", "blend": "blend",
    "quantise": "quantise", "dequant": "dequantise", "lut": "look up in a table",
}  # fmt: skip
EXPORTS = {("clang", "argmax"): "argmax2"}
"""Other names of loops: clang's guest has both kinds of argmax."""


def arguments(name: str, count: int) -> tuple[Any, ...]:
    """What a loop is called with for so many elements."""
    return {
        "normalise": (A, B, count), "chw": (A, B, count // 3), "hwc": (C, B, count // 3),
        "ycc": (A, A + PICTURE // 3, D, B, count // 3), "argmax": (C, count), "argmax-again": (C, count),
        "sumb": (A, count), "sumf": (C, count), "threshold": (A, B, count, 100),
        "blend": (A, D, B, count, 77), "quantise": (C, B, count, 0.1, 3), "dequant": (A, B, count, 0.1, 7),
        "lut": (A, B, D, count),
    }[name]  # fmt: skip


def exported(compiler: str) -> dict[str, Any]:
    """The loops as a compiler has made them, with memory filled."""
    from pywasm_nn import Module

    random = Random(1)
    data = random.randbytes(PICTURE + 1024)
    floats = struct.pack(f"<{PICTURE}f", *[random.uniform(-50, 50) for _ in range(PICTURE)])
    guests = {}
    for which in ("", "-reductions"):
        module = Module.from_text((GUESTS / f"{compiler}{which}.wat").read_text())
        guests[which] = module.instantiate().exports
        for address, bytes_ in ((A, data), (C, floats), (D, data[::-1])):
            guests[which]["memory"].write(address, bytes_)
    first = {name: guests[""][EXPORTS.get((compiler, name), name)] for name in LOOPS if "-" not in name}
    return {**first, "argmax-again": guests["-reductions"]["argmax"]}


def serve() -> None:
    """Measure what is asked for on standard input, `COMPILER LOOP COUNT` a line; answer in seconds."""
    known = {compiler: exported(compiler) for compiler in COMPILERS}
    for line in sys.stdin:
        compiler, name, count = line.split()
        loop, given = known[compiler][name], arguments(name, int(count))
        times = CALLS if int(count) < 100 else 1
        start = time.process_time()
        for _ in range(times):
            loop(*given)
        print((time.process_time() - start) / times, flush=True)


def compared(here: Tree, there: Tree, loop: str, rounds: int) -> tuple[str, bool]:
    """A cell of the table for `COMPILER LOOP`, and whether both ratios are as they should be."""
    many = take_turns(here, there, f"{loop} {PICTURE}", rounds)
    few = take_turns(here, there, f"{loop} 8", rounds)
    mine, others = map(min, zip(*many, strict=True))
    my_few, their_few = map(min, zip(*few, strict=True))
    faster = f"{others / mine:.0f} ({middle([b / a for a, b in many], 0)})"
    longer = f"{my_few / their_few:.2f} ({middle([a / b for a, b in few], 2)})"
    return f"{faster}, {longer}", others >= MANY * mine and my_few <= FEW * their_few


def main() -> int:
    parser = argparse.ArgumentParser(description="Loops over pictures here and in another checkout.")
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("only", nargs="*", metavar="LOOP", help=f"which ones ({', '.join(LOOPS)})")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each (9)")
    given = parser.parse_intermixed_args()
    here, there = Tree(HERE.parent, "", __file__), Tree(given.other.resolve(), "", __file__)
    print(f"| loop | {' | '.join(COMPILERS)} |\n|---|{'---:|' * len(COMPILERS)}")
    is_good = True
    for name in given.only or LOOPS:
        cells = [compared(here, there, f"{compiler} {name}", given.rounds) for compiler in COMPILERS]
        print(f"| {LOOPS[name]} | {' | '.join(cell for cell, _ in cells)} |", flush=True)
        is_good &= all(good for _, good in cells)
    return 0 if is_good else 1


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else sys.exit(main())
