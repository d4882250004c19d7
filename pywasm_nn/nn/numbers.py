"""Numbers of the core dialects and their records in memory: shared by `witx`, `legacy` and `own`.

What is not here: functions, and the numbers of `wasi:nn` (`wit`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from struct import iter_unpack, unpack
from typing import Annotated

from ..host import Memory, Record, checked
from .backend import Target
from .errors import Code, NNError
from .inputs import MAX_RANK
from .session import Session
from .tensor import DType, Tensor

SNIFFED = frozenset({5, 6})
"""Autodetect and ggml; hosts disagree which is which, so the bytes decide."""
TARGETS = {0: Target.CPU, 1: Target.GPU, 2: Target.TPU, 3: Target.AUTO}
"""`execution_target`; 3 is what the Rust crates send for AUTO."""
TYPES = {0: DType.F16, 1: DType.F32, 2: DType.F64, 3: DType.U8, 4: DType.I32, 5: DType.I64}
"""`tensor_type` since August 2023."""
LEGACY_TYPES = {0: DType.F16, 1: DType.F32, 2: DType.U8, 3: DType.I32}
"""`tensor_type` before that; 0 and 1 have the same meaning in both."""
MAX_PARTS = 64
"""Builders of one load; the formats have one or two parts."""

TensorRecord = Annotated[tuple[int, int, int, int, int], Record("IIB3xII")]
"""`tensor`: dimensions (pointer, rank), type (one byte; the next three may be garbage), data (pointer,
bytes).
"""


def to_errno(error: Exception) -> int | None:
    """The error number for the guest; None if the exception is no error of inference."""
    return int(error.code) if isinstance(error, NNError) else None


def parts_of(memory: Memory, records: memoryview) -> list[memoryview]:
    """Views of the parts to which graph_builder records (pointer, length) point. Raises PointerError if any
    is out of bounds."""
    # bytes(): an iterator over a memoryview, kept by a traceback, crashes the garbage collector of CPython.
    return [checked(memory, address, length) for address, length in iter_unpack("<II", bytes(records))]


def check_count(count: int) -> None:
    """Raise NNError if a model has too many parts."""
    if count > MAX_PARTS:
        raise NNError(Code.INVALID_ARGUMENT, f"{count} parts, at most {MAX_PARTS} are taken")


def tensor_of(
    session: Session,
    memory: Memory,
    record: tuple[int, int, int, int, int],
    name: str,
    arguments: Callable[[], str],
) -> Tensor:
    """The tensor in guest memory that a record describes. Raises PointerError if any of it is out of bounds,
    NNError (reported as an error of operation `name`) for an unknown type.
    """
    at, rank, number, data_at, length = record
    dimensions = checked(memory, at, 4 * rank)
    data = checked(memory, data_at, length)
    try:
        shape = shape_of(dimensions)
        dtype = type_of(number, prod(shape), length)
    except NNError:
        with session.refusing(name, f"{arguments()}, type {number}, rank {rank}, {length} bytes"):
            raise
    session.traffic.taken += length
    return Tensor(dtype, shape, data)


def shape_of(dimensions: memoryview) -> tuple[int, ...]:
    """The dimensions in memory, four bytes each. Raises NNError if there are too many."""
    rank = len(dimensions) // 4
    if rank > MAX_RANK:
        raise NNError(Code.INVALID_ARGUMENT, f"a tensor of {rank} dimensions, at most {MAX_RANK} are taken")
    return unpack(f"<{rank}I", dimensions)


def type_of(number: int, elements: int, length: int) -> DType:
    """The type for a number; if the old and new numbering differ, the type that fits the length. Raises
    NNError."""
    dtype = TYPES.get(number)
    if dtype is None:
        raise NNError(Code.INVALID_ARGUMENT, f"there is no tensor type {number}, types are 0 to {max(TYPES)}")
    legacy = LEGACY_TYPES.get(number, dtype)
    if elements and length == elements * legacy.size:
        return legacy
    return dtype


def target_of(number: int) -> Target:
    """The target for a number. Raises NNError."""
    if number not in TARGETS:
        raise NNError(
            Code.INVALID_ARGUMENT, f"there is no execution target {number}, targets are 0 to {max(TARGETS)}"
        )
    return TARGETS[number]


def encoding_of(number: int, session: Session) -> str | None:
    """The encoding for a number, None if the bytes decide. Raises NNError."""
    if number in SNIFFED:
        return None
    encoding = session.registry.formats.numbered(number)
    if encoding is None:
        raise NNError(Code.INVALID_ENCODING, f"no graph encoding has the number {number} here")
    if lacking := session.registry.unserved(encoding.name):
        what = f"graph encoding {number} is {lacking.title}, which no backend here serves"
        raise NNError(Code.INVALID_ENCODING, f"{what}; {lacking.advice}")
    return encoding.name


def text_of(data: memoryview, most: int) -> str:
    """Decode UTF-8 of at most `most` bytes. Raises NNError."""
    if len(data) > most:
        raise NNError(Code.INVALID_ARGUMENT, f"a name of {len(data)} bytes, at most {most} are taken")
    try:
        return bytes(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise NNError(
            Code.INVALID_ARGUMENT, f"the name {bytes(data[:40])!r} is no UTF-8: {error.reason}"
        ) from error


def copied(session: Session, tensor: Tensor, buffer: memoryview) -> int:
    """Copy the bytes of a tensor to the start of a buffer that is large enough. Returns their number."""
    data = tensor.view()
    buffer[: len(data)] = data
    session.traffic.given += len(data)
    return len(data)
