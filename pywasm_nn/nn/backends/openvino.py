"""OpenVINO IR, ONNX and TFLite models on OpenVINO.

There is one compiled model per graph, target and number of threads, created when a context first needs it,
and one request per context; inputs are read in place, outputs with a fixed shape are written directly to
their targets. The CPU plugin computes f64 as f32 and i64 as i32: a graph says so in its `notes`, and an input
with values that would be cut off is refused.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from ..backend import Backend, Context, Graph, GraphConfig, OptionKinds, Target
from ..blame import blaming
from ..errors import Code, NNError
from ..formats import KNOWN, ONNX, OPENVINO, TFLITE, Look
from ..tensor import DType, Tensor, TensorSpec, byte_size
from .options import THREADS, provider_options, thread_count
from .selfcontained import self_contained_onnx
from .signals import signal_stack_kept

DTYPES = {
    "f16": DType.F16, "f32": DType.F32, "f64": DType.F64, "bf16": DType.BF16, "u8": DType.U8, "i8": DType.I8,
    "u16": DType.U16, "i16": DType.I16, "u32": DType.U32, "i32": DType.I32, "u64": DType.U64,
    "i64": DType.I64, "boolean": DType.BOOL,
}  # fmt: skip


PRECISIONS = ("f32", "f16", "bf16")
"""Values of the option "precision"."""
MOST_COMPILED = 8
"""The most compiled models of one graph: guests choose some of the configurations."""
Compile = Callable[[GraphConfig], Any]
NARROWED = {DType.I64: "int32", DType.U64: "uint32"}
"""The types as which the CPU plugin computes these; f64 becomes f32."""
TELEMETRY = "openvino_telemetry"
"""A package that OpenVINO imports, and does without."""


class OpenVINOContext(Context):
    graph: OpenVINOGraph

    def __init__(self, graph: OpenVINOGraph, compiled: Any) -> None:
        super().__init__(graph)
        self._request = compiled.create_infer_request()

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        request = self._request
        arrays = []  # a request keeps no copy alive
        for index, tensor in enumerate(inputs):
            _check_narrow(self.graph.inputs[index], tensor)
            array = self.array(index, tensor)
            arrays.append(array if array.flags.writeable else array.copy())  # it takes none that isn't
            request.set_input_tensor(index, _shared(tensor.dtype, arrays[index]))
        places = {index: self._place(index) for index in self.graph.fixed_outputs}
        request.start_async()  # infer() would copy every output
        request.wait()
        wanted = self.targets or range(len(self.graph.outputs))
        return [
            (places.get(index) or self._copied(index)) if index in wanted else None
            for index in range(len(self.graph.outputs))
        ]

    def _place(self, index: int) -> Tensor:
        """The tensor to which the request writes output `index`: its target, or a new array."""
        import numpy

        dtype, shape = self.graph.outputs[index].dtype, self.graph.fixed_outputs[index]
        size = byte_size(dtype, shape)
        if size and (target := self.targets.get(index)) is not None:
            self.check_room(index, size)
            array = numpy.frombuffer(target[:size], dtype.numpy_name).reshape(shape)
            self._request.set_output_tensor(index, _shared(dtype, array))
            return Tensor(dtype, shape, target)
        array = numpy.empty(shape, dtype.numpy_name)
        self._request.set_output_tensor(index, _shared(dtype, array))
        return Tensor.from_numpy(array, dtype)

    def _copied(self, index: int) -> Tensor:
        """Output `index`, whose shape is known only after the run, copied because the next run reuses its
        memory.
        """
        dtype = self.graph.outputs[index].dtype
        data = self._request.get_output_tensor(index).data
        return Tensor.from_numpy((data.view("<u2") if dtype is DType.BF16 else data).copy(), dtype)

    def interrupt(self) -> bool:
        """Stops between two nodes of the graph. A loop is one node, and isn't stopped."""
        self._request.cancel()
        return True

    def close(self) -> None:
        super().close()
        self._request = None


def _check_narrow(spec: TensorSpec, tensor: Tensor) -> None:
    """Raise NNError if a value would be cut off: OpenVINO's CPU plugin computes i64 as i32 and u64 as u32."""
    import numpy

    limits = NARROWED.get(tensor.dtype)
    if limits is None or not tensor.size:
        return
    values, range_ = tensor.numpy(), numpy.iinfo(limits)
    if values.min() < range_.min or values.max() > range_.max:
        raise NNError(
            Code.UNSUPPORTED_OPERATION,
            f'input "{spec.name}" has values beyond {limits}, and OpenVINO computes {tensor.dtype} as that;'
            " another backend, such as onnxruntime, does not",
        )


def _shared(dtype: DType, array: Any) -> Any:
    """An OpenVINO tensor on the array's memory."""
    import openvino

    if dtype is DType.BF16:
        return openvino.Tensor(array, array.shape, openvino.Type.bf16)
    return openvino.Tensor(array, shared_memory=True)


class OpenVINOGraph(Graph):
    def __init__(
        self,
        backend: str,
        compiled: Any,
        device: str,
        config: GraphConfig,
        compile: Compile,
        targets: frozenset[Target],
        passed: frozenset[int],
    ) -> None:
        """`passed` are the indices of outputs that are inputs. They get no memory: OpenVINO would read that
        memory as the input.
        """
        inputs, outputs = _specs(compiled.inputs), _specs(compiled.outputs)
        super().__init__(backend, inputs, outputs, device, _notes([*inputs, *outputs]))
        self._config = config
        self._compile = compile
        self._targets = targets
        self._compiled = {config.key: compiled}
        self._lock = Lock()
        self.fixed_outputs = {
            index: tuple(port.shape)
            for index, port in enumerate(compiled.outputs)
            if port.partial_shape.is_static and index not in passed
        }
        """Shapes of the outputs that are known before a run and can be written to any memory, by index."""

    def context(self) -> OpenVINOContext:
        return self.configured_context(self._config)

    def configured_context(self, config: GraphConfig) -> OpenVINOContext:
        config = GraphConfig(config.target, {**self._config.options, **config.options})
        if config.target is Target.AUTO:
            config = replace(config, target=self._config.target)
        if config.target not in self._targets:
            raise NNError(
                Code.UNSUPPORTED_OPERATION, f"{self.backend} has no {config.target.value} here for a context"
            )
        with self._lock:
            if config.key not in self._compiled:
                if len(self._compiled) == MOST_COMPILED:
                    raise NNError(
                        Code.TOO_LARGE, f"this graph is compiled in {MOST_COMPILED} ways already, the most"
                    )
                self._compiled[config.key] = self._compile(config)
            return OpenVINOContext(self, self._compiled[config.key])

    def close(self) -> None:
        self._compiled = {}


class OpenVINOBackend(Backend):
    name = "openvino"
    formats = ("openvino", "onnx", "tflite")
    from_guests = frozenset(formats)
    packages = ("openvino",)
    extra = "openvino"
    rank = 2
    native = True
    blas = False
    late = frozenset({"target", "threads", "precision"})
    guest_options = {**Backend.guest_options, "precision": None}  # noqa: RUF012 - as in the base

    def host_options(self) -> OptionKinds:
        return {**THREADS, "precision": (str,), "provider_options": (dict,)}

    @cached_property
    def core(self) -> Any:
        """One core for all graphs: it owns the devices."""
        with no_telemetry():
            import openvino

        return openvino.Core()

    def targets(self) -> frozenset[Target]:
        return frozenset({Target.CPU, Target.GPU} if self._gpu() else {Target.CPU})

    def prepare(self) -> None:
        super().prepare()
        with signal_stack_kept():
            self.core.get_versions("CPU")  # loads the plugin, which is the largest part

    def _gpu(self) -> str | None:
        with signal_stack_kept():
            devices = self.core.available_devices
        return next((device for device in devices if device.startswith("GPU")), None)

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        with blaming(self.name):
            if format == ONNX.name:
                return self._compile(self.core.read_model(model=self_contained_onnx(parts[0])), config)
            if format == TFLITE.name:
                return self._compile(self._read_tflite(parts[0]), config)
            xml, weights = (bytes(part) for part in parts)
            # OpenVINO would try its readers for other formats, which may open files
            if KNOWN.detect(Look.of(xml)) is not OPENVINO:
                raise NNError(Code.RUNTIME_ERROR, f"{self.name}: the first part is no IR in XML")
            return self._compile(self.core.read_model(model=xml, weights=weights), config)

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        """Load by path: weights are mapped instead of copied, and found in files beside an ONNX model."""
        with blaming(self.name):
            return self._compile(self.core.read_model(*map(str, paths)), config)

    def _read_tflite(self, part: bytes | memoryview) -> Any:
        """Read TFLite from a temporary file, as OpenVINO reads it only from files; a chosen reader tries no
        other format."""
        from openvino.frontend import FrontEndManager

        if not TFLITE.is_at(Look.of(part)):
            raise NNError(Code.RUNTIME_ERROR, f"{self.name}: the bytes are no TFLite model")
        reader = FrontEndManager().load_by_framework("tflite")
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "model.tflite")
            path.write_bytes(part)
            return reader.convert(reader.load(str(path)))

    def _compile(self, model: Any, config: GraphConfig) -> Graph:
        device = self._device(config)

        def compile(config: GraphConfig) -> Any:
            on = self._device(config)
            # without the hint new CPUs compute in bfloat16, and results differ from other hosts'
            precision = config.options.get("precision")
            properties = {"INFERENCE_PRECISION_HINT": precision if precision in PRECISIONS else "f32"}
            if on == "CPU" and (threads := thread_count(config)):
                properties["INFERENCE_NUM_THREADS"] = threads
            with signal_stack_kept():
                return self.core.compile_model(model, on, properties | provider_options(config))

        config = replace(config, target=Target.GPU if device != "CPU" else Target.CPU)
        passed = frozenset(index for index, port in enumerate(model.outputs) if is_input(port))
        return OpenVINOGraph(self.name, compile(config), device, config, compile, self.targets(), passed)

    def _device(self, config: GraphConfig) -> str:
        return (self._gpu() if config.target is Target.GPU else None) or "CPU"


@contextmanager
def no_telemetry() -> Iterator[None]:
    """Keep OpenVINO's telemetry out while OpenVINO is imported. It would tell a server of the import, which a
    sandbox's host should not do unasked, and start a thread that stays: beside another thread a million calls
    of a guest take twice as long.
    """
    if TELEMETRY in sys.modules:  # somebody else's, who wants it
        yield
        return
    sys.modules[TELEMETRY] = None  # type: ignore[assignment] # so says Python that it isn't there
    try:
        yield
    finally:
        del sys.modules[TELEMETRY]


def is_input(output: Any) -> bool:
    """Whether an output of an uncompiled model is one of its inputs."""
    return bool(output.get_node().input_value(0).get_node().get_type_name() == "Parameter")


def _notes(specs: Sequence[TensorSpec]) -> list[str]:
    """Notes for users: element types that lose precision."""
    found = {spec.dtype for spec in specs}
    pairs = ((DType.F64, "f32"), (DType.I64, "i32"), (DType.U64, "u32"))
    return [f"openvino computes {wide} as {narrow} on the CPU" for wide, narrow in pairs if wide in found]


def _specs(ports: Sequence[Any]) -> list[TensorSpec]:
    specs = []
    for port in ports:
        name = port.get_any_name() if port.get_names() else port.get_node().get_friendly_name()
        aliases = tuple(sorted({*port.get_names(), port.get_node().get_friendly_name()} - {name}))
        type_name = port.element_type.get_type_name()
        if type_name not in DTYPES:
            raise NNError(
                Code.UNSUPPORTED_OPERATION, f'"{name}" is {type_name}, which no wasi-nn tensor supports'
            )
        shape = port.partial_shape
        lengths = None
        if not shape.rank.is_dynamic:
            lengths = tuple(None if length.is_dynamic else length.get_length() for length in shape)
        specs.append(TensorSpec(name, DTYPES[type_name], lengths, aliases))
    return specs
