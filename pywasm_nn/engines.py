"""The engines by name, and the only place that imports the native one.

What is here: the names, and what makes an engine for an instance. What is not: the engines (`interpreter`,
`native`).
"""

from __future__ import annotations

from collections.abc import Callable

from .checks import check_choice
from .errors import LinkError
from .interpreter.engine import ENGINES as PORTABLE
from .interpreter.engine import SteppingEngine
from .interpreter.runtime.instance import Engine
from .interpreter.runtime.observe import Observer

NATIVE = "wasmtime"
ENGINES: dict[str, str] = {**dict.fromkeys(PORTABLE, ""), NATIVE: "pywasm-nn[wasmtime]"}
"""The names of all engines, with what must be installed for them."""
UNSEEN = frozenset({"instr", "steps"})
"""Levels of observers that compiled code doesn't report."""


def check_engine(engine: object) -> None:
    """Raises TypeError or ValueError for a name that no engine has."""
    check_choice("engine", engine, ENGINES)


def maker(engine: str, observer: Observer | None) -> Callable[[], Engine]:
    """A function that makes an engine of this name for each instance of a guest with this observer. Raises
    LinkError if the native engine's package is missing, or of another version, and for an observer of single
    instructions that compiled code doesn't report."""
    if engine == "compile" and observer is not None and (unseen := sorted(observer.wants & UNSEEN)):
        raise LinkError(f'engine compile can\'t observe {", ".join(unseen)}: say engine="interpret"')
    if engine != NATIVE:
        return PORTABLE[engine]
    from .native.engine import engines_of_a_guest

    return engines_of_a_guest()


def engine_for(name: str, observer: Observer | None) -> Engine:
    """An engine for a module's instance with this observer. Raises LinkError as `maker` does."""
    if name == "interpret" and observer is not None and "steps" in observer.wants:
        return SteppingEngine()
    return maker(name, observer)()
