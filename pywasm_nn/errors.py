"""The error classes: everything that can go wrong in a guest, a module or a host function.

What is here: one exception class for each kind of failure, and the messages of the specification, each
written once. What is not: errors of WASI (`wasi.errors.WasiError`) and of inference (`nn.errors.NNError`),
which faces turn into numbers.

A hostile module can cause only these exceptions. Any other exception that leaves the package is a bug of
ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from .enumerations import StrEnum
from .frames import CallToHost, GuestFrame
from .printable import PrintableError

if TYPE_CHECKING:
    from types import TracebackType


class TrapKind(StrEnum):
    """Why a guest was stopped, in the words of the reference interpreter (the official test suite compares
    prefixes)."""

    UNREACHABLE = "unreachable"
    OUT_OF_BOUNDS_MEMORY = "out of bounds memory access"
    OUT_OF_BOUNDS_TABLE = "out of bounds table access"
    UNDEFINED_ELEMENT = "undefined element"
    UNINITIALIZED_ELEMENT = "uninitialized element"
    INDIRECT_CALL_TYPE = "indirect call type mismatch"
    DIVIDE_BY_ZERO = "integer divide by zero"
    INTEGER_OVERFLOW = "integer overflow"
    INVALID_CONVERSION = "invalid conversion to integer"
    NULL_REFERENCE = "null reference"
    NULL_FUNCTION = "null function reference"
    NULL_STRUCTURE = "null structure reference"
    NULL_ARRAY = "null array reference"
    NULL_I31 = "null i31 reference"
    NULL_DESCRIPTOR = "null descriptor reference"
    OUT_OF_BOUNDS_ARRAY = "out of bounds array access"
    CAST_FAILURE = "cast failure"
    DESCRIPTOR_CAST_FAILURE = "descriptor cast failure"
    NULL_EXCEPTION = "null exception reference"
    CALL_STACK_EXHAUSTED = "call stack exhausted"
    INVALID_BODY = "invalid function body"
    UNALIGNED_ATOMIC = "unaligned atomic"
    EXPECTED_SHARED_MEMORY = "expected shared memory"
    UNALIGNED_POINTER = "unaligned pointer"
    NO_SUCH_VALUE = "no such value"
    CANONICAL_ABI = "canonical ABI violation"
    POISONED = "instance was interrupted and can't be used any more"
    CLOSED = "instance is closed"


class WasmError(PrintableError):
    """Base of all errors about a module or in a running one. Its `str` is printable, whatever names it
    quotes.

    `frames` are the guest's running functions, innermost first, and `host_call` is the guest's last call to
    the host; both are set once the error has left the guest.
    """

    frames: tuple[GuestFrame, ...] = ()
    host_call: CallToHost | None = None
    thread: int = 0
    """The number of the guest's thread that `frames` are of, 0 for the first."""
    traced: frozenset[str] = frozenset()
    """What a trace has shown of the call: its levels, and "ring" for its last events."""
    engine: str = ""
    """The engine that a command line names, "" for none: what the command can advise depends on it."""
    added: tuple[str, ...] = ()
    """Notes added by `add_note`."""

    @property
    def __notes__(self) -> list[str]:
        """Text that Python, notebooks and pytest show below the message (PEP 678): the guest's functions and
        the last host call. It is made only when it is read, because most errors are never shown."""
        return [*self.reasons(), *self.added]

    @__notes__.setter
    def __notes__(self, notes: list[str]) -> None:
        self.added = tuple(notes[len(self.reasons()) :])

    def add_note(self, note: str) -> None:
        """Add a note, as for any exception."""
        if not isinstance(note, str):
            raise TypeError(f"note must be a str, not {type(note).__name__!r}")
        self.added += (note,)

    def reasons(self) -> list[str]:
        """Texts about the guest's state, besides the message."""
        told = []
        if self.frames:
            from .backtrace import backtrace  # needed seldom

            guest = f"the guest's thread {self.thread}" if self.thread else "the guest"
            told.append("\n".join([f"{guest}, innermost function first:", *backtrace(self.frames)]))
        if self.host_call is not None:
            told.append(f"last host call: {self.host_call}")
        return told

    def __reduce__(self) -> tuple[Any, ...]:
        made, given, state = super().__reduce__()
        if self.frames:
            from .backtrace import portable

            state = {**state, "frames": portable(self.frames)}
        return made, given, state


class MalformedError(WasmError):
    """The bytes or the text are no module. `offset` is a byte offset, or -1 if `line` and `column` (from 1)
    say where. `proposal` names the WebAssembly proposal that the module needs and that isn't supported or is
    switched off, or is empty. `feature` is the name that switches it on, or empty."""

    def __init__(
        self,
        message: str,
        offset: int = -1,
        *,
        line: int = 0,
        column: int = 0,
        proposal: str = "",
        feature: str = "",
    ) -> None:
        super().__init__(message)
        self.message = f"{message}, of the proposal {proposal}" if proposal else message
        if feature:
            self.message += f", which is off: features=[{feature!r}] switches it on"
        self.proposal = proposal
        self.feature = feature
        self.offset = offset
        self.line = line
        self.column = column

    def text(self) -> str:
        if self.line:
            return f"{self.line}:{self.column}: {self.message}"
        return self.message if self.offset < 0 else f"{self.message} (at offset 0x{self.offset:x})"


class InvalidError(WasmError):
    """The module is well-formed but breaks a rule of validation. `func` is a funcidx, `offset` a byte offset;
    -1 if unknown. `line` and `column` (from 1) say where in a text it is, if that is known."""

    line = column = 0

    def __init__(self, message: str, *, func: int = -1, offset: int = -1) -> None:
        super().__init__(message)
        self.message = message
        self.func = func
        self.offset = offset

    def text(self) -> str:
        where = [f"function {self.func}"] if self.func >= 0 else []
        where += [f"offset 0x{self.offset:x}"] if self.offset >= 0 else []
        where += [f"line {self.line}, column {self.column}"] if self.line else []
        return f"{self.message} ({', '.join(where)})" if where else self.message


class LinkError(WasmError):
    """An import is missing or has the wrong type. `missing` has all imports that nobody provides, as pairs of
    module and name."""

    def __init__(self, message: str, missing: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.missing = tuple(missing)

    in_lines = True


class Trap(WasmError):
    """The guest was stopped. `detail` explains more than the kind does; `index` is an index that the
    specification's message contains."""

    def __init__(self, kind: TrapKind, detail: str = "", *, index: int | None = None) -> None:
        what = str(kind) if index is None else f"{kind} {index}"
        super().__init__(f"{what}: {detail}" if detail else what)
        self.kind = kind
        self.detail = detail


class ExhaustionError(Trap):
    """The guest's calls are nested deeper than `Limits.call_depth`."""


class LimitError(WasmError):
    """The guest reached a limit of the host. `limit` is the name of the field of `Limits`."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class MemoryLimitError(LimitError):
    """A module begins with more linear memory than `Limits.memory` or `Limits.memory_total` allows, or than
    the machine has. `wanted` is the least `Limits.memory` with which it would begin, 0 if that isn't the
    reason."""

    def __init__(self, limit: str, message: str, *, wanted: int = 0) -> None:
        super().__init__(limit, message)
        self.wanted = wanted


NO_MEMORY = "this machine has no memory left for what the module needs"
RESERVE = 2 << 20
"""Bytes that are reserved until memory runs out: enough for two arenas of Python's allocator."""


class OutOfMemory:
    """A context manager around work on a module: if memory runs out, the exception becomes a
    MemoryLimitError.

    Making that error needs memory too. It comes from the reserve, and from clearing the frames of the failed
    work.
    """

    spare: ClassVar[list[bytes]] = []
    """The reserve of the last context, kept for the next and for guests that run meanwhile: allocating it
    anew may take longer than the work."""

    @classmethod
    def keep(cls) -> None:
        """Allocate the reserve for a guest that is about to run. Raises MemoryLimitError."""
        try:
            cls.spare.append(bytes(RESERVE))
        except MemoryError as error:
            raise MemoryLimitError("memory", NO_MEMORY) from error

    def __enter__(self) -> None:
        try:
            self._reserve = self.spare.pop()
        except IndexError:
            try:
                self._reserve = bytes(RESERVE)
            except MemoryError as error:
                raise MemoryLimitError("memory", NO_MEMORY) from error

    def __exit__(self, _type: object, error: BaseException | None, entry: TracebackType | None) -> None:
        if error is None and not self.spare:
            self.spare.append(self._reserve)
        self._reserve = b""
        while isinstance(error, MemoryError | SystemError) and entry is not None:
            try:  # noqa: SIM105 # contextlib would be imported by every start
                entry.tb_frame.clear()
            except RuntimeError:  # the calling frame, which is still running
                pass
            entry = entry.tb_next
        risen = short_of_memory(error)
        if risen is not None:
            raise risen from None


def short_of_memory(error: BaseException | None) -> MemoryLimitError | None:
    """The MemoryLimitError for an exception that means that memory ran out: MemoryError, or SystemError,
    which parts of Python raise instead. None for any other exception."""
    if isinstance(error, MemoryError | SystemError):
        return MemoryLimitError("memory", NO_MEMORY)
    return None


class TableLimitError(LimitError):
    """A module begins with larger tables than `Limits.table` or `Limits.table_total`."""


class HeapLimitError(LimitError):
    """Living structures, arrays and exceptions take more than `Limits.heap`."""


class InterruptionError(LimitError):
    """The guest was stopped at an arbitrary point. Its instance can't be called any more."""


class FuelError(InterruptionError):
    """All of `Limits.fuel` is used up."""

    def __init__(self) -> None:
        super().__init__("fuel", "all fuel is used up")


class HostCallsError(InterruptionError):
    """The guest has made all `Limits.host_calls` calls to the host and attempts another."""

    def __init__(self, calls: int) -> None:
        super().__init__("host_calls", f"the guest may call the host {calls} times")


class DeadlineError(InterruptionError):
    """A call took longer than `Limits.seconds`, or reading a module longer than it was given."""

    def __init__(self, seconds: float, took: str = "the guest ran for") -> None:
        super().__init__("seconds", f"{took} longer than {seconds:g} s")


class BusyError(WasmError):
    """An instance was called while another thread runs it, or closed while it runs."""


class CassetteError(WasmError):
    """The file is no readable cassette, or a replayed guest behaves differently from the recorded one."""


class HostError(WasmError):
    """A host function raised an exception, which is `__cause__`. It is no trap: the guest did nothing
    wrong."""

    def __init__(self, function: str, cause: BaseException) -> None:
        try:
            text = str(cause)
        except Exception:  # `__str__` is foreign code, which may fail
            text = "its text can't be had"
        super().__init__(f"{function}: {type(cause).__name__}: {text}")
        self.function = function


class ExceptionTag(Protocol):
    """The tag of an exception: `interpreter.runtime.externs.Tag`."""

    def to_guest(self, values: Sequence[Any]) -> tuple[Any, ...]: ...
    def from_guest(self, payload: tuple[Any, ...]) -> tuple[Any, ...]: ...


class WasmException(WasmError):
    """The guest, or a host function, threw an exception that the guest did not catch.

    Host functions may raise it with a tag of the guest; then the guest can catch it.
    """

    def __init__(
        self, tag: ExceptionTag, values: Sequence[Any] = (), *, payload: tuple[Any, ...] | None = None
    ) -> None:
        """`values` are Python values, integers signed or unsigned; `payload` are canonical values from a
        guest.

        Raises TypeError and ValueError for values that don't match the tag.
        """
        super().__init__(tag, values)
        self.tag = tag
        self.payload = tag.to_guest(values) if payload is None else payload
        """Canonical values."""
        self.owner: object = None
        """The instance whose heap limit pays for the exception, if a guest threw it."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the exception, integers signed."""
        return self.tag.from_guest(self.payload)

    def text(self) -> str:
        values = " ".join(map(str, self.values))
        return f"exception of tag {self.tag}" + (f" with {values}" if values else "")


class GuestExit(PrintableError):
    """The guest called exit. It is no `WasmError`, because nothing is wrong with the guest. If `code` is not
    0, its notes are the last ones that hosts had for the user, such as why a call of wasi-nn failed."""

    def __init__(self, code: int) -> None:
        super().__init__(f"guest exit {code}")
        self.code = code
