"""What a guest was doing when it was stopped, as data that keeps nothing of the guest alive but its module.

What is here: frames with the values of their locals, the last host call, and how they are written: which of
very many, in columns. What is not: how engines tell them (`interpreter.runtime.activations`), and their
source lines (`watch.backtrace`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from struct import Struct
from typing import Any, Protocol

from .printable import printable, printable_lines
from .records import record

SHOWN_LOCALS = 8
"""So many values are written beside a frame."""
LONGEST_NAME = 100
"""Longer ones, as templates have them, are cut."""
LONGEST_LOCAL = 40
MOST_ARGUMENTS = 20
"""Arguments of a host call that are written."""
MOST_FRAMES = 12
"""So many frames are written; of more, the innermost and the outermost half."""
WIDEST = 48
"""Characters of a place or a source line beyond which it doesn't make its column wider."""
DECIMAL = 1 << 16
"""Integers from here on are more likely addresses or bits than counts: they are written in hexadecimal."""
BITS = {"i32": 32, "i64": 64}
FLOAT32 = Struct("<f")


class Binary(Protocol):
    """The module that a frame's code is in."""

    @property
    def code_offset(self) -> int: ...
    def custom(self, name: str) -> bytes | None: ...


@record
class GuestLocal:
    """A parameter of a guest's function, or a local that has a name.

    `type` is in the words of the specification. `value` is as people see it: integers signed, a vector
    unsigned, and for a reference a word about what it refers to.
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
    """The fewest digits that read as the same f32."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    for digits in range(1, 9):
        text = f"{value:.{digits}g}"
        try:
            if FLOAT32.unpack(FLOAT32.pack(float(text)))[0] == value:
                return str(float(text))
        except OverflowError:  # rounded to so few digits it is larger than any f32
            continue
    return f"{value:.9g}"


@record
class GuestFrame:
    """One guest function on the stack, innermost first in `WasmError.frames`.

    `name` is as people write it, None where the module doesn't tell; `offset` counts bytes from the start of
    the module's binary, -1 where it isn't known. Of a very deep stack only the frames at both ends have
    `locals`.
    """

    module: str
    funcidx: int
    name: str | None
    offset: int
    locals: tuple[GuestLocal, ...] = ()
    binary: Binary | None = None
    """Where to look for more. Not pickled: whoever gets the error elsewhere needn't get the whole module."""

    _values = attrgetter("module", "funcidx", "name", "offset", "locals")

    def __reduce__(self) -> tuple[Any, ...]:
        return GuestFrame, (self.module, self.funcidx, self.name, self.offset, self.locals)

    @property
    def place(self) -> str:
        """ "0x2a1f  app.wasm!decode_block" """
        where = f"0x{self.offset:04x}" if self.offset >= 0 else "?"
        name = self.name or f"func[{self.funcidx}]"
        return f"{where}  {printable(self.module, LONGEST_NAME)}!{printable(name, LONGEST_NAME)}"

    @property
    def values(self) -> str:
        """ "$p=0x10fffe $n=12" """
        more = ["..."] * (len(self.locals) > SHOWN_LOCALS)
        return " ".join([*map(str, self.locals[:SHOWN_LOCALS]), *more])

    def __str__(self) -> str:
        return f"{self.place}   {self.values}".rstrip()


@record
class CallToHost:
    """A call to the host: names and core values of its parameters, what the guest got (None: nothing), and
    for the person the reason, where it failed. Values of components are texts."""

    name: str
    """With its namespace: "wasi_ephemeral_nn.set_input"."""
    arguments: tuple[tuple[str, int | float | str], ...]
    result: int | float | str | None
    reason: str = ""

    def __str__(self) -> str:
        shown = [f"{name}={number_text(value)}" for name, value in self.arguments[:MOST_ARGUMENTS]]
        arguments = ", ".join(shown + ["..."] * (len(self.arguments) > MOST_ARGUMENTS))
        result = "" if self.result is None else f" -> {number_text(self.result)}"
        said = f"{printable(self.name, 2 * LONGEST_NAME)}({arguments}){result}"
        return printable_lines(f"{said}\n{self.reason}") if self.reason else said


def no_sources(frames: Sequence[GuestFrame]) -> list[str]:
    """Where nobody looks for source lines."""
    return [""] * len(frames)


def backtrace(
    frames: Sequence[GuestFrame], sources_of: Callable[[Sequence[GuestFrame]], list[str]] = no_sources
) -> list[str]:
    """A line for each frame, and one for those that are left out. `sources_of` finds source lines of those
    that are shown."""
    if len(frames) <= MOST_FRAMES:
        return lines(range(len(frames)), frames, sources_of(frames))
    half = MOST_FRAMES // 2
    numbers = [*range(half), *range(len(frames) - half, len(frames))]
    ends = [frames[number] for number in numbers]
    shown = lines(numbers, ends, sources_of(ends))
    return [*shown[:half], f"  ... {len(frames) - 2 * half} more ...", *shown[half:]]


def lines(numbers: Sequence[int], frames: Sequence[GuestFrame], sources: Sequence[str]) -> list[str]:
    """ "  0: 0x2a1f  app.wasm!decode_block   src/jpeg.rs:88   $p=0x10fffe $n=12", columns aligned."""
    place, source = column(frame.place for frame in frames), column(sources)
    digits = len(str(max(numbers, default=0)))
    columns = f"{{:{place}}}   {{:{source}}}   {{}}" if any(sources) else f"{{:{place}}}   {{}}{{}}"
    return [
        f"  {number:{digits}}: {columns.format(frame.place, line, frame.values)}".rstrip()
        for number, frame, line in zip(numbers, frames, sources, strict=True)
    ]


def column(texts: Iterable[str]) -> int:
    """How wide a column of texts is; what is very long doesn't count, and sticks out."""
    return max((len(text) for text in texts if len(text) <= WIDEST), default=0)


def number_text(value: int | float | str) -> str:
    return hex(value) if isinstance(value, int) and value >= DECIMAL else str(value)
