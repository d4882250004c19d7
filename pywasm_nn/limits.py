"""Resource limits of a guest. Frozen: chosen when an instance is made, never changed afterwards."""

from __future__ import annotations

from .checks import check_seconds, check_whole
from .printable import LONGEST_REPR, printable
from .records import record, usual

PAGE = 65536
"""Bytes in a page of linear memory (https://webassembly.github.io/spec/core/exec/runtime.html#page-size)."""


@record
class Limits:
    """What a guest may use: an instance of a module, or of a component with all core modules in it together.
    Instances of a `Linker` are guests of their own. The defaults are safe for a stranger's guest on a laptop,
    but that it may run for ever, and write for ever where somebody reads: how long is long, only the host
    knows.

    Each field says what the guest or the caller gets beyond it. Errors are subclasses of LimitError with the
    field's name in `limit`; after an InterruptionError the instance can't be called any more.
    """

    def __repr__(self) -> str:
        """What differs from the defaults."""
        given = [name for name in self.__match_args__ if getattr(self, name) != getattr(DEFAULTS, name)]
        return printable(f"Limits({', '.join(f'{n}={getattr(self, n)!r}' for n in given)})", LONGEST_REPR)

    fuel: int | None = None
    """Instructions in all, as `interpreter.runtime.meter` counts them; beyond it FuelError."""
    seconds: float | None = None
    """How long one call from outside may take, host functions included; beyond it DeadlineError, in whichever
    instance the guest is then: its own, one that it reached by an import, a table or a reference, one that a
    host function called. Where the instance that was called has more time or no limit, those that it reaches
    by what they share still stop after theirs. None: without end."""
    host_calls: int | None = None
    """Calls of host functions in all; beyond it HostCallsError. None: without end."""
    call_depth: int = 50_000
    """Guest frames on one thread; one more is the trap 'call stack exhausted'. Tail calls add none; compiled,
    a frame of a function that makes some counts up to three times. Where functions have more than 512
    locals, which count too, the engines reach it at different depths. A host function is begun only
    where 64 Python frames are left, or half of `call_depth` if that is less; else it is the same trap."""
    host_reentry: int = 100
    """How deep host functions may call back into guests, whichever they are; one more is the same trap. Each
    takes up to 2.5 KiB of the thread's C stack: a thread with less than 256 KiB needs a lower limit, and a
    higher limit more stack."""

    memory: int = 1 << 30
    """Bytes of one linear memory; growing beyond it answers -1, as the specification allows, a module that
    begins with more is a MemoryLimitError."""
    memory_total: int = 2 << 30
    """Bytes of all linear memories that the guest defines, each a page at least; beyond it the same."""
    table: int = 1_000_000
    """Elements of one table; growing beyond it answers -1, a module that begins with more is a
    TableLimitError."""
    table_total: int = 20_000_000
    """Elements of all tables that the guest defines, counted again for each type by which compiled code
    calls through a table; beyond it the same."""
    heap: int = 1 << 30
    """Bytes of structures, arrays and exceptions that are alive: 128 for each, 8 for an element of i8 and 64
    for any other (`interpreter.runtime.heap.cost`); beyond it HeapLimitError."""

    output: int | None = None
    """Bytes written to standard output and error together; beyond it the guest gets ENOSPC. None: as many as
    whoever reads takes."""
    descriptors: int = 4096
    """Open descriptors of WASI; one more is EMFILE. Guests leave their host a quarter of those that the
    process may have, and none takes more than half of what other guests left it: ENFILE."""
    listings: int = 1 << 26
    """Bytes that directories being listed keep: their names, and 24 for each. Beyond it those listed longest
    ago are read again, and one with more is ENOMEM."""
    buffers: int = 1024
    """Buffers that one reading or writing takes; of more, those are left for the next."""
    waits: int = 4096
    """Subscriptions of one poll; more are EINVAL, and LimitError in the component model."""
    names: int = 4096
    """Bytes of one path of WASI, its end included: as many are ENAMETOOLONG (for paths never more than 4096).
    Bytes of a model's or tensor's name: more are invalid_argument, and a trap in the component model."""

    instances: int = 10_000
    """Instances of core modules in one component, and of components in it; one more is a LimitError."""
    lifted: int = 1 << 30
    """Bytes and elements of strings and lists that leave a component in one call; beyond it LimitError."""

    graphs: int = 256
    """Models that a guest holds; this and what follows answers too_large."""
    contexts: int = 4096
    """Execution contexts that a guest holds."""
    handles: int = 65_536
    """Handles of tensors, graphs, contexts and errors together, in the dialect that has such handles, which
    traps beyond it."""
    model_bytes: int = 2 << 30
    """All parts of all models that the guest gave and still holds."""
    tensor_bytes: int = 1 << 30
    """One input, one output, and in the numpy backend any tensor of a guest's own model. The process in which
    a guest's own models run may take three times as much beyond its frameworks, and 768 MiB at least."""
    tensor_total: int = 4 << 30
    """Bytes of all inputs and outputs that contexts keep, and of tensors that have handles."""
    compute_seconds: float | None = None
    """One compute: runtime_error; None for no limit. Of the host's models it ends onnxruntime's, numpy's and
    most of OpenVINO's; of a guest's own all, and with the compute the process of that guest's models."""

    def check_field(self, name: str, value: object) -> None:
        """Raises TypeError or ValueError for what is no such limit."""
        if value is None and name in ENDLESS:
            return
        check = check_seconds if name in SECONDS else check_whole
        check(f"Limits({name}=...)", value)
        if name == "call_depth" and self.call_depth > MOST_FRAMES:
            raise ValueError(f"Limits(call_depth=...) must be at most {MOST_FRAMES}, not {self.call_depth}")


SECONDS = frozenset({"seconds", "compute_seconds"})
"""Limits that are times."""
ENDLESS = frozenset({"fuel", "host_calls", "output"}) | SECONDS
"""Limits that may be None."""
MOST_FRAMES = 1 << 30
"""Python's own recursion limit is a C int."""
DEFAULTS = usual(Limits)
"""Those of who says nothing."""
