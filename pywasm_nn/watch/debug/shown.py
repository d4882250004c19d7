"""The state of a stopped guest as lines of text.

What is not here: stopping the guest (`debugger.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ...backtrace import with_sources
from ...frames import GuestFrame, GuestLocal, lines
from ...interpreter.instructions import Imm
from ...interpreter.names import Names
from ...interpreter.runtime.activations import guest_frame, reference_text, shown, types_of
from ...interpreter.runtime.instance import Instance
from ...interpreter.runtime.memory import Memory
from ...interpreter.types import ExternKind, ValType
from ...printable import printable
from ...sources import SourceLine, Sources
from ..labels import Labels
from .given import FORMATS, BadInputError
from .steps import Position

AROUND = 5
"""Instructions that are listed before and after the current one."""
MOST_BYTES = 4096
PER_LINE = 16


def frame_of(position: Position) -> GuestFrame:
    """The frame at a position; its offset is the offset of the current instruction."""
    return guest_frame(position)


def of_position(position: Position, labels: Labels, sources: Sources) -> tuple[Labels, Sources]:
    """The names and source lines for a position: the given ones, unless it is in another module of a
    component."""
    module = position.instance.module
    return (labels, sources) if module is labels.module else (Labels(module), Sources(module))


def where(position: Position, labels: Labels, sources: Sources) -> str:
    """ "0x00db  sum  source.c:11   i32.load offset=4   | 3 12": the current instruction and the stack."""
    labels, sources = of_position(position, labels, sources)
    frame = frame_of(position)
    text = instruction(position, position.instr, labels)
    source = sources.at(frame.offset)
    place = frame.place.partition("!")
    stack = " ".join(map(value_text, position.frame.stack[-6:]))
    return f"{place[0].split()[0]}  {place[2]}  {f'{source}  ' if source else ''}{text}   | {stack}".rstrip()


def instruction(position: Position, instr: int, labels: Labels) -> str:
    """ "local.get $p"; a function that is given by index gets its name added: "call 2  $env.log"."""
    code = position.frame.code
    op, imm = code.body.ops[instr], code.body.imms[instr]
    text = labels.instruction(position.funcidx, op, imm)
    name = labels.function(imm) if op.imms == (Imm.FUNC,) else ""
    return f"{text}  {name}" if name.startswith("$") and "$" not in text else text


def backtrace(positions: Sequence[Position], selected: int, most: int) -> list[str]:
    """A line for each frame, innermost first, with the selected one marked."""
    shown_positions = positions[:most]
    frames = with_sources(frame_of(position) for position in shown_positions)
    written = lines(range(len(frames)), frames)
    marked = [f">{line[1:]}" if number == selected else line for number, line in enumerate(written)]
    left_out = len(positions) - len(shown_positions)
    return marked + ([f"  ... {left_out} more ..."] if left_out else [])


def locals_of(position: Position) -> list[str]:
    """All locals with their types."""
    names = Names.of(position.instance.module).locals.get(position.funcidx, {})
    values = position.frame.locals
    types = types_of(position.instance.module, position.funcidx)
    made = [
        GuestLocal(index, names.get(index), str(type_), shown(type_, value))
        for index, (type_, value) in enumerate(zip(types, values, strict=False))  # others keep exceptions
    ]
    return [
        f"  {local.index:3}  {local.type:<10} ${local.name or local.index} = {local.text}" for local in made
    ]


def type_of_local(position: Position, index: int) -> ValType:
    """The type of a local; its index must exist."""
    return next(islice(types_of(position.instance.module, position.funcidx), index, None))


def stack_of(position: Position) -> list[str]:
    """The operand stack of a function, top first."""
    return [f"  {value_text(value)}" for value in reversed(position.frame.stack)] or ["  empty"]


def value_text(value: Any) -> str:
    """A value of unknown type."""
    if isinstance(value, bool | int | float) and type(value) in (int, float):
        is_large = isinstance(value, int) and value >= 1 << 16
        return f"{value} (0x{value:x})" if is_large else str(value)
    return reference_text(value)


def globals_of(instance: Instance) -> list[str]:
    """All globals with their types."""
    exported = {e.index: printable(e.name) for e in instance.module.exports if e.kind is ExternKind.GLOBAL}
    made = []
    for index, global_ in enumerate(instance.globals):
        type_ = global_.type
        local = GuestLocal(index, exported.get(index), str(type_.type), shown(type_.type, global_.value))
        kind = f"{'mut ' if type_.mutable else ''}{local.type}"
        made.append(f"  {index:3}  {kind:<8} {exported.get(index, '')} = {local.text}")
    return made or ["  none"]


def memory_at(memory: Memory, address: int, count: int, format_: str) -> list[str]:
    """`count` elements of memory at an address. Raises BadInputError."""
    if format_ not in FORMATS and format_ not in ("hex", "text"):
        raise BadInputError(f"no format {format_}; there are hex, text, {', '.join(FORMATS)}")
    width = struct.calcsize("<" + FORMATS[format_]) if format_ in FORMATS else 1
    size = min(count * width, MOST_BYTES)
    if address < 0 or address + size > memory.size:
        raise BadInputError(f"{size} bytes at 0x{max(address, 0):x}: memory is 0x{memory.size:x} bytes")
    data = memory.read(address, size)
    if format_ == "text":
        return [f"  {data.decode('utf-8', 'replace')!r}"]
    pieces = [(address + at, data[at : at + PER_LINE]) for at in range(0, len(data), PER_LINE)]
    if format_ == "hex":
        return [f"  0x{at:08x}  {piece.hex(' '):<47}  {ascii_of(piece)}" for at, piece in pieces]
    return [f"  0x{at:08x}  {typed(piece, format_)}" for at, piece in pieces]


def number_at(memory: Memory, address: int, format_: str) -> int | float:
    """One number in memory. Raises BadInputError."""
    size = struct.calcsize("<" + FORMATS[format_])
    if address < 0 or address + size > memory.size:
        raise BadInputError(f"{size} bytes at 0x{max(address, 0):x}: memory is 0x{memory.size:x} bytes")
    value: int | float = struct.unpack("<" + FORMATS[format_], memory.read(address, size))[0]
    return value


def typed(piece: bytes, format_: str) -> str:
    values = struct.unpack(
        f"<{len(piece) // struct.calcsize('<' + FORMATS[format_])}{FORMATS[format_]}", piece
    )
    return "  ".join(f"{value:.9g}" if format_ == "f32" else str(value) for value in values)


def ascii_of(data: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)


def listing(position: Position, labels: Labels, sources: Sources, places: frozenset[int]) -> list[str]:
    """Instructions around the current one, in the text format; `places` of breakpoints are starred."""
    labels, sources = of_position(position, labels, sources)
    code, at = position.frame.code, position.instr
    first, last = max(at - AROUND, 0), min(at + AROUND + 1, len(code.body.ops))
    made, depth = [], 0
    line: SourceLine | None = None
    for instr, op in enumerate(code.body.ops[:last]):
        depth -= op.closes
        if instr >= first:
            source = sources.at(code.body.offsets[instr])
            if source is not None and source != line:
                made.append(f"{source}{text_of(source)}")
                line = source
            mark = (">" if instr == at else " ") + ("*" if instr in places else " ")
            text = instruction(position, instr, labels)
            made.append(f"{mark} 0x{code.body.offsets[instr]:04x}  {'  ' * max(depth, 0)}{text}")
        depth += op.opens
    return made


def source_around(source: SourceLine, folders: Sequence[Path]) -> list[str]:
    """Lines of the source file around one; one line that says so if the file isn't there."""
    found = next((each for folder in folders if (each := folder / source.file).is_file()), None)
    first = max(source.line - AROUND, 1)
    try:
        if found is None:
            raise OSError
        with found.open(encoding="utf-8", errors="replace") as file:
            lines_ = list(islice(file, first - 1, source.line + AROUND))
    except OSError:
        return [f"{source}: the file isn't here"]
    return [
        f"{'>' if number == source.line else ' '} {number:5}  {printable(line.rstrip())}"
        for number, line in enumerate(lines_, first)
    ]


def text_of(source: SourceLine) -> str:
    """The text of a source line if the file can be read: "  return numbers[index];" """
    path = Path(source.file)
    try:
        if not path.is_file():  # a module may name any file, even a pipe that blocks
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            found = next(islice(file, source.line - 1, source.line), "")
    except OSError:
        return ""
    return f"  {printable(found.strip())}" if found.strip() else ""
