"""The same weights as ONNX, TensorFlow Lite and OpenVINO IR.

What is here: one writer per format, each saying the network once in the words of that format. What is not:
training.

Every model takes one picture, float32 with values from 0 to 1, and gives float32 probabilities [1, 10]. The
picture is [1, 1, 8, 8] in ONNX and OpenVINO and [1, 8, 8, 1] in TensorFlow Lite: with one channel these are
the same bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from network import Array, Weights


def write_onnx(weights: Weights, path: Path) -> None:
    """Operator set 17, as the package `onnx` writes it."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    constants = {
        "kernel1": weights.kernel1.transpose(3, 2, 0, 1),
        "bias1": weights.bias1,
        "kernel2": weights.kernel2.transpose(3, 2, 0, 1),
        "bias2": weights.bias2,
        # Rows come as height, width, channel; Flatten of NCHW gives channel, height, width.
        "dense": weights.dense.reshape(2, 2, 32, 10).transpose(2, 0, 1, 3).reshape(128, 10),
        "bias3": weights.bias3,
    }
    around: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    window: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["picture", "kernel1", "bias1"], ["conv1"], **around),
            helper.make_node("Relu", ["conv1"], ["relu1"]),
            helper.make_node("MaxPool", ["relu1"], ["pool1"], **window),
            helper.make_node("Conv", ["pool1", "kernel2", "bias2"], ["conv2"], **around),
            helper.make_node("Relu", ["conv2"], ["relu2"]),
            helper.make_node("MaxPool", ["relu2"], ["pool2"], **window),
            helper.make_node("Flatten", ["pool2"], ["flat"]),
            helper.make_node("Gemm", ["flat", "dense", "bias3"], ["scores"]),
            helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1),
        ],
        "digits",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, 10])],
        [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(
        graph, producer_name="pywasm-nn", ir_version=8, opset_imports=[helper.make_opsetid("", 17)]
    )
    onnx.checker.check_model(model, full_check=True)
    path.write_bytes(model.SerializeToString())


def write_openvino(onnx_path: Path, xml_path: Path) -> None:
    """The IR that OpenVINO makes of the ONNX file: `xml_path` and a .bin beside it."""
    import openvino

    openvino.save_model(openvino.convert_model(onnx_path), xml_path, compress_to_fp16=False)


class _TFLite:
    """A model under construction: tensors, each with its buffer, and operators in order."""

    def __init__(self) -> None:
        from ai_edge_litert import schema_py_generated as schema

        self.schema = schema
        self.tensors: list[Any] = []
        self.operators: list[Any] = []
        self.codes: list[Any] = []
        self.buffers = [schema.BufferT()]  # the format wants number 0 to be empty

    def tensor(self, name: str, shape: tuple[int, ...], data: Array | None = None) -> int:
        """Add a float32 tensor, constant if it has data; its index."""
        return self._add(name, shape, self.schema.TensorType.FLOAT32, data)

    def integers(self, name: str, values: list[int]) -> int:
        """Add a constant int32 vector; its index."""
        return self._add(name, (len(values),), self.schema.TensorType.INT32, np.array(values, np.int32))

    def _add(self, name: str, shape: tuple[int, ...], kind: int, data: Any) -> int:
        tensor = self.schema.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.buffer = name, list(shape), kind, 0
        if data is not None:
            assert data.shape == shape, f"{name} is {data.shape}, not {shape}"
            buffer = self.schema.BufferT()
            buffer.data = np.frombuffer(data.tobytes(), np.uint8)
            tensor.buffer = len(self.buffers)
            self.buffers.append(buffer)
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def operator(self, code: str, inputs: list[int], output: int, options: str, **values: Any) -> int:
        """Add an operator with fields of its options table; the index of its output."""
        number = getattr(self.schema.BuiltinOperator, code)
        opcode = self.schema.OperatorCodeT()
        opcode.builtinCode = opcode.deprecatedBuiltinCode = number
        opcode.version = 1
        operator = self.schema.OperatorT()
        operator.opcodeIndex = len(self.codes)
        operator.inputs, operator.outputs = inputs, [output]
        operator.builtinOptionsType = getattr(self.schema.BuiltinOptions, options)
        operator.builtinOptions = getattr(self.schema, options + "T")(**values)
        self.codes.append(opcode)
        self.operators.append(operator)
        return output

    def convolution(self, x: int, kernel: Array, bias: Array, name: str, size: int) -> int:
        """3x3 with padding, ReLU, 2x2 max pooling; `size` is the side after pooling."""
        schema, channels = self.schema, len(bias)
        ohwi = np.ascontiguousarray(kernel.transpose(3, 0, 1, 2))
        constants = [
            self.tensor(f"kernel{name}", ohwi.shape, ohwi),
            self.tensor(f"bias{name}", bias.shape, bias),
        ]
        convolved = self.operator(
            "CONV_2D",
            [x, *constants],
            self.tensor(f"relu{name}", (1, size * 2, size * 2, channels)),
            "Conv2DOptions",
            padding=schema.Padding.SAME,
            strideW=1,
            strideH=1,
            fusedActivationFunction=schema.ActivationFunctionType.RELU,
        )
        return self.operator(
            "MAX_POOL_2D",
            [convolved],
            self.tensor(f"pool{name}", (1, size, size, channels)),
            "Pool2DOptions",
            padding=schema.Padding.VALID,
            strideW=2,
            strideH=2,
            filterWidth=2,
            filterHeight=2,
        )

    def file(self, inputs: list[int], outputs: list[int]) -> bytes:
        """The whole model as a flatbuffer."""
        import flatbuffers

        graph = self.schema.SubGraphT()
        graph.name, graph.tensors, graph.operators = "digits", self.tensors, self.operators
        graph.inputs, graph.outputs = inputs, outputs
        model = self.schema.ModelT()
        model.version, model.description = 3, "pywasm-nn digits"
        model.operatorCodes, model.subgraphs, model.buffers = self.codes, [graph], self.buffers
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def write_tflite(weights: Weights, path: Path) -> None:
    """A flatbuffer built by hand with the schema classes in `ai-edge-litert`: no TensorFlow, no converter."""
    lite = _TFLite()
    picture = lite.tensor("picture", (1, 8, 8, 1))
    x = lite.convolution(picture, weights.kernel1, weights.bias1, "1", 4)
    x = lite.convolution(x, weights.kernel2, weights.bias2, "2", 2)
    shape = lite.integers("shape", [1, 128])
    x = lite.operator(
        "RESHAPE", [x, shape], lite.tensor("flat", (1, 128)), "ReshapeOptions", newShape=[1, 128]
    )
    dense = np.ascontiguousarray(weights.dense.T)
    constants = [lite.tensor("dense", dense.shape, dense), lite.tensor("bias3", (10,), weights.bias3)]
    scores = lite.tensor("scores", (1, 10))
    x = lite.operator("FULLY_CONNECTED", [x, *constants], scores, "FullyConnectedOptions")
    answer = lite.operator("SOFTMAX", [x], lite.tensor("probabilities", (1, 10)), "SoftmaxOptions", beta=1.0)
    path.write_bytes(lite.file([picture], [answer]))
