"""What a model on a server costs: a picture of 602 KB to Triton on loopback, binary, over gRPC and as JSON.

    PYWASM_NN_TRITON=.../pytriton/tritonserver python benchmarks/remote.py [ROUNDS]

The model gives the first element back, so what is left is the way there. Time of a compute, and processor
time of this process with all its threads; the ways take turns, the fastest of all rounds count. JSON has an
eighth of the rounds. Exit code 1 if binary tensors or gRPC take more than they may, 2 without Triton.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - after the path is set

from pywasm_nn.nn import NN, GraphConfig, NamedModel, Tensor  # noqa: E402 - after the path is set
from tests.nn.backends.serving import triton_serving  # noqa: E402 - after the path is set

MOST = 5e-3
"""Seconds of a compute."""
MOST_HERE = 1.5e-3
"""Seconds of processor time in this process."""
CONFIG = """name: "first" backend: "python" max_batch_size: 0
input [{name: "x" data_type: TYPE_FP32 dims: [1, 3, 224, 224]}]
output [{name: "y" data_type: TYPE_FP32 dims: [1]}]
instance_group [{kind: KIND_CPU count: 1}]
"""
CODE = """
import triton_python_backend_utils as pb
class TritonPythonModel:
    def execute(self, requests):
        given = [pb.get_input_tensor_by_name(one, "x").as_numpy().ravel()[:1] for one in requests]
        return [pb.InferenceResponse(output_tensors=[pb.Tensor("y", one)]) for one in given]
"""


def measured(http: int, grpc: int, rounds: int) -> dict[str, tuple[float, float]]:
    """For each way the least seconds of a compute, and of processor time."""
    x = np.random.default_rng(0).random((1, 3, 224, 224), "f4")
    places = {
        "binary": (f"oip+http://127.0.0.1:{http}/first", {"binary": "always"}, 1),
        "gRPC": (f"oip+grpc://127.0.0.1:{grpc}/first", {}, 1),
        "JSON": (f"oip+http://127.0.0.1:{http}/first", {"binary": "never"}, 8),
    }
    contexts = {}
    for way, (address, options, _) in places.items():
        model = NamedModel(addresses=(address,), config=GraphConfig(options=options))
        contexts[way] = NN().registry.load_place(model, print).context()
        contexts[way].set_input(0, Tensor.from_numpy(x))
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in places}
    for at in range(rounds):
        for way, (_, _, each) in places.items():
            if at % each == 0:
                began, used = time.perf_counter(), time.process_time()
                contexts[way].compute()
                found[way].append((time.perf_counter() - began, time.process_time() - used))
                assert contexts[way].output(0).numpy().tolist() == [x.flat[0]]
    for context in contexts.values():
        context.close()
    return {way: (min(a for a, _ in times), min(b for _, b in times)) for way, times in found.items()}


def main() -> int:
    home = os.environ.get("PYWASM_NN_TRITON")
    if not home:
        print("PYWASM_NN_TRITON names no nvidia-pytriton", file=sys.stderr)
        return 2
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as folder, triton_serving(home, Path(folder), CONFIG, CODE) as ports:
        found = measured(*ports, rounds)
    for way, (seconds, here) in found.items():
        print(f"{way:6} {1e3 * seconds:8.2f} ms a compute, {1e3 * here:8.2f} ms of processor time here")
    return int(any(found[way][0] > MOST or found[way][1] > MOST_HERE for way in ("binary", "gRPC")))


if __name__ == "__main__":
    sys.exit(main())
