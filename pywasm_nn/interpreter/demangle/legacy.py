"""Rust's older symbols: `_ZN`, path segments with their lengths, `17h` and a hash, `E`.

Linkers that take them for C++ turn them into `core::fmt::write::h0123456789abcdef`; this form is read, too.
https://doc.rust-lang.org/rustc/symbol-mangling/index.html
"""

from __future__ import annotations

import re

from .reading import NotMangledError, Reader

MANGLED = re.compile(r"_?_ZN.*17h[0-9a-f]{16}E(\.[\w.]+)?")
DEMANGLED = re.compile(r".+::h[0-9a-f]{16}")
ESCAPES = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","}


def is_legacy(symbol: str) -> bool:
    return bool(MANGLED.fullmatch(symbol) or DEMANGLED.fullmatch(symbol))


def demangle(symbol: str) -> str:
    """The path without its hash. Raises NotMangledError."""
    if not MANGLED.fullmatch(symbol):
        return "::".join(map(plain, symbol.split("::")[:-1]))
    reader = Reader(symbol, symbol.index("_ZN") + 3)
    segments = []
    while not reader.take("E"):
        segments.append(reader.identifier(reader.decimal()))
    return "::".join(map(plain, segments[:-1]))


def plain(segment: str) -> str:
    """A segment with its escapes undone: "_$LT$T$u20$as$u20$a..B$GT$" is "<T as a::B>"."""
    segment = segment.removeprefix("_") if segment.startswith("_$") else segment
    return re.sub(r"\$(\w+)\$|\.\.", escaped, segment)


def escaped(match: re.Match[str]) -> str:
    word = match[1]
    if word is None:
        return "::"
    if re.fullmatch(r"u[0-9a-f]{1,6}", word):
        code = int(word[1:], 16)
        if code > 0x10FFFF or not chr(code).isprintable():
            raise NotMangledError
        return chr(code)
    return ESCAPES.get(word, match[0])
