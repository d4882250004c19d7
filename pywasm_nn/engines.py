"""The engines by name, and the only place that imports the native one.

What is here: the names, and what makes an engine for an instance. What is not: the engines (`interpreter`,
`native`).
"""

from __future__ import annotations

from collections.abc import Callable

from .checks import check_choice
from .interpreter.engine import ENGINES as PORTABLE
from .interpreter.engine import SteppingEngine
from .interpreter.runtime.instance import Engine
from .interpreter.runtime.observe import Observer

NATIVE = "wasmtime"
ENGINES: dict[str, str] = {**dict.fromkeys(PORTABLE, ""), NATIVE: "pywasm-nn[wasmtime]"}
"""The names of all engines, with what must be installed for them."""


def check_engine(engine: object) -> None:
    """Raises TypeError or ValueError for a name that no engine has."""
    check_choice("engine", engine, ENGINES)


def maker(engine: str) -> Callable[[], Engine]:
    """A function that makes an engine of this name for each instance of a guest. Raises LinkError if the
    native engine's package is missing, or of another version."""
    if engine != NATIVE:
        return PORTABLE[engine]
    from .native.engine import engines_of_a_guest

    return engines_of_a_guest()


def engine_for(name: str, observer: Observer | None) -> Engine:
    """An engine for a module's instance with this observer. Raises LinkError as `maker` does."""
    if name == "interpret" and observer is not None and "steps" in observer.wants:
        return SteppingEngine()
    return maker(name)()
