"""Truncated and bit-flipped models, through everything that stands between a guest's bytes and a framework.

    python tests/nn/backends/damage.py [COUNT [LOT]]

COUNT (default 10,000) files for each format and backend are given to `Registry.load` as a guest's bytes are,
and those that load are run, in a child. Every third ONNX file is made of a model that names a file of the
host's as its weights. Printed: how many loaded, were refused, and ended the child. Exit code 1 if anything
but NNError rose or the host's file was opened (Linux tells); a dead parent shows itself.
"""

from __future__ import annotations

import ctypes
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from pywasm_nn.nn import NNError, Target  # noqa: E402
from pywasm_nn.nn.backend import GraphConfig  # noqa: E402
from pywasm_nn.nn.blame import blaming  # noqa: E402
from pywasm_nn.nn.child.models import GuestModels  # noqa: E402
from pywasm_nn.nn.registry import Registry  # noqa: E402
from pywasm_nn.nn.tensor import Tensor, TensorSpec, byte_size  # noqa: E402

DIGITS = ROOT / "examples" / "digits" / "models"
LOTS = {
    "onnxruntime onnx": ["digits.onnx"],
    "numpy onnx": ["digits.onnx"],
    "openvino onnx": ["digits.onnx"],
    "openvino openvino": ["digits.xml", "digits.bin"],
    "litert tflite": ["digits.tflite"],
    "openvino tflite": ["digits.tflite"],
}
ROOM = 256 << 20
"""Bytes of one tensor."""
IN_NONBLOCK, IN_OPEN_OR_READ = 0o4000, 0x20 | 0x1


class Canary:
    """A file of the host's, and whether anybody has opened it."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "secret.bin"
        self.path.write_bytes(bytes(64))
        self._libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
        if self._libc is not None:
            self._queue = self._libc.inotify_init1(IN_NONBLOCK)
            self._libc.inotify_add_watch(self._queue, os.fsencode(self.path), IN_OPEN_OR_READ)

    def opened(self) -> bool:
        if self._libc is None:
            return False
        try:
            return bool(os.read(self._queue, 4096))
        except BlockingIOError:
            return False


def field(number: int, content: bytes) -> bytes:
    """A protobuf field of bytes, shorter than 16 KiB."""
    length = bytes([len(content) & 0x7F | 0x80, len(content) >> 7])
    return bytes([number << 3 | 2]) + length + content


def with_outside_weights(model: bytes, path: Path) -> bytes:
    """An ONNX model to which a tensor with its data in a file is added: protobuf merges what is appended."""
    location = field(1, b"location") + field(2, os.fsencode(path))
    weight = b"\x08\x10\x10\x01" + field(8, b"outside") + field(13, location) + b"\x70\x01"
    return model + field(7, field(5, weight))


def zeros(spec: TensorSpec) -> Tensor:
    """A tensor that fits; lengths that are only known at run time are one."""
    shape = tuple(length if isinstance(length, int) else 1 for length in spec.shape or ())
    return Tensor(spec.dtype, shape, bytes(min(byte_size(spec.dtype, shape), ROOM)))


def damaged(parts: Sequence[bytes], order: random.Random) -> list[bytes]:
    """Cut short, or with one to eight bits turned; mostly the first part, at times another."""
    made = [bytearray(part) for part in parts]
    victim = made[0] if order.random() < 0.8 else order.choice(made)
    if order.random() < 0.4:
        del victim[order.randrange(len(victim)) :]
    else:
        for _ in range(order.randint(1, 8)):
            victim[order.randrange(len(victim))] ^= 1 << order.randrange(8)
    return [bytes(part) for part in made]


def lot(name: str, files: Sequence[str], count: int, canary: Canary) -> bool:
    """Try them all and say what became of them. Returns whether all was well."""
    backend, format = name.split()
    registry = Registry(prefer={format: backend})
    if reason := registry.backend(backend, "here").unavailable():
        print(f"{name}: not tried, {reason}")
        return True
    originals = [(DIGITS / file).read_bytes() for file in files]
    reaching = [with_outside_weights(originals[0], canary.path)] if format == "onnx" else originals
    loaded = ran = deaths = 0
    strange: list[str] = []
    models, began = GuestModels(ROOM), time.perf_counter()
    for seed in range(count):
        parts = damaged(reaching if seed % 3 == 0 else originals, random.Random(f"{name} {seed}"))
        try:
            lease = registry.load(parts, format if format != "tflite" else "tensorflowlite",
                                  GraphConfig(Target.CPU), lambda text: None, models)  # fmt: skip
            loaded += 1
            try:
                with blaming(backend):
                    context = lease.graph.context()
                    for index, spec in enumerate(lease.graph.inputs):
                        context.accept_input(index, zeros(spec))
                    context.compute()
                    context.close()
                ran += 1
            finally:
                lease.release()
        except NNError as error:
            deaths += error.reason.startswith("the process of the guest's own models has ended")
        except Exception as error:
            strange.append(f"seed {seed}: {type(error).__name__}: {error}")
    models.close()
    opened = canary.opened()
    seconds = time.perf_counter() - began
    print(
        f"{name}: {count} files, {count - loaded} refused, {loaded} loaded, of which {ran} ran;"
        f" {deaths} ended the child, host's file {'OPENED' if opened else 'never opened'},"
        f" {seconds:.0f} s",
        flush=True,
    )
    for line in strange[:5]:
        print("  " + line)
    return not strange and not opened


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as directory:
        canary = Canary(Path(directory))
        canary.path.read_bytes()
        if canary._libc is not None and not canary.opened():
            print("inotify doesn't work here: nobody would notice a file that is opened")
            return 1
        results = [lot(name, files, count, canary) for name, files in LOTS.items() if only in name]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
