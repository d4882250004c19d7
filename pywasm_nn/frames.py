"""The state of a guest when it was stopped, as data that keeps no part of the guest alive except its module.

What is here: frames with the values of their locals, the last host call, and their text in columns. What is
not: reading frames from an engine (`interpreter.runtime.activations`), which of many frames are shown, and
finding their source lines (`backtrace`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from struct import Struct
from typing import Any, Protocol

from .printable import printable, printable_lines
from .records import Frozen

SHOWN_LOCALS = 8
"""The number of values that are shown beside a frame."""
LONGEST_NAME = 100
"""Longer names, such as those of templates, are cut."""
LONGEST_LOCAL = 40
MOST_ARGUMENTS = 20
"""The number of arguments that are shown of a host call."""
WIDEST = 48
"""A longer place or source line doesn't make its column wider."""
DECIMAL = 1 << 16
"""Larger integers are shown in hexadecimal, because they are probably addresses or bits."""
BITS = {"i32": 32, "i64": 64}
FLOAT32 = Struct("<f")


class Binary(Protocol):
    """The module that contains a frame's code."""

    @property
    def code_offset(self) -> int: ...
    @property
    def sources(self) -> Any:
        """Its source lines (`sources.Sources`)."""

    def custom(self, name: str) -> bytes | None: ...


class GuestLocal(Frozen):
    """A parameter of a guest's function, or a local with a name.

    `type` is its type as in the specification. `value` is a Python value: integers signed, a vector unsigned,
    and for a reference a word for the kind of its object.
    """

    index: int
    name: str | None
    type: str
    value: int | float | str

    def __str__(self) -> str:
        return f"${self.index if self.name is None else printable(self.name, LONGEST_LOCAL)}={self.text}"

    @property
    def text(self) -> str:
        """The value: "12", "-1", "0x10fffe", "0.1", "null"."""
        match self.value:
            case int() if self.type == "v128":
                return f"0x{self.value:032x}"
            case int() if not -DECIMAL < self.value < DECIMAL:
                return f"0x{self.value & (1 << BITS[self.type]) - 1:x}"
            case float() if self.type == "f32":
                return float32_text(self.value)
        return str(self.value)


def float32_text(value: float) -> str:
    """The fewest digits that read as the same f32 value."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    for digits in range(1, 9):
        text = f"{value:.{digits}g}"
        try:
            if FLOAT32.unpack(FLOAT32.pack(float(text)))[0] == value:
                return str(float(text))
        except OverflowError:  # with so few digits it rounds to more than the largest f32
            continue
    return f"{value:.9g}"


class GuestFrame(Frozen):
    """One guest function on the stack; `WasmError.frames` has the innermost first.

    `name` is demangled, None if the module has none; `offset` counts bytes from the start of the module's
    binary, -1 if unknown. In a very deep stack only the frames at both ends have `locals`.
    """

    module: str
    funcidx: int
    name: str | None
    offset: int
    locals: tuple[GuestLocal, ...] = ()
    binary: Binary | None = None
    """The module, for source lines. It is not pickled, so that an error stays small in another process."""
    source: str | None = None
    """Its source line, "jpeg.rs:88" or "" for none, if it was looked up."""

    _values = attrgetter("module", "funcidx", "name", "offset", "locals")

    def __reduce__(self) -> tuple[Any, ...]:
        return GuestFrame, (
            self.module, self.funcidx, self.name, self.offset, self.locals, None, self.source
        )  # fmt: skip

    @property
    def place(self) -> str:
        """ "0x2a1f  app.wasm!decode_block"; a module without a name is "module"."""
        where = f"0x{self.offset:04x}" if self.offset >= 0 else "?"
        name = self.name or f"func[{self.funcidx}]"
        module = printable(self.module, LONGEST_NAME) or "module"
        return f"{where}  {module}!{printable(name, LONGEST_NAME)}"

    @property
    def values(self) -> str:
        """ "$p=0x10fffe $n=12" """
        more = ["..."] * (len(self.locals) > SHOWN_LOCALS)
        return " ".join([*map(str, self.locals[:SHOWN_LOCALS]), *more])

    def __str__(self) -> str:
        return f"{self.place}   {self.values}".rstrip()


class CallToHost(Frozen):
    """A call to the host: names and core values of its parameters, the result that the guest got (None:
    none), and, if it failed, the reason for the user. Values of components are texts."""

    name: str
    """The name with its namespace: "wasi_ephemeral_nn.set_input"."""
    arguments: tuple[tuple[str, int | float | str], ...]
    result: int | float | str | None
    reason: str = ""

    def __str__(self) -> str:
        shown = [f"{name}={number_text(value)}" for name, value in self.arguments[:MOST_ARGUMENTS]]
        arguments = ", ".join(shown + ["..."] * (len(self.arguments) > MOST_ARGUMENTS))
        result = "" if self.result is None else f" -> {number_text(self.result)}"
        said = f"{printable(self.name, 2 * LONGEST_NAME)}({arguments}){result}"
        return printable_lines(f"{said}\n{self.reason}") if self.reason else said


def lines(numbers: Sequence[int], frames: Sequence[GuestFrame]) -> list[str]:
    """ "  0: 0x2a1f  app.wasm!decode_block   src/jpeg.rs:88   $p=0x10fffe $n=12", columns aligned."""
    sources = [frame.source or "" for frame in frames]
    place, source = column(frame.place for frame in frames), column(sources)
    digits = len(str(max(numbers, default=0)))
    columns = f"{{:{place}}}   {{:{source}}}   {{}}" if any(sources) else f"{{:{place}}}   {{}}{{}}"
    return [
        f"  {number:{digits}}: {columns.format(frame.place, line, frame.values)}".rstrip()
        for number, frame, line in zip(numbers, frames, sources, strict=True)
    ]


def column(texts: Iterable[str]) -> int:
    """The width of a column of texts; very long texts don't count, and stick out."""
    return max((len(text) for text in texts if len(text) <= WIDEST), default=0)


def number_text(value: int | float | str) -> str:
    return hex(value) if isinstance(value, int) and value >= DECIMAL else str(value)
