"""What limits on time and on instructions cost: `python benchmarks/limits_cost.py`.

The kernels of `compare.py` without limits, with a deadline, and with fuel, taking turns in one process; how
many times more processor time they take.
"""

from __future__ import annotations

import argparse
import statistics
import time

from compare import KERNELS, SIZES, Timing, figure, ratio, take_turns

from pywasm_nn import Limits, Module

CONTESTANTS = {
    "no limit": Limits(),
    "seconds": Limits(seconds=3600),
    "fuel": Limits(fuel=10**15),
    "both": Limits(seconds=3600, fuel=10**15),
}


class Used(Timing):
    """Processor time in place of the clock's, so that a busy machine disturbs less."""

    def round(self) -> None:
        start = time.thread_time()
        result = self.call(self.n)
        self.times.append(time.thread_time() - start)
        self.result = result & 0xFFFFFFFF


def race(kernel: str, module: Module, seconds: float) -> dict[str, Timing]:
    """Let all take turns until the time is over, at least three times after one to warm up."""
    calls = {name: module.instantiate(limits=limits).exports[kernel] for name, limits in CONTESTANTS.items()}
    timings: dict[str, Timing] = {
        name: Used(name, kernel, call, SIZES[kernel][0]) for name, call in calls.items()
    }
    take_turns(timings.values(), seconds)
    if len({timing.result for timing in timings.values()}) != 1:
        raise SystemExit(f"{kernel}: results differ")
    return timings


def main() -> None:
    parser = argparse.ArgumentParser(description="What limits on time and instructions cost.")
    parser.add_argument("kernels", nargs="*", default=list(SIZES), help="which kernels (all)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each kernel (1)")
    arguments = parser.parse_args()
    module = Module.from_file(KERNELS)
    limited = [name for name in CONTESTANTS if name != "no limit"]
    print("Processor time as multiples of that without limits: of best times (middle half of rounds)\n")
    print(f"| kernel | no limit | {' | '.join(limited)} |")
    print("|---|---|" + "---|" * len(limited))
    ratios: dict[str, list[float]] = {name: [] for name in limited}
    for kernel in arguments.kernels:
        timings = race(kernel, module, arguments.seconds)
        cells = [f"{min(timings['no limit'].times) * 1e3:.2f} ms"]
        for name in limited:
            best, text = ratio(timings[name], timings["no limit"])
            ratios[name].append(best)
            cells.append(text)
        print(f"| {kernel} | {' | '.join(cells)} |", flush=True)
    means = [f"**{figure(statistics.geometric_mean(ratios[name]))}**" for name in limited]
    print(f"| geometric mean | | {' | '.join(means)} |")


if __name__ == "__main__":
    main()
