"""Addresses and values as a user writes them.

What is not here: breakpoints (`breakpoints.py`).
"""

from __future__ import annotations

import re
import struct
from typing import Any

from ...interpreter.names import Names
from ...interpreter.runtime.values import to_guest
from ...interpreter.types import RefType, ValType
from .steps import Position

FORMATS = {
    "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "f",
    "f64": "d",
}  # fmt: skip
"""Formats in which memory can be shown, with their characters of `struct`."""


class BadInputError(Exception):
    """The input can't be read. The message says how to write it."""


def number(text: str) -> int:
    """Read a decimal or hexadecimal integer."""
    try:
        return int(text, 0)
    except ValueError:
        raise BadInputError(f"{text!r} is no number") from None


def local_index(position: Position, text: str) -> int:
    """The index of the local that "$p", "p" or "3" names."""
    name = text.removeprefix("$")
    names = Names.of(position.instance.module).locals.get(position.funcidx, {})
    count = position.frame.code.named
    for index, known in names.items():
        if known == name and index < count:
            return index
    if name.isdecimal() and int(name) < count:
        return int(name)
    known_names = ", ".join(f"${known}" for known in names.values())
    raise BadInputError(f"no local {text}; there are {count}" + (f": {known_names}" if known_names else ""))


def address(position: Position | None, text: str) -> int:
    """Read "1024", "0x400", "$p", "$p+8" or "$p-0x10"."""
    match = re.fullmatch(r"(\$?[\w.]+)(?:([+-])(\w+))?", text)
    if match is None:
        raise BadInputError(f"{text!r} is no address: write 0x400, $p or $p+8")
    base, sign, offset = match.groups()
    if base.startswith("$"):
        if position is None:
            raise BadInputError("the guest isn't running, so it has no locals")
        start = position.local(local_index(position, base))
        if not isinstance(start, int):
            raise BadInputError(f"{base} is no integer")
    else:
        start = number(base)
    return start + (0 if sign is None else number(offset) * (1 if sign == "+" else -1))


def value(type_: ValType, text: str) -> Any:
    """Read a value of a type: an integer signed or unsigned, a float, `null` for a reference."""
    if isinstance(type_, RefType):
        if text == "null" and type_.nullable:
            return None
        raise BadInputError(f"{text!r} is no {type_}")
    try:
        return to_guest(type_, float(text) if type_.name.startswith("f") else int(text, 0))
    except (ValueError, TypeError):
        raise BadInputError(f"{text!r} is no {type_}") from None


def packed(format_: str, text: str) -> bytes:
    """A value as bytes in memory; for the format `text`, its UTF-8 encoding."""
    if format_ == "text":
        return text.encode()
    if format_ not in FORMATS:
        raise BadInputError(f"no format {format_}; there are {', '.join(FORMATS)}, text")
    try:
        written: Any = float(text) if format_.startswith("f") else int(text, 0)
        return struct.pack("<" + FORMATS[format_], written)
    except (ValueError, struct.error, OverflowError):
        raise BadInputError(f"{text!r} is no {format_}") from None
