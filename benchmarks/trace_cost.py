"""What watching costs: a guest's inferences with and without `--trace=host,nn`, in turn, in one run.

    python benchmarks/trace_cost.py [ROUNDS]

Two guests: one that runs a MobileNet-like network on 224 x 224 pictures through onnxruntime in a loop of
set_input, compute, get_output; and examples/digits, the whole program from its file to its answer, with the
loading of model and library left out (they are warm). The trace writes lines, as the command line has it,
into the void. Printed: medians with quartiles, and the median of the rounds' ratios. Exit code 1 if that is
above MOST for the network.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from benchmarks.nn_overhead import GUEST, mobile  # noqa: E402
from pywasm_nn import NN, Capture, Limits, Module, Trace, Wasi  # noqa: E402
from pywasm_nn.watch.text import Lines  # noqa: E402

MOST = 1.05
"""What tracing may cost."""
DIGITS = ROOT / "examples" / "digits"
PICTURES = 1
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


def digits(module: Module, nn: NN, trace: Trace | None) -> None:
    wasi = Wasi(args=["app.wasm"], dirs={"models": DIGITS / "models"}, stdout=Capture())
    with module.instantiate(wasi, nn, observer=trace) as app:
        app.exports["_start"]()


def timed(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def compared(name: str, plain: Callable[[], Any], traced: Callable[[], Any], rounds: int) -> float:
    """Time both in turn, print what came of it, and give the median of the rounds' ratios."""
    plain(), traced()
    without, with_ = [], []
    for number in range(rounds):
        pairs = [(without, plain), (with_, traced)]
        for times, call in pairs if number % 2 else reversed(pairs):
            times.append(timed(call))
    ratios = [b / a for a, b in zip(without, with_, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(
        f"{name:<32} plain {1e3 * statistics.median(without):8.2f} ms, traced"
        f" {1e3 * statistics.median(with_):8.2f} ms, ratio {middle:.3f} ({low:.3f} to {high:.3f})",
        flush=True,
    )
    return middle


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 41
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "m.onnx"
        path.write_bytes(mobile().data())
        nn = NN(models={"m": path}, backends={"onnx": "onnxruntime"})
        cost = compared(f"network, {PICTURES} pictures", Network(nn, None), Network(nn, tracing()), rounds)
        module, bundled = Module.from_file(DIGITS / "app.wasm"), NN(trust_guest_models=True)
        compared(
            "digits, the whole program",
            lambda: digits(module, bundled, None),
            lambda: digits(module, bundled, tracing()),
            rounds,
        )
    return 0 if cost <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
