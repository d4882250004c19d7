"""The graph of an ONNX model: its nodes, which of them take a value, and its constants.

What is here: `graph_of`, which reads it, and `first_nodes`. What is not: the numbers of constants
(`onnx_tensors.py`), and what the graph says of inputs and outputs (`onnx_facts.py`). Source:
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from struct import unpack
from typing import Any

from ...records import Frozen
from ..protobuf import I32, LEN, VARINT, Budget, fields, text
from .onnx import GRAPH, NODE, read_node
from .onnx_tensors import Tensors, packed

INPUT, INITIALIZER, NAME = 11, 5, 8
TYPE, TENSOR, SHAPE, DIMENSION = 2, 1, 2, 1
ATTRIBUTE, ATTRIBUTE_TENSOR = 5, 5
ATTRIBUTE_NAME, FLOAT, INT, FLOATS, INTS, STRINGS = 1, 2, 3, 7, 8, 9
MOST_FIELDS = 400_000


class Node(Frozen):
    """A node: its operator, names, and attributes, which are read when they are asked for."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: memoryview

    def attribute(self, name: str, budget: Budget) -> list[Any]:
        """The floats, whole numbers or strings of an attribute."""
        for number, wire, _, attribute in fields(self.message, budget):
            if number == ATTRIBUTE and wire == LEN and name == text(named(attribute, budget)):
                return list(values(attribute, budget))
        return []


class Graph(Frozen):
    """The nodes of a model, its constants, its inputs that are none, the nodes that take a value, by the
    value's name, and the lengths of inputs that say them, 0 for one that has no number."""

    nodes: Sequence[Node]
    constants: Tensors
    inputs: Sequence[str]
    users: Mapping[str, Sequence[Node]]
    shapes: Mapping[str, Sequence[int]]


def graph_of(data: memoryview, budget: Budget) -> Graph:
    """Read a model. Raises ValueError for broken bytes."""
    inputs: dict[str, Sequence[int]] = {}
    nodes: list[Node] = []
    constants: dict[str, memoryview] = {}
    for number, wire, _, graph in fields(data, budget):
        if number != GRAPH or wire != LEN:
            continue
        for inner, kind, _, part in fields(graph, budget):
            if kind != LEN:
                continue
            if inner == INPUT:
                inputs |= {
                    text(value): lengths_of(part, budget)
                    for field, _, _, value in fields(part, budget)
                    if field == 1
                }
            elif inner == INITIALIZER:
                constants[name_of(part, budget)] = part
            elif inner == NODE:
                op, takes, gives = read_node(part, budget)
                nodes.append(Node(op, tuple(takes), tuple(gives), part))
                if op == "Constant" and gives:
                    constants.update((gives[0], value) for value in tensors_of(part, budget))
    others = [name for name in inputs if name not in constants]
    return Graph(nodes, Tensors(constants), others, users_of(nodes), inputs)


def lengths_of(value: memoryview, budget: Budget) -> list[int]:
    """The lengths of an input that is a tensor (`ValueInfoProto`), 0 for those without a number."""
    parts = [value]
    for field in (TYPE, TENSOR, SHAPE, DIMENSION):
        parts = [
            inner
            for part in parts
            for number, wire, _, inner in fields(part, budget)
            if number == field and wire == LEN
        ]
    found = []
    for part in parts:
        known = [length for field, wire, length, _ in fields(part, budget) if (field, wire) == (1, VARINT)]
        found.append(known[0] if known else 0)
    return found


def users_of(nodes: Sequence[Node]) -> Mapping[str, Sequence[Node]]:
    """The nodes that take a value, by its name."""
    users: dict[str, list[Node]] = {}
    for node in nodes:
        for name in dict.fromkeys(node.inputs):
            users.setdefault(name, []).append(node)
    return users


def first_nodes(graph: Graph, passing: Collection[str], most: int) -> Iterator[tuple[int, Node]]:
    """The index of each input, and the first node that does something with it. Fewer than `most` nodes before
    it pass the value on. An input that several nodes take is left out."""
    for index, name in enumerate(graph.inputs):
        for _ in range(most):
            using = graph.users.get(name, [])
            if len(using) != 1 or not using[0].outputs or using[0].inputs[0] != name:
                break
            if using[0].op not in passing:
                yield index, using[0]
                break
            name = using[0].outputs[0]


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


def named(attribute: memoryview, budget: Budget) -> memoryview:
    """The name of an attribute, without reading its numbers where the name comes first."""
    parts = fields(attribute, budget)
    return next(
        (part for field, kind, _, part in parts if (field, kind) == (ATTRIBUTE_NAME, LEN)), attribute[:0]
    )


def values(attribute: memoryview, budget: Budget) -> Iterator[Any]:
    """The values of an attribute: protobuf writes numbers one by one, or packed."""
    for field, kind, value, part in fields(attribute, budget):
        if field in (FLOAT, FLOATS) and kind == I32:
            yield unpack("<f", part)[0]
        elif field == FLOATS and kind == LEN:
            budget.spend(len(part) // 4)
            yield from unpack(f"<{len(part) // 4}f", part[: len(part) // 4 * 4])
        elif field in (INT, INTS) and kind == VARINT:
            yield value
        elif field == INTS and kind == LEN:
            yield from packed(part)
        elif field == STRINGS and kind == LEN:
            yield bytes(part)
