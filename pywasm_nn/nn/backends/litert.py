"""TFLite models on LiteRT (ai_edge_litert), or on its predecessor tflite_runtime.

Interpreters aren't shared between threads: each context has its own, on the same bytes. Inputs are copied
once, into the interpreter's arena; outputs are copied once, out of it.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..backend import Backend, Context, Graph, GraphConfig, OptionKinds
from ..blame import blaming
from ..errors import Code, NNError
from ..tensor import DType, Tensor, TensorSpec
from .options import THREADS, thread_count
from .quiet import without_info_lines

LITERT, TFLITE_RUNTIME = "ai_edge_litert", "tflite_runtime"
BFLOAT16 = "ml_dtypes"
"""The package that adds bfloat16 to numpy."""
SIGNATURE = "serving_default"

Details = Mapping[str, Any]
"""The interpreter's description of one tensor: name, index, shape, shape_signature, dtype ..."""


class LiteRTContext(Context):
    graph: LiteRTGraph

    def __init__(self, graph: LiteRTGraph, interpreter: Any) -> None:
        super().__init__(graph)
        self._interpreter = interpreter
        self._shapes = [tuple(details["shape"].tolist()) for details in graph.input_details]

    def run(self, inputs: Sequence[Tensor]) -> Sequence[Tensor | None]:
        interpreter, graph = self._interpreter, self.graph
        given = [tensor.shape for tensor in inputs]
        if given != self._shapes:
            for details, shape in zip(graph.input_details, given, strict=True):
                interpreter.resize_tensor_input(details["index"], shape)
            interpreter.allocate_tensors()
            self._shapes = given
        for index, details in enumerate(graph.input_details):
            array = self.array(index, inputs[index])
            if inputs[index].dtype is DType.BF16:
                array = array.view(details["dtype"])
            interpreter.set_tensor(details["index"], array)
        interpreter.invoke()
        # Outputs with targets are copied directly from the arena, of which no reference may be kept.
        get = interpreter.get_tensor if not self.targets else lambda at: interpreter.tensor(at)()
        return [
            tensor_of(graph.outputs[index], get(details["index"]))
            if index in (self.targets or range(len(graph.output_details)))
            else None
            for index, details in enumerate(graph.output_details)
        ]

    def close(self) -> None:
        super().close()
        self._interpreter = None


def tensor_of(spec: TensorSpec, array: Any) -> Tensor:
    """An output; bfloat16 as its bits."""
    if spec.dtype is DType.BF16:
        return Tensor.from_numpy(array.view(DType.BF16.numpy_name), DType.BF16)
    return Tensor.from_numpy(array)


class LiteRTGraph(Graph):
    """`make` creates another interpreter for the model; `first` is the interpreter that load created."""

    def __init__(self, backend: str, first: Any, make: Callable[[GraphConfig | None], Any]) -> None:
        inputs, outputs = known_details(first)
        super().__init__(backend, _specs(inputs), _specs(outputs))
        self.input_details = list(inputs.values())
        self.output_details = list(outputs.values())
        self._spare = [first]
        self._make = make

    def context(self) -> LiteRTContext:
        return LiteRTContext(self, self.interpreter())

    def configured_context(self, config: GraphConfig) -> LiteRTContext:
        return LiteRTContext(self, self._make(config))

    def interpreter(self) -> Any:
        """An interpreter for the caller alone, with memory for its tensors."""
        try:
            return self._spare.pop()  # atomic, so two threads never get the same
        except IndexError:
            return self._make(None)

    def close(self) -> None:
        self._spare = []


def known_details(interpreter: Any) -> tuple[dict[str, Details], dict[str, Details]]:
    """The same as `ordered_details`, also of types that numpy doesn't have by itself."""
    try:
        return ordered_details(interpreter)
    except ValueError:
        if not importlib.util.find_spec(BFLOAT16):
            raise
        importlib.import_module(BFLOAT16)  # few models need it, and it takes as long as all of LiteRT
        return ordered_details(interpreter)


def ordered_details(interpreter: Any) -> tuple[dict[str, Details], dict[str, Details]]:
    """Inputs and outputs by name, in the order of guests' indices: sorted by name if the model has a
    signature.

    Converters list tensors in their own order (b before a); the model's author knows the names of the
    signature.
    """
    inputs = {details["name"]: details for details in interpreter.get_input_details()}
    outputs = {details["name"]: details for details in interpreter.get_output_details()}
    signatures = list(interpreter.get_signature_list())
    if not signatures:
        return inputs, outputs
    runner = interpreter.get_signature_runner(SIGNATURE if SIGNATURE in signatures else signatures[0])
    named = runner.get_input_details(), runner.get_output_details()
    if any(_indices(by_name) != _indices(own) for by_name, own in zip(named, (inputs, outputs), strict=True)):
        return inputs, outputs  # the signature is of another subgraph than invoke() runs
    by_input, by_output = (dict(sorted(by_name.items())) for by_name in named)
    return by_input, by_output


def _indices(details: Mapping[str, Details]) -> list[int]:
    return sorted(int(tensor["index"]) for tensor in details.values())


def _specs(details: Mapping[str, Details]) -> list[TensorSpec]:
    import numpy

    specs = []
    for name, tensor in details.items():
        try:
            own = numpy.dtype(tensor["dtype"])
            dtype = DType.BF16 if own.name == "bfloat16" else DType.of_numpy(own)
        except ValueError as error:
            raise NNError(Code.UNSUPPORTED_OPERATION, f'"{name}": {error}') from error
        if dtype is DType.STRING:
            raise NNError(
                Code.UNSUPPORTED_OPERATION, f'"{name}" has strings, which no wasi-nn tensor supports'
            )
        lengths = tuple(None if length < 0 else int(length) for length in tensor["shape_signature"])
        aliases = tuple({str(tensor["name"])} - {name})
        specs.append(TensorSpec(name, dtype, lengths, aliases, _quantization(dtype, tensor)))
    return specs


def _quantization(dtype: DType, tensor: Details) -> tuple[float, int] | None:
    """Scale and zero point of a tensor that has one of each for all elements."""
    scale, zero = tensor.get("quantization", (0.0, 0))
    return (float(scale), int(zero)) if scale and dtype in (DType.U8, DType.I8, DType.I16) else None


class LiteRTBackend(Backend):
    name = "litert"
    formats = ("tflite",)
    from_guests = frozenset(formats)
    packages = (LITERT, TFLITE_RUNTIME)
    extra = "tflite"
    rank = 1
    native = True
    blas = False
    late = frozenset({"threads"})

    def host_options(self) -> OptionKinds:
        return THREADS

    def missing(self) -> str | None:
        if not importlib.util.find_spec(LITERT) and importlib.util.find_spec(TFLITE_RUNTIME):
            return numpy_clash()
        return super().missing()

    def prepare(self) -> None:
        self._interpreters()

    def _interpreters(self) -> Any:
        """The framework's interpreter module. Raises NNError if it isn't installed."""
        if reason := self.unavailable():
            raise NNError(Code.INVALID_ENCODING, reason)
        package = LITERT if importlib.util.find_spec(LITERT) else TFLITE_RUNTIME
        return importlib.import_module(f"{package}.interpreter")

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        module = self._interpreters()
        content = bytes(parts[0])

        def make(late: GraphConfig | None = None) -> Any:
            threads = thread_count(late or config) or None
            interpreter = module.Interpreter(model_content=content, num_threads=threads)
            interpreter.allocate_tensors()
            return interpreter

        with blaming(self.name):
            with without_info_lines():
                first = make()
            return LiteRTGraph(self.name, first, make)


def numpy_clash() -> str | None:
    """Why tflite_runtime can't work with the installed numpy, or None: it can be imported, but crashes when
    used.
    """
    from importlib import metadata  # slow to import, and rarely needed

    version = metadata.version("numpy")
    if version.startswith(("0.", "1.")):
        return None
    return f"tflite_runtime needs numpy 1, installed is {version}"
