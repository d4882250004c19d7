"""The long run of the fuzz targets: `python -m tests.fuzz --count 200000 --seed 1 [TARGET ...]`.

Each target runs in a process of its own, whose memory is told at the end; `--address-space 2` limits that
process to so many GiB. An input that gives another error than the documented ones, takes more than `SECONDS`,
or a process that grows beyond `MEGABYTES` is a failure, and the seed of the input is printed: `--only SEED`
repeats it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import traceback
from collections import Counter
from random import Random

from .targets import SECONDS, TARGETS, time_limit

MEGABYTES = 512


def run(name: str, count: int, seed: int, only: int | None) -> int:
    """Feed a target; the number of inputs that failed."""
    target = TARGETS[name]
    outcomes: Counter[str] = Counter()
    failures, slowest, began = 0, 0.0, time.perf_counter()
    for case in range(count) if only is None else [only]:
        start = time.perf_counter()
        try:
            with time_limit(SECONDS):
                outcomes[target.feed(target.input(Random(f"{name} {seed} {case}")))] += 1
        except Exception:
            failures += 1
            print(f"{name}, seed {seed}, input {case}:", flush=True)
            traceback.print_exc(limit=-8)
            if failures == 10:
                break
        slowest = max(slowest, time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    failures += peak > MEGABYTES
    counted = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    print(
        f"{name}: {sum(outcomes.values())} inputs, {failures} failures, slowest {slowest:.2f} s, "
        f"peak {peak} MB, {time.perf_counter() - began:.0f} s: {counted}"
    )
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed hostile inputs to the fuzz targets.")
    parser.add_argument("targets", nargs="*", help=f"which ones: {', '.join(TARGETS)} (all)")
    parser.add_argument("--count", type=int, default=2000, help="inputs for each (2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the one input with this number")
    parser.add_argument("--address-space", type=float, help="GiB that a target's process may map")
    parser.add_argument("--here", action="store_true", help="in this process")
    arguments = parser.parse_args()
    if arguments.here:
        if arguments.address_space:
            size = int(arguments.address_space * (1 << 30))
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        (name,) = arguments.targets
        sys.exit(min(run(name, arguments.count, arguments.seed, arguments.only), 1))
    given = [argument for argument in sys.argv[1:] if argument not in arguments.targets]
    command = [sys.executable, "-m", "tests.fuzz", *given, "--here"]
    failed = [
        name
        for name in arguments.targets or TARGETS
        if subprocess.run([*command, name], check=False).returncode
    ]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
