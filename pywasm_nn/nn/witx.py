"""The `wasi_ephemeral_nn` namespace: wasi-nn as defined in WITX, with WasmEdge's extensions.

https://github.com/WebAssembly/wasi-nn/blob/main/wasi-nn.witx. A pointer outside memory is a trap, raised
before any work; every other error is an error number. Unaligned pointers are accepted. What is not here:
anything but translation (`session`), and the other dialects (`legacy`, `wit`).
"""

from __future__ import annotations

from collections.abc import Callable

from ..host import U32, Caller, Face, Out, Span, checked
from .errors import BufferTooSmallError
from .numbers import (
    TensorRecord,
    check_count,
    copied,
    encoding_of,
    parts_of,
    target_of,
    tensor_of,
    text_of,
    to_errno,
)
from .session import Session

face = Face("wasi_ephemeral_nn", to_errno, halt=Session.halt)
EXTENSIONS: set[str] = set()
"""Functions that WasmEdge added to the specification."""


def extension(function: Callable[..., None]) -> Callable[..., None]:
    """Add such a function."""
    EXTENSIONS.add(function.__name__)
    return face.function(function)


@face.function
def load(
    session: Session, caller: Caller, builders: U32, count: U32, encoding: U32, target: U32, graph: Out[U32]
) -> None:
    """Load a model from its parts: `builders` points to `count` pairs of pointer and length."""
    records = checked(caller.memory, builders, 8 * count)
    with session.refusing("load", f"{count} part(s), encoding {encoding}, target {target}"):
        check_count(count)
        parts = parts_of(caller.memory, records)
        where = target_of(target)
        what = encoding_of(encoding, session)
    graph.set(session.load(parts, what, where))


@face.function
def load_by_name(session: Session, name: Span, graph: Out[U32]) -> None:
    """The graph of a model that the host named; the name is UTF-8."""
    with session.refusing("load_by_name", f"{len(name)} bytes"):
        text = text_of(name, session.limits.names)
    graph.set(session.load_by_name(text))


@extension
def load_by_name_with_config(session: Session, name: Span, config: Span, graph: Out[U32]) -> None:
    """Like load_by_name, with options as JSON text."""
    with session.refusing("load_by_name_with_config", f"{len(name)} bytes, {len(config)} bytes"):
        text = text_of(name, session.limits.names)
    graph.set(session.load_by_name_with_config(text, bytes(config)))


@extension
def unload(session: Session, graph: U32) -> None:
    """Release a graph; its contexts can still return outputs."""
    session.unload(graph)


@face.function
def init_execution_context(session: Session, graph: U32, context: Out[U32]) -> None:
    """A new context of a graph."""
    context.set(session.init_execution_context(graph))


@extension
def finalize_execution_context(session: Session, context: U32) -> None:
    """Release a context."""
    session.finalize_execution_context(context)


@face.function
def set_input(session: Session, caller: Caller, context: U32, index: U32, tensor: TensorRecord) -> None:
    """Set an input to a copy of the tensor; f32 for a quantised model is quantised, as in WAMR."""
    value = tensor_of(session, caller.memory, tensor, "set_input", lambda: f"ctx {context}, index {index}")
    session.set_input(context, index, value, floats=True)


@face.function
def compute(session: Session, context: U32) -> None:
    """Run the graph on the inputs that were set."""
    session.compute(context)


@face.function
def get_output(session: Session, context: U32, index: U32, buffer: Span, written: Out[U32]) -> None:
    """Copy an output into `buffer` and return its size in bytes; if the buffer is too small, return only the
    size. An output of a quantised model is f32 if the guest's inputs were f32."""
    try:
        tensor = session.get_output(context, index, len(buffer), floats=True)
    except BufferTooSmallError as error:
        written.set(error.needed)
        raise
    written.set(copied(session, tensor, buffer))


@extension
def compute_single(session: Session, context: U32) -> None:
    """Generate one more token; error 100 after the last."""
    session.compute_single(context)


@extension
def get_output_single(session: Session, context: U32, index: U32, buffer: Span, written: Out[U32]) -> None:
    """Like get_output, for the last token of compute_single."""
    try:
        tensor = session.get_output_single(context, index, len(buffer))
    except BufferTooSmallError as error:
        written.set(error.needed)
        raise
    written.set(copied(session, tensor, buffer))


@extension
def fini_single(session: Session, context: U32) -> None:
    """End the generation that compute_single began."""
    session.fini_single(context)
