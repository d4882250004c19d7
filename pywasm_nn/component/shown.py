"""A component as tables in a notebook: its exports and imports with their types in WIT.

What is here: `html`. What is not: the world as text (`wit.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..brief import counted, sized
from ..markup import paragraph, table
from ..printable import printable
from .about import About
from .catalogue import inner_name
from .types import Extern, FuncType, InstanceType, Sort

LONGEST = 200
"""Characters of a type."""


def html(about: About, name: str, size: int, modules: int) -> str:
    """The tables of a component with this name, size in bytes and number of core modules."""
    exports, imports = (
        list(rows(about, "", externs)) for externs in (about.type.exports, about.type.imports)
    )
    return (
        paragraph(f"{printable(name) or 'component'}: {sized(size)}, {counted(modules, 'core module')}")
        + table(("export", "type"), exports, len(exports))
        + table(("import", "type"), imports, len(imports))
    )


def rows(about: About, interface: str, externs: Mapping[str, Extern]) -> Iterator[tuple[str, str]]:
    """The interface and the type of each function and type, in order."""
    for label, extern in externs.items():
        if isinstance(extern.type, InstanceType):
            yield from rows(about, inner_name(interface, label), extern.type.exports)
        elif isinstance(extern.type, FuncType):
            yield printable(interface), printable(about.signatures.of(interface, label, extern.type), LONGEST)
        elif extern.sort is Sort.TYPE:
            text = about.signatures.type(interface, label, extern.type)
            yield printable(interface), printable(" ".join(text.split()), LONGEST)
        else:
            yield printable(interface), printable(f"{label}: {extern.sort.value}", LONGEST)
