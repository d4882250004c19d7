"""What a trace consists of: one frozen event for everything that happened, good for keeping.

What is here: the model that text, JSON lines, CSV and pages are made from; docs/trace.md describes it as
JSON. Nothing in an event points into a running guest. What is not: collecting them (`trace.py`), making them
of what sessions tell (`inference.py`), writing them (`text.py`, `records.py`).

Every event has `number`, counting from 1 in the order of happening (left-out ones count too), and `at`,
seconds since the trace began. Its `kind` is its name in JSON.
"""

from __future__ import annotations

from typing import Any

from ..records import record

MOST_VALUES = 256
"""Of a frame's values so many are kept: the topmost of its stack, and its first locals. A frame may have
50,000."""
SCHEMA = 1
"""Version of what JSON and CSV say. It changes when a field goes or changes its meaning, not when one is
added."""


@record
class Event:
    """What all events have."""

    kind = ""
    number: int
    at: float


@record
class Blob:
    """Bytes that aren't short and text: how many."""

    bytes: int


@record
class HostCall(Event):
    """The guest called a host function.

    `arguments` are names with numbers, texts, Blobs, or tuples of them; short bytes that are text are text.
    `result` is the number that the guest got, `error` why, in words.
    """

    kind = "host"
    module: str
    name: str
    arguments: tuple[tuple[str, Any], ...]
    result: Any
    error: str | None
    seconds: float


@record
class Tensor:
    """A tensor that crossed, in numbers. `wants` is what the model declares, as "f32[N,3,224,224]".

    `mean`, `std`, `minimum`, `maximum` are over its finite elements, None if there are none or they aren't
    numbers; `whole` says whether all are whole numbers. In a large tensor mean, std and whole come from every
    n-th element. `top` are places in the flat tensor and values, the largest first, for outputs. `data` are
    the bytes, where the trace was told to keep so many; they are not in JSON.
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


@record
class Inference(Event):
    """An operation of wasi-nn ended. `error` is its name in wasi-nn ("invalid_argument") and `reason` why.

    `graph` and `context` are handles, `index` is the input's or output's, `asked` the device that was asked
    for ("gpu"), `backend` and `device` where the graph really runs. `tensors` are the input that was set, the
    output that was fetched, or the outputs that came with a compute.
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


@record
class Hint(Event):
    """What is probably wrong, in words. `rule` is the short name of the rule that says so, `about` the number
    of the event it is about."""

    kind = "hint"
    rule: str
    text: str
    about: int


@record
class Call(Event):
    """A function of the guest is entered. `depth` is 1 for the one that was called from outside; integers
    among the arguments are signed."""

    kind = "call"
    funcidx: int
    function: str
    depth: int
    arguments: tuple[Any, ...]


@record
class Return(Event):
    """A function returned, or was left by a tail call or an exception (`left`), then without results."""

    kind = "return"
    funcidx: int
    function: str
    depth: int
    results: tuple[Any, ...]
    left: bool


@record
class MemoryChange:
    """`count` bytes from `address` on were written, of which `before` and `after` show the first."""

    memory: int
    address: int
    count: int
    before: bytes
    after: bytes


@record
class MemoryRead:
    """The bytes `value` were read at `address`."""

    memory: int
    address: int
    value: bytes


@record
class HostWrite(Event):
    """A host function changed memory, seen when it returned: told where instructions are traced, too, and of
    memories up to 64 MiB.
    """

    kind = "written"
    memory: MemoryChange


@record
class Instruction(Event):
    """An instruction was executed, or raised `error`.

    `offset` is its place in the file, `text` as the text format writes it, `explained` what it did in a few
    words. `popped`, `stack` (top last) and `locals`, MOST_VALUES each, are values after it, integers
    unsigned. What it changed: `local` and `global_` are index and value, `memory` bytes. `read` is what a
    load found.
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


@record
class End(Event):
    """A call from outside ended otherwise than by returning: `outcome` is "exit", "trap", "exception" or
    "error", `code` the exit code of an exit."""

    kind = "end"
    outcome: str
    code: int | None
    text: str


@record
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
