"""What batching of computes gains: processor time of a compute, of 16 guests on 16 threads and one model.

    python benchmarks/batching.py [ROUNDS]

The models are dense networks on onnxruntime with one thread, of which the small one takes about 0.1 ms and
the other one some milliseconds; rounds with and without {"batch": 8, "wait": "2ms"} alternate. The gain is
the ratio of the fastest rounds; exit code 1 if it is less for the small model than promised. The large one is
shown to compare.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - after the path is set

from pywasm_nn.nn import NN, GraphConfig, NamedModel, Tensor  # noqa: E402 - after the path is set
from pywasm_nn.nn.session import Session  # noqa: E402 - after the path is set
from tests.nn.backends.onnx_writer import Model, node  # noqa: E402 - after the path is set

LEAST = 1.3
THREADS = 16
BATCH = {"batch": 8, "wait": "2ms"}
"""Options of the batched model."""


def network(path: Path, width: int, layers: int) -> Path:
    """A dense network with a free batch dimension N."""
    random = np.random.default_rng(1)
    nodes, weights, name = [], {}, "x"
    for at in range(layers):
        weights[f"w{at}"] = (random.standard_normal((width, width)) / np.sqrt(width)).astype("f4")
        nodes += [node("MatMul", [name, f"w{at}"], [f"m{at}"]), node("Relu", [f"m{at}"], [f"h{at}"])]
        name = f"h{at}"
    shape = ("float32", ("N", width))
    path.write_bytes(Model(nodes, {"x": shape}, {name: shape}, weights).data())
    return path


def session_of(nn: NN) -> tuple[Session, int]:
    """A guest's session and context."""
    session = nn.open(lambda text: None).session
    return session, session.init_execution_context(session.load_by_name("m"))


def costs(nn: NN, inputs: list[Tensor], rounds: int) -> tuple[float, float, list[Any]]:
    """Milliseconds of processor time and of time of a compute, and the last outputs of each guest."""
    guests = [session_of(nn) for _ in inputs]
    outputs: list[Any] = [None] * len(inputs)

    def work(at: int) -> None:
        session, context = guests[at]
        for _ in range(rounds):
            session.set_input(context, 0, inputs[at])
            session.compute(context)
            outputs[at] = session.get_output(context, 0).numpy()

    threads = [Thread(target=work, args=(at,)) for at in range(len(inputs))]
    began, used = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count = rounds * len(inputs) / 1e3
    result = (time.process_time() - used) / count, (time.perf_counter() - began) / count, outputs
    for session, _ in guests:
        session.close()
    return result


def compared(name: str, path: Path, computes: int, rounds: int) -> float:
    """The gain in processor time; prints it."""
    width = NN().load(path).inputs[0].shape[1]  # type: ignore[index] # it is known
    random = np.random.default_rng(2)
    inputs = [Tensor.from_numpy(random.standard_normal((1, width)).astype("f4")) for _ in range(THREADS)]
    ways = {
        way: NN(models={"m": NamedModel((path,), config=GraphConfig(options={"threads": 1, **options}))})
        for way, options in (("alone", {}), ("batched", BATCH))
    }
    found: dict[str, list[tuple[float, float, list[Any]]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, nn in ways.items():
            found[way].append(costs(nn, inputs, computes))
    best = {way: min(each[0] for each in all_) for way, all_ in found.items()}
    wall = {way: min(each[1] for each in all_) for way, all_ in found.items()}
    pairs = zip(found["alone"][0][2], found["batched"][0][2], strict=True)
    differs = max(float(np.abs(a - b).max()) for a, b in pairs)
    gain = best["alone"] / best["batched"]
    print(f"{name}: {best['alone']:.3f} ms of processor time a compute alone, {best['batched']:.3f} batched: "
          f"{gain:.2f} times the throughput; {wall['alone']:.3f} and {wall['batched']:.3f} ms of time; "
          f"outputs differ by {differs:.1e}", flush=True)  # fmt: skip
    return gain


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as directory:
        small = compared("small", network(Path(directory) / "small.onnx", 512, 3), 150, rounds)
        compared("large", network(Path(directory) / "large.onnx", 2048, 4), 10, rounds)
    print(f"the small one gains {small:.2f}, at least {LEAST}")
    return int(small < LEAST)


if __name__ == "__main__":
    sys.exit(main())
