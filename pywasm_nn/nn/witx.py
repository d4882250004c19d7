"""The `wasi_ephemeral_nn` namespace: wasi-nn as WITX describes it, with WasmEdge's extensions.

https://github.com/WebAssembly/wasi-nn/blob/main/wasi-nn.witx. Pointers that reach outside memory are traps,
found before any work; everything else that is wrong is an error number. Unaligned pointers are accepted. What
is not here: anything but translation (`session`), and the other dialects (`legacy`, `wit`).
"""

from __future__ import annotations

from math import prod
from struct import iter_unpack, unpack
from typing import Annotated

from ..host import U32, Caller, Face, Memory, Out, Record, Span, checked
from .backend import Target
from .errors import Code, NNError
from .inputs import MAX_RANK
from .session import BufferTooSmallError, Session
from .tensor import DType, Tensor

ENCODINGS = {0: "openvino", 1: "onnx", 2: "tensorflow", 3: "pytorch", 4: "tensorflowlite"}
"""`graph_encoding`."""
SNIFFED = frozenset({5, 6})
"""Autodetect and ggml, in this order or the other, as hosts disagree: the bytes tell."""
TARGETS = {0: Target.CPU, 1: Target.GPU, 2: Target.TPU, 3: Target.AUTO}
"""`execution_target`; 3 is what the Rust crates send for AUTO."""
TYPES = {0: DType.F16, 1: DType.F32, 2: DType.F64, 3: DType.U8, 4: DType.I32, 5: DType.I64}
"""`tensor_type` since August 2023."""
LEGACY_TYPES = {2: DType.U8, 3: DType.I32}
"""The numbers that meant something else before, and what."""
MAX_PARTS = 64
"""Builders of one load; formats come in one or two."""

TensorRecord = Annotated[tuple[int, int, int, int, int], Record("IIB3xII")]
"""`tensor`: dimensions (pointer, rank), type (one byte; the next three may be garbage), data (pointer,
bytes).
"""


def to_errno(error: Exception) -> int | None:
    """The error number that a guest gets; None for what isn't an error of inference."""
    return int(error.code) if isinstance(error, NNError) else None


face = Face("wasi_ephemeral_nn", to_errno)


@face.function
def load(
    session: Session, caller: Caller, builders: U32, count: U32, encoding: U32, target: U32, graph: Out[U32]
) -> None:
    """Load a model from its parts: `builders` points to `count` pairs of pointer and length."""
    records = checked(caller.memory, builders, 8 * count)
    with session.refusing("load", f"{count} part(s), encoding {encoding}, target {target}"):
        if count > MAX_PARTS:
            raise NNError(Code.INVALID_ARGUMENT, f"{count} parts, at most {MAX_PARTS} are taken")
        parts = parts_of(caller.memory, records)
        where = target_of(target)
        what = encoding_of(encoding, session)
    graph.set(session.load(parts, what, where))


@face.function
def load_by_name(session: Session, name: Span, graph: Out[U32]) -> None:
    """The graph of a model that the host named; the name is UTF-8."""
    with session.refusing("load_by_name", f"{len(name)} bytes"):
        text = text_of(name)
    graph.set(session.load_by_name(text))


@face.function
def load_by_name_with_config(session: Session, name: Span, config: Span, graph: Out[U32]) -> None:
    """As load_by_name, with options as JSON text."""
    with session.refusing("load_by_name_with_config", f"{len(name)} bytes, {len(config)} bytes"):
        text = text_of(name)
    graph.set(session.load_by_name_with_config(text, bytes(config)))


@face.function
def unload(session: Session, graph: U32) -> None:
    """Let go of a graph; its contexts can still give outputs."""
    session.unload(graph)


@face.function
def init_execution_context(session: Session, graph: U32, context: Out[U32]) -> None:
    """A new context of a graph."""
    context.set(session.init_execution_context(graph))


@face.function
def finalize_execution_context(session: Session, context: U32) -> None:
    """Let go of a context."""
    session.finalize_execution_context(context)


@face.function
def set_input(session: Session, caller: Caller, context: U32, index: U32, tensor: TensorRecord) -> None:
    """Set an input to a copy of the tensor."""
    memory = caller.memory
    at, rank, number, data_at, length = tensor
    dimensions = checked(memory, at, 4 * rank)
    data = checked(memory, data_at, length)
    with session.refusing(
        "set_input", f"ctx {context}, index {index}, type {number}, rank {rank}, {length} bytes"
    ):
        if rank > MAX_RANK:
            raise NNError(
                Code.INVALID_ARGUMENT, f"a tensor of {rank} dimensions, at most {MAX_RANK} are taken"
            )
        shape = unpack(f"<{rank}I", dimensions)
        dtype = type_of(number, prod(shape), length)
    session.set_input(context, index, Tensor(dtype, shape, data))


@face.function
def compute(session: Session, context: U32) -> None:
    """Run the graph on the inputs that were set."""
    session.compute(context)


@face.function
def get_output(session: Session, context: U32, index: U32, buffer: Span, written: Out[U32]) -> None:
    """Copy an output into `buffer` and say how many bytes it has. If it doesn't fit, only the latter."""
    try:
        tensor = session.get_output(context, index, len(buffer))
    except BufferTooSmallError as error:
        written.set(error.needed)
        raise
    written.set(copied(tensor, buffer))


@face.function
def compute_single(session: Session, context: U32) -> None:
    """Make one more token; 100 after the last."""
    session.compute_single(context)


@face.function
def get_output_single(session: Session, context: U32, index: U32, buffer: Span, written: Out[U32]) -> None:
    """As get_output, for the token that compute_single made last."""
    try:
        tensor = session.get_output_single(context, index, len(buffer))
    except BufferTooSmallError as error:
        written.set(error.needed)
        raise
    written.set(copied(tensor, buffer))


@face.function
def fini_single(session: Session, context: U32) -> None:
    """End the text that compute_single began."""
    session.fini_single(context)


def copied(tensor: Tensor, buffer: memoryview) -> int:
    """Copy the bytes of a tensor to the start of a buffer that has room for them. Returns how many."""
    data = tensor.view()
    buffer[: len(data)] = data
    return len(data)


def parts_of(memory: Memory, records: memoryview) -> list[memoryview]:
    """Views of what graph_builder records (pointer, length) point to. PointerError if any is outside."""
    # bytes(): an iterator over a memoryview, kept by a traceback, crashes the garbage collector of CPython.
    return [checked(memory, address, length) for address, length in iter_unpack("<II", bytes(records))]


def type_of(number: int, elements: int, length: int) -> DType:
    """The type of a number; where numberings disagree, the one that fits the length. Raises NNError."""
    dtype = TYPES.get(number)
    if dtype is None:
        raise NNError(Code.INVALID_ARGUMENT, f"there is no tensor type {number}, types are 0 to {max(TYPES)}")
    legacy = LEGACY_TYPES.get(number, dtype)
    if elements and length == elements * legacy.size:
        return legacy
    return dtype


def target_of(number: int) -> Target:
    """The target of a number. Raises NNError."""
    if number not in TARGETS:
        raise NNError(
            Code.INVALID_ARGUMENT, f"there is no execution target {number}, targets are 0 to {max(TARGETS)}"
        )
    return TARGETS[number]


def encoding_of(number: int, session: Session) -> str | None:
    """The encoding that a number declares, None where the bytes shall tell. Raises NNError."""
    if number in SNIFFED:
        return None
    encoding = ENCODINGS.get(number) or session.registry.encoding(number)
    if encoding is None:
        raise NNError(Code.INVALID_ENCODING, f"no graph encoding has the number {number} here")
    return encoding


def text_of(data: memoryview) -> str:
    """UTF-8. Raises NNError."""
    try:
        return bytes(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise NNError(
            Code.INVALID_ARGUMENT, f"the name {bytes(data[:40])!r} is no UTF-8: {error.reason}"
        ) from error
