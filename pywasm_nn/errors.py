"""The error tree: everything a guest, a module or a host function can do wrong.

What is here: one exception class per kind of failure, and the message strings of the specification, each said
once. What is not: errors of WASI (`wasi.errors.WasiError`) and of inference (`nn.errors.NNError`), which
become numbers at their face.

A hostile module gets one of these and nothing else. Any other exception that leaves the package is a bug of
ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from .frames import CallToHost, GuestFrame
from .printable import PrintableError

if TYPE_CHECKING:
    from types import TracebackType


class TrapKind(StrEnum):
    """Why a guest stopped, in the words of the reference interpreter (the official suite compares
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
    OUT_OF_BOUNDS_ARRAY = "out of bounds array access"
    CAST_FAILURE = "cast failure"
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
    """Base of everything that is wrong with a module or went wrong in one. Its `str` is printable, whatever
    names it quotes.

    `frames` are the guest's functions that were running, innermost first, and `host_call` is the last call
    that they made to the host, once the error has left the guest.
    """

    frames: tuple[GuestFrame, ...] = ()
    host_call: CallToHost | None = None
    added: tuple[str, ...] = ()
    """Notes that somebody added."""

    @property
    def __notes__(self) -> list[str]:
        """What Python, notebooks and pytest show below the message (PEP 678): the guest's functions and the
        last host call. Made when somebody looks, as most errors are never shown."""
        return [*self.reasons(), *self.added]

    @__notes__.setter
    def __notes__(self, notes: list[str]) -> None:
        self.added = tuple(notes[len(self.reasons()) :])

    def add_note(self, note: str) -> None:
        """As of any exception."""
        if not isinstance(note, str):
            raise TypeError(f"note must be a str, not {type(note).__name__!r}")
        self.added += (note,)

    def reasons(self) -> list[str]:
        """What is known of the guest besides the message, a text for each thing."""
        told = []
        if self.frames:
            from .frames import backtrace  # needed seldom

            told.append("\n".join(["the guest, innermost function first:", *backtrace(self.frames)]))
        if self.host_call is not None:
            told.append(f"last host call: {self.host_call}")
        return told


class MalformedError(WasmError):
    """The bytes or the text are no module. `offset` is a byte offset, or -1 where `line` and `column` (from
    1) say where. `proposal` names the proposal of WebAssembly that the module needs and that isn't here,
    or is empty."""

    def __init__(
        self, message: str, offset: int = -1, *, line: int = 0, column: int = 0, proposal: str = ""
    ) -> None:
        super().__init__(message)
        self.message = f"{message}, of the proposal {proposal}" if proposal else message
        self.proposal = proposal
        self.offset = offset
        self.line = line
        self.column = column

    def text(self) -> str:
        if self.line:
            return f"{self.line}:{self.column}: {self.message}"
        return self.message if self.offset < 0 else f"{self.message} (at offset 0x{self.offset:x})"


class InvalidError(WasmError):
    """The module can be read and breaks a rule of validation. `func` is a funcidx, `offset` a byte offset; -1
    if unknown."""

    def __init__(self, message: str, *, func: int = -1, offset: int = -1) -> None:
        super().__init__(message)
        self.message = message
        self.func = func
        self.offset = offset

    def text(self) -> str:
        where = [f"function {self.func}"] if self.func >= 0 else []
        where += [f"offset 0x{self.offset:x}"] if self.offset >= 0 else []
        return f"{self.message} ({', '.join(where)})" if where else self.message


class LinkError(WasmError):
    """An import is missing or has another type than the module wants. `missing` names all imports that nobody
    gave, as pairs of module and name."""

    def __init__(self, message: str, missing: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.missing = tuple(missing)

    in_lines = True


class Trap(WasmError):
    """The guest was stopped. `detail` explains beyond the kind; `index` is the number of what the kind is
    about, where the specification's message has it."""

    def __init__(self, kind: TrapKind, detail: str = "", *, index: int | None = None) -> None:
        what = str(kind) if index is None else f"{kind} {index}"
        super().__init__(f"{what}: {detail}" if detail else what)
        self.kind = kind
        self.detail = detail


class ExhaustionError(Trap):
    """The guest called deeper than `Limits.call_depth`."""


class LimitError(WasmError):
    """A limit of the host was reached. `limit` is the name of the field of `Limits`."""

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit


class MemoryLimitError(LimitError):
    """A module begins with more linear memory than `Limits.memory` or `Limits.memory_total`, or the machine
    has none to give."""


NO_MEMORY = "this machine has no memory left for what the module needs"
RESERVE = 2 << 20
"""Bytes that are kept until memory is short: room for two of the arenas that Python takes from the system."""


class OutOfMemory:
    """Around work on a module: what Python raises where it has no memory left becomes a MemoryLimitError.

    Making that takes memory too: what was reserved, and what the work has left in its frames.
    """

    spare: ClassVar[list[bytes]] = []
    """What the last one has left for the next: allocating it anew may take longer than the work."""

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
            except RuntimeError:  # it is the frame that this is called from
                pass
            entry = entry.tb_next
        risen = short_of_memory(error)
        if risen is not None:
            raise risen from None


def short_of_memory(error: BaseException | None) -> MemoryLimitError | None:
    """What an exception stands for if it says that memory is short: of Python's own, MemoryError, and
    SystemError where its parts didn't expect that."""
    if isinstance(error, MemoryError | SystemError):
        return MemoryLimitError("memory", NO_MEMORY)
    return None


class TableLimitError(LimitError):
    """A module begins with larger tables than `Limits.table` or `Limits.table_total`."""


class HeapLimitError(LimitError):
    """Structures, arrays and exceptions take more than `Limits.heap`."""


class InterruptionError(LimitError):
    """The guest was stopped wherever it was. Its instance can't be called any more."""


class FuelError(InterruptionError):
    """All of `Limits.fuel` is used up."""

    def __init__(self) -> None:
        super().__init__("fuel", "all fuel is used up")


class HostCallsError(InterruptionError):
    """The guest has made `Limits.host_calls` calls into the host and wants another."""

    def __init__(self, calls: int) -> None:
        super().__init__("host_calls", f"the guest may call the host {calls} times")


class DeadlineError(InterruptionError):
    """A call took longer than `Limits.seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__("seconds", f"the guest ran for longer than {seconds:g} s")


class BusyError(WasmError):
    """An instance was called while it runs on another thread, or closed while it runs at all."""


class HostError(WasmError):
    """A host function raised; its exception is `__cause__`. Never a trap: the guest did nothing wrong."""

    def __init__(self, function: str, cause: BaseException) -> None:
        try:
            text = str(cause)
        except Exception:  # it is code of the host's that gives the text
            text = "its text can't be had"
        super().__init__(f"{function}: {type(cause).__name__}: {text}")
        self.function = function


class ExceptionTag(Protocol):
    """What kind of exception it is: `interpreter.runtime.externs.Tag`."""

    def to_guest(self, values: Sequence[Any]) -> tuple[Any, ...]: ...
    def from_guest(self, payload: tuple[Any, ...]) -> tuple[Any, ...]: ...


class WasmException(WasmError):
    """The guest, or a host function, threw an exception that nobody in the guest has caught.

    Host functions may raise it, with a tag that the guest knows: then the guest can catch it.
    """

    def __init__(
        self, tag: ExceptionTag, values: Sequence[Any] = (), *, payload: tuple[Any, ...] | None = None
    ) -> None:
        """`values` are as people see them, integers signed or unsigned; a guest has a canonical `payload`.

        Raises TypeError and ValueError for values that don't fit the tag.
        """
        super().__init__(tag, values)
        self.tag = tag
        self.payload = tag.to_guest(values) if payload is None else payload
        """Canonical values."""
        self.owner: object = None
        """Who pays for it, where a guest threw it."""

    @property
    def values(self) -> tuple[Any, ...]:
        """What it carries, integers signed."""
        return self.tag.from_guest(self.payload)

    def text(self) -> str:
        values = " ".join(map(str, self.values))
        return f"exception of tag {self.tag}" + (f" with {values}" if values else "")


class GuestExit(PrintableError):
    """The guest called exit. Stands outside `WasmError` because nothing is wrong."""

    def __init__(self, code: int) -> None:
        super().__init__(f"guest exit {code}")
        self.code = code
