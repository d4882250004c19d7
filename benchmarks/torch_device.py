"""What a compute costs on a device of PyTorch, and what larger batches gain there.

    python benchmarks/torch_device.py [--device cpu|cuda|mps] [ROUNDS]

A dense network and MobileNet, as torch.export with a free batch dimension, with 1, 4, 16 and 64 rows. A
guest loops over set_input, compute and get_output; PyTorch itself moves the same input to the device, runs
the module and moves the output back. The rounds take turns, the fastest count, and the overhead is their
difference. The gain is how many times more rows a second a guest gets than with one row. On the CPU it is one
thread and processor time; on other devices time, for the processor only waits. The bound of what the host may
cost is in `torch_overhead`. Exit code 1 if an output isn't on the device or isn't PyTorch's, 2 if PyTorch
doesn't find the device.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from nn_overhead import GUEST, Guest, timed
from torch_overhead import mobile

from pywasm_nn import NN, Module
from pywasm_nn.nn import GraphConfig, NamedModel, Target, Tensor
from pywasm_nn.nn.backends.pytorch.values import CPU, DeviceTensor, devices

BATCHES = (1, 4, 16, 64)
WIDTH = 512
"""Elements of a row of the dense network."""


def dense() -> Any:
    torch.manual_seed(0)
    layers: list[Any] = []
    for _ in range(3):
        layers += [torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(True)]
    return torch.nn.Sequential(*layers).eval()


def saved(path: Path, module: Any, row: tuple[int, ...]) -> Any:
    """Writes the model and returns what PyTorch itself loads from the file."""
    batch = torch.export.Dim("batch", min=1, max=max(BATCHES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(module, (torch.zeros(4, *row),), dynamic_shapes=({0: batch},))
        torch.export.save(exported, str(path))
        return torch.export.load(str(path)).module()


def on_device(nn: NN, x: Any, device: str) -> None:
    """Asserts that the model's output is on the device."""
    context = nn.registry.load_named("m", None, print).graph.context()
    context.set_input(0, Tensor.from_numpy(x.numpy()))
    context.compute()
    found = context.output(0)
    where = found.data.value.device.type if isinstance(found, DeviceTensor) else CPU
    assert where == device, f"the output is on {where}"


def compared(nn: NN, module: Any, x: Any, device: str, rounds: int, times: int) -> tuple[float, float]:
    """Seconds of a compute: a guest's, and PyTorch's."""
    clock = time.thread_time if device == CPU else time.perf_counter

    def plain() -> Any:
        with torch.inference_mode():
            for _ in range(times):
                found = module(x.to(device)).to(CPU)
        return found

    expected = plain().numpy()
    guest = Guest(nn, Module.from_text(GUEST), {"x": x.numpy()}, expected.nbytes)
    guest.loop(times)
    assert guest.answer() == expected.tobytes(), "the guest's answer is another"
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(timed(plain, clock) / times)
        ours.append(timed(lambda: guest.loop(times), clock) / times)
    guest.instance.close()
    return min(ours), min(theirs)


def shown(name: str, path: Path, module: Any, row: tuple[int, ...], arguments: argparse.Namespace) -> None:
    """Prints a line for each size of batch."""
    target = Target.CPU if arguments.device == CPU else Target.GPU
    options = {"threads": 1} if arguments.device == CPU else {}
    nn = NN(models={"m": NamedModel((path,), None, GraphConfig(target, options))})
    module = module.to(arguments.device)
    alone = 0.0
    for batch in BATCHES:
        x = torch.rand(batch, *row)
        on_device(nn, x, arguments.device)
        times = max(1, 200 // batch) if len(row) == 1 else 1
        ours, theirs = compared(nn, module, x, arguments.device, arguments.rounds, times)
        alone = alone or ours
        print(
            f"{name:<10} batch {batch:2}: guest {1e3 * ours:9.3f} ms, PyTorch {1e3 * theirs:9.3f} ms,"
            f" overhead {1e3 * (ours - theirs):7.3f} ms, gain {alone * batch / ours:5.2f}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=CPU)
    parser.add_argument("rounds", nargs="?", type=int, default=7)
    arguments = parser.parse_args()
    found = [device.name for device in devices().values()]
    if arguments.device not in found:
        print(f"PyTorch finds no {arguments.device} here, only {', '.join(found)}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as directory:
        for name, module, row in (("dense", dense(), (WIDTH,)), ("MobileNet", mobile(), (3, 224, 224))):
            path = Path(directory) / f"{name}.pt2"
            shown(name, path, saved(path, module, row), row, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
