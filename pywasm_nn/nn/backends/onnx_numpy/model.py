"""An ONNX model as data: the parts of ModelProto that the numpy backend needs, read from bytes.

What is here: `read_model` and its frozen result classes. Weights are views of the bytes, not copies.
What is not: the meaning of operators, and subgraphs (no operator of this backend has one).
Malformed bytes raise ValueError. Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from struct import unpack
from typing import Any

import numpy as np
import numpy.typing as npt

from ....brief import summarised
from ....records import Frozen
from ...protobuf import I32, I64, LEN, VARINT, Budget, fields, packed, signed, text

Array = npt.NDArray[Any]
Index = tuple[Any, ...]
"""A numpy index: slices, numbers, an ellipsis."""
Ints = tuple[int, ...]
Floats = tuple[float, ...]
Attribute = int | float | str | Ints | Floats | tuple[str, ...] | Array

NUMPY_TYPES = {
    1: "<f4", 2: "|u1", 3: "|i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "|b1", 10: "<f2", 11: "<f8",
    12: "<u4", 13: "<u8",
}  # fmt: skip
"""TensorProto.DataType to numpy types; numpy has no bfloat16, strings, float8 ..."""
TYPE_NAMES = {0: "no type", 8: "string", 14: "complex64", 15: "complex128", 16: "bfloat16"}


MAX_FIELDS = 4_000_000
OBJECT_FIELDS = 20
"""The least cost of a node or a tensor in fields, because two bytes of a file may create one."""


class Value(Frozen):
    """An input or output of the graph. `type` is a TensorProto.DataType, 0 if the model doesn't say."""

    name: str
    type: int
    shape: tuple[int | str | None, ...] | None


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One use of an operator. A missing input is ""."""

    op: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Attribute]

    def __str__(self) -> str:
        return f"{self.op} node {(self.name or (self.outputs or ('',))[0])!r}"


@summarised
@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A graph. Nodes are in the file's order; `opsets` maps a domain to its version."""

    opsets: dict[str, int]
    nodes: tuple[Node, ...]
    weights: dict[str, Array]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


@summarised
@dataclass(slots=True)
class _Graph:
    nodes: list[Node] = field(default_factory=list)
    weights: dict[str, Array] = field(default_factory=dict)
    inputs: list[Value] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)


def read_model(data: bytes | memoryview) -> Model:
    """Read a ModelProto. The arrays of the result keep `data` alive."""
    budget = Budget(MAX_FIELDS)
    opsets: dict[str, int] = {}
    graph: _Graph | None = None
    for number, wire, _, payload in fields(memoryview(data).cast("B"), budget):
        if (number, wire) == (8, LEN):
            domain, version = _opset(payload, budget)
            opsets[domain] = version
        elif (number, wire) == (7, LEN):
            if graph is not None:
                raise ValueError("the model has two graphs")
            graph = _graph(payload, budget)
    if graph is None:
        raise ValueError("the model has no graph")
    inputs = tuple(value for value in graph.inputs if value.name not in graph.weights)
    return Model(opsets, tuple(graph.nodes), graph.weights, inputs, tuple(graph.outputs))


def _opset(message: memoryview, budget: Budget) -> tuple[str, int]:
    domain, version = "", 1
    for number, wire, value, payload in fields(message, budget):
        if (number, wire) == (1, LEN):
            domain = text(payload)
        elif (number, wire) == (2, VARINT):
            version = signed(value)
    return ("" if domain == "ai.onnx" else domain), version


def _graph(message: memoryview, budget: Budget) -> _Graph:
    graph = _Graph()
    for number, wire, _, payload in fields(message, budget):
        if wire != LEN:
            continue
        budget.spend(OBJECT_FIELDS)
        if number == 1:
            graph.nodes.append(_node(payload, budget))
        elif number == 5:
            name, array = _tensor(payload, budget)
            graph.weights[name] = array
        elif number == 11:
            graph.inputs.append(_value(payload, budget))
        elif number == 12:
            graph.outputs.append(_value(payload, budget))
        elif number == 15:
            raise ValueError("sparse weights can't be read")
    return graph


def _node(message: memoryview, budget: Budget) -> Node:
    inputs, outputs, attributes = [], [], {}
    texts = {3: "", 4: "", 7: ""}
    for number, wire, _, payload in fields(message, budget):
        if wire != LEN:
            continue
        if number == 1:
            inputs.append(text(payload))
        elif number == 2:
            outputs.append(text(payload))
        elif number == 5:
            name, attribute = _attribute(payload, budget)
            attributes[name] = attribute
        elif number in texts:
            texts[number] = text(payload)
    domain = "" if texts[7] == "ai.onnx" else texts[7]
    return Node(texts[4], domain, texts[3], tuple(inputs), tuple(outputs), attributes)


_FLOAT, _INT, _STRING, _TENSOR, _GRAPH, _FLOATS, _INTS, _STRINGS = range(1, 9)
_FIELD_TYPES = {2: _FLOAT, 3: _INT, 4: _STRING, 5: _TENSOR, 6: _GRAPH, 7: _FLOATS, 8: _INTS, 9: _STRINGS}
"""Number of the field with a value to AttributeProto.AttributeType, for models that omit `type`.
"""


def _attribute(message: memoryview, budget: Budget) -> tuple[str, Attribute]:
    name, kind, found = "", 0, 0
    single: dict[int, Attribute] = {_FLOAT: 0.0, _INT: 0, _STRING: ""}
    floats: list[float] = []
    ints: list[int] = []
    strings: list[str] = []
    for number, wire, value, payload in fields(message, budget):
        found = _FIELD_TYPES.get(number, found)
        if (number, wire) == (1, LEN):
            name = text(payload)
        elif (number, wire) == (20, VARINT):
            kind = value
        elif (number, wire) == (2, I32):
            single[_FLOAT] = unpack("<f", payload)[0]
        elif (number, wire) == (3, VARINT):
            single[_INT] = signed(value)
        elif (number, wire) == (4, LEN):
            single[_STRING] = text(payload)
        elif (number, wire) == (5, LEN):
            single[_TENSOR] = _tensor(payload, budget)[1]
        elif number == 7 and wire in (LEN, I32):
            floats += np.frombuffer(payload, "<f4").tolist()
        elif number == 8:
            ints += packed(payload, budget) if wire == LEN else [signed(value)]
        elif (number, wire) == (9, LEN):
            strings.append(text(payload))
    values = {**single, _FLOATS: tuple(floats), _INTS: tuple(ints), _STRINGS: tuple(strings)}
    kind = kind or found
    return name, values.get(kind, f"attribute of type {kind}")


def _value(message: memoryview, budget: Budget) -> Value:
    name, kind = "", 0
    shape: tuple[int | str | None, ...] | None = None
    for number, wire, _, payload in fields(message, budget):
        if (number, wire) == (1, LEN):
            name = text(payload)
        elif (number, wire) == (2, LEN):
            for tensor, inner_wire, _, inner in fields(payload, budget):  # TypeProto
                if (tensor, inner_wire) == (1, LEN):
                    kind, shape = _tensor_type(inner, budget)
    return Value(name, kind, shape)


def _tensor_type(message: memoryview, budget: Budget) -> tuple[int, tuple[int | str | None, ...] | None]:
    kind = 0
    shape: tuple[int | str | None, ...] | None = None
    for number, wire, value, payload in fields(message, budget):
        if (number, wire) == (1, VARINT):
            kind = value
        elif (number, wire) == (2, LEN):
            dimensions = [
                part for field_, kind_, _, part in fields(payload, budget) if (field_, kind_) == (1, LEN)
            ]
            shape = tuple(_dimension(dimension, budget) for dimension in dimensions)
    return kind, shape


def _dimension(message: memoryview, budget: Budget) -> int | str | None:
    """A length, a name, or None. Some exporters write negative lengths for unknown ones."""
    found: int | str | None = None
    for number, wire, value, payload in fields(message, budget):
        if (number, wire) == (1, VARINT):
            found = signed(value) if signed(value) >= 0 else None
        elif (number, wire) == (2, LEN):
            found = text(payload) or None
    return found


_DATA_FIELDS = {4: "<f4", 10: "<f8"}


def _tensor(message: memoryview, budget: Budget) -> tuple[str, Array]:
    """A TensorProto: its name and its elements, as a view of `message` if that is aligned."""
    name, kind, raw = "", 0, None
    dims: list[int] = []
    numbers: list[int] = []
    pieces: list[Array] = []
    for number, wire, value, payload in fields(message, budget):
        if number == 1:
            dims += packed(payload, budget) if wire == LEN else [signed(value)]
        elif (number, wire) == (2, VARINT):
            kind = value
        elif (number, wire) == (8, LEN):
            name = text(payload)
        elif (number, wire) == (9, LEN):
            raw = payload
        elif number in _DATA_FIELDS and wire in (LEN, I32, I64):
            pieces.append(np.frombuffer(payload, _DATA_FIELDS[number]))
        elif number in (5, 7, 11):
            numbers += packed(payload, budget) if wire == LEN else [signed(value)]
    if kind not in NUMPY_TYPES:
        raise ValueError(
            f"tensor {name!r} has elements of {TYPE_NAMES.get(kind, f'type {kind}')}, unknown to numpy"
        )
    dtype = np.dtype(NUMPY_TYPES[kind])
    if raw is not None:
        array: Array = np.frombuffer(raw, dtype)
    elif pieces:
        array = np.concatenate(pieces).astype(dtype, copy=False)
    elif kind == 10:
        array = np.array(numbers, np.int64).astype(np.uint16).view(dtype)  # float16 is stored as its bits
    else:
        array = np.array(numbers, np.int64).astype(dtype)
    if any(length < 0 for length in dims) or prod(dims) != array.size:
        raise ValueError(f"tensor {name!r} claims shape {dims} and has {array.size} elements")
    return name, np.require(array, requirements="A").reshape(dims)
