"""Facts from an ONNX model's bytes: which external files it uses, whether it normalises its input, and what
its properties say of the pixels that it wants.

What is here: `external_data`, `scaled`, `order` and `normalisation`. What is not: recognising such bytes
(`messages`), and operators (the backends). Sources: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto,
https://github.com/onnx/onnx/blob/main/docs/MetadataProps.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..protobuf import LEN, VARINT, Budget, fields, text
from .format import Normalisation

_MAX_DEPTH = 200
"""The deepest nesting of messages; protobuf's own readers stop at 100."""
_TENSOR = "TensorProto"
_EXTERNAL_DATA, _DATA_LOCATION, _EXTERNAL = 13, 14, 1
_CHILDREN: dict[str, dict[int, str]] = {
    "ModelProto": {7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto"},
    "TrainingInfoProto": {1: "GraphProto", 2: "GraphProto"},
    "FunctionProto": {7: "NodeProto", 11: "AttributeProto"},
    "GraphProto": {1: "NodeProto", 5: _TENSOR, 15: "SparseTensorProto"},
    "NodeProto": {5: "AttributeProto"},
    "SparseTensorProto": {1: _TENSOR, 2: _TENSOR},
    "AttributeProto": {
        5: _TENSOR,
        6: "GraphProto",
        10: _TENSOR,
        11: "GraphProto",
        22: "SparseTensorProto",
        23: "SparseTensorProto",
    },
}
"""Messages that may contain tensors: message, field number, message in that field (onnx.proto)."""


def external_data(data: bytes | memoryview, patience: Callable[[], object] = lambda: None) -> list[str]:
    """The locations of all tensors of an ONNX model whose data is outside it, wherever the tensors are.

    A tensor that says "external" without a location counts, as "". Raises ValueError for bytes that are no
    protobuf or nested deeper than any reader accepts: then it is unknown what a framework would open.
    `patience` is called from time to time, and may raise.
    """
    budget = Budget(patience=patience)
    locations: list[str] = []
    open_messages = [(_CHILDREN["ModelProto"], fields(memoryview(data).cast("B"), budget))]
    while open_messages:
        children, rest = open_messages[-1]
        for number, wire, _, payload in rest:
            child = children.get(number) if wire == LEN else None
            if child == _TENSOR:
                locations += _locations(payload, budget)
            elif child:
                if len(open_messages) == _MAX_DEPTH:
                    raise ValueError(f"messages inside each other, {_MAX_DEPTH} deep")
                open_messages.append((_CHILDREN[child], fields(payload, budget)))
                break
        else:
            open_messages.pop()
    return locations


def _locations(tensor: memoryview, budget: Budget) -> list[str]:
    """The file locations of one TensorProto. If its fields contradict each other, it counts as external:
    readers differ in which field they believe.
    """
    found: list[str] = []
    external = False
    for number, wire, value, payload in fields(tensor, budget):
        if number == _DATA_LOCATION and wire == VARINT and value & 0xFFFF_FFFF == _EXTERNAL:
            external = True
        elif number == _EXTERNAL_DATA and wire == LEN:
            external = True
            entry = {field: text(part) for field, kind, _, part in fields(payload, budget) if kind == LEN}
            if entry.get(1) == "location":
                found.append(entry.get(2, ""))
    return found or ([""] if external else [])


GRAPH, NODE = 7, 1
INPUT, OUTPUT, OP_TYPE = 1, 2, 4
"""Numbers of fields in ModelProto, GraphProto and NodeProto."""
PASSING = frozenset({"Cast", "Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Resize"})
"""Nodes that keep the range of values."""
SCALING = frozenset(
    {"Div", "Mul", "Sub", "Add", "BatchNormalization", "InstanceNormalization", "LayerNormalization",
     "QuantizeLinear", "DynamicQuantizeLinear", "MeanVarianceNormalization", "Clip", "Sqrt", "Log"}
)  # fmt: skip
"""Nodes that change the range of values."""
MOST_NODES = 64
"""The most nodes that are read; normalisation comes first in a model."""
MOST_FIELDS = 20_000


def scaled(data: memoryview) -> frozenset[str]:
    """Names of values (inputs and results derived from them) whose range the model changes first of all.
    Raises ValueError for broken bytes.
    """
    budget = Budget(MOST_FIELDS)
    found: set[str] = set()
    sources: dict[str, str] = {}
    for read, (op, inputs, outputs) in enumerate(nodes(data, budget)):
        if read == MOST_NODES:
            break
        if op in PASSING and inputs:
            sources.update((output, sources.get(inputs[0], inputs[0])) for output in outputs)
        elif op in SCALING:
            found.update(sources.get(name, name) for name in inputs)
    return frozenset(found)


def nodes(data: memoryview, budget: Budget) -> Sequence[tuple[str, list[str], list[str]]]:
    """The first nodes of a model: operator, names of inputs and outputs."""
    found: list[tuple[str, list[str], list[str]]] = []
    for number, wire, _, graph in fields(data, budget):
        if number != GRAPH or wire != LEN:
            continue
        for inner, kind, _, node in fields(graph, budget):
            if inner == NODE and kind == LEN:
                found.append(read_node(node, budget))
                if len(found) > MOST_NODES:
                    return found
    return found


def read_node(node: memoryview, budget: Budget) -> tuple[str, list[str], list[str]]:
    op, inputs, outputs = "", [], []
    for number, wire, _, payload in fields(node, budget):
        if wire != LEN:
            continue
        if number == INPUT:
            inputs.append(text(payload))
        elif number == OUTPUT:
            outputs.append(text(payload))
        elif number == OP_TYPE:
            op = text(payload)
    return op, inputs, outputs


PROPERTIES, KEY, VALUE = 14, 1, 2
ORDERS = {"rgb8": "RGB", "bgr8": "BGR"}
RANGES: dict[str, Normalisation] = {
    "nominalrange_0_255": ((0.0,), (1.0,)),
    "normalized_0_1": ((0.0,), (255.0,)),
    "normalized_1_1": ((127.5,), (127.5,)),
}
"""Means and deviations by `Image.NominalPixelRange`."""
ULTRALYTICS = "ultralytics"
"""The author of models of its own, which all want RGB from 0 to 1."""


def properties(data: memoryview) -> dict[str, str]:
    """The properties of a model (metadata_props). Raises ValueError for broken bytes."""
    found: dict[str, str] = {}
    for number, wire, _, entry in fields(data, Budget(MOST_FIELDS)):
        if number == PROPERTIES and wire == LEN:
            pair = {field: text(part) for field, kind, _, part in fields(entry, Budget(4)) if kind == LEN}
            found[pair.get(KEY, "").lower()] = pair.get(VALUE, "").lower()
    return found


def order(data: memoryview) -> str:
    """Returns the order of channels, "RGB" or "BGR", or "" if the properties don't say it."""
    found = properties(data)
    if found.get("author") == ULTRALYTICS:
        return "RGB"
    return ORDERS.get(found.get("image.bitmappixelformat", ""), "")


def normalisation(data: memoryview) -> Mapping[int, Normalisation]:
    """By the index of an input, which is the first one, how pixels are normalised, as properties say."""
    found = properties(data)
    wanted = "normalized_0_1" if found.get("author") == ULTRALYTICS else ""
    pair = RANGES.get(wanted or found.get("image.nominalpixelrange", ""))
    return {0: pair} if pair else {}
