"""Formats that are protobuf messages, recognised by the fields at their top level.

What is here: ONNX, TensorFlow's SavedModel and its GraphDef. What is not: the contents of the fields, which
are skipped. Sources: onnx.proto, tensorflow/core/framework/graph.proto and saved_model.proto.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..protobuf import I32, I64, LEN, VARINT, varint
from .look import Look
from .texts import is_pickle, is_xml

MOST_FIELDS = 4096
"""The most fields that are read; they are enough to recognise a model."""
GRAPH = 7
"""The number of the field in a ModelProto."""
LONGEST_HEAD = 20
"""The most bytes of a field's tag and length."""

Kinds = dict[tuple[int, int], tuple[int, int]]
"""For each number and wire type of fields: the start and end of the first payload."""


class TooShortError(ValueError):
    """A field claims more bytes (`wanted`) than are `there`."""

    def __init__(self, number: int, wanted: int, there: int) -> None:
        super().__init__(f"protobuf field {number} is out of range")
        self.number = number
        self.wanted = wanted
        self.there = there


def whole(look: Look) -> None:
    """Raises TooShortError for an ONNX model that ends inside its graph."""
    if is_xml(look) or is_pickle(look):
        return
    kinds = set()
    try:
        for kind, _ in _fields(look, 0, len(look)):
            kinds.add(kind)
    except TooShortError as short:
        if short.number == GRAPH and (1, VARINT) in kinds:
            raise
    except ValueError:
        return


def is_onnx(look: Look) -> bool:
    return {(1, VARINT), (GRAPH, LEN), (8, LEN)} <= look.once(top_level).keys()


def is_saved_model(look: Look) -> bool:
    return look.once(top_level).keys() == {(1, VARINT), (2, LEN)}


def is_graph_def(look: Look) -> bool:
    kinds = look.once(top_level)
    if (1, LEN) not in kinds or (1, VARINT) in kinds:
        return False
    return {(1, LEN), (2, LEN)} <= _kinds(look, *kinds[1, LEN]).keys()


def top_level(look: Look) -> Kinds:
    """The fields of a message; empty for bytes that are no message, or whose beginning a framework could take
    for XML or a pickle."""
    return {} if is_xml(look) or is_pickle(look) else _kinds(look, 0, len(look))


def _kinds(look: Look, start: int, stop: int) -> Kinds:
    found: Kinds = {}
    try:
        for kind, payload in _fields(look, start, stop):
            found.setdefault(kind, payload)
    except ValueError:
        return {}
    return found


def _fields(look: Look, at: int, stop: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The fields between two positions. Raises ValueError if the bytes are no protobuf."""
    for _ in range(MOST_FIELDS):
        if at >= stop:
            return
        head = memoryview(look[at : min(at + LONGEST_HEAD, stop)])
        tag, taken = varint(head, 0)
        number, wire = tag >> 3, tag & 7
        length = {I64: 8, I32: 4}.get(wire, 0)
        if wire in (VARINT, LEN):
            value, taken = varint(head, taken)
            length = value if wire == LEN else 0
        elif not length:
            raise ValueError(f"protobuf wire type {wire}")
        payload = at + taken, at + taken + length
        if not 0 < number < 1 << 29:
            raise ValueError(f"protobuf field {number} is out of range")
        if payload[1] > stop:
            raise TooShortError(number, length, stop - payload[0])
        yield (number, wire), payload
        at = payload[1]
