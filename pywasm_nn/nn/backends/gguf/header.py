"""The facts in a GGUF file's header that must be known before it is loaded.

What is not here: tensors. Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from struct import Struct, calcsize, error
from typing import Any, BinaryIO

from ....records import Frozen
from ...errors import Code, NNError

TYPES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Scalars, as in `struct`."""
STRING, ARRAY = 8, 9
LONGEST = 1 << 24
"""The most bytes of a string or elements of an array of strings."""


VOCABULARY = "tokenizer."
"""The beginning of the names of long arrays, which usually come last."""


class Header(Frozen):
    """`context` is the number of tokens that the model was trained for, 0 if the file doesn't say."""

    architecture: str
    context: int
    pooled: bool


def header_of(path: Path) -> Header:
    """Read a header. Raises NNError(RUNTIME_ERROR) for a file that is no GGUF, OSError."""
    with path.open("rb") as file:
        try:
            values = values_of(file)
        except (error, EOFError, ValueError) as reason:
            raise NNError(Code.RUNTIME_ERROR, f"{path} is no GGUF file: {reason}") from reason
    architecture = str(values.get("general.architecture", ""))
    context = values.get(f"{architecture}.context_length", 0)
    pooled = bool(values.get(f"{architecture}.pooling_type", 0))
    return Header(architecture, context if isinstance(context, int) else 0, pooled)


def values_of(file: BinaryIO) -> Mapping[str, Any]:
    """The values of a header; None for arrays."""
    if file.read(4) != b"GGUF":
        raise ValueError("it doesn't begin with GGUF")
    version = number(file, "I")
    if version not in (2, 3):
        raise ValueError(f"version {version}; 2 and 3 are known")
    number(file, "Q")  # tensors
    count = number(file, "Q")
    values: dict[str, Any] = {}
    for _ in range(count):
        name = string(file).decode("utf-8", "replace")
        if name.startswith(VOCABULARY) and f"{values.get('general.architecture')}.context_length" in values:
            break
        values[name] = value(file, number(file, "I"))
    return values


def value(file: BinaryIO, kind: int) -> Any:
    """A value; an array is skipped."""
    if kind == STRING:
        return string(file).decode("utf-8", "replace")
    if kind != ARRAY:
        return number(file, letter(kind))
    kind, length = number(file, "I"), number(file, "Q")
    if kind == STRING:
        if length > LONGEST:
            raise ValueError(f"an array of {length} strings")
        for _ in range(length):
            string(file)
    else:
        skip(file, length * calcsize("<" + letter(kind)))
    return None


def letter(kind: int) -> str:
    if kind not in TYPES:
        raise ValueError(f"there is no type {kind}")
    return TYPES[kind]


def number(file: BinaryIO, kind: str) -> Any:
    packed = Struct("<" + kind)
    return packed.unpack(file.read(packed.size))[0]


def string(file: BinaryIO) -> bytes:
    length = number(file, "Q")
    if length > LONGEST:
        raise ValueError(f"a string of {length} bytes")
    found = file.read(length)
    if len(found) < length:
        raise EOFError("it ends within its header")
    return found


def skip(file: BinaryIO, count: int) -> None:
    """Move on. A file ends, however far it is told to go: the next read finds out."""
    file.seek(min(count, 1 << 62), 1)
