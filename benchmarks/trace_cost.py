"""What watching costs: a guest's inferences with and without `--trace=host,nn`, in turn, in one run.

    python benchmarks/trace_cost.py [ROUNDS]

Two guests: one that runs a MobileNet-like network on 224 x 224 pictures through onnxruntime in a loop of
set_input, compute, get_output; and examples/digits as a process of its own, from the command to its answer.
Time is the processor's: what else runs on the machine doesn't count, and the framework has one thread, so
that no other of its threads does either. Printed: medians, and the median of the rounds' ratios with its
quartiles. Exit code 1 if one of those is above MOST.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - after the path is set

from benchmarks.nn_overhead import GUEST, mobile  # noqa: E402 - after the path is set
from pywasm_nn import NN, Limits, Module, Trace  # noqa: E402 - after the path is set
from pywasm_nn.nn import GraphConfig, NamedModel, Target  # noqa: E402 - after the path is set
from pywasm_nn.watch.text import Lines  # noqa: E402 - after the path is set

MOST = 1.05
"""What tracing may cost."""
DIGITS = ROOT / "examples" / "digits"
PICTURES = 10
"""Inferences in a round of the network."""


def tracing() -> Trace:
    """A trace as `--trace` makes one, whose lines nobody reads."""
    return Trace(["host", "nn"], Lines(lambda line: None))


class Network:
    """A guest that is ready to loop, watched or not."""

    def __init__(self, nn: NN, trace: Trace | None) -> None:
        self.instance = Module.from_text(GUEST).instantiate(
            nn=nn, observer=trace, limits=Limits(memory=1 << 30)
        )
        exports, memory = self.instance.exports, self.instance.memory
        picture = np.random.default_rng(1).random((1, 3, 224, 224), "f4")
        exports.room(picture.nbytes // 65536 + 2)
        memory.write(0x400, np.array(picture.shape, "<u4").tobytes())
        memory.write(0x100, np.array([0x400, 4, 1, 0x10000, picture.nbytes], "<u4").tobytes())
        memory.write(0x10000, picture.tobytes())
        self.out = 0x10000 + picture.nbytes
        exports.start()

    def __call__(self) -> None:
        self.instance.exports.loop(PICTURES, 1, self.out, 4000, 1)


def network(instance: Network) -> float:
    """Processor seconds of a round."""
    began = time.thread_time()
    instance()
    return time.thread_time() - began


def digits(*options: str) -> float:
    """Processor seconds of a process."""
    command = [sys.executable, "-m", "pywasm_nn", "run", *options, "--dir", "models", "app.wasm"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=DIGITS, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return usage.ru_utime + usage.ru_stime


def compared(name: str, plain: Callable[[], float], traced: Callable[[], float], rounds: int) -> bool:
    """Time both in turn, print what came of it, and say whether it is little enough."""
    plain(), traced()
    without, with_ = [], []
    for number in range(rounds):
        pairs = [(without, plain), (with_, traced)]
        for times, call in pairs if number % 2 else reversed(pairs):
            times.append(call())
    ratios = [b / a for a, b in zip(without, with_, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(
        f"{name:<24} plain {1e3 * statistics.median(without):8.2f} ms, traced"
        f" {1e3 * statistics.median(with_):8.2f} ms, ratio {middle:.3f} ({low:.3f} to {high:.3f})",
        flush=True,
    )
    return middle <= MOST


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 41
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "m.onnx"
        path.write_bytes(mobile().data())
        model = NamedModel((path,), None, GraphConfig(Target.CPU, {"threads": 1}))
        nn = NN(models={"m": model}, backends={"onnx": "onnxruntime"})
        plain, traced = Network(nn, None), Network(nn, tracing())
        good = compared("a network, 10 pictures", lambda: network(plain), lambda: network(traced), rounds)
    return (
        0 if compared("digits, a process", digits, lambda: digits("--trace=host,nn"), rounds) and good else 1
    )


if __name__ == "__main__":
    sys.exit(main())
