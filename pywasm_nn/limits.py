"""Resource limits of a guest. Frozen: chosen when an instance is made, never changed afterwards."""

from __future__ import annotations

from .checks import check_seconds, check_whole
from .printable import LONGEST_REPR, printable
from .records import Frozen

PAGE = 65536
"""Bytes in a page of linear memory (https://webassembly.github.io/spec/core/exec/runtime.html#page-size)."""


class Limits(Frozen):
    """The resources that a guest may use. A guest is an instance of a module, or of a component with all its
    core modules together; each instance of a `Linker` is a guest of its own. The defaults are safe for an
    untrusted guest on a laptop, except that it may run for ever, and write for ever while its output is read:
    only the host knows how long is too long.

    Each field says what happens beyond it; docs/embedding.md has them in a table. Errors are subclasses of
    LimitError with the field's name in `limit`; after an InterruptionError the instance can't be called any
    more.
    """

    def __repr__(self) -> str:
        """Shows the fields that differ from the defaults."""
        given = [name for name in self.__match_args__ if getattr(self, name) != getattr(DEFAULTS, name)]
        return printable(f"Limits({', '.join(f'{n}={getattr(self, n)!r}' for n in given)})", LONGEST_REPR)

    fuel: int | None = None
    """Instructions in total, as `interpreter.runtime.meter` counts them; beyond it FuelError. None: no
    limit."""
    seconds: float | None = None
    """The time of one call from the host, host functions included; beyond it DeadlineError. The deadline also
    applies in other instances that the call reaches by an import, a table, a reference or a host function. If
    the called instance has more time or no limit, the instances that it reaches through shared objects still
    stop at their own limits. None: no limit."""
    host_calls: int | None = None
    """Calls of host functions in total; beyond it HostCallsError. None: no limit."""
    call_depth: int = 50_000
    """Guest frames on one thread; one more is the trap 'call stack exhausted'. Tail calls add none; when
    compiled, a frame of a function with tail calls counts up to three times. In functions with more than 512
    locals, the locals count too, and the engines reach the limit at different depths. A host function is
    called only if 64 Python frames are left, or half of `call_depth` if that is less; otherwise it is the
    same trap."""
    host_reentry: int = 100
    """The nesting depth of host functions that call back into guests; one more is the same trap. Each level
    takes up to 2.5 KiB of the thread's C stack: a thread with less than 256 KiB needs a lower limit, and a
    higher limit needs more stack."""

    memory: int = 1 << 30
    """Bytes of one linear memory. Beyond it `memory.grow` returns -1, as the specification allows, and a
    module that begins with more is a MemoryLimitError."""
    memory_total: int = 2 << 30
    """Bytes of all linear memories that the guest defines, each at least a page; beyond it the same as beyond
    `memory`."""
    table: int = 1_000_000
    """Elements of one table. Beyond it `table.grow` returns -1, and a module that begins with more is a
    TableLimitError."""
    table_total: int = 20_000_000
    """Elements of all tables that the guest defines, counted again for each type by which compiled code calls
    through a table; beyond it the same as beyond `table`."""
    heap: int = 1 << 30
    """Bytes of living structures, arrays and exceptions: 128 for each, plus 8 for an element of i8 and 64 for
    any other element (`interpreter.runtime.heap.cost`); beyond it HeapLimitError."""

    output: int | None = None
    """Bytes written to standard output and error together; beyond it the guest gets ENOSPC. None: no
    limit."""
    descriptors: int = 4096
    """Open descriptors of WASI; one more is EMFILE. All guests together leave the host a quarter of the
    process's descriptors, and one guest takes at most half of what other guests left; beyond it ENFILE."""
    listings: int = 1 << 26
    """Bytes of stored directory listings: names, and 24 for each entry. Beyond it the oldest listings are
    dropped and read again when needed; a single listing beyond it is ENOMEM."""
    buffers: int = 1024
    """Buffers that one read or write uses; beyond it the guest continues with the rest in its next call."""
    waits: int = 4096
    """Subscriptions of one poll; more are EINVAL, and LimitError in the component model."""
    names: int = 4096
    """Bytes of a WASI path with its terminator; a longer path is ENAMETOOLONG (paths never exceed 4096). Also
    bytes of a model's or tensor's name; a longer name is invalid_argument, and a trap in the component
    model."""

    threads: int = 64
    """Threads of a guest that run at a time, besides the one that calls it; for one more the guest gets a
    negative number."""

    instances: int = 10_000
    """Instances of core modules and of components inside one component; one more is a LimitError."""
    lifted: int = 1 << 29
    """Bytes of Python's memory for strings and lists that one call passes out of a component: the contents,
    and 40 to 200 for each element that is no byte; beyond it LimitError."""

    graphs: int = 256
    """Models that a guest holds; beyond it the guest gets too_large."""
    contexts: int = 4096
    """Execution contexts that a guest holds; beyond it the guest gets too_large."""
    handles: int = 65_536
    """Handles of tensors, graphs, contexts and errors together, in the dialect that has such handles; beyond
    it the guest traps."""
    model_bytes: int = 2 << 30
    """Bytes of all parts of all models that the guest loaded itself and still holds; beyond it the guest gets
    too_large."""
    tensor_bytes: int = 1 << 30
    """Bytes of one input, one output, and in the numpy backend of any tensor of a guest's own model; beyond
    it the guest gets too_large. The process that runs a guest's own models may take three times as much
    besides its frameworks, and at least 768 MiB; on Linux all these processes together take at most four
    times the largest `tensor_bytes` of their guests, and at least 1 GiB, frameworks included."""
    tensor_total: int = 4 << 30
    """Bytes of all inputs and outputs that contexts hold, and of all tensors with handles; beyond it the
    guest gets too_large."""
    compute_seconds: float | None = None
    """Seconds of one compute; beyond it runtime_error. None: no limit. Among the host's models the limit
    applies to those on onnxruntime, numpy and most on OpenVINO; a guest's own models are all stopped, by
    ending the process that runs them."""

    def check_field(self, name: str, value: object) -> None:
        """Raises TypeError or ValueError for an unusable value."""
        if value is None and name in ENDLESS:
            return
        check = check_seconds if name in SECONDS else check_whole
        check(f"Limits({name}=...)", value)
        if name == "call_depth" and self.call_depth > MOST_FRAMES:
            raise ValueError(f"Limits(call_depth=...) must be at most {MOST_FRAMES}, not {self.call_depth}")


SECONDS = frozenset({"seconds", "compute_seconds"})
"""Limits in seconds."""
ENDLESS = frozenset({"fuel", "host_calls", "output"}) | SECONDS
"""Limits that may be None."""
MOST_FRAMES = 1 << 30
"""The maximum of Python's recursion limit, which is a C int."""
DEFAULTS = Limits()
"""The limits of an instance that is made without limits."""
