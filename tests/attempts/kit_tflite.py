"""Hostile models of TFLite, built with the framework's own schema."""

from __future__ import annotations

from typing import Any

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

F32, I32, I64, BOOL, I8, U8, TEXT = 0, 2, 4, 6, 9, 3, 5
LETTERS = {F32: "<f4", I32: "<i4", I64: "<i8", BOOL: "?", I8: "i1", U8: "u1"}


class Builder:
    """A model: subgraphs of tensors and operators, whatever they say."""

    def __init__(self) -> None:
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers = [schema.BufferT()]
        self.model.operatorCodes, self.model.subgraphs = [], []

    def graph(self) -> Sub:
        sub = schema.SubGraphT()
        sub.tensors, sub.operators, sub.inputs, sub.outputs = [], [], [], []
        self.model.subgraphs.append(sub)
        return Sub(self, sub)

    def code(self, name: str, version: int = 1) -> int:
        made = schema.OperatorCodeT()
        number = getattr(schema.BuiltinOperator, name, schema.BuiltinOperator.CUSTOM)
        made.builtinCode, made.deprecatedBuiltinCode, made.version = number, min(number, 127), version
        if number == schema.BuiltinOperator.CUSTOM:
            made.customCode = name
        self.model.operatorCodes.append(made)
        return len(self.model.operatorCodes) - 1

    def data(self) -> bytes:
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


class Sub:
    """A subgraph that grows."""

    def __init__(self, builder: Builder, sub: Any) -> None:
        self.builder, self.sub = builder, sub

    def tensor(self, shape: list[int], kind: int = F32, values: Any = None) -> int:
        made = schema.TensorT()
        made.shape, made.type, made.name, made.buffer = shape, kind, f"t{len(self.sub.tensors)}", 0
        made.hasRank = True
        if values is not None:
            buffer = schema.BufferT()
            data = values if isinstance(values, bytes) else numpy.array(values, LETTERS[kind]).tobytes()
            buffer.data = list(data)
            self.builder.model.buffers.append(buffer)
            made.buffer = len(self.builder.model.buffers) - 1
        self.sub.tensors.append(made)
        return len(self.sub.tensors) - 1

    def op(
        self,
        name: str,
        inputs: list[int],
        outputs: list[int],
        version: int = 1,
        options: str = "",
        **more: Any,
    ) -> None:
        made = schema.OperatorT()
        made.opcodeIndex, made.inputs, made.outputs = self.builder.code(name, version), inputs, outputs
        if options:
            made.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            made.builtinOptions = getattr(schema, options + "T")()
            for key, value in more.items():
                setattr(made.builtinOptions, key, value)
        self.sub.operators.append(made)

    def whole(self, inputs: list[int], outputs: list[int]) -> None:
        self.sub.inputs, self.sub.outputs = inputs, outputs


def single(
    name: str,
    more: list[tuple[list[int], int, Any]],
    *,
    kind: int = I32,
    shape: list[int] | None = None,
    out: list[int] | None = None,
    version: int = 1,
    options: str = "",
    given: dict[str, Any] | None = None,
    swapped: bool = False,
) -> bytes:
    """x: f32[1] is cast to `kind` and reshaped, then one operator, and its result cast to f32 y."""
    made = Builder()
    sub = made.graph()
    x, cast = sub.tensor([1]), sub.tensor([1], kind)
    sub.op("CAST", [x], [cast], options="CastOptions", inDataType=F32, outDataType=kind)
    if shape is not None:
        wide = sub.tensor(shape, kind)
        sub.op("BROADCAST_TO", [cast, sub.tensor([len(shape)], I32, shape)], [wide], version=2)
        cast = wide
    others = [sub.tensor(*each) for each in more]
    result, y = sub.tensor(out or [1], kind), sub.tensor(out or [1])
    inputs = [*others, cast] if swapped else [cast, *others]
    sub.op(name, inputs, [result], version, options, **(given or {}))
    sub.op("CAST", [result], [y], options="CastOptions", inDataType=kind, outDataType=F32)
    sub.whole([x], [y])
    return made.data()


def loop(cond: str = "GREATER", limit: float = -1.0, body: int = 2, test: int = 1, steps: int = 1) -> bytes:
    """A WHILE from x: f32[1]; with the defaults it ends never."""
    made = Builder()
    main, check, step = made.graph(), made.graph(), made.graph()
    x, y = main.tensor([1]), main.tensor([1])
    main.op("WHILE", [x], [y], options="WhileOptions", condSubgraphIndex=test, bodySubgraphIndex=body)
    main.whole([x], [y])
    a, least, answer = check.tensor([1]), check.tensor([1], F32, [limit]), check.tensor([1], BOOL)
    check.op(cond, [a, least], [answer])
    check.whole([a], [answer])
    b = first = step.tensor([1])
    for _ in range(steps):
        c = step.tensor([1])
        step.op("ABS", [b], [c])
        b = c
    step.whole([first], [b])
    return made.data()
