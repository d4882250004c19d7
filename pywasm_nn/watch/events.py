"""The events of a trace: one frozen record for each thing that happened.

What is here: the records that text, JSON lines, CSV and pages are made from; docs/trace.md describes their
JSON. No event refers to objects of a running guest, so events can be kept. What is not: collecting events
(`trace.py`), making them from operations of wasi-nn (`inference.py`), writing them (`text.py`, `records.py`).

Every event has `number`, which counts events from 1 in the order of happening (omitted events count too),
`at`, seconds since the trace began, and `thread`, the number of the guest's thread, 0 for the first. Its
`kind` is its name in JSON.
"""

from __future__ import annotations

from typing import Any

from ..records import Frozen

MOST_VALUES = 256
"""The most values of a frame in an event: the topmost of its stack, and its first locals. A frame
may have 50,000."""
SCHEMA = 1
"""Version of the fields in JSON and CSV. It changes when a field is removed or changes its meaning, not when
a field is added."""


class Event(Frozen):
    """The fields of every event."""

    kind = ""
    number: int
    at: float
    thread: int


class Blob(Frozen):
    """Bytes that are long or not text; only their number is kept."""

    bytes: int


class HostCall(Event):
    """The guest called a host function.

    `arguments` are names with numbers, texts, Blobs, or tuples of these; short bytes that are valid text are
    kept as text. `result` is the number that the guest got, `error` the reason of a failure in words.
    """

    kind = "host"
    module: str
    name: str
    arguments: tuple[tuple[str, Any], ...]
    result: Any
    error: str | None
    seconds: float


class Tensor(Frozen):
    """A tensor that the guest sent or received, in numbers. `wants` is the tensor type that the model
    declares, such as "f32[N,3,224,224]".

    `mean`, `std`, `minimum`, `maximum` cover the finite elements; they are None if there are none or the
    elements aren't numbers. `whole` says whether all elements are whole numbers. In a large tensor mean, std
    and whole are computed from every n-th element. `top` has the largest elements of an output as (place in
    the flat tensor, value), the largest first. `data` are the bytes, if the trace was told to keep so many;
    they are not in JSON.
    """

    name: str
    wants: str
    dtype: str
    shape: tuple[int, ...]
    size: int
    """Bytes."""
    elements: int
    mean: float | None = None
    std: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    not_finite: int = 0
    whole: bool = False
    top: tuple[tuple[int, float], ...] = ()
    data: bytes | None = None
    text: str | None = None
    """The beginning of a prompt or of a text that the model made."""

    def _repr_html_(self) -> str:
        """The notebook display: that of the tensor itself, if its bytes were kept."""
        from ..markup import paragraph
        from ..nn.tensor import DType, Tensor

        if self.data is None:
            kind = f"{self.dtype}[{','.join(map(str, self.shape))}]"
            return paragraph(f"{kind}, whose {self.size} bytes the trace didn't keep")
        return Tensor(DType(self.dtype), self.shape, self.data)._repr_html_()


class Inference(Event):
    """An operation of wasi-nn ended. `error` is the name of its error in wasi-nn ("invalid_argument"),
    `reason` the explanation.

    `graph` and `context` are handles, `index` is the index of the input or output, `asked` the device that
    the guest asked for ("gpu"), `backend` and `device` the place where the graph really runs. `tensors` are
    the input that was set, the output that was fetched, or the outputs that compute returned.
    """

    kind = "nn"
    operation: str
    arguments: str
    seconds: float
    error: str | None
    reason: str | None
    model: str | None
    graph: int | None
    context: int | None
    index: int | None
    asked: str | None
    backend: str | None
    device: str | None
    tensors: tuple[Tensor, ...]

    @property
    def failure(self) -> str:
        """ "invalid_argument: wants f32[1,4]", or "" for a success."""
        return "" if self.error is None else f"{self.error}: {self.reason or 'no reason given'}"


class Hint(Event):
    """A sentence about something that is probably wrong. `rule` is the short name of the rule that found it,
    `about` the number of the event that the hint explains."""

    kind = "hint"
    rule: str
    text: str
    about: int


class Origin(Event):
    """Says how an input, which event `about` set, came from a file that the guest read, or by which numbers
    its type was read."""

    kind = "origin"
    text: str
    about: int


class Call(Event):
    """A function of the guest is entered. `depth` is 1 for the function that the host called; integers among
    the arguments are signed."""

    kind = "call"
    funcidx: int
    function: str
    depth: int
    arguments: tuple[Any, ...]


class Return(Event):
    """A function returned. If a tail call or an exception left it, `left` is true and there are no
    results."""

    kind = "return"
    funcidx: int
    function: str
    depth: int
    results: tuple[Any, ...]
    left: bool


class MemoryChange(Frozen):
    """The guest or the host wrote `count` bytes from `address` on; `before` and `after` show the first of
    them."""

    memory: int
    address: int
    count: int
    before: bytes
    after: bytes


class MemoryRead(Frozen):
    """A load read the bytes `value` at `address`."""

    memory: int
    address: int
    value: bytes


class HostWrite(Event):
    """A host function changed memory. The change is found when the host function returns, only where
    instructions are traced too, and only in memories up to 64 MiB.
    """

    kind = "written"
    memory: MemoryChange


class Instruction(Event):
    """An instruction was executed, or raised `error`.

    `offset` is its byte offset in the file, `text` its text format, `explained` its effect in a few words.
    `popped` are the operands it took; `stack` (top last) and `locals` are the values after it; each has at
    most MOST_VALUES, integers unsigned. Its effects: `local` and `global_` are index and new value, `memory`
    the bytes written, `read` the bytes that a load read.
    """

    kind = "instr"
    funcidx: int
    function: str
    offset: int
    depth: int
    text: str
    explained: str
    popped: tuple[Any, ...]
    stack: tuple[Any, ...]
    locals: tuple[Any, ...]
    local: tuple[int, Any] | None
    global_: tuple[int, Any] | None
    memory: MemoryChange | None
    read: MemoryRead | None
    error: str | None


class End(Event):
    """A call from the host ended without returning: `outcome` is "exit", "trap", "exception" or
    "error", `code` the exit code of an exit."""

    kind = "end"
    outcome: str
    code: int | None
    text: str


class Omitted(Event):
    """The budget was used up: `count` events from this one on were left out."""

    kind = "omitted"
    count: int


KINDS: tuple[type[Event], ...] = (
    HostCall,
    HostWrite,
    Inference,
    Hint,
    Call,
    Return,
    Instruction,
    End,
    Omitted,
)
"""All kinds of events."""
