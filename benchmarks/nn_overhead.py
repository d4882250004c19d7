"""What the host costs: a guest's loop of set_input, compute, get_output against the same calls in Python.

    python benchmarks/nn_overhead.py [ROUNDS]

On onnxruntime, and the very same session of it, rounds alternate in one run: MobileNet, and again with the
guest on `--engine wasmtime`, where that package is installed; tensors of 64 MB; an addition of 2x2; then a
guest's own model in its child against the same in process; then four threads on one model against the
framework itself on four. Python runs
`session.run` on arrays that it has, and drops what comes: nothing is copied.

wasi-nn copies a tensor in at set_input, for guests write to their buffers again, and one out at get_output.
Negating 64 MB takes as long as copying them once, so with both copies it takes three times as long, whoever
does it; a program in Python that keeps input and output in buffers of its own does it too, and the guest is
also compared with that one. The way without copies is `copy_inputs=False` and `pywasm_nn.set_output`.

Everything is on one thread, and the time is the processor's: with the framework's own threads the clock
tells who else is on the machine. Others only add time even so: the ratio is that of the fastest rounds, and
the middle half of the ratios of rounds tells how quiet it was. Exit code 1 if one is above what it may be.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 - after the path is set
import onnxruntime  # noqa: E402 - after the path is set
from one_thread import OneThread  # noqa: E402 - after the path is set

from pywasm_nn import NN, Limits, Module  # noqa: E402 - after the path is set
from pywasm_nn.nn import GraphConfig, NamedModel, Target, Tensor  # noqa: E402 - after the path is set
from pywasm_nn.nn.registry import Registry  # noqa: E402 - after the path is set
from pywasm_nn.nn.session import Session  # noqa: E402 - after the path is set
from tests.nn.backends.onnx_writer import Model, node  # noqa: E402 - after the path is set

GUEST = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (import "pywasm_nn" "set_output" (func $place (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 16 4096)
  (data (i32.const 0) "m")
  (func $check (param i32) (if (local.get 0) (then unreachable)))
  (func (export "start")
    (call $check (call $load (i32.const 0) (i32.const 1) (i32.const 16)))
    (call $check (call $init (i32.load (i32.const 16)) (i32.const 16))))
  (func (export "room") (param i32) (drop (memory.grow (local.get 0))))
  (func (export "place") (param $out i32) (param $size i32)
    (call $check (call $place (i32.const 0) (i32.const 0) (local.get $out) (local.get $size))))
  (func (export "loop")
    (param $times i32) (param $inputs i32) (param $out i32) (param $size i32) (param $get i32)
    (local $i i32)
    (loop $again
      (local.set $i (i32.const 0))
      (loop $next
        (call $check (call $set (i32.const 0) (local.get $i)
          (i32.add (i32.const 0x100) (i32.mul (local.get $i) (i32.const 20)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (local.get $inputs))))
      (call $check (call $compute (i32.const 0)))
      (if (local.get $get) (then
        (call $check
          (call $get (i32.const 0) (i32.const 0) (local.get $out) (local.get $size) (i32.const 16)))))
      (local.set $times (i32.sub (local.get $times) (i32.const 1)))
      (br_if $again (local.get $times)))))"""


PLAN = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
"""Channels and stride of MobileNet's blocks."""


def mobile() -> Model:
    """MobileNet 1.0 on 224 x 224, without the normalisation, which is folded away for inference: 4.2 million
    weights, 569 million multiplications."""
    order = np.random.default_rng(0)

    def weight(*shape: int) -> Any:
        return (order.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5).astype("f4")

    weights: dict[str, Any] = {"w0": weight(32, 3, 3, 3)}
    nodes = [
        node("Conv", ["x", "w0"], ["c0"], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Relu", ["c0"], ["h0"]),
    ]
    channels = 32
    for i, (wider, stride) in enumerate(PLAN):
        weights[f"d{i}"], weights[f"p{i}"] = weight(channels, 1, 3, 3), weight(wider, channels, 1, 1)
        nodes += [
            node("Conv", [f"h{i}", f"d{i}"], [f"e{i}"], strides=[stride] * 2, pads=[1] * 4, group=channels),
            node("Relu", [f"e{i}"], [f"f{i}"]),
            node("Conv", [f"f{i}", f"p{i}"], [f"g{i}"]),
            node("Relu", [f"g{i}"], [f"h{i + 1}"]),
        ]
        channels = wider
    nodes += [node("GlobalAveragePool", [f"h{len(PLAN)}"], ["a"]), node("Flatten", ["a"], ["b"])]
    weights["w"] = weight(channels, 1000)
    nodes.append(node("MatMul", ["b", "w"], ["y"]))
    return Model(nodes, {"x": ("float32", [1, 3, 224, 224])}, {"y": ("float32", [1, 1000])}, weights)


def large() -> Model:
    """64 MB in, 64 MB out, and next to nothing to do."""
    shape = ("float32", [1, 16, 1024, 1024])
    return Model([node("Neg", ["x"], ["y"])], {"x": shape}, {"y": shape})


def filtered() -> Model:
    """64 MB in, 64 MB out, through one convolution."""
    shape = ("float32", [1, 16, 1024, 1024])
    weights = {"w": np.random.default_rng(0).random((16, 16, 3, 3), "f4")}
    return Model([node("Conv", ["x", "w"], ["y"], pads=[1] * 4)], {"x": shape}, {"y": shape}, weights)


def addition() -> Model:
    shape = ("float32", [2, 2])
    return Model([node("Add", ["a", "b"], ["y"])], {"a": shape, "b": shape}, {"y": shape})


@dataclass(frozen=True)
class Case:
    name: str
    model: Model
    times: int
    most: float | None
    copies: bool = True
    """Whether the guest does as wasi-nn says, or in the way without copies."""
    keeps: bool = False
    """Whether Python copies its input and output too."""
    engine: str = "compile"
    """The guest's engine."""


CASES = (
    Case("MobileNet", mobile(), 2, 1.05),
    Case("MobileNet, wasmtime", mobile(), 2, 1.02, engine="wasmtime"),
    Case("64 MB convolved", filtered(), 1, 1.3),
    Case("64 MB negated", large(), 2, None),
    Case("64 MB negated, both copy", large(), 2, 1.3, keeps=True),
    Case("64 MB negated, no copies", large(), 2, 1.3, copies=False),
    Case("2 x 2 addition", addition(), 2000, 6.0),
)


MOST_APART = 1.1
"""What a child may cost, for MobileNet."""
TURNS = 3
"""How often a child is compared with this process."""


class Guest:
    """An instance that is ready to loop, with its inputs in its memory."""

    def __init__(
        self,
        nn: NN,
        module: Module,
        inputs: dict[str, Any],
        size: int,
        get: bool = True,
        engine: str = "compile",
    ) -> None:
        self.instance = module.instantiate(nn=nn, limits=Limits(memory=1 << 30), engine=engine)
        self.size, self.count = size, len(inputs)
        exports = self.instance.exports
        exports.room((sum(a.nbytes for a in inputs.values()) + size) // 65536 + 2)
        at, memory = 0x10000, self.instance.memory
        for index, array in enumerate(inputs.values()):
            dims = 0x400 + 64 * index
            memory.write(dims, np.array(array.shape, "<u4").tobytes())
            record = np.array([dims, array.ndim, 1, at, array.nbytes], "<u4").tobytes()
            memory.write(0x100 + 20 * index, record)
            memory.write(at, array.tobytes())
            at += -(-array.nbytes // 64) * 64
        self.out = at
        exports.start()
        self.get = get
        if not get:
            exports.place(self.out, size)

    def loop(self, times: int) -> None:
        self.instance.exports.loop(times, self.count, self.out, self.size, int(self.get))

    def answer(self) -> bytes:
        return self.instance.memory.read(self.out, self.size)


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    call()
    return clock() - began


def named(path: Path) -> NamedModel:
    """A model on one thread."""
    return NamedModel((path,), None, GraphConfig(Target.CPU, {"threads": 1}))


def session_of(data: bytes) -> Any:
    """The framework's own session, on one thread."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def inputs_of(model: Model) -> dict[str, Any]:
    order = np.random.default_rng(1)
    return {name: order.random(shape, "f4") for name, (_, shape) in model.inputs.items()}


def compared(case: Case, rounds: int, directory: Path) -> bool:
    data, inputs = case.model.data(), inputs_of(case.model)
    path = directory / "m.onnx"
    path.write_bytes(data)
    nn = NN(models={"m": named(path)}, backends={"onnx": "onnxruntime"}, copy_inputs=case.copies)
    graph: Any = nn.registry.load_named("m", None, print).graph
    session = graph.session
    expected = session.run(None, inputs)[0]

    kept = {name: array.copy() for name, array in inputs.items()}
    answer = expected.copy()

    def plain() -> None:
        for _ in range(case.times):
            session.run(None, inputs)

    def keeping() -> None:
        for _ in range(case.times):
            for name, array in inputs.items():
                np.copyto(kept[name], array)
            np.copyto(answer, session.run(None, kept)[0])

    reference = keeping if case.keeps else plain
    guest = Guest(nn, Module.from_text(GUEST), inputs, expected.nbytes, case.copies, case.engine)
    guest.loop(1)
    assert guest.answer() == expected.tobytes(), "the guest's answer is another"
    reference()
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(timed(reference, time.thread_time) / case.times)
        ours.append(timed(lambda: guest.loop(case.times), time.thread_time) / case.times)
    guest.instance.close()
    ratio = min(ours) / min(theirs)
    low, _, high = statistics.quantiles([a / b for a, b in zip(ours, theirs, strict=True)], n=4)
    good = case.most is None or ratio <= case.most
    bound = "" if case.most is None else f" (at most {case.most})"
    print(
        f"{case.name:<26} guest {1e3 * min(ours):9.4f} ms, Python"
        f" {1e3 * min(theirs):9.4f} ms, ratio {ratio:.2f}{bound}, {low:.2f} to {high:.2f}"
        f"{'' if good else '  TOO MUCH'}",
        flush=True,
    )
    return good


def processor_time() -> float:
    """Of this process and of its children that have ended."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def registry(trust: bool) -> Registry:
    """One that loads a guest's models on one thread, and in this process if it trusts them."""
    return Registry(prefer={"onnx": "one-thread"}, plugins=[OneThread()], trust_guest_models=trust)


def own(rounds: int) -> bool:
    """A guest's own MobileNet in its child, against the same in this process: processor time of both
    processes and all their threads, for so many inferences more, on one thread of the framework's.
    """
    model = mobile()
    data, tensor = model.data(), Tensor.from_numpy(inputs_of(model)["x"])

    def spent(count: int, trust: bool) -> float:
        """Processor time of a guest that computes so often, its child's included, which has ended."""
        before = processor_time()
        session = Session(registry(trust), print)
        context = session.init_execution_context(session.load([data], None, Target.CPU))
        for _ in range(count):
            session.set_input(context, 0, tensor)
            session.compute(context)
            session.get_output(context, 0)
        session.close()
        return processor_time() - before

    few, many = 2, 2 + 5 * max(rounds, 10)

    def best(trust: bool) -> float:
        """A start takes between 0.3 and 0.5 s: of several the fastest is taken off the fastest."""
        return min(begun[many, trust]) - min(begun[few, trust])

    begun: dict[tuple[int, bool], list[float]] = {}
    for _ in range(TURNS):
        for trust in (False, True):
            for count in (few, many):
                begun.setdefault((count, trust), []).append(spent(count, trust))
    there, here = (best(trust) / (many - few) for trust in (False, True))
    ratio = there / here
    print(
        f"{'own MobileNet, in a child':<26} child {1e3 * there:9.4f} ms, in process {1e3 * here:9.4f} ms,"
        f" ratio {ratio:.2f} (at most {MOST_APART}){'' if ratio <= MOST_APART else '  TOO MUCH'}",
        flush=True,
    )
    return ratio <= MOST_APART


def scaling(rounds: int, directory: Path) -> None:
    """Four guests on four threads and one graph; the framework's own session on four threads."""
    model = mobile()
    data, inputs = model.data(), inputs_of(model)
    path = directory / "m.onnx"
    path.write_bytes(data)
    nn, session = NN(models={"m": named(path)}, backends={"onnx": "onnxruntime"}), session_of(data)
    module = Module.from_text(GUEST)
    guests = [Guest(nn, module, inputs, 4000) for _ in range(4)]
    assert len(nn.registry.graphs) == 1
    times, results = 2, []

    def plain(_: object) -> None:
        for _ in range(times):
            session.run(None, inputs)

    with ThreadPoolExecutor(4) as threads:
        for _ in range(rounds):
            theirs = [timed(lambda: plain(0)), timed(lambda: list(threads.map(plain, range(4))))]
            ours = [
                timed(lambda: guests[0].loop(times)),
                timed(lambda: list(threads.map(lambda guest: guest.loop(times), guests))),
            ]
            results.append((*theirs, *ours))
    alone, four, guest, guests_ = map(min, zip(*results, strict=True))
    print(
        f"{'4 threads on one model':<26} guests {4 * guest / guests_:.2f} times as fast as one,"
        f" the framework {4 * alone / four:.2f}"
    )


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    there = {"compile", *(["wasmtime"] if find_spec("wasmtime") else [])}
    with tempfile.TemporaryDirectory() as directory:
        good = [compared(case, rounds, Path(directory)) for case in CASES if case.engine in there]
        good.append(own(rounds))
        scaling(rounds, Path(directory))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
