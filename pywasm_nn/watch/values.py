"""Values of a running guest in a form that events can keep: numbers, text, and byte counts.

What is here: arguments of host functions, and values of the stack. What is not: tensors (`tensors.py`), and
writing values (`text.py`, `records.py`).
"""

from __future__ import annotations

from enum import Enum, Flag
from typing import Any

from .events import Blob

LONGEST_TEXT = 40
"""Longer byte strings are only counted."""
MOST_ITEMS = 16
"""Longer lists are cut."""


def kept(value: Any) -> Any:
    """A stack value, or the text of a component's value: numbers unchanged, references as their kind."""
    return value if value is None or isinstance(value, int | float | str) else type(value).__name__.lower()


def argument(value: Any) -> Any:
    """A lifted argument: flags become numbers, enumerations names, other objects their text."""
    match value:
        case memoryview() | bytes() | bytearray():
            return Blob(len(value)) if len(value) > LONGEST_TEXT else text_or_blob(bytes(value))
        case list() | tuple():
            items = tuple(argument(item) for item in value[:MOST_ITEMS])
            return (*items, "...") if len(value) > MOST_ITEMS else items
        case Flag():
            return value.value
        case Enum():
            return value.name.lower()
        case bool() | int() | float() | str() | None:
            return value
    text = str(value)
    return type(value).__name__.lower() if " object at 0x" in text else text


def text_or_blob(data: bytes) -> Any:
    """The bytes as text if they are printable (line ends and tabs allowed), else their number."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Blob(len(data))
    return text if text.replace("\n", " ").replace("\t", " ").isprintable() else Blob(len(data))


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def shown(value: Any) -> str:
    """A value of the stack: integers in decimal, vectors in hexadecimal, floats briefly, references by
    kind."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value) if value >> 64 <= 0 else f"0x{value:032x}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return type(value).__name__.lower()
