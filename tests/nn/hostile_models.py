"""Models that a guest brings to end its host, keep it busy or take its memory, and what must come of each.

    python -m tests.nn.hostile_models [NAME BACKEND ENGINE [SECONDS]]

runs one (or all, each in a process of its own) and prints a line of JSON: what the guest was answered or
which error ended it, seconds, and the largest memory of the host and of a child in MiB. The limits are those
of a careful host: one second, 256 MiB of memory, 256 MiB a tensor.

What is not here: damaged files (`backends.damage`) and guests that attack other limits (`tests.attacks`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("compile", "interpret")
SECONDS, ROOM = 1.0, 256 << 20
PATIENCE = 120
HUGE = 1_300_000_000
"""Elements of float32 in 5 GB."""

# ONNX


def onnx_of(
    nodes: Sequence[Any], weights: Sequence[Any] = (), inputs: Sequence[Any] = (), opset: int = 17
) -> bytes:
    """A model whose output is "y", float32 of any shape."""
    from onnx import TensorProto, helper

    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(list(nodes), "g", list(inputs), [output], list(weights))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return bytes(model.SerializeToString())


def ints(name: str, *values: int, scalar: bool = False) -> Any:
    from onnx import TensorProto, helper

    return helper.make_tensor(name, TensorProto.INT64, [] if scalar else [len(values)], values)


def number(name: str, value: float = 1.0, dims: Sequence[int] = ()) -> Any:
    from onnx import TensorProto, helper

    count = 1
    for length in dims:
        count *= length
    return helper.make_tensor(name, TensorProto.FLOAT, list(dims), [value] * count)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(op, list(inputs), list(outputs), **attributes)


def loop(body: Sequence[Any], more: Sequence[Any] = (), trips: int | None = None) -> bytes:
    """A Loop around nodes that make "w" of "v", without end unless it has `trips`."""
    from onnx import TensorProto, helper

    known = helper.make_tensor_value_info
    inner = helper.make_graph(
        [node("Identity", ["c"], ["d"]), *body],
        "b",
        [
            known("i", TensorProto.INT64, []),
            known("c", TensorProto.BOOL, []),
            known("v", TensorProto.FLOAT, None),
        ],
        [known("d", TensorProto.BOOL, []), known("w", TensorProto.FLOAT, None), *more],
    )
    true = helper.make_tensor("t", TensorProto.BOOL, [], [True])
    outputs = ["y", *[f"s{index}" for index in range(len(more))]]
    weights = [true, number("x", 1.0, [2])]
    if trips is not None:
        weights.append(ints("n", trips, scalar=True))
    return onnx_of([node("Loop", ["" if trips is None else "n", "t", "x"], outputs, body=inner)], weights)


def scanning_loop() -> bytes:
    """Each round adds a megabyte to what the loop gives."""
    from onnx import TensorProto, helper

    body = [node("Identity", ["v"], ["w"]), node("ConstantOfShape", ["k"], ["s"])]
    body.insert(0, node("Constant", [], ["k"], value=ints("", 1 << 18)))
    return loop(body, [helper.make_tensor_value_info("s", TensorProto.FLOAT, None)])


def doubled(times: int) -> bytes:
    nodes = [node("Concat", [f"x{i}"] * 2, [f"x{i + 1}"], axis=0) for i in range(times)]
    return onnx_of([*nodes, node("ReduceSum", [f"x{times}"], ["y"])], [number("x0", 1.0, [1000])])


def squared(side: int, times: int) -> bytes:
    """Products of matrices, each of which takes seconds."""
    nodes = [node("ConstantOfShape", ["n"], ["x0"])]
    nodes += [node("MatMul", [f"x{i}", f"x{i}"], [f"x{i + 1}"]) for i in range(times)]
    return onnx_of([*nodes, node("ReduceSum", [f"x{times}"], ["y"])], [ints("n", side, side)])


def one(
    op: str, weights: Sequence[Any], names: Sequence[str], reduced: bool = False, opset: int = 17, **how: Any
) -> bytes:
    """One node on weights; `reduced`: what the guest gets is small."""
    made = "big" if reduced else "y"
    after = [node("ReduceSum", ["big"], ["y"])] if reduced else []
    return onnx_of([node(op, names, [made], **how), *after], weights, opset=opset)


def nested(depth: int) -> bytes:
    """If in If in If ..."""
    from onnx import TensorProto, helper

    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    other = graph = helper.make_graph([node("Identity", ["x"], ["y"])], "g", [], [out])
    for _ in range(depth):
        choice = node("If", ["t"], ["y"], then_branch=graph, else_branch=other)
        graph = helper.make_graph([choice], "g", [], [out])
    true = helper.make_tensor("t", TensorProto.BOOL, [], [True])
    return onnx_of(graph.node, [true, number("x")])


def unused() -> bytes:
    """Nodes that nobody needs."""
    return onnx_of(
        [node("Relu", ["x"], ["y"]), *[node("Relu", ["x"], [f"a{i}"]) for i in range(200_000)]], [number("x")]
    )


def shape(*lengths: int) -> list[Any]:
    return [ints("n", *lengths)]


ONNX: dict[str, Callable[[], bytes]] = {
    "endless Loop": lambda: loop([node("Add", ["v", "v"], ["w"])]),
    "endless Loop of nothing": lambda: loop([node("Identity", ["v"], ["w"])]),
    "Loop of 2^62 rounds": lambda: loop([node("Neg", ["v"], ["w"])], trips=1 << 62),
    "Loop that doubles": lambda: loop([node("Concat", ["v", "v"], ["w"], axis=0)]),
    "Loop that collects": scanning_loop,
    "ConstantOfShape": lambda: one("ConstantOfShape", shape(HUGE), ["n"]),
    "ConstantOfShape inside": lambda: one("ConstantOfShape", shape(HUGE), ["n"], reduced=True),
    "ConstantOfShape of 2^62": lambda: one("ConstantOfShape", shape(1 << 31, 1 << 31), ["n"]),
    "Expand": lambda: one("Expand", [number("x"), *shape(40_000, 40_000)], ["x", "n"]),
    "Expand inside": lambda: one("Expand", [number("x"), *shape(40_000, 40_000)], ["x", "n"], reduced=True),
    "Tile": lambda: one("Tile", [number("x", 1.0, [100]), *shape(HUGE // 100)], ["x", "n"]),
    "Tile inside": lambda: one(
        "Tile", [number("x", 1.0, [100]), *shape(HUGE // 100)], ["x", "n"], reduced=True
    ),
    "Range": lambda: one(
        "Range", [number("a", 0.0), number("b", 16_000_000.0), number("c", 0.01)], ["a", "b", "c"]
    ),
    "Pad": lambda: one("Pad", [number("x", 1.0, [1]), *shape(0, HUGE)], ["x", "n"]),
    "Resize": lambda: one(
        "Resize", [number("x", 1.0, [1, 1, 2, 2]), number("s", 20_000.0, [4])], ["x", "", "s"], opset=13
    ),
    "MatMul of a column by a row": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["a"]),
            node("ConstantOfShape", ["m"], ["b"]),
            node("MatMul", ["a", "b"], ["y"]),
        ],
        [ints("n", 40_000, 1), ints("m", 1, 40_000)],
    ),
    "broadcast Add": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["a"]),
            node("ConstantOfShape", ["m"], ["b"]),
            node("Add", ["a", "b"], ["y"]),
        ],
        [ints("n", 40_000, 1), ints("m", 1, 40_000)],
    ),
    "Gather": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["a"]),
            node("ConstantOfShape", ["m"], ["i"], value=ints("", 0)),
            node("Gather", ["a", "i"], ["y"]),
        ],
        [ints("n", 1, 20_000), ints("m", 80_000)],
    ),
    "Concat doubled": lambda: doubled(24),
    "Conv of many channels": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["x"]),
            node("ConstantOfShape", ["m"], ["w"]),
            node("Conv", ["x", "w"], ["y"]),
        ],
        [ints("n", 1, 64, 900, 900), ints("m", 512, 64, 7, 7)],
    ),
    "Conv of a large window": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["x"]),
            node("ConstantOfShape", ["m"], ["w"]),
            node("Conv", ["x", "w"], ["y"]),
        ],
        [ints("n", 1, 1, 4000, 4000), ints("m", 1, 1, 500, 500)],
    ),
    "MaxPool of a large window": lambda: onnx_of(
        [node("ConstantOfShape", ["n"], ["x"]), node("MaxPool", ["x"], ["y"], kernel_shape=[500, 500])],
        [ints("n", 1, 1, 4000, 4000)],
    ),
    "MatMul of 8,000": lambda: squared(8000, 40),
    "MatMul of 500, 5,000 times": lambda: squared(500, 5000),
    "Erf of 60 million": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["x"]),
            *[node("Erf", ["x"], [f"e{i}"]) for i in range(50)],
            node("Identity", ["e49"], ["y"]),
        ],
        [ints("n", 60_000_000)],
    ),
    "many large ones alive": lambda: onnx_of(
        [
            *[
                node("ConstantOfShape", ["n"], [f"x{i}"], value=number("", float(i + 1), [1]))
                for i in range(40)
            ],
            *[node("Neg", [f"x{i}"], [f"z{i}"]) for i in range(40)],
            node("Sum", [f"z{i}" for i in range(40)], ["y"]),
        ],
        [ints("n", 60_000_000)],
    ),
    "CumSum": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["x"]),
            *[node("CumSum", ["x", "a"], [f"e{i}"]) for i in range(60)],
            node("Identity", ["e59"], ["y"]),
        ],
        [ints("n", 60_000_000), ints("a", 0, scalar=True)],
    ),
    "OneHot": lambda: onnx_of(
        [node("ConstantOfShape", ["n"], ["i"], value=ints("", 0)), node("OneHot", ["i", "d", "v"], ["y"])],
        [ints("n", 60_000), ints("d", 60_000, scalar=True), number("v", 1.0, [2])],
    ),
    "If in If, 25 deep": lambda: nested(25),
    "200,000 nodes": unused,
    "RandomNormal": lambda: one("RandomNormal", [], [], shape=[HUGE]),
    "EyeLike": lambda: onnx_of(
        [
            node("ConstantOfShape", ["n"], ["x"]),
            node("Expand", ["x", "m"], ["z"]),
            node("EyeLike", ["z"], ["y"]),
        ],
        [ints("n", 1), ints("m", 40_000, 40_000)],
    ),
}


# TFLite


class Tflite:
    """A TFLite model under construction, by LiteRT's own reading of the schema."""

    def __init__(self) -> None:
        from ai_edge_litert import schema_py_generated as schema

        self.schema: Any = schema
        self.model = schema.ModelT()
        self.model.version, self.model.operatorCodes, self.model.subgraphs = 3, [], []
        self.model.buffers = [schema.BufferT()]

    def graph(
        self, tensors: Sequence[tuple[Sequence[int], str, Any]], inputs: Sequence[int], outputs: Sequence[int]
    ) -> Any:
        """A subgraph: shapes, types and contents (an array, or None)."""
        graph = self.schema.SubGraphT()
        graph.tensors, graph.operators, graph.inputs, graph.outputs = [], [], list(inputs), list(outputs)
        for index, (lengths, kind, content) in enumerate(tensors):
            tensor = self.schema.TensorT()
            tensor.name, tensor.shape, tensor.type = (
                f"t{index}",
                list(lengths),
                getattr(self.schema.TensorType, kind),
            )
            if content is not None:
                buffer = self.schema.BufferT()
                buffer.data = content.tobytes()
                tensor.buffer = len(self.model.buffers)
                self.model.buffers.append(buffer)
            graph.tensors.append(tensor)
        self.model.subgraphs.append(graph)
        return graph

    def add(
        self, graph: Any, name: str, inputs: Sequence[int], outputs: Sequence[int], options: Any = None
    ) -> None:
        code = self.schema.OperatorCodeT()
        code.builtinCode = getattr(self.schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), 1
        operator = self.schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = (
            len(self.model.operatorCodes),
            list(inputs),
            list(outputs),
        )
        if options is not None:
            kind = type(options).__name__.removesuffix("T")
            operator.builtinOptionsType, operator.builtinOptions = (
                getattr(self.schema.BuiltinOptions, kind),
                options,
            )
        self.model.operatorCodes.append(code)
        graph.operators.append(operator)

    def data(self) -> bytes:
        import flatbuffers

        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def while_() -> bytes:
    import numpy as np

    made = Tflite()
    main = made.graph([([1], "INT32", None), ([1], "INT32", None)], [0], [1])
    condition = made.graph([([1], "INT32", None), ([1], "BOOL", None)], [0], [1])
    body = made.graph(
        [([1], "INT32", None), ([1], "INT32", np.ones(1, "i4")), ([1], "INT32", None)], [0], [2]
    )
    options = made.schema.WhileOptionsT()
    options.condSubgraphIndex, options.bodySubgraphIndex = 1, 2
    made.add(main, "WHILE", [0], [1], options)
    made.add(condition, "EQUAL", [0, 0], [1], made.schema.EqualOptionsT())
    made.add(body, "MUL", [0, 1], [2], made.schema.MulOptionsT())
    return made.data()


def smallest_by(name: str, right: int) -> bytes:
    """The smallest int by a weight. The input is a weight too: nothing is left to the guest."""
    import numpy as np

    made = Tflite()
    graph = made.graph(
        [([1], "INT32", None), ([1], "INT32", np.array([right], "i4")), ([1], "INT32", None),
         ([1], "INT32", np.array([-(1 << 31)], "i4")), ([1], "INT32", None)],
        [0], [2],
    )  # fmt: skip
    made.add(graph, "MINIMUM", [0, 3], [4], made.schema.MaximumMinimumOptionsT())
    options = {"FLOOR_MOD": "FloorModOptionsT", "FLOOR_DIV": "FloorDivOptionsT", "DIV": "DivOptionsT"}[name]
    made.add(graph, name, [4, 1], [2], getattr(made.schema, options)())
    return made.data()


def filled(name: str) -> bytes:
    """Five gigabytes out of a shape."""
    import numpy as np

    made = Tflite()
    dims = np.array([HUGE // 1000, 1000], "i4")
    value = ([] if name == "FILL" else [1, 1], "FLOAT32", np.ones(1, "f4"))
    graph = made.graph(
        [([1], "INT32", None), ([2], "INT32", dims), value, ([1, 1], "FLOAT32", None)], [0], [3]
    )
    given = [1, 2] if name == "FILL" else [2, 1]
    options = {"FILL": "FillOptionsT", "TILE": "TileOptionsT", "BROADCAST_TO": "BroadcastToOptionsT"}[name]
    made.add(graph, name, given, [3], getattr(made.schema, options)())
    return made.data()


TFLITE: dict[str, Callable[[], bytes]] = {
    "endless WHILE": while_,
    "FLOOR_MOD of the smallest int": lambda: smallest_by("FLOOR_MOD", -1),
    "FLOOR_DIV of the smallest int": lambda: smallest_by("FLOOR_DIV", -1),
    "DIV of the smallest int": lambda: smallest_by("DIV", -1),
    "FLOOR_MOD by zero": lambda: smallest_by("FLOOR_MOD", 0),
    "FILL": lambda: filled("FILL"),
    "TILE": lambda: filled("TILE"),
    "BROADCAST_TO": lambda: filled("BROADCAST_TO"),
}

# OpenVINO's own


def broadcast_ir() -> tuple[bytes, bytes]:
    """An IR of a constant that is broadcast to 5 GB."""
    from struct import pack

    def port(number: int, kind: str, *lengths: int) -> str:
        return f'<port id="{number}" precision="{kind}">{"".join(f"<dim>{n}</dim>" for n in lengths)}</port>'

    side = 36_000
    xml = f"""<?xml version="1.0"?><net name="m" version="11"><layers>
    <layer id="0" name="v" type="Const" version="opset1">
      <data element_type="f32" shape="1" offset="0" size="4"/>
    <output>{port(0, "FP32", 1)}</output></layer>
    <layer id="1" name="n" type="Const" version="opset1">
      <data element_type="i64" shape="2" offset="8" size="16"/>
      <output>{port(0, "I64", 2)}</output></layer>
    <layer id="2" name="b" type="Broadcast" version="opset3"><data mode="numpy"/>
      <input>{port(0, "FP32", 1)}{port(1, "I64", 2)}</input>
      <output>{port(2, "FP32", side, side)}</output></layer>
    <layer id="3" name="y" type="Result" version="opset1"><input>{port(0, "FP32", side, side)}</input></layer>
    </layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
    return xml.encode(), pack("<f4xqq", 1.0, side, side)


@dataclass(frozen=True)
class Hostile:
    """A model, and who may be asked to run it. Nothing must come of it but an answer or an error of ours."""

    name: str
    make: Callable[[], Sequence[bytes]]
    format: str
    backends: tuple[str, ...]
    encoding: int

    def __str__(self) -> str:
        return self.name


def lone(make: Callable[[], bytes]) -> Callable[[], Sequence[bytes]]:
    return lambda: (make(),)


HOSTILE = [
    *(
        Hostile(name, lone(make), "onnx", ("onnxruntime", "openvino", "numpy"), 1)
        for name, make in ONNX.items()
    ),
    *(Hostile(name, lone(make), "tflite", ("litert", "openvino"), 4) for name, make in TFLITE.items()),
    Hostile("Broadcast in IR", broadcast_ir, "openvino", ("openvino",), 0),
]
CASES = [(one, backend) for one in HOSTILE for backend in one.backends]

GUEST = """(module
  (import "wasi_ephemeral_nn" "load" (func $load (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "init_execution_context" (func $init (param i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "set_input" (func $set (param i32 i32 i32) (result i32)))
  (import "wasi_ephemeral_nn" "compute" (func $compute (param i32) (result i32)))
  (import "wasi_ephemeral_nn" "get_output" (func $get (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") {pages})
  (data (i32.const 0) "{builders}") (data (i32.const 4096) "{model}")
  (func (export "run") (result i32) (local $error i32)
    (local.set $error (call $load
      (i32.const 0) (i32.const {parts}) (i32.const {encoding}) (i32.const 0) (i32.const 64)))
    (if (local.get $error) (then (return (local.get $error))))
    (local.set $error (call $init (i32.load (i32.const 64)) (i32.const 68)))
    (if (local.get $error) (then (return (local.get $error))))
    (i32.store (i32.const 80) (i32.const 1)) (i32.store (i32.const 84) (i32.const 80))
    (i32.store (i32.const 88) (i32.const 1)) (i32.store8 (i32.const 92) (i32.const 4))
    (i32.store (i32.const 96) (i32.const 80)) (i32.store (i32.const 100) (i32.const 4))
    (drop (call $set (i32.load (i32.const 68)) (i32.const 0) (i32.const 84)))
    (local.set $error (call $compute (i32.load (i32.const 68))))
    (if (local.get $error) (then (return (local.get $error))))
    (call $get (i32.load (i32.const 68)) (i32.const 0) (i32.const 65536) (i32.const 64) (i32.const 72))))"""
"""Loads the model, sets an input of one int if there is one, computes and fetches the output; gives the error
number of the first that fails."""


def escaped(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


def guest_text(parts: Sequence[bytes], encoding: int) -> str:
    from struct import pack

    builders, at = b"", 4096
    for part in parts:
        builders += pack("<II", at, len(part))
        at += len(part)
    return GUEST.format(
        pages=max(at, 1 << 17) // 65536 + 2,
        builders=escaped(builders),
        model=escaped(b"".join(parts)),
        parts=len(parts),
        encoding=encoding,
    )


def attack(hostile: Hostile, backend: str, engine: str, limit: float = SECONDS) -> dict[str, Any]:
    """What came of it, in this process."""
    import resource

    from pywasm_nn import NN, Limits, Module
    from pywasm_nn.errors import WasmError

    module = Module.from_text(guest_text(hostile.make(), hostile.encoding))
    limits = Limits(seconds=limit, memory=ROOM, tensor_bytes=ROOM)
    said: list[str] = []
    unit = 1 << 10 if sys.platform == "linux" else 1 << 20
    before = peak()
    nn = NN(backends={hostile.format: backend})
    with module.instantiate(nn=nn, limits=limits, engine=engine, report=said.append) as instance:
        began = time.perf_counter()
        try:
            came: Any = instance.exports.run()
        except WasmError as error:
            came = type(error).__name__
        seconds = time.perf_counter() - began
    return {
        "came": came,
        "seconds": round(seconds, 2),
        "before": before,
        "host": peak(),
        "child": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // unit,
        "said": said[-1][:200] if said else "",
    }


def peak() -> int:
    """The most memory of this process so far, in MiB. Linux counts that of the process which started it in
    ru_maxrss, as it began as a copy; VmHWM begins anew."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) >> 10


def judged(name: str, backend: str, engine: str, limit: float = SECONDS) -> dict[str, Any]:
    """What comes of an attack in a process of its own; how that ended, if it didn't say."""
    command = [sys.executable, "-m", "tests.nn.hostile_models", name, backend, engine, str(limit)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {"came": "no end"}
    if done.returncode:
        return {"came": f"exit code {done.returncode}", "said": done.stderr[-2000:]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    if len(sys.argv) >= 4:
        name, backend, engine, limit = (*sys.argv[1:], str(SECONDS))[:4]
        chosen = next(one for one in HOSTILE if one.name == name)
        print(json.dumps(attack(chosen, backend, engine, float(limit))))
        return
    for hostile, backend in CASES:
        print(hostile.name, backend, judged(hostile.name, backend, "compile"), flush=True)


if __name__ == "__main__":
    main()
