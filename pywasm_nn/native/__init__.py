"""The engine `wasmtime`: guests run natively, in wasmtime's Python package, behind this package's faces.

What is here: an engine in the sense of `interpreter.runtime.instance.Engine` whose functions, memories,
tables and globals are wasmtime's. WASI, wasi-nn, host functions, errors and limits are those of the other
engines. Imported only when the engine is chosen. What is not: wasmtime's own WASI, linker and components.

`binding` has the functions of wasmtime's C API, `code` compiles and keeps modules, with a deadline in a child
process (`apart`, which runs `compiler`), `rewriting` prepares their bytes, `store` runs guests, `crossing`
converts values, `memory` and `externs` are the objects that guests and hosts share, `failure` explains traps,
and `engine` puts them together. This module says whether the package is there, without importing it.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

KNOWN = "50"
"""The major version of the package whose C API `binding` has; others may have other functions and layouts."""
PACKAGE = "wasmtime"
INSTALL = "pip install 'pywasm-nn[wasmtime]'"


@cache
def installed() -> str:
    """The version of the package, or "" if it isn't installed. Beside a package lies a folder whose name has
    the version: looking there takes a twentieth of importing `importlib.metadata`."""
    found = find_spec(PACKAGE)
    if found is None or not found.origin:
        return ""
    for name in os.listdir(os.path.dirname(os.path.dirname(found.origin))):
        if name.startswith(f"{PACKAGE}-") and name.endswith(".dist-info"):
            return name.removeprefix(f"{PACKAGE}-").removesuffix(".dist-info")
    return "of unknown version"


def problem() -> str:
    """Why the engine can't be used here; "" if it can."""
    found = installed()
    if found.partition(".")[0] == KNOWN:
        return ""
    what = f"is {found} and must be {KNOWN}" if found else "is missing"
    return f"wasmtime's Python package {what}"
