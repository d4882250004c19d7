"""A TFLite model made in the test: one that gives back what it gets, of any element type.

By LiteRT's own reading of the schema, which comes with the package. What is not here: any other operator.
"""

from __future__ import annotations

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
