"""Compiles a module with wasmtime to bytes: a program of its own, which is also imported.

    python -I -S compiler.py LIBRARY BYTES SETTING=NUMBER...

What is here: an engine of wasmtime from settings, and the program, which reads a module from its standard
input and writes the compiled code to its standard output. Only what a bare Python has is imported: the
program is there in some 20 ms. What is not: who runs it (`apart`), and which settings (`code`).
"""

from __future__ import annotations

import _thread
import os
import sys
from collections.abc import Mapping
from ctypes import CDLL, Structure, byref, c_bool, c_size_t, c_uint64, c_void_p, string_at
from typing import Any

LENGTH = 8
"""Bytes of a length in what is read and written."""
DONE, REFUSED = b"\0", b"\1"
"""The first byte of an answer: compiled code follows, or what wasmtime has against the module."""
TRUTHS = {"True": True, "False": False}
PIECE = 1 << 20
"""Bytes read at once."""


class Bytes(Structure):
    """wasm_byte_vec_t."""

    _fields_ = (("size", c_size_t), ("data", c_void_p))


def engine_of(library: CDLL, settings: Mapping[str, int]) -> int:
    """A new engine of wasmtime, which is never freed: modules and stores use it, and Python's end frees in
    any order. Truths are bools, sizes are ints."""
    config = called(library, "wasm_config_new", c_void_p)()
    for name, value in settings.items():
        kind = c_bool if isinstance(value, bool) else c_uint64
        called(library, f"wasmtime_config_{name}_set", None, c_void_p, kind)(config, value)
    made: int = called(library, "wasm_engine_new_with_config", c_void_p, c_void_p)(config)
    return made


def called(library: CDLL, name: str, result: Any, *parameters: Any) -> Any:
    """A function of the library, as an object of our own: others declare theirs."""
    function: Any = library[name]
    function.restype, function.argtypes = result, parameters
    return function


def answer(library: CDLL, engine: int, module: bytes) -> tuple[bytes, bytes]:
    """What to answer for a module: `DONE` or `REFUSED`, and what follows."""
    pointer, found = c_void_p(), Bytes()
    types = c_void_p, c_void_p
    compile_ = called(library, "wasmtime_module_new", c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)
    error = compile_(engine, module, len(module), byref(pointer))
    error = error or called(library, "wasmtime_module_serialize", c_void_p, *types)(pointer, byref(found))
    if error:
        called(library, "wasmtime_error_message", None, *types)(error, byref(found))
    return REFUSED if error else DONE, string_at(found.data, found.size)


def hold(most: int) -> None:
    """Let this process have no more than so many bytes of memory (Linux), and leave no core file."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def read(size: int) -> bytes:
    """So many bytes of the standard input. Ends the process if the host has ended."""
    parts = []
    while size:
        part = os.read(0, min(size, PIECE))
        if not part:
            os._exit(1)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def end_with_host() -> None:
    """Wait until the host closes the standard input, which it does only by ending, and end too."""
    read(1)


def setting(word: str) -> tuple[str, int]:
    """The name and the value in an argument."""
    name, value = word.split("=")
    return name, TRUTHS[value] if value in TRUTHS else int(value)


def main() -> None:
    path, most, *settings = sys.argv[1:]
    hold(int(most))
    out = os.dup(1)
    os.dup2(2, 1)  # nothing that a library prints is an answer
    module = read(int.from_bytes(read(LENGTH), "little"))
    _thread.start_new_thread(end_with_host, ())
    library = CDLL(path)
    kind, found = answer(library, engine_of(library, dict(map(setting, settings))), module)
    with os.fdopen(out, "wb") as stream:
        stream.write(kind + len(found).to_bytes(LENGTH, "little"))
        stream.write(found)
    os._exit(0)  # nothing that is left to free is worth the time


if __name__ == "__main__":
    main()
