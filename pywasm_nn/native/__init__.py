"""The engine `wasmtime`: guests run natively, in wasmtime's Python package, behind this package's faces.

What is here: an engine in the sense of `interpreter.runtime.instance.Engine` whose functions, memories,
tables and globals are wasmtime's. WASI, wasi-nn, host functions, errors and limits are those of the other
engines. Imported only when the engine is chosen. What is not: wasmtime's own WASI, linker and components.

`binding` has the functions of wasmtime's C API, `code` compiles and keeps modules, `rewriting` prepares their
bytes, `store` runs guests, `crossing` converts values, `memory` and `externs` are the objects that guests and
hosts share, `failure` explains traps, and `engine` puts them together. This module says whether the
package is there, without importing it.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

KNOWN = "50"
"""The major version of the package whose C API `binding` has; others may have other functions and layouts."""
PACKAGE = "wasmtime"
INSTALL = "pip install 'pywasm-nn[wasmtime]'"


def installed() -> str:
    """The version of the package, or "" if it isn't installed."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return ""


def problem() -> str:
    """Why the engine can't be used here; "" if it can."""
    found = installed()
    if found.partition(".")[0] == KNOWN:
        return ""
    what = f"is {found} and must be {KNOWN}" if found else "is missing"
    return f"wasmtime's Python package {what}"
