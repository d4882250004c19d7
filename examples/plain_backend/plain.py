"""A backend of one's own, in plain Python: small ONNX networks where not even numpy can be installed.

What is here: a reader for the few fields of ONNX that matter (https://onnx.ai/onnx/repo-docs/IR.html), six
operators on lists, and the three classes of a backend. What is not: speed, other operators, dynamic shapes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from math import exp, prod
from typing import Any, NamedTuple

from pywasm_nn.nn.backend import Backend, Context, Graph, GraphConfig
from pywasm_nn.nn.errors import Code, NNError
from pywasm_nn.nn.protobuf import LEN, Budget, fields, packed, text
from pywasm_nn.nn.tensor import DType, Tensor, TensorSpec

FLOAT = 1
"""TensorProto.DataType of f32, the only one here."""


class Array(NamedTuple):
    """Elements in row-major order."""

    shape: tuple[int, ...]
    values: Sequence[float]


class Node(NamedTuple):
    """An operator with the names of what it takes and gives."""

    operator: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, list[int]]


class Model(NamedTuple):
    """A network: nodes in an order in which they can run."""

    nodes: list[Node]
    weights: dict[str, Array]
    inputs: list[TensorSpec]
    outputs: list[TensorSpec]


class Message:
    """A protobuf message, its fields by number."""

    def __init__(self, data: memoryview, budget: Budget) -> None:
        self.budget = budget
        self.found: dict[int, list[tuple[int, int, memoryview]]] = {}
        for number, wire, value, payload in fields(data, budget):
            self.found.setdefault(number, []).append((wire, value, payload))

    def messages(self, number: int) -> Iterator[Message]:
        return (Message(payload, self.budget) for _, _, payload in self.found.get(number, ()))

    def texts(self, number: int) -> list[str]:
        return [text(payload) for _, _, payload in self.found.get(number, ())]

    def numbers(self, number: int) -> list[int]:
        """A repeated integer, packed or not."""
        made: list[int] = []
        for wire, value, payload in self.found.get(number, ()):
            made += packed(payload, self.budget) if wire == LEN else [value]
        return made

    def data(self, number: int) -> bytes:
        return b"".join(payload for _, _, payload in self.found.get(number, ()))


def read(data: memoryview) -> Model:
    """The network in an ONNX file. Raises ValueError."""
    for graph in Message(data, Budget()).messages(7):
        nodes = [
            Node("".join(node.texts(4)), node.texts(1), node.texts(2), attributes_of(node))
            for node in graph.messages(1)
        ]
        weights = {"".join(tensor.texts(8)): array_of(tensor) for tensor in graph.messages(5)}
        inputs = [spec_of(value) for value in graph.messages(11)]
        return Model(
            nodes,
            weights,
            [spec for spec in inputs if spec.name not in weights],
            [spec_of(value) for value in graph.messages(12)],
        )
    raise ValueError("the file has no graph")


def attributes_of(node: Message) -> dict[str, list[int]]:
    """Attributes that are integers: one as a list of one."""
    return {"".join(one.texts(1)): one.numbers(8) or one.numbers(3) for one in node.messages(5)}


def array_of(tensor: Message) -> Array:
    shape = tuple(tensor.numbers(1))
    raw = tensor.data(9) or tensor.data(4)  # as bytes, or as packed floats, which are the same bytes
    if tensor.numbers(2) != [FLOAT] or len(raw) != 4 * prod(shape):
        raise ValueError("only whole tensors of f32 are read here")
    return Array(shape, struct.unpack(f"<{prod(shape)}f", raw))


def spec_of(value: Message) -> TensorSpec:
    for type_ in value.messages(2):
        for tensor in type_.messages(1):
            if tensor.numbers(1) != [FLOAT]:
                raise ValueError("only inputs and outputs of f32 are read here")
            sizes = [dim.numbers(1) for shape in tensor.messages(2) for dim in shape.messages(1)]
            if not all(sizes):
                raise ValueError("only shapes that are known beforehand are read here")
            return TensorSpec("".join(value.texts(1)), DType.F32, tuple(size for (size,) in sizes))
    raise ValueError("an input or output has no type")


def conv(attributes: dict[str, list[int]], x: Array, kernel: Array, bias: Array) -> Array:
    """Two dimensions, stride 1; pads are top, left, bottom, right."""
    _, channels, height, width = x.shape
    out, _, rows, columns = kernel.shape
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    wide = width + left + right
    padded = [0.0] * (channels * (height + top + bottom) * wide)
    for line in range(channels * height):
        channel, y = divmod(line, height)
        start = (channel * (height + top + bottom) + y + top) * wide + left
        padded[start : start + width] = x.values[line * width : line * width + width]
    result_height, result_width = height + top + bottom - rows + 1, wide - columns + 1
    offsets = [
        (c * (height + top + bottom) + dy) * wide + dx
        for c in range(channels)
        for dy in range(rows)
        for dx in range(columns)
    ]
    values = []
    for o in range(out):
        weights = kernel.values[o * len(offsets) : (o + 1) * len(offsets)]
        taps = list(zip(offsets, weights, strict=True))
        for y in range(result_height):
            for at in range(y * wide, y * wide + result_width):
                values.append(bias.values[o] + sum(padded[at + offset] * weight for offset, weight in taps))
    return Array((1, out, result_height, result_width), values)


def max_pool(attributes: dict[str, list[int]], x: Array) -> Array:
    """Windows that don't overlap and fit."""
    _, channels, height, width = x.shape
    rows, columns = attributes["kernel_shape"]
    if attributes.get("strides", [1, 1]) != [rows, columns]:
        raise NNError(Code.UNSUPPORTED_OPERATION, "windows of MaxPool that overlap")
    values = [
        max(
            x.values[(c * height + y + dy) * width + left + dx] for dy in range(rows) for dx in range(columns)
        )
        for c in range(channels)
        for y in range(0, height - rows + 1, rows)
        for left in range(0, width - columns + 1, columns)
    ]
    return Array((1, channels, height // rows, width // columns), values)


def gemm(attributes: dict[str, list[int]], a: Array, b: Array, c: Array) -> Array:
    """One line times a matrix, plus a line."""
    lines, columns = b.shape
    values = [
        c.values[column] + sum(a.values[line] * b.values[line * columns + column] for line in range(lines))
        for column in range(columns)
    ]
    return Array((1, columns), values)


def relu(attributes: dict[str, list[int]], x: Array) -> Array:
    return Array(x.shape, [max(value, 0.0) for value in x.values])


def flatten(attributes: dict[str, list[int]], x: Array) -> Array:
    return Array((x.shape[0], prod(x.shape[1:])), x.values)


def softmax(attributes: dict[str, list[int]], x: Array) -> Array:
    """Of one line."""
    greatest = max(x.values)
    powers = [exp(value - greatest) for value in x.values]
    return Array(x.shape, [power / sum(powers) for power in powers])


OPERATORS: dict[str, Callable[..., Array]] = {
    "Conv": conv, "Flatten": flatten, "Gemm": gemm, "MaxPool": max_pool, "Relu": relu, "Softmax": softmax,
}  # fmt: skip


class PlainContext(Context):
    """One execution: every value by its name."""

    def __init__(self, graph: PlainGraph) -> None:
        super().__init__(graph)
        self.model = graph.model

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        values = dict(self.model.weights)
        for spec, tensor in zip(self.model.inputs, inputs, strict=True):
            elements = struct.unpack(f"<{prod(tensor.shape)}f", tensor.view())
            values[spec.name] = Array(tensor.shape, elements)
        for node in self.model.nodes:
            arguments = [values[name] for name in node.inputs]
            values[node.outputs[0]] = OPERATORS[node.operator](node.attributes, *arguments)
        return [tensor_of(values[spec.name]) for spec in self.model.outputs]


def tensor_of(array: Array) -> Tensor:
    return Tensor(DType.F32, array.shape, struct.pack(f"<{len(array.values)}f", *array.values))


class PlainGraph(Graph):
    """A network that was read."""

    def __init__(self, model: Model) -> None:
        super().__init__(Plain.name, model.inputs, model.outputs)
        self.model = model

    def context(self) -> PlainContext:
        return PlainContext(self)


class Plain(Backend):
    """Use it by `--nn-plugin plain.py:Plain`, or `NN(plugins=["plain.py:Plain"])`."""

    name = "plain"
    formats = ("onnx",)
    from_guests = frozenset(formats)  # it opens nothing, whatever the bytes say

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        try:
            model = read(memoryview(bytes(parts[0])))
        except ValueError as error:
            raise NNError(Code.RUNTIME_ERROR, f"plain: {error}") from error
        lacking: Any = sorted({node.operator for node in model.nodes} - set(OPERATORS))
        if lacking:
            raise NNError(Code.UNSUPPORTED_OPERATION, f"plain has no operator {', '.join(lacking)}")
        return PlainGraph(model)
