"""OpenVINO IR, and ONNX models, on OpenVINO.

One compiled model per graph and one request per context; inputs are read where they lie, outputs with a
fixed shape are written straight into arrays of our own. OpenVINO's CPU plugin itself computes f64 as f32
and i64 as i32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ..backend import Backend, Context, Graph, GraphConfig, Target, blaming
from ..detect import ONNX, OPENVINO, detect
from ..errors import Code, NNError
from ..tensor import DType, Tensor, TensorSpec
from .options import thread_count
from .selfcontained import self_contained_onnx
from .signals import signal_stack_kept

DTYPES = {
    "f16": DType.F16, "f32": DType.F32, "f64": DType.F64, "bf16": DType.BF16, "u8": DType.U8, "i8": DType.I8,
    "u16": DType.U16, "i16": DType.I16, "u32": DType.U32, "i32": DType.I32, "u64": DType.U64,
    "i64": DType.I64, "boolean": DType.BOOL,
}  # fmt: skip


class OpenVINOContext(Context):
    graph: OpenVINOGraph

    def __init__(self, graph: OpenVINOGraph) -> None:
        super().__init__(graph)
        self._request = graph.compiled.create_infer_request()

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        request = self._request
        for index, tensor in enumerate(inputs):
            request.set_input_tensor(index, _shared(tensor.dtype, tensor.numpy()))
        fixed = {index: self._target(index) for index in self.graph.fixed_outputs}
        request.start_async()  # infer() would copy every output
        request.wait()
        return [fixed.get(index) or self._copied(index) for index in range(len(self.graph.outputs))]

    def _target(self, index: int) -> Tensor:
        """A fresh array that the request writes output `index` into."""
        import numpy

        dtype = self.graph.outputs[index].dtype
        array = numpy.empty(self.graph.fixed_outputs[index], dtype.numpy_name)
        self._request.set_output_tensor(index, _shared(dtype, array))
        return Tensor.from_numpy(array, dtype)

    def _copied(self, index: int) -> Tensor:
        """Output `index` of a shape that was only known after the run, out of memory that the next run
        reuses.
        """
        dtype = self.graph.outputs[index].dtype
        data = self._request.get_output_tensor(index).data
        return Tensor.from_numpy((data.view("<u2") if dtype is DType.BF16 else data).copy(), dtype)

    def close(self) -> None:
        super().close()
        self._request = None


def _shared(dtype: DType, array: Any) -> Any:
    """An OpenVINO tensor on the array's own memory, which it keeps alive."""
    import openvino

    if dtype is DType.BF16:
        return openvino.Tensor(array, array.shape, openvino.Type.bf16)
    return openvino.Tensor(array, shared_memory=True)


class OpenVINOGraph(Graph):
    def __init__(self, backend: str, compiled: Any, device: str) -> None:
        super().__init__(backend, _specs(compiled.inputs), _specs(compiled.outputs), device)
        self.compiled = compiled
        self.fixed_outputs = {
            index: tuple(port.shape)
            for index, port in enumerate(compiled.outputs)
            if port.partial_shape.is_static
        }
        """Shapes of the outputs that are known before a run, by index."""

    def context(self) -> OpenVINOContext:
        return OpenVINOContext(self)

    def close(self) -> None:
        self.compiled = None


class OpenVINOBackend(Backend):
    name = "openvino"
    formats = (OPENVINO, ONNX)
    packages = ("openvino",)
    extra = "openvino"
    native = True

    @cached_property
    def core(self) -> Any:
        """One for all graphs: it owns the devices."""
        import openvino

        return openvino.Core()

    def targets(self) -> frozenset[Target]:
        return frozenset({Target.CPU, Target.GPU} if self._gpu() else {Target.CPU})

    def _gpu(self) -> str | None:
        with signal_stack_kept():
            devices = self.core.available_devices
        return next((device for device in devices if device.startswith("GPU")), None)

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        with blaming(self.name):
            if format == ONNX:
                return self._compile(self.core.read_model(model=self_contained_onnx(parts[0])), config)
            xml, weights = (bytes(part) for part in parts)
            if (
                detect(xml) != OPENVINO
            ):  # OpenVINO would try its readers of other formats, and those open files
                raise NNError(Code.RUNTIME_ERROR, f"{self.name}: the first part is no IR in XML")
            return self._compile(self.core.read_model(model=xml, weights=weights), config)

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        """By path: weights are mapped instead of copied, and found in files beside an ONNX model."""
        with blaming(self.name):
            return self._compile(self.core.read_model(*map(str, paths)), config)

    def _compile(self, model: Any, config: GraphConfig) -> Graph:
        device = (self._gpu() if config.target is Target.GPU else None) or "CPU"
        # without the hint new CPUs compute in bfloat16, and no answer equals another host's
        properties: dict[str, Any] = {"INFERENCE_PRECISION_HINT": "f32"}
        if device == "CPU" and (threads := thread_count(config)):
            properties["INFERENCE_NUM_THREADS"] = threads
        with signal_stack_kept():
            compiled = self.core.compile_model(model, device, properties)
        return OpenVINOGraph(self.name, compiled, device)


def _specs(ports: Sequence[Any]) -> list[TensorSpec]:
    specs = []
    for port in ports:
        name = port.get_any_name() if port.get_names() else port.get_node().get_friendly_name()
        type_name = port.element_type.get_type_name()
        if type_name not in DTYPES:
            raise NNError(Code.UNSUPPORTED_OPERATION, f'"{name}" is {type_name}, which no tensor can be')
        shape = port.partial_shape
        lengths = None
        if not shape.rank.is_dynamic:
            lengths = tuple(None if length.is_dynamic else length.get_length() for length in shape)
        specs.append(TensorSpec(name, DTYPES[type_name], lengths))
    return specs
