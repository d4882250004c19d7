"""ONNX models on onnxruntime.

One session per graph serves all contexts and threads; inputs are passed without a copy, outputs are
onnxruntime's own arrays.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..backend import Backend, Context, Graph, GraphConfig, OptionKinds, Target
from ..blame import blaming
from ..errors import Code, NNError
from ..tensor import DType, Strings, Tensor, TensorSpec, byte_size
from .options import THREADS, thread_count
from .selfcontained import self_contained_onnx

DTYPES = {
    "tensor(float16)": DType.F16, "tensor(float)": DType.F32, "tensor(double)": DType.F64,
    "tensor(bfloat16)": DType.BF16, "tensor(uint8)": DType.U8, "tensor(int8)": DType.I8,
    "tensor(uint16)": DType.U16, "tensor(int16)": DType.I16, "tensor(uint32)": DType.U32,
    "tensor(int32)": DType.I32, "tensor(uint64)": DType.U64, "tensor(int64)": DType.I64,
    "tensor(bool)": DType.BOOL,
}  # fmt: skip
STRING = "tensor(string)"
BFLOAT16 = 16
"""TensorProto.DataType of bfloat16, which numpy lacks."""

ADVICE = (
    ("seq(map(", "skl2onnx makes tensors with options={'zipmap': False}"),
    (STRING, "train the model on numbers in place of texts"),
)
"""The remedies for types that no tensor has, by the beginning of the type: scikit-learn's models answer with
probabilities in dictionaries."""
GPU_PROVIDERS = (
    "CUDAExecutionProvider",
    "ROCMExecutionProvider",
    "MIGraphXExecutionProvider",
    "DmlExecutionProvider",
    "CoreMLExecutionProvider",
)
CPU_PROVIDER = "CPUExecutionProvider"
WEIGHTS_FOLDER = "session.model_external_initializers_file_folder_path"

LARGE = 1 << 20
"""The total size of outputs in bytes from which keeping arrays for them is faster."""
ONLY_OURS = 2
"""The result of `sys.getrefcount` for a value whose only references are one dictionary and the call's
argument."""

LITTLE = sys.byteorder == "little"

FATAL = 4
"""Log severity: errors are in the exceptions, and the terminal belongs to the guest."""


class OnnxRuntimeContext(Context):
    graph: OnnxRuntimeGraph

    def __init__(self, graph: OnnxRuntimeGraph) -> None:
        super().__init__(graph)
        self._run_options = run_options()
        self._warm: dict[int, Any] = {}
        """Arrays for large outputs, reused if no view of their last content exists."""

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        graph = self.graph
        if graph.has_bfloat16:
            return self._run_values(graph.input_names, inputs)
        arrays = {name: self.array(index, inputs[index]) for index, name in enumerate(graph.input_names)}
        if not self.targets and graph.large_outputs:
            return self._run_in_place(arrays)
        if not self.targets:
            results = graph.session.run(None, arrays, self._run_options)
            return list(map(own_tensor, graph.outputs, results))
        if all(index in graph.fixed_outputs for index in self.targets):
            return self._run_in_place(arrays)
        wanted = [spec.name for index, spec in enumerate(graph.outputs) if index in self.targets]
        found = dict(zip(wanted, graph.session.run(wanted, arrays, self._run_options), strict=True))
        return [own_tensor(s, found[s.name]) if s.name in found else None for s in graph.outputs]

    def _run_in_place(self, arrays: Mapping[str, Any]) -> Sequence[Tensor | None]:
        """Let onnxruntime write the wanted outputs, whose shapes are known, to their targets."""
        import numpy

        graph = self.graph
        binding = graph.session.io_binding()
        for name, array in arrays.items():
            binding.bind_cpu_input(name, array)
        outputs: list[Tensor | None] = [None] * len(graph.outputs)
        for index in self.targets or graph.fixed_outputs:
            spec, shape = graph.outputs[index], graph.fixed_outputs[index]
            dtype = numpy.dtype(spec.dtype.numpy_name).newbyteorder("=")
            place: Any
            if self.targets:
                self.check_room(index, byte_size(spec.dtype, shape))
                place = self.targets[index]
                array = numpy.frombuffer(place, "u1")
            else:
                place = array = self._array(index, shape, dtype)
            binding.bind_output(spec.name, "cpu", 0, dtype, shape, array.ctypes.data)
            outputs[index] = Tensor(spec.dtype, shape, place)
        graph.session.run_with_iobinding(binding, self._run_options)
        return outputs

    def _array(self, index: int, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array for output `index`: that of the last run if no other reference to it exists. Its pages are
        already mapped; mapping new pages takes longer than copying a large tensor.
        """
        import numpy

        if index in self._warm and sys.getrefcount(self._warm[index]) == ONLY_OURS:
            return self._warm[index]
        self._warm[index] = numpy.empty(shape, dtype)
        return self._warm[index]

    def close(self) -> None:
        super().close()
        self._warm = {}

    def rearm(self) -> None:
        self._run_options.terminate = False

    def interrupt(self) -> bool:
        self._run_options.terminate = True
        return True

    def _run_values(self, names: Sequence[str], inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        """The run for bfloat16, for which numpy has no type: the bits are passed as u16 and returned as
        bytes."""
        from onnxruntime import OrtValue

        values = {
            name: OrtValue.ortvalue_from_numpy_with_onnx_type(tensor.numpy(), BFLOAT16)
            if tensor.dtype is DType.BF16
            else OrtValue.ortvalue_from_numpy(tensor.numpy())
            for name, tensor in zip(names, inputs, strict=True)
        }
        outputs = [spec.name for spec in self.graph.outputs]
        results = self.graph.session.run_with_ort_values(outputs, values, self._run_options)
        return [_copied(spec, value) for spec, value in zip(self.graph.outputs, results, strict=True)]


def own_tensor(spec: TensorSpec, result: Any) -> Tensor:
    """A tensor on an array from onnxruntime: in C order, with the machine's byte order."""
    if spec.dtype is DType.STRING:
        return Strings.of(result)
    return Tensor(spec.dtype, result.shape, result) if LITTLE else Tensor.from_numpy(result)


def _copied(spec: TensorSpec, value: Any) -> Tensor:
    if spec.dtype is DType.STRING:
        return Strings.of(value.numpy())
    return Tensor(
        spec.dtype, tuple(value.shape()), ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    )


class OnnxRuntimeGraph(Graph):
    """`session` is onnxruntime's; runs on several threads are allowed."""

    def __init__(self, backend: str, session: Any) -> None:
        # onnxruntime falls back to the CPU silently, so ask it for the actual provider
        device = session.get_providers()[0].removesuffix("ExecutionProvider")
        inputs, outputs = session.get_inputs(), session.get_outputs()
        super().__init__(backend, _specs(inputs, DTYPES), _specs(outputs, kinds_of_outputs(outputs)), device)
        self.session = session
        self.input_names = [spec.name for spec in self.inputs]
        names = Counter([*self.input_names, *(spec.name for spec in self.outputs)])
        self.fixed_outputs = {
            index: fixed
            for index, spec in enumerate(self.outputs)
            if names[spec.name] == 1 and spec.dtype.size and (fixed := fixed_shape(spec)) is not None
        }
        """Shapes of the outputs that are known before a run, by index. Outputs that are also inputs or occur
        twice are left out: onnxruntime doesn't write them to the bound memory."""
        sizes = [byte_size(self.outputs[index].dtype, shape) for index, shape in self.fixed_outputs.items()]
        self.large_outputs = len(sizes) == len(self.outputs) and sum(sizes) >= LARGE
        self.has_bfloat16 = any(spec.dtype is DType.BF16 for spec in (*self.inputs, *self.outputs))

    def context(self) -> OnnxRuntimeContext:
        return OnnxRuntimeContext(self)

    def close(self) -> None:
        self.session = None


class OnnxRuntimeBackend(Backend):
    name = "onnxruntime"
    formats = ("onnx",)
    from_guests = frozenset(formats)
    packages = ("onnxruntime",)
    extra = "onnx"
    rank = 0
    native = True
    blas = False

    def host_options(self) -> OptionKinds:
        return THREADS

    def targets(self) -> frozenset[Target]:
        return frozenset({Target.CPU, Target.GPU} if _gpu_providers() else {Target.CPU})

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        with blaming(self.name):
            return self._load(self_contained_onnx(parts[0]), config)

    def load_files(self, format: str, paths: Sequence[Path], config: GraphConfig) -> Graph:
        """Load by path, so that weights in files beside the model are found; the host named the model."""
        with blaming(self.name):
            return self._load(str(paths[0]), config)

    def _load(self, model: bytes | str, config: GraphConfig) -> Graph:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = FATAL
        options.intra_op_num_threads = thread_count(config)
        if isinstance(model, bytes):  # besides the scan: below this path no file can be opened
            options.add_session_config_entry(WEIGHTS_FOLDER, os.devnull)
        wanted = _gpu_providers() if config.target is Target.GPU else []
        session = onnxruntime.InferenceSession(model, options, providers=[*wanted, CPU_PROVIDER])
        return OnnxRuntimeGraph(self.name, session)


def run_options() -> Any:
    """Options with which a run can be stopped, and prints nothing."""
    import onnxruntime

    options = onnxruntime.RunOptions()
    options.log_severity_level = FATAL
    return options


def fixed_shape(spec: TensorSpec) -> tuple[int, ...] | None:
    """The shape if it is fully known before a run. An empty shape doesn't count, because onnxruntime reports
    the same for a scalar and for an unknown rank."""
    lengths = [length for length in spec.shape or () if isinstance(length, int) and length >= 0]
    return tuple(lengths) if spec.shape and len(lengths) == len(spec.shape) else None


def _gpu_providers() -> list[str]:
    import onnxruntime

    available = onnxruntime.get_available_providers()
    return [provider for provider in GPU_PROVIDERS if provider in available]


def kinds_of_outputs(values: Sequence[Any]) -> Mapping[str, DType]:
    """The types that outputs may have: strings beside others, as scikit-learn's models name the class beside
    its probabilities."""
    alone = all(value.type == STRING for value in values)
    return DTYPES if alone else DTYPES | {STRING: DType.STRING}


def _specs(values: Sequence[Any], kinds: Mapping[str, DType]) -> list[TensorSpec]:
    specs = []
    for value in values:
        if value.type not in kinds:
            advice = next((f" ({said})" for kind, said in ADVICE if value.type.startswith(kind)), "")
            raise NNError(
                Code.UNSUPPORTED_OPERATION,
                f'"{value.name}" is {value.type}, which no wasi-nn tensor supports{advice}',
            )
        specs.append(TensorSpec(value.name, kinds[value.type], tuple(value.shape)))
    return specs
