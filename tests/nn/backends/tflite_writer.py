"""A TFLite model made in the test: one that gives back what it gets, of any element type.

By LiteRT's own reading of the schema, which comes with the package. One that filters pictures is only for
what can be read of it. What is not here: any other operator.
"""

from __future__ import annotations

from typing import Any

from pywasm_nn.nn import DType

TYPES = {
    DType.F16: "FLOAT16", DType.F32: "FLOAT32", DType.F64: "FLOAT64", DType.BF16: "BFLOAT16",
    DType.U8: "UINT8", DType.I32: "INT32", DType.I64: "INT64",
}  # fmt: skip


def copying(dtype: DType, shape: list[int]) -> bytes:
    """y = reshape(x), to the shape that it has."""
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RESHAPE
    operator = schema.OperatorT()
    operator.inputs, operator.outputs = [0], [1]
    operator.builtinOptionsType = schema.BuiltinOptions.ReshapeOptions
    operator.builtinOptions = schema.ReshapeOptionsT()
    operator.builtinOptions.newShape = shape
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = [], [operator]
    graph.inputs, graph.outputs = [0], [1]
    for name in "xy":
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, shape, getattr(schema.TensorType, TYPES[dtype])
        graph.tensors.append(tensor)
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = (
        3,
        [code],
        [graph],
        [schema.BufferT()],
    )
    builder = flatbuffers.Builder(512)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def filtering(weights: Any, heights: Any, shape: list[int], fused: int) -> bytes:
    """A convolution of filters [units, height, width, channels], with the number of what it does then."""
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CONV_2D
    operator = schema.OperatorT()
    operator.inputs, operator.outputs = [0, 1, 2], [3]
    operator.builtinOptionsType = schema.BuiltinOptions.Conv2DOptions
    operator.builtinOptions = schema.Conv2DOptionsT()
    operator.builtinOptions.strideW = operator.builtinOptions.strideH = 1
    operator.builtinOptions.fusedActivationFunction = fused
    graph, model = schema.SubGraphT(), schema.ModelT()
    graph.tensors, graph.operators, graph.inputs, graph.outputs = [], [operator], [0], [3]
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], []
    lengths = (shape, list(weights.shape), list(heights.shape), [*shape[:3], len(weights)])
    for place, data in enumerate((None, weights, heights, None)):
        tensor, buffer = schema.TensorT(), schema.BufferT()
        tensor.name, tensor.shape, tensor.buffer = f"t{place}", lengths[place], place
        buffer.data = None if data is None else list(data.astype("<f4").tobytes())
        graph.tensors.append(tensor)
        model.buffers.append(buffer)
    builder = flatbuffers.Builder(512)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
