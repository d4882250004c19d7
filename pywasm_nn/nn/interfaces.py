"""The `wasi:nn` package as components import it, in every version that guests were built with.

What is here: its interfaces as typed Python over a `Session`, and `World`, which finds one by name. What is
not: core modules with lowered imports (`wit.py`, whose words for types and errors these are).
https://github.com/WebAssembly/wasi-nn/blob/main/wit/wasi-nn.wit

An error is a resource with a code and the reason. A tensor that a guest gives away is counted no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..component.canonical.helpers import trap
from ..component.imports import Running
from ..component.interface import U32, Interface, fails
from .backend import Target
from .errors import NNError
from .session import Session
from .tensor import DType
from .tensor import Tensor as Values
from .wit import Failure, check_tensor, failure, load_parts

TENSOR = Interface("wasi:nn/tensor")
ERRORS = Interface("wasi:nn/errors")
GRAPH, STEPWISE_GRAPH = Interface("wasi:nn/graph"), Interface("wasi:nn/graph")
INFERENCE, STEPWISE = Interface("wasi:nn/inference"), Interface("wasi:nn/inference")
"""One call that takes all inputs, and before October 2024 one for each input, compute, and each output."""


class TensorType(Enum):
    """How elements are stored."""

    F16 = "FP16"
    F32 = "FP32"
    F64 = "FP64"
    BF16 = "BF16"
    U8 = "U8"
    I32 = "I32"
    I64 = "I64"


class GraphEncoding(Enum):
    """The format of a model."""

    OPENVINO = "openvino"
    ONNX = "onnx"
    TENSORFLOW = "tensorflow"
    PYTORCH = "pytorch"
    TENSORFLOWLITE = "tensorflowlite"
    GGML = "ggml"
    AUTODETECT = "autodetect"


class ExecutionTarget(Enum):
    """Where a graph computes."""

    CPU = "cpu"
    GPU = "gpu"
    TPU = "tpu"


TARGETS = {
    ExecutionTarget.CPU: Target.CPU,
    ExecutionTarget.GPU: Target.GPU,
    ExecutionTarget.TPU: Target.TPU,
}


class ErrorCode(Enum):
    """What kind of error it is, in the order of the numbers of `wit`."""

    INVALID_ARGUMENT = "invalid-argument"
    INVALID_ENCODING = "invalid-encoding"
    TIMEOUT = "timeout"
    RUNTIME_ERROR = "runtime-error"
    UNSUPPORTED_OPERATION = "unsupported-operation"
    TOO_LARGE = "too-large"
    NOT_FOUND = "not-found"
    SECURITY = "security"
    UNKNOWN = "unknown"


CODES = tuple(ErrorCode)


@ERRORS.resource
class Error:
    """Why an operation failed."""

    def __init__(self, why: Failure) -> None:
        self._why = why

    @classmethod
    def of(cls, error: Exception) -> Error | None:
        return cls(failure(error)) if isinstance(error, NNError) else None

    def code(self) -> ErrorCode:
        return CODES[self._why.code]

    def data(self) -> str:
        return self._why.text

    @staticmethod
    def constructor(code: ErrorCode, data: str) -> Error:
        """An error of the guest's own making, in the versions that let it."""
        return Error(Failure(CODES.index(code), data))


# tensor


@TENSOR.resource
class Tensor:
    """A tensor that the guest holds."""

    def __init__(self, session: Session, values: Values) -> None:
        """Raises NNError(TOO_LARGE) if the guest holds too much."""
        session.hold(values.nbytes)
        self._session = session
        self._values = values

    def close(self) -> None:
        self._session.hold(-self._values.nbytes)

    def _taken(self) -> Values:
        """The values of a tensor that the guest has given away."""
        self.close()
        return self._values

    @staticmethod
    def constructor(guest: Session, dimensions: list[U32], ty: TensorType, data: bytes) -> Tensor:
        """What is wrong with its shape is said by the compute that takes it."""
        check_tensor(guest, len(dimensions), len(data))
        guest.traffic.taken += len(data)
        try:
            return Tensor(guest, Values(DType[ty.name], tuple(dimensions), bytearray(data)))
        except NNError as error:
            trap(error.reason)

    def dimensions(self) -> list[U32]:
        return list(self._values.shape)

    def ty(self) -> TensorType:
        name = self._values.dtype.name
        if name not in TensorType.__members__:
            trap(f"a tensor of {self._values.dtype}, for which tensor-type has no case")
        return TensorType[name]

    def data(self) -> bytes:
        data = self._values.view()
        self._session.traffic.given += len(data)
        return bytes(data)


# inference


class Numbered:
    """Base of resources that a session knows by a number."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number


class Context(Numbered):
    """Base of both kinds of contexts."""

    def close(self) -> None:
        self._session.finalize_execution_context(self._number)


@INFERENCE.resource
class GraphExecutionContext(Context):
    """A context that takes all inputs at once. The guest gives its tensors away, also when compute fails."""

    @fails(Error)
    def compute(self, inputs: list[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
        given = [(name, tensor._taken()) for name, tensor in inputs]
        outputs = self._session.compute_named(self._number, given)
        return [(name, Tensor(self._session, values)) for name, values in outputs]


class StepwiseContext(Context):
    """A context that is given inputs, and asked for outputs, one by one."""

    @fails(Error)
    def set_input(self, name: str, tensor: Tensor) -> None:
        self._session.set_input(self._number, name, tensor._taken(), lend=True)

    @fails(Error)
    def compute(self) -> None:
        self._session.compute(self._number)

    @fails(Error)
    def get_output(self, name: str) -> Tensor:
        return Tensor(self._session, self._session.get_output(self._number, name))


STEPWISE.resource(StepwiseContext, "graph-execution-context")


# graph


class LoadedGraph(Numbered):
    """Base of both kinds of graphs."""

    def close(self) -> None:
        """Its contexts go on, as resources of their own do."""
        self._session.unload(self._number, orphans_compute=True)


@GRAPH.resource
class Graph(LoadedGraph):
    """A graph whose contexts take all inputs at once."""

    @fails(Error)
    def init_execution_context(self) -> GraphExecutionContext:
        return GraphExecutionContext(self._session, self._session.init_execution_context(self._number))


class StepwiseGraph(LoadedGraph):
    """A graph whose contexts are used step by step."""

    @fails(Error)
    def init_execution_context(self) -> StepwiseContext:
        return StepwiseContext(self._session, self._session.init_execution_context(self._number))


STEPWISE_GRAPH.resource(StepwiseGraph, "graph")


@GRAPH.function
@fails(Error)
def load(guest: Session, builder: list[bytes], encoding: GraphEncoding, target: ExecutionTarget) -> Graph:
    return Graph(guest, load_parts(guest, builder, encoding.value, TARGETS[target]))


@GRAPH.function
@fails(Error)
def load_by_name(guest: Session, name: str) -> Graph:
    return Graph(guest, guest.load_by_name(name, again=True))


@fails(Error)
def stepwise_load(
    guest: Session, builder: list[bytes], encoding: GraphEncoding, target: ExecutionTarget
) -> StepwiseGraph:
    return StepwiseGraph(guest, load_parts(guest, builder, encoding.value, TARGETS[target]))


@fails(Error)
def stepwise_load_by_name(guest: Session, name: str) -> StepwiseGraph:
    return StepwiseGraph(guest, guest.load_by_name(name, again=True))


STEPWISE_GRAPH.function(stepwise_load, "load")
STEPWISE_GRAPH.function(stepwise_load_by_name, "load-by-name")


# All of them


def named(*interfaces: Interface) -> Mapping[str, Interface]:
    return {interface.name: interface for interface in interfaces}


STEPS = named(TENSOR, ERRORS, STEPWISE_GRAPH, STEPWISE)
VERSIONS: Mapping[str, Mapping[str, Interface]] = {
    "0.2.0-rc-2024-10-28": named(TENSOR, ERRORS, GRAPH, INFERENCE),
    "0.2.0-rc-2024-08-19": STEPS,
    "0.2.0-rc-2024-06-25": STEPS,
    "": STEPS,
}
"""What there is in each version; packages had none before July 2024."""


class World:
    """What a component imports of `wasi:nn`."""

    def __init__(self, session: Session, running: Running) -> None:
        running.when_halted(Session.halt, session)
        self._session = session

    def lookup(self, name: str) -> Any:
        """What has the functions of an interface, in the version that the name has; None for others."""
        interface, _, version = name.partition("@")
        found = VERSIONS.get(version, {}).get(interface)
        return None if found is None else found.bound(self._session)
