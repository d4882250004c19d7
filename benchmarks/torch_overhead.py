"""What the host costs on PyTorch: a guest's loop of set_input, compute, get_output against the plain call.

    python benchmarks/torch_overhead.py [ROUNDS]

MobileNet on one thread, as TorchScript and as torch.export, rounds in turns; processor time of the thread,
and the ratio of the fastest rounds (`nn_overhead` says why). Exit code 1 if one is above 1.05.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from nn_overhead import GUEST, PLAN, Guest, named, timed

from pywasm_nn import NN, Module

MOST = 1.05


def block(channels: int, wider: int, stride: int) -> list[Any]:
    return [
        torch.nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False), torch.nn.ReLU(True),
        torch.nn.Conv2d(channels, wider, 1, bias=False), torch.nn.ReLU(True),
    ]  # fmt: skip


def mobile() -> Any:
    torch.manual_seed(0)
    layers: list[Any] = [torch.nn.Conv2d(3, 32, 3, 2, 1, bias=False), torch.nn.ReLU(True)]
    channels = 32
    for wider, stride in PLAN:
        layers += block(channels, wider, stride)
        channels = wider
    layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(channels, 1000)]
    return torch.nn.Sequential(*layers).eval()


def saved(directory: Path, module: Any, x: Any) -> dict[str, tuple[Path, Any]]:
    """The files of both formats, and what PyTorch itself loads from them."""
    script, export = directory / "m.pt", directory / "m.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.trace(module, x), str(script))
        torch.export.save(torch.export.export(module, (x,)), str(export))
        return {
            "TorchScript": (script, torch.jit.load(str(script)).eval()),
            "torch.export": (export, torch.export.load(str(export)).module()),
        }


def compared(name: str, path: Path, module: Any, x: Any, rounds: int) -> bool:
    guest = Guest(NN(models={"m": named(path)}), Module.from_text(GUEST), {"x": x.numpy()}, 4000)

    def plain() -> Any:
        with torch.inference_mode():
            return module(x)

    for _ in range(3):  # TorchScript compiles in its first runs
        expected = plain()
        guest.loop(1)
    assert guest.answer() == expected.numpy().tobytes(), "the guest's answer is another"
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(timed(plain, time.thread_time))
        ours.append(timed(lambda: guest.loop(1), time.thread_time))
    guest.instance.close()
    ratio = min(ours) / min(theirs)
    low, _, high = statistics.quantiles([a / b for a, b in zip(ours, theirs, strict=True)], n=4)
    print(
        f"{name:<14} guest {1e3 * min(ours):7.2f} ms, Python {1e3 * min(theirs):7.2f} ms,"
        f" ratio {ratio:.3f} (at most {MOST}), {low:.2f} to {high:.2f}"
    )
    return ratio <= MOST


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    torch.set_num_threads(1)
    x = torch.rand(1, 3, 224, 224)
    with tempfile.TemporaryDirectory() as directory:
        models = saved(Path(directory), mobile(), x)
        good = [compared(name, path, module, x, rounds) for name, (path, module) in models.items()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
