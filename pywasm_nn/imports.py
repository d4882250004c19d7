"""An embedder's imports, checked and converted to objects with types.

What is here: `Imports` and `importable`, and notes about missing imports. What is not: matching imports with
a module's types (`interpreter.runtime.link`), and the namespaces of this package (`wasi`, `nn`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .checks import check_mapping, refuse
from .errors import LinkError
from .host import host_function
from .interpreter.runtime.externs import AnyGlobal, Tag
from .interpreter.runtime.instance import Extern, Func, HostFunc, Instance, UntypedFunc
from .interpreter.runtime.link import LONGEST_NAME
from .interpreter.runtime.memory import Memory
from .interpreter.runtime.table import Table
from .namespaces import provider_of
from .printable import printable

Importable = Extern | Callable[..., Any]
"""The value for one import: an object with a type of its own, or a Python function."""
Imports = Mapping[str, Mapping[str, Importable] | Instance]
"""Imports by module name: a mapping of names, or an instance whose exports are used."""
WANTED = "a Python function, an export of an instance, or a Memory, Table, Global or Tag"

MOST_NOTES = 8
"""The number of namespaces that get a note."""


def importable(value: Importable, module: str, name: str) -> Extern:
    """The value for an import, converted to an object that can be linked. Raises TypeError."""
    if isinstance(value, Func):
        return value.origin
    if isinstance(value, HostFunc | UntypedFunc | Table | Memory | AnyGlobal | Tag):
        return value
    if not callable(value) or isinstance(value, type):
        raise refuse(f"import {module}::{name}", WANTED, value)
    return host_function(value, module, name)


def check_imports(imports: object) -> None:
    """Raises TypeError unless these are imports by module name. The signatures of functions are read only
    when they are linked."""
    wanted = 'a mapping like {"env": {"log": log}}'
    check_mapping("imports", imports, wanted)
    assert isinstance(imports, Mapping)
    for module, space in imports.items():
        if not isinstance(space, Instance):
            check_mapping(f"imports[{module!r}]", space, "a mapping of names, or an Instance")
            for name, value in space.items():
                if not callable(value) and not isinstance(value, HostFunc | UntypedFunc):
                    importable(value, module, name)


def given_import(imports: Imports, module: str, name: str) -> Extern | None:
    """The embedder's value for an import, None if there is none. Raises TypeError."""
    space = imports.get(module)
    if space is None:
        return None
    exports: Any = space.exports if isinstance(space, Instance) else space
    return importable(exports[name], module, name) if name in exports else None


def tell_missing(error: LinkError, imports: Imports) -> None:
    """Add notes to an error about missing imports that say how to provide them."""
    wanted: dict[str, list[str]] = {}
    for module, name in error.missing:
        wanted.setdefault(module, []).append(name)
    for note in notes_on(wanted, imports):
        error.add_note(note)


def notes_on(wanted: Mapping[str, list[str]], imports: Imports) -> Iterator[str]:
    """A note for each of the first namespaces with missing imports."""
    from difflib import get_close_matches  # slow to import

    for module, names in list(wanted.items())[:MOST_NOTES]:
        provider = provider_of(module)
        given: Any = imports.get(module, ())
        near = get_close_matches(
            names[0][:LONGEST_NAME], list(given.exports if isinstance(given, Instance) else given), 1
        )
        shown, first = printable(module, LONGEST_NAME), printable(names[0], LONGEST_NAME)
        if near:
            yield f"{shown}::{first}: did you mean {printable(near[0], LONGEST_NAME)}, which was given?"
        elif provider:
            yield f"{shown} comes with this package: instantiate({provider}), if it has these functions"
        else:
            yield f'{shown} is for you to give: instantiate(imports={{"{shown}": {{"{first}": ...}}}})'
