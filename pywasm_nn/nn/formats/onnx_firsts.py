"""What an ONNX model does with an input first of all: a scale and shift by numbers in the model, and the mean
and deviation that its first normalised layer saw in training.

What is here: `firsts`, and `graph_of`, which reads a model's graph. What is not: properties (`onnx.py`), and
what follows from the numbers (`watch.firsts`). Sources: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto,
https://github.com/onnx/onnx/blob/main/docs/Operators.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...records import Frozen
from ..protobuf import LEN, VARINT, Budget, fields, text, varint
from .format import First, Normalisation
from .onnx import GRAPH, NODE, read_node

INPUT, INITIALIZER = 11, 5
DIMENSIONS, TYPE, FLOATS, NAME, RAW, DOUBLES = 1, 2, 4, 8, 9, 10
ATTRIBUTE, ATTRIBUTE_TENSOR = 5, 5
FLOATING = {1: "<f4", 10: "<f2", 11: "<f8"}
"""Types of floats, with how numpy calls them."""
WHOLE = {6: 4, 7: 8}
"""Types of whole numbers, with the bytes of an element."""
WHOLES = {6: 5, 7: 7}
"""In which field their elements are if they are not in `RAW`."""
MOST_FIELDS = 400_000
MOST_ELEMENTS = 1 << 18
PASSING = frozenset({"Cast", "Identity", "Transpose"})
SHIFTING = frozenset({"Add", "Sub", "Mul", "Div"})
CHANNELS = (1, 3)
FEWEST = 8
"""A layer of fewer filters says too little."""
EXPLAINED = 0.98
"""The part of the means after a layer that the mean before it must explain."""
LARGE = 0.5
"""Filters of at least this part of the largest sum let a picture's brightness through."""


class Tensors(Frozen):
    """The constants of a model, by name; read when they are asked for."""

    found: Mapping[str, memoryview]

    def __getitem__(self, name: str) -> Any:
        """An array of floats, as f64, or None."""
        import numpy

        data = self.found.get(name)
        if data is None:
            return None
        shape, kind, raw = [], 0, b""
        for number, wire, value, payload in fields(data, Budget(MOST_ELEMENTS)):
            if number == DIMENSIONS:
                shape += [value] if wire == VARINT else packed(payload)
            elif number == TYPE:
                kind = value
            elif number in (RAW, FLOATS, DOUBLES):
                raw += bytes(payload)
        count = 1
        for length in shape:
            count *= length
        if kind not in FLOATING or count > MOST_ELEMENTS:
            return None
        own = numpy.dtype(FLOATING[kind])
        return (
            numpy.frombuffer(raw, own).reshape(shape).astype("f8")
            if len(raw) == own.itemsize * count
            else None
        )

    def shape(self, name: str) -> list[int]:
        """The lengths of an array; [] if there is none."""
        data = self.found.get(name)
        return [] if data is None else lengths(data)

    def whole(self, name: str) -> list[int] | None:
        """The elements of an array of i64 or i32, or None."""
        data = self.found.get(name)
        found = [] if data is None else list(fields(data, Budget(MOST_ELEMENTS)))
        kind = next((value for number, _, value, _ in found if number == TYPE), 0)
        width = WHOLE.get(kind)
        if width is None:
            return None
        raw = b"".join(bytes(payload) for number, _, _, payload in found if number == RAW)
        if raw:
            return [
                int.from_bytes(raw[at : at + width], "little", signed=True)
                for at in range(0, len(raw), width)
            ]
        own = [
            one
            for number, wire, _, payload in found
            if number == WHOLES[kind] and wire == LEN
            for one in packed(payload)
        ]
        return [one - (1 << 64) if one >> 63 else one for one in own]


def lengths(tensor: memoryview) -> list[int]:
    """The lengths of a tensor's dimensions."""
    found: list[int] = []
    for number, wire, value, payload in fields(tensor, Budget(MOST_ELEMENTS)):
        if number == DIMENSIONS:
            found += [value] if wire == VARINT else packed(payload)
    return found


def packed(payload: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(payload):
        value, at = varint(payload, at)
        found.append(value)
    return found


Node = tuple[str, list[str], list[str]]


class Graph(Frozen):
    """The nodes of a model, each with its message, its constants, and its inputs that are none."""

    nodes: Sequence[tuple[Node, memoryview]]
    constants: Tensors
    inputs: Sequence[str]


def graph_of(data: memoryview, budget: Budget) -> Graph:
    """Read a model. Raises ValueError for broken bytes."""
    inputs: list[str] = []
    nodes: list[tuple[Node, memoryview]] = []
    constants: dict[str, memoryview] = {}
    for number, wire, _, graph in fields(data, budget):
        if number != GRAPH or wire != LEN:
            continue
        for inner, kind, _, part in fields(graph, budget):
            if kind != LEN:
                continue
            if inner == INPUT:
                inputs += [text(value) for field, _, _, value in fields(part, budget) if field == 1]
            elif inner == INITIALIZER:
                constants[name_of(part, budget)] = part
            elif inner == NODE:
                node = read_node(part, budget)
                nodes.append((node, part))
                op, _, gives = node
                if op == "Constant" and gives:
                    constants.update((gives[0], value) for value in tensors_of(part, budget))
    return Graph(nodes, Tensors(constants), [name for name in inputs if name not in constants])


def firsts(graph: Graph) -> Mapping[int, First]:
    """Returns what is done with the first input that is no constant. Raises ValueError for broken
    constants."""
    nodes = [node for node, _ in graph.nodes]
    found = followed(graph.inputs[0], nodes, graph.constants) if graph.inputs else None
    return {0: found} if found else {}


def name_of(tensor: memoryview, budget: Budget) -> str:
    names = [text(value) for field, wire, _, value in fields(tensor, budget) if field == NAME and wire == LEN]
    return names[0] if names else ""


def tensors_of(node: memoryview, budget: Budget) -> Iterator[memoryview]:
    """The tensors among a node's attributes."""
    for number, wire, _, attribute in fields(node, budget):
        if number == ATTRIBUTE and wire == LEN:
            for field, kind, _, value in fields(attribute, budget):
                if field == ATTRIBUTE_TENSOR and kind == LEN:
                    yield value


def followed(name: str, nodes: Sequence[Node], constants: Tensors) -> First | None:
    """Returns what is done with a value, up to the first layer."""
    scale: tuple[float, ...] = (1.0,) * 3
    shift: tuple[float, ...] = (0.0,) * 3
    is_changed = False
    users: dict[str, list[Node]] = {}
    for node in nodes:
        for one in node[1]:
            users.setdefault(one, []).append(node)
    for _ in range(len(nodes)):
        using = users.get(name, [])
        if len(using) != 1:
            break
        op, inputs, outputs = using[0]
        if op in SHIFTING and len(inputs) == 2:
            other = by_channel(constants[inputs[1 - inputs.index(name)]])
            if other is None or (op in ("Sub", "Div") and inputs[0] != name) or not all(other):
                break
            scale, shift = step(op, scale, shift, other)
            is_changed = True
        elif op in ("Conv", "BatchNormalization"):
            trained = layer(using[0], users, constants)
            return First(scale, shift, is_changed, before(trained, scale, shift))
        elif op not in PASSING:
            break
        name = outputs[0]
    return First(scale, shift, True) if is_changed else None


def by_channel(array: Any) -> tuple[float, ...] | None:
    """One number for each of three channels; None for anything else."""
    if array is None or array.size not in CHANNELS:
        return None
    flat = tuple(float(one) for one in array.reshape(-1))
    return flat * (3 // len(flat))


def step(
    op: str, scale: Sequence[float], shift: Sequence[float], other: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Scales and shifts after one more operation."""
    if op in ("Mul", "Div"):
        by = [one if op == "Mul" else 1 / one for one in other]
        return tuple(a * b for a, b in zip(scale, by, strict=True)), tuple(
            a * b for a, b in zip(shift, by, strict=True)
        )
    sign = 1 if op == "Add" else -1
    return tuple(scale), tuple(a + sign * b for a, b in zip(shift, other, strict=True))


def layer(node: Node, users: Mapping[str, list[Node]], constants: Tensors) -> tuple[float, float] | None:
    """Mean and deviation of what a first layer was trained on."""
    import numpy

    op, inputs, outputs = node
    if op == "BatchNormalization":
        mean, variance = constants[inputs[3]], constants[inputs[4]]
        if mean is None or variance is None or mean.size > CHANNELS[-1] or not mean.any():
            return None
        return float(mean.mean()), float(numpy.sqrt(variance.mean()))
    using = users.get(outputs[0], [])
    weights = constants[inputs[1]]
    bias = constants[inputs[2]] if len(inputs) > 2 else 0.0
    if len(using) != 1 or using[0][0] != "BatchNormalization" or weights is None or weights.ndim != 4:
        return None
    if len(weights) < FEWEST or weights.shape[1] not in CHANNELS or bias is None:
        return None
    mean, variance = (constants[name] for name in using[0][1][3:5])
    if mean is None or variance is None or mean.size != len(weights) or not mean.any():
        return None
    sums, wanted = weights.sum(axis=(2, 3)), mean - bias
    found = numpy.linalg.lstsq(sums, wanted, rcond=None)[0]
    if float(((sums @ found - wanted) ** 2).sum()) > (1 - EXPLAINED) * float((wanted**2).sum()):
        return None
    whole = numpy.abs(sums.sum(axis=1))
    large = whole >= LARGE * whole.max()
    deviation = float(numpy.median(numpy.sqrt(variance[large]) / whole[large]))
    average = float((sums.sum(axis=1) * wanted).sum() / (whole**2).sum())
    return average, deviation


def before(
    trained: tuple[float, float] | None, scale: Sequence[float], shift: Sequence[float]
) -> Normalisation | None:
    """Mean and deviation of an input, of those after its scale and shift."""
    if trained is None or not all(scale):
        return None
    mean = tuple((trained[0] - b) / a for a, b in zip(scale, shift, strict=True))
    return mean, tuple(trained[1] / abs(a) for a in scale)
