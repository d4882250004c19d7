"""A guest that classifies a JPEG on `--engine wasmtime`, Python's start included, against wasmtime's package:
`python benchmarks/end_to_end.py`.

The guest is `classify` of `programs.py`, kept in its `--folder`. Each run is a process whose compiled code is
kept, and they take turns: with a host by hand (`hand_nn.py`), with the model in a child process, as is usual,
and with `--trust-models`. All must print the same: else exit code 1. Printed are seconds by the clock and of
processor time, best of all rounds, and ratios of these with the middle half of those of single rounds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import programs
from against import environment_of, middle, processor_time

ROOT = Path(__file__).resolve().parents[1]
HAND = ROOT / "benchmarks" / "hand_nn.py"
BY_HAND = "by hand"


def commands(path: Path, cache: str) -> dict[str, list[str]]:
    """How each runs the guest in the working directory."""
    run = [
        sys.executable,
        "-m",
        "pywasm_nn",
        "run",
        "--engine",
        "wasmtime",
        "--cache-dir",
        cache,
        "--dir",
        ".",
    ]
    guest = [str(path), *programs.ALL["classify"].args]
    return {
        BY_HAND: [sys.executable, str(HAND), *guest],
        "in a child": [*run, *guest],
        "--trust-models": [*run, "--trust-models", *guest],
    }


def measured(command: Sequence[str], directory: str) -> tuple[float, float, bytes]:
    """Seconds by the clock and of processor time, and what it printed."""
    before = time.perf_counter()
    worked, out = processor_time(command, cwd=directory, env=environment_of(ROOT))
    return time.perf_counter() - before, worked, out


def row(name: str, times: Sequence[tuple[float, float]], theirs: Sequence[tuple[float, float]]) -> str:
    """A row of the table: by the clock, and in processor time."""
    cells = [name]
    for which in range(2):
        ours, hand = [one[which] for one in times], [one[which] for one in theirs]
        ratios = [a / b for a, b in zip(ours, hand, strict=True)]
        cells.append(f"{min(ours):.3f} | {min(ours) / min(hand):.2f} ({middle(ratios, 2)})")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=programs.FOLDER)
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    program = programs.ALL["classify"]
    asked.folder.mkdir(parents=True, exist_ok=True)
    path = program.build("classify", asked.folder).resolve()
    times: dict[str, list[tuple[float, float]]] = {}
    printed: set[bytes] = set()
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as cache:
        program.files(Path(directory))
        for number in range(asked.rounds + 1):
            for name, command in commands(path, cache).items():
                clock, worked, out = measured(command, directory)
                printed.add(out)
                if number:  # the first run of each compiles
                    times.setdefault(name, []).append((clock, worked))
    print(
        "| the model is | s by the clock | ratio | s of processor time | ratio |\n|---|---:|---:|---:|---:|"
    )
    for name, found in times.items():
        print(row(name, found, times[BY_HAND]))
    print(f"\n{asked.rounds} rounds, load {os.getloadavg()[0]:.1f}")
    if len(printed) > 1:
        sys.exit("not all printed the same")


if __name__ == "__main__":
    main()
