"""WebAssembly in pure Python, with a built-in wasi-nn host.

    from pywasm_nn import run, Module, Wasi, NN

Public names are imported when they are used (PEP 562), so that `import pywasm_nn` costs nothing. Not even
`__future__` is imported here: before this file has run, the command's Ctrl-C handler is not installed.
"""

__version__ = "0.1.0"
TYPE_CHECKING = False  # as in typing, whose import takes twenty times as long as this file's
if TYPE_CHECKING:
    from typing import Any

    from .api import Module
    from .arrays import Array
    from .component.canonical.faces import Buffer, Err, Ok, Some
    from .component.handles import Owned
    from .components import Component, ComponentInstance
    from .errors import (
        BusyError,
        DeadlineError,
        ExhaustionError,
        FuelError,
        GuestExit,
        HeapLimitError,
        HostCallsError,
        HostError,
        InterruptionError,
        InvalidError,
        LimitError,
        LinkError,
        MalformedError,
        MemoryLimitError,
        TableLimitError,
        Trap,
        TrapKind,
        WasmError,
        WasmException,
    )
    from .frames import CallToHost, GuestFrame
    from .host import S64, U64, Caller, Float32, Span, Text
    from .imports import Imports
    from .interpreter.compile.cache import CodeFolder
    from .interpreter.module import ExportType, ImportType
    from .interpreter.runtime.externs import Global, Tag
    from .interpreter.runtime.instance import Func, Instance
    from .interpreter.runtime.memory import Flavour, Memory
    from .interpreter.runtime.observe import Observer
    from .interpreter.runtime.table import Table
    from .limits import Limits
    from .linker import Linker
    from .nn import NN, Model, NNError, Tensor
    from .program import Inference, Result, run
    from .wasi import Capture, Dir, MemoryDirectory, Wasi
    from .watch.monitor import Monitor
    from .watch.trace import Trace

__all__ = [
    "NN",
    "S64",
    "U64",
    "Array",
    "Buffer",
    "BusyError",
    "CallToHost",
    "Caller",
    "Capture",
    "CodeFolder",
    "Component",
    "ComponentInstance",
    "DeadlineError",
    "Dir",
    "Err",
    "ExhaustionError",
    "ExportType",
    "Flavour",
    "Float32",
    "FuelError",
    "Func",
    "Global",
    "GuestExit",
    "GuestFrame",
    "HeapLimitError",
    "HostCallsError",
    "HostError",
    "ImportType",
    "Imports",
    "Inference",
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
    "MemoryLimitError",
    "Model",
    "Module",
    "Monitor",
    "NNError",
    "Observer",
    "Ok",
    "Owned",
    "Result",
    "Some",
    "Span",
    "Table",
    "TableLimitError",
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
    ".api": ("Module",),
    ".arrays": ("Array",),
    ".component.canonical.faces": ("Buffer", "Err", "Ok", "Some"),
    ".component.handles": ("Owned",),
    ".components": ("Component", "ComponentInstance"),
    ".errors": (
        "BusyError",
        "ExhaustionError",
        "InterruptionError",
        "FuelError",
        "DeadlineError",
        "GuestExit",
        "HeapLimitError",
        "HostCallsError",
        "HostError",
        "InvalidError",
        "LimitError",
        "LinkError",
        "MalformedError",
        "MemoryLimitError",
        "TableLimitError",
        "Trap",
        "TrapKind",
        "WasmError",
        "WasmException",
    ),
    ".frames": ("CallToHost", "GuestFrame"),
    ".host": ("S64", "U64", "Caller", "Float32", "Span", "Text"),
    ".imports": ("Imports",),
    ".interpreter.compile.cache": ("CodeFolder",),
    ".interpreter.runtime.observe": ("Observer",),
    ".interpreter.runtime.memory": ("Flavour", "Memory"),
    ".interpreter.module": ("ExportType", "ImportType"),
    ".interpreter.runtime.instance": ("Func", "Instance"),
    ".interpreter.runtime.externs": ("Global", "Tag"),
    ".interpreter.runtime.table": ("Table",),
    ".limits": ("Limits",),
    ".linker": ("Linker",),
    ".nn": ("NN", "Model", "NNError", "Tensor"),
    ".program": ("Inference", "Result", "run"),
    ".wasi": ("Capture", "Dir", "MemoryDirectory", "Wasi"),
    ".watch.monitor": ("Monitor",),
    ".watch.notebook": ("load_ipython_extension",),
    ".watch.trace": ("Trace",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> "Any":
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
