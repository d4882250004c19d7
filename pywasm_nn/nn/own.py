"""The `pywasm_nn` namespace: functions for guests that no other host has.

`pywasm_nn.h` is its C header (`pywasm-nn include`). Its handles are those of `wasi_ephemeral_nn`, whose
functions guests use beside these. What is not here: anything but translation (`session`).
"""

from __future__ import annotations

from struct import pack
from typing import Annotated

from ..host import U32, Caller, Face, Out, Record, Span, checked
from .errors import BufferTooSmallError, Code, NNError
from .numbers import TYPES, TensorRecord, copied, tensor_of, text_of, to_errno
from .session import Session
from .tensor import DType, TensorSpec

BF16 = 16
NO_TYPE = 255
NUMBERS = {dtype: number for number, dtype in TYPES.items()} | {DType.BF16: BF16}
"""`tensor_type` in descriptions: 255 for a type that a guest can't pass."""
UNKNOWN = 0xFFFF_FFFF
"""A rank or dimension that is known only at run time."""

Counts = Annotated[tuple[int, int], Record("II")]
"""The numbers of inputs and outputs of a graph."""
Description = Annotated[tuple[int, int, int], Record("III")]
"""An input or output: tensor type, rank, length of the name in bytes."""

face = Face("pywasm_nn", to_errno, halt=Session.halt)


@face.function
def set_input_by_name(
    session: Session, caller: Caller, context: U32, name: Span, tensor: TensorRecord
) -> None:
    """Like set_input, by the input's name (or its index in decimal)."""
    which = named(session, "set_input_by_name", name)
    value = tensor_of(
        session, caller.memory, tensor, "set_input_by_name", lambda: f'ctx {context}, "{which}"'
    )
    session.set_input(context, which, value, name="set_input_by_name")


@face.function
def set_input_from(session: Session, context: U32, index: U32, source: U32, output: U32) -> None:
    """Set an input to an output of another context's last compute, without copying it, even from a device."""
    session.set_input_from(context, index, source, output)


@face.function
def set_output(session: Session, caller: Caller, context: U32, index: U32, buffer: U32, size: U32) -> None:
    """Make every later compute write an output to `size` bytes at `buffer`, and fetch only outputs that have
    a buffer. A `buffer` and `size` of 0 undo that.
    """
    give(session, caller, context, index, buffer, size, "set_output")


@face.function
def set_output_by_name(
    session: Session, caller: Caller, context: U32, name: Span, buffer: U32, size: U32
) -> None:
    """Like set_output, by the output's name."""
    which = named(session, "set_output_by_name", name)
    give(session, caller, context, which, buffer, size, "set_output_by_name")


def give(
    session: Session, caller: Caller, context: int, which: int | str, buffer: int, size: int, name: str
) -> None:
    memory = caller.memory
    checked(memory, buffer, size)
    wanted = bool(buffer or size)
    session.set_output(context, which, (lambda: checked(memory, buffer, size)) if wanted else None, name=name)


@face.function
def get_output_by_name(session: Session, context: U32, name: Span, buffer: Span, written: Out[U32]) -> None:
    """Like get_output, by the output's name."""
    which = named(session, "get_output_by_name", name)
    try:
        tensor = session.get_output(context, which, len(buffer), name="get_output_by_name")
    except BufferTooSmallError as error:
        written.set(error.needed)
        raise
    written.set(copied(session, tensor, buffer))


@face.function
def get_output_dimensions(
    session: Session, context: U32, index: U32, dimensions: Span, rank: Out[U32]
) -> None:
    """The shape of an output of the last compute: four bytes for each dimension, written to `dimensions`."""
    shape = session.get_output(context, index, name="get_output_dimensions").shape
    rank.set(len(shape))
    put(session, "get_output_dimensions", pack(f"<{len(shape)}I", *shape), dimensions)


@face.function
def init_execution_context_with_config(session: Session, graph: U32, config: Span, context: Out[U32]) -> None:
    """Like init_execution_context, with options as JSON text, if the backend accepts options for a
    context."""
    context.set(session.init_execution_context(graph, bytes(config)))


@face.function
def count(session: Session, graph: U32, counts: Out[Counts]) -> None:
    """The numbers of inputs and outputs of a graph."""
    inputs, outputs = session.specs(graph)
    counts.set((len(inputs), len(outputs)))


@face.function
def describe_input(session: Session, graph: U32, index: U32, description: Out[Description]) -> None:
    """Type, rank and name length of an input."""
    description.set(described(spec_at(session, "describe_input", graph, 0, index)))


@face.function
def describe_output(session: Session, graph: U32, index: U32, description: Out[Description]) -> None:
    """Type, rank and name length of an output."""
    description.set(described(spec_at(session, "describe_output", graph, 1, index)))


@face.function
def input_name(session: Session, graph: U32, index: U32, buffer: Span) -> None:
    """The name of an input, UTF-8 without a NUL."""
    put(session, "input_name", spec_at(session, "input_name", graph, 0, index).name.encode(), buffer)


@face.function
def output_name(session: Session, graph: U32, index: U32, buffer: Span) -> None:
    """The name of an output."""
    put(session, "output_name", spec_at(session, "output_name", graph, 1, index).name.encode(), buffer)


@face.function
def input_dimensions(session: Session, graph: U32, index: U32, buffer: Span) -> None:
    """The dimensions of an input, four bytes each."""
    spec = spec_at(session, "input_dimensions", graph, 0, index)
    put(session, "input_dimensions", declared_dimensions(spec), buffer)


@face.function
def output_dimensions(session: Session, graph: U32, index: U32, buffer: Span) -> None:
    """The dimensions of an output."""
    spec = spec_at(session, "output_dimensions", graph, 1, index)
    put(session, "output_dimensions", declared_dimensions(spec), buffer)


def named(session: Session, operation: str, name: memoryview) -> str:
    """The name as text. Raises NNError if it is not UTF-8."""
    with session.refusing(operation, f"{len(name)} bytes"):
        return text_of(name, session.limits.names)


def spec_at(session: Session, operation: str, graph: int, side: int, index: int) -> TensorSpec:
    """The model's declaration of an input (side 0) or output (1). Raises NNError."""
    specs = session.specs(graph)[side]
    with session.refusing(operation, f"graph {graph}, index {index}"):
        if index >= len(specs):
            raise NNError(
                Code.INVALID_ARGUMENT, f"graph {graph} has {len(specs)} of those, none has index {index}"
            )
    return specs[index]


def described(spec: TensorSpec) -> tuple[int, int, int]:
    rank = UNKNOWN if spec.shape is None else len(spec.shape)
    return NUMBERS.get(spec.dtype, NO_TYPE), rank, len(spec.name.encode())


def declared_dimensions(spec: TensorSpec) -> bytes:
    shape = spec.shape or ()
    return pack(f"<{len(shape)}I", *(length if isinstance(length, int) else UNKNOWN for length in shape))


def put(session: Session, operation: str, data: bytes, buffer: memoryview) -> None:
    """Copy data to the start of a buffer. Raises BufferTooSmallError if the buffer is too small."""
    with session.refusing(operation, f"{len(buffer)} bytes"):
        if len(data) > len(buffer):
            raise BufferTooSmallError(f"{len(data)} bytes, the buffer has {len(buffer)}", len(data))
    buffer[: len(data)] = data
