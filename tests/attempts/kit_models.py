"""Hostile models, and a guest that loads and runs them from its own bytes."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path
from typing import Any

import numpy
import onnx
from onnx import TensorProto, helper

from pywasm_nn import NN, LimitError, Limits, Trap

from .kit import Guest

FLOAT, INT32, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL
ONNX, TFLITE, OPENVINO = 1, 4, 0
MIB = 1 << 20


def constant(name: str, values: Any, kind: str = "i8") -> Any:
    return onnx.numpy_helper.from_array(numpy.array(values, kind), name)


def model(
    nodes: list[Any],
    constants: dict[str, Any] | None = None,
    *,
    out: tuple[str, int] = ("y", FLOAT),
    **more: Any,
) -> bytes:
    """x: f32[1] in, `out` out, with an unknown shape."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [1])],
        [helper.make_tensor_value_info(*out, None)],
        [constant(name, values) for name, values in (constants or {}).items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, **more)
    return bytes(made.SerializeToString())


def node(op: str, inputs: str, outputs: str = "y", **attributes: Any) -> Any:
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def endless(rounds: int = (1 << 63) - 1) -> bytes:
    """A Loop whose body adds one."""
    body = helper.make_graph(
        [node("Identity", "c", "d"), node("Add", "v v", "w")],
        "body",
        [
            helper.make_tensor_value_info("i", INT64, []),
            helper.make_tensor_value_info("c", BOOL, []),
            helper.make_tensor_value_info("v", FLOAT, [1]),
        ],
        [helper.make_tensor_value_info("d", BOOL, []), helper.make_tensor_value_info("w", FLOAT, [1])],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["n", "t", "x"], ["y"], body=body)],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [1])],
        [helper.make_tensor_value_info("y", FLOAT, [1])],
        [constant("n", rounds), constant("t", True, "?")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def sines(rounds: int = 4000, elements: int = 8_000_000) -> bytes:
    """What takes numpy, which has no Loop, minutes: sines of sines of a constant."""
    nodes = [node("Sin" if at % 2 else "Tanh", f"a{at}", f"a{at + 1}") for at in range(rounds)]
    last = [node("ReduceSum", f"a{rounds}", "z"), node("Add", "z x")]
    return model([node("ConstantOfShape", "s", "a0"), *nodes, *last], {"s": [elements]})


class Models:
    """A guest of wasi-nn, with calls that answer a number, or "limit" or "trap"."""

    def __init__(
        self, engine: str, backend: str = "", limits: Limits | None = None, pages: int = 64, **nn: Any
    ) -> None:
        if backend:
            nn["backends"] = {"onnx": backend}
        self.guest = Guest(
            engine,
            module="wasi_ephemeral_nn",
            pages=pages,
            limits=limits or Limits(seconds=30, tensor_bytes=256 * MIB, memory=256 * MIB),
            nn=NN(**nn),
        )
        self.longest = 0.0

    def __enter__(self) -> Models:
        return self

    def __exit__(self, *exc: object) -> None:
        self.guest.instance.close()

    def call(self, name: str, *arguments: int) -> int | str:
        started = time.monotonic()
        try:
            return self.guest(name, *arguments)
        except LimitError:
            return "limit"
        except Trap:
            return "trap"
        finally:
            self.longest = max(self.longest, time.monotonic() - started)

    def load(self, *parts: bytes, encoding: int = ONNX) -> int | str:
        at, pairs = 65536, b""
        for part in parts:
            self.guest.put(at, part)
            pairs += struct.pack("<II", at, len(part))
            at += len(part) + 16
        return self.call("load", self.guest.put(0, pairs), len(parts), encoding, 0, 512)

    def run(self, graph: int | None = None, value: float = 2.0, size: int = 1 << 20) -> int | str | bytes:
        """Make a context, give it x, compute; the first output's bytes, or what went wrong."""
        code = self.call("init_execution_context", self.guest.word(512) if graph is None else graph, 516)
        if code:
            return code
        context = self.guest.word(516)
        self.guest.put(600, struct.pack("<f", value))
        self.guest.put(620, struct.pack("<I", 1))
        self.guest.put(640, struct.pack("<IIIII", 620, 1, 1, 600, 4))
        for code in (self.call("set_input", context, 0, 640), self.call("compute", context)):
            if code:
                return code
        code = self.call("get_output", context, 0, 2 * MIB, size, 700)
        return code or bytes(self.guest.instance.memory.read(2 * MIB, self.guest.word(700)))

    def all(self, *parts: bytes, encoding: int = ONNX) -> int | str | bytes:
        return self.load(*parts, encoding=encoding) or self.run()

    def well(self) -> None:
        """A good model still answers."""
        good = self.all(model([node("Add", "x x")]))
        assert good == struct.pack("<f", 4), good


def children() -> list[int]:
    """Processes whose parent this one is, zombies too."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                stat = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[1]) == os.getpid():
                found.append(int(each.name))
    return found


def descriptors() -> list[str]:
    found = []
    for each in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{each}"))
        except OSError:
            continue
    return sorted(found)
