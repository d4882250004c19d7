"""Encodes the ids of a text as a `name` section.

https://webassembly.github.io/spec/core/appendix/custom.html#name-section

Only the names that backtraces show are kept: of the module, its functions and their locals. Decoding is in
`interpreter.names`.
"""

from __future__ import annotations


def leb(value: int) -> bytes:
    """An unsigned number as LEB128."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def name_section(
    module: str | None, functions: dict[int, str], locals_: dict[int, dict[int, str]]
) -> bytes | None:
    """Contents of the section, or None if there are no names. Keys are indices."""
    parts = []
    if module is not None:
        parts.append(_subsection(0, _text(module)))
    if functions:
        parts.append(_subsection(1, _name_map(functions)))
    if locals_:
        maps = b"".join(leb(funcidx) + _name_map(names) for funcidx, names in sorted(locals_.items()))
        parts.append(_subsection(2, leb(len(locals_)) + maps))
    return b"".join(parts) or None


def _subsection(number: int, contents: bytes) -> bytes:
    return bytes([number]) + leb(len(contents)) + contents


def _text(name: str) -> bytes:
    encoded = name.encode()
    return leb(len(encoded)) + encoded


def _name_map(names: dict[int, str]) -> bytes:
    return leb(len(names)) + b"".join(leb(index) + _text(name) for index, name in sorted(names.items()))
