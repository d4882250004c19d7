"""WebAssembly in pure Python, with a built-in wasi-nn host.

    from pywasm_nn import run, Module, Wasi, NN

Public names are imported when they are used (PEP 562), so that `import pywasm_nn` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import takes twenty times as long as this file's
if TYPE_CHECKING:
    from typing import Any

    from .api import Imports, Module, Result, run
    from .errors import (
        BusyError,
        DeadlineError,
        ExhaustionError,
        FuelError,
        GuestExit,
        HostError,
        InterruptionError,
        InvalidError,
        LimitError,
        LinkError,
        MalformedError,
        Trap,
        TrapKind,
        WasmError,
        WasmException,
    )
    from .host import S64, U64, Caller, Float32, Span, Text
    from .interpreter.compile.cache import CodeFolder
    from .interpreter.externs import Global, Tag
    from .interpreter.memory import Memory
    from .interpreter.observe import Observer
    from .interpreter.runtime import Func, Instance
    from .interpreter.table import Table
    from .limits import Limits
    from .linker import Linker
    from .nn import NN, NNError, Tensor
    from .wasi import Capture, Dir, MemoryDirectory, Wasi
    from .watch.monitor import Monitor
    from .watch.trace import Trace

__all__ = [
    "NN",
    "S64",
    "U64",
    "BusyError",
    "Caller",
    "Capture",
    "CodeFolder",
    "DeadlineError",
    "Dir",
    "ExhaustionError",
    "Float32",
    "FuelError",
    "Func",
    "Global",
    "GuestExit",
    "HostError",
    "Imports",
    "Instance",
    "InterruptionError",
    "InvalidError",
    "LimitError",
    "Limits",
    "LinkError",
    "Linker",
    "MalformedError",
    "Memory",
    "MemoryDirectory",
    "Module",
    "Monitor",
    "NNError",
    "Observer",
    "Result",
    "Span",
    "Table",
    "Tag",
    "Tensor",
    "Text",
    "Trace",
    "Trap",
    "TrapKind",
    "Wasi",
    "WasmError",
    "WasmException",
    "run",
]

_HOMES = {
    ".api": ("Imports", "Module", "Result", "run"),
    ".errors": (
        "BusyError",
        "ExhaustionError",
        "InterruptionError",
        "FuelError",
        "DeadlineError",
        "GuestExit",
        "HostError",
        "InvalidError",
        "LimitError",
        "LinkError",
        "MalformedError",
        "Trap",
        "TrapKind",
        "WasmError",
        "WasmException",
    ),
    ".host": ("S64", "U64", "Caller", "Float32", "Span", "Text"),
    ".interpreter.compile.cache": ("CodeFolder",),
    ".interpreter.observe": ("Observer",),
    ".interpreter.memory": ("Memory",),
    ".interpreter.runtime": ("Func", "Instance"),
    ".interpreter.externs": ("Global", "Tag"),
    ".interpreter.table": ("Table",),
    ".limits": ("Limits",),
    ".linker": ("Linker",),
    ".nn": ("NN", "NNError", "Tensor"),
    ".wasi": ("Capture", "Dir", "MemoryDirectory", "Wasi"),
    ".watch.monitor": ("Monitor",),
    ".watch.notebook": ("load_ipython_extension",),
    ".watch.trace": ("Trace",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
