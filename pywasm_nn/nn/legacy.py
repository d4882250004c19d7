"""The `wasi_nn` namespace: the imports of WAMR guests that were compiled with WAMR's own header.

https://github.com/bytecodealliance/wasm-micro-runtime/tree/main/core/iwasm/libraries/wasi-nn. It is older
than WITX in three ways on which guests rely: a tensor has no data length, tensor types have the numbers from
before 2023, and sizes of outputs are in elements of f32. A quantised model accepts and returns f32. What is
not here: anything but translation (`session`).
"""

from __future__ import annotations

from math import prod
from struct import unpack
from typing import Annotated

from ..host import U32, Caller, Face, Out, Record, Span, checked
from .errors import BufferTooSmallError, Code, NNError
from .numbers import (
    LEGACY_TYPES,
    check_count,
    copied,
    encoding_of,
    parts_of,
    shape_of,
    target_of,
    text_of,
    to_errno,
)
from .quantized import dequantized
from .session import Session
from .tensor import Tensor

ELEMENT = 4
"""Bytes of an element: the unit for sizes of outputs."""

TensorRecord = Annotated[tuple[int, int, int], Record("IB3xI")]
"""`tensor`: pointer to dimensions, type, pointer to data."""

face = Face("wasi_nn", to_errno, halt=Session.halt)


@face.function
def load(
    session: Session, caller: Caller, builders: U32, encoding: U32, target: U32, graph: Out[U32]
) -> None:
    """Load a model: `builders` points to the address of the parts and their number."""
    memory = caller.memory
    at, count = unpack("<II", checked(memory, builders, 8))
    records = checked(memory, at, 8 * count)
    with session.refusing("load", f"{count} part(s), encoding {encoding}, target {target}"):
        check_count(count)
        parts = parts_of(memory, records)
        where = target_of(target)
        what = encoding_of(encoding, session)
    graph.set(session.load(parts, what, where))


@face.function
def load_by_name(session: Session, name: Span, graph: Out[U32]) -> None:
    """The graph of a model that the host named. The name may end with a NUL, as C's strings do."""
    with session.refusing("load_by_name", f"{len(name)} bytes"):
        text = text_of(name, session.limits.names).removesuffix("\0")
    graph.set(session.load_by_name(text))


@face.function
def init_execution_context(session: Session, graph: U32, context: Out[U32]) -> None:
    """A new context of a graph."""
    context.set(session.init_execution_context(graph))


@face.function
def set_input(session: Session, caller: Caller, context: U32, index: U32, tensor: TensorRecord) -> None:
    """Set an input to a copy of the tensor; f32 for a quantised model is quantised."""
    memory = caller.memory
    dimensions_at, number, data_at = tensor
    at, rank = unpack("<II", checked(memory, dimensions_at, 8))
    dimensions = checked(memory, at, 4 * rank)
    with session.refusing("set_input", f"ctx {context}, index {index}, type {number}, rank {rank}"):
        shape = shape_of(dimensions)
        dtype = LEGACY_TYPES.get(number)
        if dtype is None:
            raise NNError(
                Code.INVALID_ARGUMENT,
                f"there is no tensor type {number}, types are 0 to {max(LEGACY_TYPES)}",
            )
    value = Tensor(dtype, shape, checked(memory, data_at, prod(shape) * dtype.size))
    session.traffic.taken += value.size
    session.set_input(context, index, value, floats=True)


@face.function
def compute(session: Session, context: U32) -> None:
    """Run the graph on the inputs that were set."""
    session.compute(context)


@face.function
def get_output(session: Session, caller: Caller, context: U32, index: U32, buffer: U32, size_at: U32) -> None:
    """Copy an output into `buffer`. `size_at` points to the buffer's size, and receives the output's size,
    both in elements of f32; if the buffer is too small, only the size is written.
    """
    memory = caller.memory
    size = checked(memory, size_at, ELEMENT)
    room = int.from_bytes(size, "little") * ELEMENT
    target = checked(memory, buffer, room)
    tensor = dequantized(session.get_output(context, index), session.output_spec(context, index))
    needed = tensor.nbytes
    size[:] = (-(-needed // ELEMENT)).to_bytes(ELEMENT, "little")
    if needed > room:
        with session.refusing("get_output", f"ctx {context}, index {index}"):
            raise BufferTooSmallError(
                f"output {index} {tensor} is {needed} bytes, the buffer has {room}", needed
            )
    copied(session, tensor, target)
