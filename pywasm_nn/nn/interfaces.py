"""The `wasi:nn` package in every version that guests use, for components and for core modules that import it
directly.

What is here: its interfaces as typed Python over a `Session`, and `World`, which finds them by name. What is
not: conversion of values (`component.canonical`), and names of core imports (`component.lowered`).
https://github.com/WebAssembly/wasi-nn/blob/main/wit/wasi-nn.wit

A tensor's bytes are copied once, when the guest creates the tensor; compute uses tensors without a copy,
including outputs of another compute. A tensor that the guest gives away no longer counts towards its limit.
An error is a resource with a code and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from ..component.canonical.helpers import trap
from ..component.imports import Running
from ..component.interface import U32, Interface, fails
from .backend import Target
from .errors import Code, Nature, NNError
from .inputs import MAX_RANK
from .session import Session
from .tensor import DType
from .tensor import Tensor as Values

TENSOR = Interface("wasi:nn/tensor")
ERRORS, OWN_ERRORS = Interface("wasi:nn/errors"), Interface("wasi:nn/errors")
"""The second one is for guests that create errors themselves, which was possible before August 2024."""
GRAPH, STEPWISE_GRAPH = Interface("wasi:nn/graph"), Interface("wasi:nn/graph")
INFERENCE, STEPWISE = Interface("wasi:nn/inference"), Interface("wasi:nn/inference")
"""Compute with all inputs and outputs in one call; before October 2024 there were calls for each input,
compute, and each output."""


class TensorType(Enum):
    """The type of elements."""

    F16 = "FP16"
    F32 = "FP32"
    F64 = "FP64"
    BF16 = "BF16"
    U8 = "U8"
    I32 = "I32"
    I64 = "I64"


DTYPES = {type_.value: DType[type_.name] for type_ in TensorType}
"""Types by label, because hashing an enum member is slow."""


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
    """The device for a graph."""

    CPU = "cpu"
    GPU = "gpu"
    TPU = "tpu"


TARGETS = {
    ExecutionTarget.CPU: Target.CPU,
    ExecutionTarget.GPU: Target.GPU,
    ExecutionTarget.TPU: Target.TPU,
}


SNIFFED = (GraphEncoding.GGML, GraphEncoding.AUTODETECT)
"""Number 5 was autodetect before April 2024. A module doesn't tell which version it means, so the bytes
decide."""


class ErrorCode(Enum):
    """The kind of an error."""

    INVALID_ARGUMENT = "invalid-argument"
    INVALID_ENCODING = "invalid-encoding"
    TIMEOUT = "timeout"
    RUNTIME_ERROR = "runtime-error"
    UNSUPPORTED_OPERATION = "unsupported-operation"
    TOO_LARGE = "too-large"
    NOT_FOUND = "not-found"
    SECURITY = "security"
    UNKNOWN = "unknown"


CODES = {
    Code.INVALID_ARGUMENT: ErrorCode.INVALID_ARGUMENT,
    Code.INVALID_ENCODING: ErrorCode.INVALID_ENCODING,
    Code.RUNTIME_ERROR: ErrorCode.RUNTIME_ERROR,
    Code.UNSUPPORTED_OPERATION: ErrorCode.UNSUPPORTED_OPERATION,
    Code.TOO_LARGE: ErrorCode.TOO_LARGE,
    Code.NOT_FOUND: ErrorCode.NOT_FOUND,
    Code.MODEL_NOT_FOUND: ErrorCode.NOT_FOUND,
    Code.CONTEXT_FULL: ErrorCode.TOO_LARGE,
    Code.PROMPT_TOO_LONG: ErrorCode.TOO_LARGE,
}
"""Codes for a session's errors; others are unknown."""
NATURES = {Nature.TIMEOUT: ErrorCode.TIMEOUT, Nature.SECURITY: ErrorCode.SECURITY}


def check_name(session: Session, name: str) -> None:
    """Trap for a name that exceeds the limit."""
    if len(name) > session.limits.names:
        trap(f"a name of {len(name)} characters, at most {session.limits.names} are taken")


@ERRORS.resource
class Error:
    """Why an operation failed."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        self._code = code
        self._text = text

    @classmethod
    def of(cls, error: Exception) -> Error | None:
        if not isinstance(error, NNError):
            return None
        code = NATURES[error.nature] if error.nature else CODES.get(error.code, ErrorCode.UNKNOWN)
        return cls(code, error.reason)

    def code(self) -> ErrorCode:
        return self._code

    def data(self) -> str:
        return self._text


OWN_ERRORS.resource(Error)


def new_error(guest: Session, code: ErrorCode, data: str) -> Error:
    check_name(guest, data)
    return Error(code, data)


OWN_ERRORS.function(new_error, "[constructor]error")


# tensor


@TENSOR.resource
class Tensor:
    """A tensor that the guest holds."""

    def __init__(self, session: Session, values: Values) -> None:
        """Raises NNError(TOO_LARGE) if the guest holds too much."""
        session.hold(values.nbytes)
        self._session = session
        self._values = values
        self._held = values.nbytes

    def close(self) -> None:
        """Stop counting the tensor. May be called twice, as Python may pass one tensor to two components."""
        held, self._held = self._held, 0
        self._session.hold(-held)

    def _taken(self) -> Values:
        """The values of a tensor whose ownership the guest passes on."""
        self.close()
        return self._values

    @staticmethod
    def constructor(guest: Session, dimensions: list[U32], ty: TensorType, data: memoryview) -> Tensor:
        """A wrong shape is reported only by the compute that uses the tensor."""
        if len(dimensions) > MAX_RANK:
            trap(f"a tensor of {len(dimensions)} dimensions, at most {MAX_RANK} are taken")
        if len(data) > guest.limits.tensor_bytes:
            trap(f"a tensor of {len(data)} bytes, the limit is {guest.limits.tensor_bytes}")
        guest.traffic.taken += len(data)
        try:
            return Tensor(guest, Values(DTYPES[ty.value], tuple(dimensions), bytearray(data)))
        except NNError as error:
            trap(error.reason)

    def dimensions(self) -> list[U32]:
        return list(self._values.shape)

    def ty(self) -> TensorType:
        name = self._values.dtype.name
        if name not in TensorType.__members__:
            trap(f"a tensor of {self._values.dtype}, for which tensor-type has no case")
        return TensorType[name]

    def data(self) -> memoryview:
        data = self._values.view()
        self._session.traffic.given += len(data)
        return data


# inference


class Numbered:
    """Base of resources that a session identifies by a number."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number


class Context(Numbered):
    """Base of both kinds of contexts."""

    def close(self) -> None:
        self._session.finalize_execution_context(self._number)


@INFERENCE.resource
class GraphExecutionContext(Context):
    """A context whose compute takes all inputs. The guest passes the ownership of its tensors, even if
    compute fails."""

    @fails(Error)
    def compute(self, inputs: list[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
        given = [(name, tensor._taken()) for name, tensor in inputs]
        for name, _ in given:
            check_name(self._session, name)
        outputs = self._session.compute_named(self._number, given)
        made: list[tuple[str, Tensor]] = []
        try:
            for name, values in outputs:
                made.append((name, Tensor(self._session, values)))
        except NNError:  # too large: the guest gets no outputs
            for _, tensor in made:
                tensor.close()
            raise
        return made


class StepwiseContext(Context):
    """A context with separate calls for inputs, compute and outputs."""

    @fails(Error)
    def set_input(self, name: str, tensor: Tensor) -> None:
        check_name(self._session, name)
        self._session.set_input(self._number, name, tensor._taken(), lend=True)

    @fails(Error)
    def compute(self) -> None:
        self._session.compute(self._number)

    @fails(Error)
    def get_output(self, name: str) -> Tensor:
        check_name(self._session, name)
        return Tensor(self._session, self._session.get_output(self._number, name))


STEPWISE.resource(StepwiseContext, "graph-execution-context")


# graph


class LoadedGraph(Numbered):
    """Base of both kinds of graphs."""

    def close(self) -> None:
        """The graph's contexts stay usable, because they are separate resources."""
        self._session.unload(self._number, orphans_compute=True)


@GRAPH.resource
class Graph(LoadedGraph):
    """A graph whose contexts take all inputs in one call."""

    @fails(Error)
    def init_execution_context(self) -> GraphExecutionContext:
        return GraphExecutionContext(self._session, self._session.init_execution_context(self._number))


class StepwiseGraph(LoadedGraph):
    """A graph whose contexts have separate calls for inputs, compute and outputs."""

    @fails(Error)
    def init_execution_context(self) -> StepwiseContext:
        return StepwiseContext(self._session, self._session.init_execution_context(self._number))


STEPWISE_GRAPH.resource(StepwiseGraph, "graph")


def number_of(
    session: Session, parts: Sequence[memoryview], encoding: GraphEncoding, target: ExecutionTarget
) -> int:
    """Load a graph from bytes. As in wasmtime, a wrong number of parts is a runtime error. Raises NNError."""
    declared = None if encoding in SNIFFED else encoding.value
    try:
        return session.load(parts, declared, TARGETS[target])
    except NNError as error:
        if error.code is Code.INVALID_ARGUMENT and error.nature is None:
            raise NNError(Code.RUNTIME_ERROR, error.reason) from error
        raise


def number_named(session: Session, name: str) -> int:
    """Load a named model as a separate graph. Raises NNError."""
    check_name(session, name)
    return session.load_by_name(name, again=True)


@GRAPH.function
@fails(Error)
def load(
    guest: Session, builder: list[memoryview], encoding: GraphEncoding, target: ExecutionTarget
) -> Graph:
    return Graph(guest, number_of(guest, builder, encoding, target))


@GRAPH.function
@fails(Error)
def load_by_name(guest: Session, name: str) -> Graph:
    return Graph(guest, number_named(guest, name))


@fails(Error)
def stepwise_load(
    guest: Session, builder: list[memoryview], encoding: GraphEncoding, target: ExecutionTarget
) -> StepwiseGraph:
    return StepwiseGraph(guest, number_of(guest, builder, encoding, target))


@fails(Error)
def stepwise_load_by_name(guest: Session, name: str) -> StepwiseGraph:
    return StepwiseGraph(guest, number_named(guest, name))


STEPWISE_GRAPH.function(stepwise_load, "load")
STEPWISE_GRAPH.function(stepwise_load_by_name, "load-by-name")


# All of them


def named(*interfaces: Interface) -> Mapping[str, Interface]:
    return {interface.name: interface for interface in interfaces}


VERSIONS: Mapping[str, Mapping[str, Interface]] = {
    "0.2.0-rc-2024-10-28": named(TENSOR, ERRORS, GRAPH, INFERENCE),
    "0.2.0-rc-2024-08-19": named(TENSOR, ERRORS, STEPWISE_GRAPH, STEPWISE),
    "0.2.0-rc-2024-06-25": (oldest := named(TENSOR, OWN_ERRORS, STEPWISE_GRAPH, STEPWISE)),
    "": oldest,
}
"""The interfaces in each version; packages had no version before July 2024."""


INTERFACES = {
    f"{name}@{version}" if version else name: interface
    for version, interfaces in VERSIONS.items()
    for name, interface in interfaces.items()
}
"""All interfaces, by their names with versions."""


class World:
    """The imports of a component, or of a core module, from `wasi:nn`."""

    def __init__(self, session: Session, running: Running) -> None:
        running.when_halted(Session.halt, session)
        self._session = session

    def lookup(self, name: str) -> Any:
        """The functions of an interface by its name with version; None for an unknown one."""
        return INTERFACES[name].bound(self._session) if name in INTERFACES else None
