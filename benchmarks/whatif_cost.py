"""What looking for hints costs: a guest that sends a picture to a network, with and without `--trace=hints`.

    python benchmarks/whatif_cost.py [ROUNDS]

The guest reads a picture from standard input, sends it as f32 in channels, and writes all of the answer.
Two networks of random weights on onnxruntime: one whose inference takes longer than 0.07 s, so that a
search may take as long as 12 of them, and a MobileNet, for which it may take a second. Runs are processes
with kept code, in turn, on one thread; time is the processor's. Printed: an inference, medians, and the
medians of what hints took more, in seconds and in inferences, with quartiles. Exit code 1 if that is
above what it may be, or if a run wrote another answer.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - after the path is set
from against import environment_of, processor_time  # noqa: E402 - after the path is set

from benchmarks.nn_overhead import mobile  # noqa: E402 - after the path is set
from pywasm_nn.watch.budget import FLOOR, INFERENCES, SHORT  # noqa: E402 - after the path is set
from tests.nn.backends.onnx_writer import Model, node  # noqa: E402 - after the path is set

STARTING = 0.5
"""Seconds that hints may take beside where inferences are short: they import what a run without them doesn't
need."""
SIDE, CLASSES = 224, 1000
PIXELS = SIDE * SIDE
GUEST = f"""(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 16)
  (data (i32.const 0) "m")
  (data (i32.const 64) "\\01\\00\\00\\00\\03\\00\\00\\00\\e0\\00\\00\\00\\e0\\00\\00\\00")  ;; the dimensions
  (func $check (param i32) (if (local.get 0) (then unreachable)))
  (func $vector (param $at i32) (param $address i32) (param $size i32)
    (i32.store (local.get $at) (local.get $address))
    (i32.store offset=4 (local.get $at) (local.get $size)))
  (func $fill (local $got i32)  ;; reads all of standard input to 0x1000
    (loop $more
      (call $vector (i32.const 16) (i32.add (i32.const 0x1000) (local.get $got)) (i32.const {3 * PIXELS}))
      (call $check (call $read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 32)))
      (local.set $got (i32.add (local.get $got) (i32.load (i32.const 32))))
      (br_if $more (i32.load (i32.const 32)))))
  (func $convert (local $at i32) (local $channel i32)  ;; to channels at 0x40000, from 0 to 1
    (loop $channels
      (local.set $at (i32.const 0))
      (loop $pixels
        (f32.store offset=0x40000
          (i32.shl
            (i32.add (i32.mul (local.get $channel) (i32.const {PIXELS})) (local.get $at))
            (i32.const 2))
          (f32.div
            (f32.convert_i32_u (i32.load8_u offset=0x1000
              (i32.add (i32.mul (local.get $at) (i32.const 3)) (local.get $channel))))
            (f32.const 255)))
        (br_if $pixels
          (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const {PIXELS}))))
      (br_if $channels
        (i32.lt_u (local.tee $channel (i32.add (local.get $channel) (i32.const 1))) (i32.const 3)))))
  (func (export "_start")
    (call $fill)
    (call $convert)
    (call $check (call $load (i32.const 0) (i32.const 1) (i32.const 16)))
    (call $check (call $init (i32.load (i32.const 16)) (i32.const 16)))
    (call $vector (i32.const 100) (i32.const 64) (i32.const 4))
    (i32.store (i32.const 108) (i32.const 1))  ;; f32
    (call $vector (i32.const 112) (i32.const 0x40000) (i32.const {12 * PIXELS}))
    (call $check (call $set (i32.const 0) (i32.const 0) (i32.const 100)))
    (call $check (call $compute (i32.const 0)))
    (call $check
      (call $get (i32.const 0) (i32.const 0) (i32.const 0x1000) (i32.const {4 * CLASSES}) (i32.const 32)))
    (call $vector (i32.const 16) (i32.const 0x1000) (i32.const {4 * CLASSES}))
    (call $check (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 32)))))
"""


def heavy() -> Model:
    """Four convolutions without a stride: 5.6 thousand million multiplications."""
    order = np.random.default_rng(0)
    weights: dict[str, Any] = {"w": order.standard_normal((64, CLASSES)).astype("f4")}
    nodes, before, channels = [], "x", 3
    for i in range(4):
        weights[f"w{i}"] = (order.standard_normal((64, channels, 3, 3)) * (channels * 4.5) ** -0.5).astype(
            "f4"
        )
        nodes += [
            node("Conv", [before, f"w{i}"], [f"c{i}"], pads=[1] * 4),
            node("Relu", [f"c{i}"], [f"h{i}"]),
        ]
        before, channels = f"h{i}", 64
    nodes += [node("GlobalAveragePool", [before], ["a"]), node("Flatten", ["a"], ["b"])]
    nodes.append(node("MatMul", ["b", "w"], ["y"]))
    shape = [1, 3, SIDE, SIDE]
    return Model(nodes, {"x": ("float32", shape)}, {"y": ("float32", [1, CLASSES])}, weights)


def picture() -> bytes:
    """A picture of soft spots, as noise would be none that a search knows."""
    order = np.random.default_rng(1)
    rows, columns = np.mgrid[:SIDE, :SIDE]
    made = np.zeros((SIDE, SIDE, 3))
    for _ in range(40):
        (row, column), radius, colour = order.random(2) * SIDE, 8 + 30 * order.random(), order.random(3)
        spot = np.exp(-((rows - row) ** 2 + (columns - column) ** 2) / radius**2)
        made = made * (1 - spot[..., None]) + 255 * colour * spot[..., None]
    return bytes(made.clip(0, 255).astype("u1").tobytes())


class Guest:
    """The guest with one of the networks, in a directory of its own."""

    def __init__(self, directory: Path, model: Model) -> None:
        self._directory = directory
        (directory / "m.onnx").write_bytes(model.data())
        (directory / "guest.wat").write_text(GUEST)
        (directory / "picture").write_bytes(picture())

    def run(self, *options: str) -> tuple[float, bytes]:
        """Processor seconds of a process, and the answer that it wrote."""
        command = [sys.executable, "-m", "pywasm_nn", "run", *options, "--nn-graph", "m=m.onnx"]
        command += ["--nn-config", 'm={"threads": 1}', "guest.wat"]
        with open(self._directory / "picture", "rb") as stdin:
            given = {"cwd": self._directory, "env": environment_of(ROOT), "stdin": stdin}
            return processor_time(command, stderr=subprocess.DEVNULL, **given)

    def inference(self) -> float:
        """Seconds of a compute, by a trace."""
        path = self._directory / "trace"
        self.run("--trace=nn", "--trace-format", "json", "--trace-file", str(path))
        events = map(json.loads, path.read_text().splitlines())
        return next(float(event["seconds"]) for event in events if event.get("operation") == "compute")


def quarters(values: Sequence[float], digits: int) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def measured(name: str, guest: Guest, rounds: int) -> bool:
    """Print what hints take, and say whether that is little enough and the answers are the same."""
    times: dict[str, list[float]] = {"": [], "--trace=hints": []}
    answers, inferences = set(), []
    for number in range(rounds + 1):
        inferences.append(guest.inference())
        for option, found in times.items():
            worked, answer = guest.run(*filter(None, [option]))
            answers.add(answer)
            if number:  # the first run compiles
                found.append(worked)
    without, with_ = times.values()
    one, more = statistics.median(inferences), [b - a for a, b in zip(without, with_, strict=True)]
    most = STARTING + FLOOR if one < SHORT else INFERENCES * one
    inferences_more = quarters([seconds / one for seconds in more], 1)
    print(
        f"{name:<12} an inference {one:.3f} s, plain {statistics.median(without):.2f} s, with hints"
        f" {statistics.median(with_):.2f} s: {quarters(more, 2)} s more, {inferences_more} inferences;"
        f" {most:.2f} s may be",
        flush=True,
    )
    return statistics.median(more) <= most and len(answers) == 1


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    good = []
    for name, model in {"heavy": heavy(), "a MobileNet": mobile()}.items():
        with tempfile.TemporaryDirectory() as directory:
            good.append(measured(name, Guest(Path(directory), model), rounds))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
