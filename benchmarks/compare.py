"""Compare pywasm-nn with other ways to run the same program: `python benchmarks/compare.py`.

Twelve kernels (`kernels/kern.c`) run in one process, the contestants taking turns, so that a busy machine
disturbs them alike: pywasm-nn, Python written by hand (`hand.py`), and with numpy where that helps
(`hand_numpy.py`), pywasm and ppci (WebAssembly in pure Python), wasmtime's Python package (native code), and
pywasm-nn's engine of that name, which uses it. Every result is checked against wasmtime's. pywasm and ppci
are so slow that they get a smaller `n`, in a second run in which pywasm-nn has the same. `--same` gives them
that of the others: what a longer run costs, without the microseconds of calls, in minutes.

A ratio is that of the best times; beside it the middle half of the ratios of single rounds. Who isn't
installed is left out: `pip install pywasm==2.2.3 ppci==0.5.8 wasmtime`.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.util
import io
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import hand

KERNELS = Path(__file__).parent / "kernels" / "kern.wasm"
SIZES = {
    "fib": (22, 12), "loop32": (100_000, 600), "loop64": (50_000, 600), "sieve": (100_000, 1000),
    "matmul": (48, 7), "sha256": (8192, 64), "crc32": (100_000, 600), "preproc": (64, 9), "vm": (4000, 40),
    "strmem": (20_000, 150), "qsort_": (8000, 100), "icall": (60_000, 500),
}  # fmt: skip
"""For each kernel what it is called with: by everyone fast, and by everyone."""
INEXACT = {"hand": {"matmul", "preproc"}, "hand with numpy": {"matmul"}, "ppci": {"matmul", "preproc"}}
"""Who doesn't round to single precision, or adds in another order, where that shows."""

Kernel = Callable[[int], int]
Contestant = Callable[[str], Kernel | None]
"""Gives a kernel by its name; None for one that it doesn't have."""


def ours(engine: str = "compile") -> Contestant:
    from pywasm_nn import Module

    instance = Module.from_file(KERNELS).instantiate(engine=engine)
    return lambda name: instance.exports[name]


def by_hand() -> Contestant:
    return lambda name: getattr(hand, name)


def with_numpy() -> Contestant:
    import hand_numpy

    return lambda name: getattr(hand_numpy, name, None)


def with_pywasm() -> Contestant:
    import pywasm

    runtime = pywasm.core.Runtime()
    instance = runtime.instance_from_file(str(KERNELS))
    return lambda name: lambda n: runtime.invocate(instance, name, [n])[0]


def with_ppci() -> Contestant:
    from ppci.wasm import Module, instantiate

    with contextlib.redirect_stdout(io.StringIO()):
        instance = instantiate(Module(KERNELS.read_bytes()), {}, target="python")
    return lambda name: instance.exports[name]


def with_wasmtime() -> Contestant:
    import wasmtime

    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, str(KERNELS)), []).exports(
        store
    )

    def kernel(name: str) -> Kernel:
        function: Any = exports[name]
        return lambda n: function(store, n)

    return kernel


CONTESTANTS: dict[str, Callable[[], Contestant]] = {
    "pywasm-nn": ours,
    "hand": by_hand,
    "hand with numpy": with_numpy,
    "wasmtime": with_wasmtime,
    "wasmtime engine": partial(ours, "wasmtime"),
    "pywasm": with_pywasm,
    "ppci": with_ppci,
}
CHECKED = "wasmtime"
"""Its results are right: it always takes part."""
SLOW = ("pywasm", "ppci")
PACKAGES = {
    "hand with numpy": "numpy",
    "wasmtime": "wasmtime",
    "wasmtime engine": "wasmtime",
    "pywasm": "pywasm",
    "ppci": "ppci",
}
"""What contestants need."""


class Timing:
    """Times of one contestant on one kernel, in seconds, one of each round."""

    def __init__(self, contestant: str, kernel: str, call: Kernel, n: int) -> None:
        self.contestant, self.kernel, self.call, self.n = contestant, kernel, call, n
        self.times: list[float] = []
        self.result = 0

    def round(self) -> None:
        start = time.perf_counter()
        result = self.call(self.n)
        self.times.append(time.perf_counter() - start)
        self.result = result & 0xFFFFFFFF


def take_turns(timings: Collection[Timing], seconds: float) -> None:
    """Once to warm up, and then until the time is over, at least three times."""
    for timing in timings:
        timing.round()
        timing.times.clear()
    rounds, end = 0, time.perf_counter() + seconds
    while rounds < 3 or time.perf_counter() < end:
        for timing in timings:
            timing.round()
        rounds += 1


def race(kernel: str, n: int, racers: dict[str, Contestant], seconds: float) -> dict[str, Timing]:
    """Let contestants take turns, once to warm up and then until the time is over, at least three times."""
    calls = {name: racer(kernel) for name, racer in racers.items()}
    timings = {name: Timing(name, kernel, call, n) for name, call in calls.items() if call is not None}
    take_turns(timings.values(), seconds)
    right = timings[CHECKED].result
    for name, timing in timings.items():
        if timing.result != right and kernel not in INEXACT.get(name, ()):
            raise SystemExit(f"{kernel}({n}): {name} says {timing.result:#x}, wasmtime {right:#x}")
    return timings


def ratio(one: Timing, other: Timing) -> tuple[float, str]:
    """How many times longer one took than the other, and the middle half of what single rounds say."""
    single = [a / b for a, b in zip(one.times, other.times, strict=True)]
    low, _, high = statistics.quantiles(single, n=4)
    best = min(one.times) / min(other.times)
    return best, f"{figure(best)} ({figure(low)}-{figure(high)})"


def figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare pywasm-nn with other ways to run the same program.")
    parser.add_argument("kernels", nargs="*", default=list(SIZES), help="which kernels (all)")
    others = [name for name in CONTESTANTS if name not in ("pywasm-nn", CHECKED)]
    parser.add_argument("--without", action="append", default=[], choices=others)
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each kernel and run (1)")
    parser.add_argument("--same", action="store_true", help="give pywasm and ppci the n of the others")
    arguments = parser.parse_args()
    names = [
        name
        for name in CONTESTANTS
        if name not in arguments.without
        and (name not in PACKAGES or importlib.util.find_spec(PACKAGES[name]) is not None)
    ]
    sys.setrecursionlimit(10_000)  # for those who recurse where the guest does
    racers = {name: CONTESTANTS[name]() for name in names}
    fast = {name: racer for name, racer in racers.items() if name not in SLOW}
    all_exact = {name: racer for name, racer in racers.items() if "hand" not in name}
    header = [name for name in names if name != "pywasm-nn"]
    print(
        f"{datetime.date.today()}, CPython {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores"
    )
    print("How many times longer than pywasm-nn each takes: of best times (middle half of single rounds)\n")
    print("| kernel | pywasm-nn | " + " | ".join(header) + " |")
    print("|---|---|" + "---|" * len(header))
    ratios: dict[str, list[float]] = {name: [] for name in header}
    for kernel in arguments.kernels:
        large, small = SIZES[kernel]
        timings = race(kernel, large, fast, arguments.seconds)
        cells = [f"{min(timings['pywasm-nn'].times) * 1e3:.2f} ms"]
        if any(name in SLOW for name in names):
            slow_timings = race(kernel, large if arguments.same else small, all_exact, arguments.seconds)
        for name in header:
            from_ = slow_timings if name in SLOW else timings
            if name not in from_:
                cells.append("")
                continue
            best, text = ratio(from_[name], from_["pywasm-nn"])
            ratios[name].append(best)
            cells.append(text)
        print(f"| {kernel} | " + " | ".join(cells) + " |", flush=True)
    every = [ratios[name] for name in header]
    means = [f"**{figure(statistics.geometric_mean(own))}**" if own else "" for own in every]
    print("| geometric mean | | " + " | ".join(means) + " |")


if __name__ == "__main__":
    main()
