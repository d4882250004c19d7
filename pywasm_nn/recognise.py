"""Recognises files that were given as a module and aren't one, so that the message can name their kind."""

from __future__ import annotations

from .interpreter.binary.sections import COMPONENT_PREAMBLE, MAGIC, VERSION

BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip data: unpack it first"),
    (b"PK\3\4", "a zip archive"),
    (b"\x7fELF", "a Linux program (ELF), not WebAssembly: build it for wasm32-wasi"),
    (b"MZ", "a Windows program (PE), not WebAssembly: build it for wasm32-wasi"),
    (b"\xcf\xfa\xed\xfe", "a macOS program (Mach-O), not WebAssembly: build it for wasm32-wasi"),
    (b"\xca\xfe\xba\xbe", "a Java class or a macOS universal program"),
    (b"!<arch>", "a static library (ar archive)"),
    (b"BC\xc0\xde", "LLVM bitcode: link it to a .wasm first"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"%PDF", "a PDF document"),
    (b"#!", "a script"),
    (b"version https://git-lfs", "a Git LFS pointer: `git lfs pull` brings the file itself"),
)
SOURCES = (
    (b"#include", "C or C++"),
    (b"int main", "C or C++"),
    (b"/*", "C or TypeScript"),
    (b"//", "C, Rust or TypeScript"),
    (b"use ", "Rust"),
    (b"fn main", "Rust"),
    (b"package main", "Go"),
)
"""The beginnings of source texts that are built into modules."""


def describe(data: bytes) -> str:
    """Why bytes are no core module, as a message."""
    if not data:
        return "this file is empty"
    if data.startswith(MAGIC):
        return describe_version(data[4:8])
    for beginning, what in BEGINNINGS:
        if data.startswith(beginning):
            return f"this is {what}"
    start = data[:512].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "this is an HTML page, probably an error page that was saved by a download"
    if model := model_in(data):
        return f"this is {model}; the guest that uses it is another file"
    try:
        data[:512].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < min(len(data), 512) - 4:
            return f"this isn't WebAssembly: it begins with {data[:4].hex(' ')} and not with 00 61 73 6d"
    if b"\0" in data[:512]:
        return f"this isn't WebAssembly: it begins with {data[:4].hex(' ')} and not with 00 61 73 6d"
    for beginning, what in SOURCES:
        if start.startswith(beginning):
            return f"this is {what} source, not a module: build it first; `pywasm-nn new` shows how"
    return "this is a text file and no module in the text format, which begins with (module"


def describe_version(version: bytes) -> str:
    """Why a module with this version can't be loaded: another version, a component, or a truncated file."""
    if MAGIC + version == COMPONENT_PREAMBLE:
        return (
            "this is a component; run, inspect and validate take it, other commands core modules so far"
            " (build it for wasm32-wasip1, or use Component.from_file in Python)"
        )
    if len(version) < 4:
        return f"this module is cut off after {4 + len(version)} bytes"
    return f"this module has version {version.hex(' ')}, only {VERSION.hex(' ')} is known"


def model_in(data: bytes) -> str | None:
    """The kind of model for a message; None if the bytes are no model."""
    from .nn.formats import KNOWN, Look

    format = KNOWN.detect(Look.of(data))
    return format.title if format else None
