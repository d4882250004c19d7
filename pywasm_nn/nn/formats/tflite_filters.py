"""The filters with which a TFLite model begins to look at a picture, and what it does with their results.

What is here: `facts`. What is not: metadata, and how FlatBuffers are read (`tflite.py`). Source:
https://github.com/tensorflow/tensorflow/blob/master/tensorflow/compiler/mlir/lite/schema/schema.fbs
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import error, unpack_from
from typing import Any

from .format import Facts, Filters
from .onnx_filters import is_usable
from .tflite import MODEL_BUFFERS, MOST, Table, offset

CODES, GRAPHS = 1, 2
TENSORS, INPUTS, OPERATORS = 0, 1, 3
CODE, TAKES, GIVES, OPTIONS, FUSED = 0, 1, 2, 4, 3
"""Fields of Model, SubGraph, Operator, and of the options of a convolution."""
OLD, NEW = 0, 3
"""Fields of OperatorCode: operators from 127 on are only in the second."""
CONVOLUTION, PAD, DEQUANTIZE = 3, 34, 6
NARROW = {(21,): "ReLU6", (117,): "hard swish", (14, 18): "SiLU"}
WIDE = ((19,), (54,), (98,))
"""Operators that take the results, sorted: RELU, PRELU, LEAKY_RELU."""
RELU, RELU6 = 1, 3
TOP = 6.0
KINDS = {0: "<f4", 1: "<f2"}
FIRST = 64
"""So many operators are looked at."""


def facts(data: memoryview) -> Facts:
    """All that is known. Raises ValueError for broken bytes."""
    try:
        return Facts({}, {}, {}, {}, filters(Graph(data)))
    except (error, IndexError) as broken:
        raise ValueError(f"broken FlatBuffer: {broken}") from None


class Graph:
    """The operators and constants of a model's first graph."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        model = Table(data, offset(data, 0))
        own = model.tables(GRAPHS)[0]
        self._codes = [code_of(one, data) for one in model.tables(CODES)]
        self._buffers = model.tables(MODEL_BUFFERS)
        self._tensors = own.tables(TENSORS)
        self.inputs = self.whole(own, INPUTS)
        self.operators = [(self._code(one), one) for one in own.tables(OPERATORS)[:FIRST]]

    def _code(self, operator: Table) -> int:
        place = operator.place(CODE)
        return self._codes[unpack_from("<I", self.data, place)[0] if place else 0]

    def whole(self, table: Table, field: int) -> Sequence[int]:
        """A vector of whole numbers."""
        begin, count = table.vector(field)
        return unpack_from(f"<{min(count, MOST)}i", self.data, begin)

    def using(self, name: int) -> list[tuple[int, Table]]:
        """The operators that take a tensor."""
        return [one for one in self.operators if name in self.whole(one[1], TAKES)]

    def constant(self, number: int) -> Any:
        """A constant of floats, as f64, or None. Those of 16 bits are made wider by an operator."""
        import numpy

        made = [
            one for code, one in self.operators if code == DEQUANTIZE and number in self.whole(one, GIVES)
        ]
        tensor = self._tensors[self.whole(made[0], TAKES)[0] if made else number]
        kind = self.data[place] if (place := tensor.place(1)) else 0
        buffer = unpack_from("<I", self.data, place)[0] if (place := tensor.place(2)) else 0
        data, shape = self._buffers[buffer].octets(0), self.whole(tensor, 0)
        return numpy.frombuffer(data, KINDS[kind]).reshape(shape).astype("f8") if kind in KINDS else None


def code_of(table: Table, data: memoryview) -> int:
    """The number of an operator."""
    old, new = table.place(OLD), table.place(NEW)
    return max(data[old] if old else 0, unpack_from("<i", data, new)[0] if new else 0)


def filters(graph: Graph) -> Mapping[int, Filters]:
    """The filters that take the first input as it is, or with a border."""
    name = graph.inputs[0]
    for _ in range(2):
        using = graph.using(name)
        if len(using) != 1:
            break
        code, operator = using[0]
        if code == CONVOLUTION:
            found = read(graph, operator)
            return {} if found is None else {0: found}
        if code != PAD:
            break
        name = graph.whole(operator, GIVES)[0]
    return {}


def read(graph: Graph, operator: Table) -> Filters | None:
    """The numbers of filters."""
    import numpy

    takes = graph.whole(operator, TAKES)
    weights = graph.constant(takes[1])
    if weights is None or weights.ndim != 4:
        return None
    weights = weights.transpose(0, 3, 1, 2)
    heights = graph.constant(takes[2]) if len(takes) > 2 and takes[2] >= 0 else numpy.zeros(len(weights))
    then = meant_for(graph, operator)
    if not is_usable(weights.shape) or heights is None or heights.size != len(weights) or then is None:
        return None
    return Filters(numpy.ascontiguousarray(weights), heights, then, TOP if then == "ReLU6" else 0.0)


def meant_for(graph: Graph, operator: Table) -> str | None:
    """The name of the function behind the filters, "" if it takes numbers of any size, or None if it is
    unknown."""
    place = operator.place(OPTIONS)
    fused = Table(graph.data, offset(graph.data, place)).place(FUSED) if place else 0
    if fused and (kind := graph.data[fused]):
        return {RELU: "", RELU6: "ReLU6"}.get(kind)
    after = tuple(sorted(code for code, _ in graph.using(graph.whole(operator, GIVES)[0])))
    return "" if after in WIDE else NARROW.get(after)
