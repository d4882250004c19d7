"""The `wasi:nn` package as core modules import it: lowered by the canonical ABI, in every version that guests
were built with, under both manglings of names.

What is here: `Guest` (a session and its table of resources) and `FACES`. What is not: the canonical ABI
(`component.abi`) and what the operations do (`session`).
https://github.com/WebAssembly/wasi-nn/blob/main/wit/wasi-nn.wit

A tensor's bytes are copied once, when the guest makes the tensor; compute takes tensors as they are, also
those that another compute has made. An error is a resource with a code and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from struct import iter_unpack, pack
from typing import Annotated, Any

from ..component.abi import (
    Area,
    AreaCrossing,
    Bytes,
    EnumCrossing,
    ListCrossing,
    Pairs,
    Resources,
    String,
    stored,
    text,
    violation,
)
from ..host import U32, Caller, Face, checked
from ..records import record
from .backend import Target
from .errors import Code, Nature, NNError
from .formats import STANDARD
from .inputs import MAX_RANK
from .numbers import parts_of, shape_of
from .session import Session
from .tensor import DType, Tensor

TYPES = (DType.F16, DType.F32, DType.F64, DType.BF16, DType.U8, DType.I32, DType.I64)
"""`tensor-type`; BF16 stands where WITX has none."""
TARGETS = (Target.CPU, Target.GPU, Target.TPU)
GRAPH_ENCODINGS = (*(encoding.name for encoding in STANDARD), "autodetect")
SNIFFED = ("ggml", "autodetect")
"""Five was autodetect before April 2024, and nothing in a module tells: the bytes do."""

INVALID_ARGUMENT, INVALID_ENCODING, TIMEOUT, RUNTIME_ERROR, UNSUPPORTED_OPERATION, TOO_LARGE = range(6)
NOT_FOUND, SECURITY, UNKNOWN = range(6, 9)
CODES = {
    Code.INVALID_ARGUMENT: INVALID_ARGUMENT,
    Code.INVALID_ENCODING: INVALID_ENCODING,
    Code.RUNTIME_ERROR: RUNTIME_ERROR,
    Code.UNSUPPORTED_OPERATION: UNSUPPORTED_OPERATION,
    Code.TOO_LARGE: TOO_LARGE,
    Code.NOT_FOUND: NOT_FOUND,
    Code.MODEL_NOT_FOUND: NOT_FOUND,
    Code.CONTEXT_FULL: TOO_LARGE,
    Code.PROMPT_TOO_LONG: TOO_LARGE,
}
"""`error-code` for what a session raises; anything else is unknown."""
NATURES = {Nature.TIMEOUT: TIMEOUT, Nature.SECURITY: SECURITY}

Encoding = Annotated[str, EnumCrossing("graph-encoding", GRAPH_ENCODINGS)]
Place = Annotated[Target, EnumCrossing("execution-target", TARGETS)]
Element = Annotated[DType, EnumCrossing("tensor-type", TYPES)]
ErrorCode = Annotated[int, EnumCrossing("error-code", tuple(range(9)))]
Dimensions = Annotated[memoryview, ListCrossing(4, 4)]
NamedTensors = Annotated[memoryview, ListCrossing(12, 4)]
"""A list of `named-tensor`: pointer and length of the name, handle of the tensor."""
Pair = Annotated[Area, AreaCrossing(8)]
"""Pointer and length of a list, or a result with one handle in it."""
Triple = Annotated[Area, AreaCrossing(12)]
"""A result with a list in it."""


@record
class Failure:
    """What an `error` resource says."""

    code: int
    text: str


def failure(error: NNError) -> Failure:
    """An error of a session in the words of `wasi:nn`."""
    code = NATURES[error.nature] if error.nature else CODES.get(error.code, UNKNOWN)
    return Failure(code, error.reason)


def check_tensor(session: Session, rank: int, size: int) -> None:
    """Traps for a tensor of so many dimensions and bytes that no guest may make."""
    if rank > MAX_RANK:
        raise violation(f"a tensor of {rank} dimensions, at most {MAX_RANK} are taken")
    if size > session.limits.tensor_bytes:
        raise violation(f"a tensor of {size} bytes, the limit is {session.limits.tensor_bytes}")


def load_parts(session: Session, parts: Sequence[bytes | memoryview], encoding: str, target: Target) -> int:
    """A graph from bytes. A wrong number of parts is a runtime error, as wasmtime has it. Raises NNError."""
    try:
        return session.load(parts, None if encoding in SNIFFED else encoding, target)
    except NNError as error:
        if error.code is Code.INVALID_ARGUMENT and error.nature is None:
            raise NNError(Code.RUNTIME_ERROR, error.reason) from error
        raise


class Guest:
    """One instance: its session, and the handles that it owns."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.resources = Resources(session.limits.handles)

    @contextmanager
    def answering(self, area: Area) -> Iterator[None]:
        """An error of inference inside becomes the error of a `result` in the area."""
        try:
            yield
        except NNError as error:
            area.write("B3xI", 1, self.resources.add("error", failure(error)))

    def halt(self) -> None:
        """End the compute that is under way, if it can be ended."""
        self.session.halt()

    def tensor(self, handle: int) -> Tensor:
        tensor: Tensor = self.resources.get("tensor", handle)
        return tensor

    def keep(self, tensor: Tensor) -> int:
        """A handle of a tensor. Raises NNError(TOO_LARGE) if the guest holds too much."""
        self.session.hold(tensor.nbytes)
        return self.resources.add("tensor", tensor)

    def take(self, handle: int) -> Tensor:
        """The tensor of a handle that goes."""
        tensor: Tensor = self.resources.take("tensor", handle)
        self.session.hold(-tensor.nbytes)
        return tensor


# tensor


def new_tensor(guest: Guest, caller: Caller, dimensions: Dimensions, type_: Element, data: Bytes) -> U32:
    """A tensor with a copy of the data. What is wrong with its shape is said by the compute that takes it."""
    check_tensor(guest.session, len(dimensions) // 4, len(data))
    guest.session.traffic.taken += len(data)
    try:
        return guest.keep(Tensor(type_, shape_of(dimensions), bytearray(data)))
    except NNError as error:
        raise violation(error.reason) from error


def tensor_dimensions(guest: Guest, caller: Caller, self: U32, area: Pair) -> None:
    shape = guest.tensor(self).shape
    area.write("II", stored(caller, pack(f"<{len(shape)}I", *shape), 4), len(shape))


def tensor_ty(guest: Guest, self: U32) -> U32:
    dtype = guest.tensor(self).dtype
    if dtype not in TYPES:
        raise violation(f"a tensor of {dtype}, for which tensor-type has no case")
    return TYPES.index(dtype)


def tensor_data(guest: Guest, caller: Caller, self: U32, area: Pair) -> None:
    data = guest.tensor(self).view()
    guest.session.traffic.given += len(data)
    area.write("II", stored(caller, data), len(data))


def drop_tensor(guest: Guest, self: U32) -> None:
    guest.take(self)


# errors


def new_error(guest: Guest, code: ErrorCode, data: String) -> U32:
    """An error of the guest's own making, in the versions that let it."""
    return guest.resources.add("error", Failure(code, data))


def error_code(guest: Guest, self: U32) -> U32:
    code: int = guest.resources.get("error", self).code
    return code


def error_data(guest: Guest, caller: Caller, self: U32, area: Pair) -> None:
    data = guest.resources.get("error", self).text.encode()
    area.write("II", stored(caller, data), len(data))


def drop_error(guest: Guest, self: U32) -> None:
    guest.resources.take("error", self)


# graph


def load(
    guest: Guest, caller: Caller, builders: Pairs, encoding: Encoding, target: Place, area: Pair
) -> None:
    parts = parts_of(caller.memory, builders)
    with guest.answering(area):
        number = load_parts(guest.session, parts, encoding, target)
        area.write("B3xI", 0, guest.resources.add("graph", number))


def load_by_name(guest: Guest, name: String, area: Pair) -> None:
    with guest.answering(area):
        number = guest.session.load_by_name(name, again=True)
        area.write("B3xI", 0, guest.resources.add("graph", number))


def init_execution_context(guest: Guest, self: U32, area: Pair) -> None:
    graph = guest.resources.get("graph", self)
    with guest.answering(area):
        number = guest.session.init_execution_context(graph)
        area.write("B3xI", 0, guest.resources.add("graph-execution-context", number))


def drop_graph(guest: Guest, self: U32) -> None:
    """Its contexts go on, as resources of their own do."""
    guest.session.unload(guest.resources.take("graph", self), orphans_compute=True)


# inference


def context(guest: Guest, handle: int) -> int:
    number: int = guest.resources.get("graph-execution-context", handle)
    return number


def compute(guest: Guest, caller: Caller, self: U32, inputs: NamedTensors, area: Triple) -> None:
    """All inputs in, all outputs out. The guest gives its tensors away, also when compute fails."""
    memory, number = caller.memory, context(guest, self)
    given = []
    for at, length, handle in iter_unpack("<III", bytes(inputs)):
        name = text(checked(memory, at, length))
        given.append((name, guest.take(handle)))
    with guest.answering(area):
        outputs = guest.session.compute_named(number, given)
        address, count = lowered(guest, caller, outputs)
        area.write("B3xII", 0, address, count)


def lowered(guest: Guest, caller: Caller, outputs: Sequence[tuple[str, Tensor]]) -> tuple[int, int]:
    """Pointer and length of a list of `named-tensor` in the guest's memory."""
    records = b""
    for name, tensor in outputs:
        data = name.encode()
        records += pack("<III", stored(caller, data), len(data), guest.keep(tensor))
    return stored(caller, records, 4), len(outputs)


def drop_context(guest: Guest, self: U32) -> None:
    guest.session.finalize_execution_context(guest.resources.take("graph-execution-context", self))


# inference before October 2024


def set_input(guest: Guest, self: U32, name: String, tensor: U32, area: Pair) -> None:
    number = context(guest, self)
    given = guest.take(tensor)
    with guest.answering(area):
        guest.session.set_input(number, name, given, lend=True)
        area.write("B3xI", 0, 0)


def compute_set(guest: Guest, self: U32, area: Pair) -> None:
    number = context(guest, self)
    with guest.answering(area):
        guest.session.compute(number)
        area.write("B3xI", 0, 0)


def get_output(guest: Guest, self: U32, name: String, area: Pair) -> None:
    number = context(guest, self)
    with guest.answering(area):
        tensor = guest.session.get_output(number, name)
        area.write("B3xI", 0, guest.keep(tensor))


@record
class Mangling:
    """How names of the component model are written as names of core imports."""

    prefix: str
    memory: str
    drop: str


LEGACY = Mangling("", "memory", "[resource-drop]{}")
STANDARD32 = Mangling("cm32p2|", "cm32p2_memory", "{}_drop")

Functions = dict[str, dict[str, Callable[..., Any]]]
"""Functions by interface and name; a name in angle brackets is a resource, with what drops it."""

CONTEXT = "graph-execution-context"
COMMON: Functions = {
    "tensor": {
        "[constructor]tensor": new_tensor,
        "[method]tensor.dimensions": tensor_dimensions,
        "[method]tensor.ty": tensor_ty,
        "[method]tensor.data": tensor_data,
        "<tensor>": drop_tensor,
    },
    "errors": {
        "[method]error.code": error_code,
        "[method]error.data": error_data,
        "<error>": drop_error,
    },
    "graph": {
        "[method]graph.init-execution-context": init_execution_context,
        "load": load,
        "load-by-name": load_by_name,
        "<graph>": drop_graph,
    },
}
ONE_CALL: Functions = {"inference": {f"[method]{CONTEXT}.compute": compute, f"<{CONTEXT}>": drop_context}}
STEP_BY_STEP: Functions = {
    "inference": {
        f"[method]{CONTEXT}.set-input": set_input,
        f"[method]{CONTEXT}.compute": compute_set,
        f"[method]{CONTEXT}.get-output": get_output,
        f"<{CONTEXT}>": drop_context,
    }
}
OWN_ERRORS: Functions = {"errors": {"[constructor]error": new_error, **COMMON["errors"]}}
VERSIONS: dict[str, Functions] = {
    "@0.2.0-rc-2024-10-28": COMMON | ONE_CALL,
    "@0.2.0-rc-2024-08-19": COMMON | STEP_BY_STEP,
    "@0.2.0-rc-2024-06-25": COMMON | STEP_BY_STEP | OWN_ERRORS,
    "": COMMON | STEP_BY_STEP | OWN_ERRORS,
}
"""What there is in each version; packages had none before July 2024."""


def faces() -> Iterator[Face]:
    """A face for each version, mangling and interface."""
    for version, interfaces in VERSIONS.items():
        for mangling in (LEGACY, STANDARD32):
            for interface, functions in interfaces.items():
                module = f"{mangling.prefix}wasi:nn/{interface}{version}"
                face = Face(module, None, memory=mangling.memory, halt=Guest.halt)
                for name, function in functions.items():
                    resource = name.strip("<>")
                    face.add(mangling.drop.format(resource) if resource != name else name, function)
                yield face


FACES = {face.module: face for face in faces()}
