"""The backends of this package: each file in this folder that defines a `Backend` adds it, with its formats.

What is not here: choosing among them (`registry`). A backend's file imports its framework only inside
functions, so that listing all backends is cheap.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from ..backend import Backend


def builtin() -> tuple[Backend, ...]:
    """One instance of each, in the order of their ranks. A framework is imported only when it loads a
    model."""
    kinds: list[type[Backend]] = []
    for found in iter_modules(__path__):
        kinds += backends_of(import_module(f"{__name__}.{found.name}"))
    return tuple([kind() for kind in sorted(kinds, key=lambda kind: (kind.rank, kind.name))])


def backends_of(module: ModuleType) -> list[type[Backend]]:
    """The backend classes that a module itself defines."""
    classes = [kind for kind in vars(module).values() if isinstance(kind, type)]
    return [kind for kind in classes if issubclass(kind, Backend) and kind.__module__ == module.__name__]
