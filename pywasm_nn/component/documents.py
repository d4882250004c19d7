"""Documentation from the WIT files of a component: the custom section `package-docs`.

What is here: `Documents`. A malformed section means no documentation, and is never an error.
https://github.com/bytecodealliance/wasm-tools/blob/main/crates/wit-parser/src/metadata.rs
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..printable import printable
from .catalogue import short
from .syntax import Custom

SECTION = "package-docs"
VERSIONS = (b"\0", b"\1")
"""First bytes, which tell the version of the format."""
MOST_LINES, LONGEST_LINE = 200, 400
"""The most lines of a text, and characters of a line, that are shown."""


class Documents:
    """Texts by interface and name. The section's names have no package; they belong to the package of the
    component's world. If an interface of another package has the same label, its functions usually have other
    names."""

    def __init__(self, customs: Iterable[Custom] = ()) -> None:
        data: bytes | memoryview = next((custom.data for custom in customs if custom.name == SECTION), b"")
        self._said = mapping(parsed(bytes(data)))
        self._worlds = list(mapping(self._said.get("worlds")).values())

    @property
    def world(self) -> str:
        """The documentation of the world or package."""
        worlds = [text_of(world) for world in self._worlds]
        return next(filter(None, [*worlds, text_of(self._said)]), "")

    def interface(self, name: str) -> str:
        return text_of(self._interface(name))

    def function(self, interface: str, name: str) -> str:
        """The documentation of a function such as `[method]book.add`."""
        return text_of(self._found(interface, "funcs", name))

    def type(self, interface: str, label: str) -> str:
        return text_of(self._found(interface, "types", label))

    def item(self, interface: str, label: str, part: str) -> str:
        """The documentation of a field, case or flag of a type."""
        return text_of(mapping(mapping(self._found(interface, "types", label)).get("items")).get(part))

    def _interface(self, name: str) -> Any:
        label = short(name)
        places = [self._said, *self._worlds]
        return first(inner(place, kind, label) for place in places for kind in INTERFACES)

    def _found(self, interface: str, kind: str, name: str) -> Any:
        if interface:
            return inner(self._interface(interface), kind, name)
        return first(inner(world, each, name) for world in self._worlds for each in OF_WORLDS[kind])


INTERFACES = ("interfaces", "interface_exports")
OF_WORLDS = {"funcs": ("funcs", "func_exports"), "types": ("types",)}
"""Keys for interfaces, and for items of the world itself."""


def first(found: Iterable[Any]) -> Any:
    return next((each for each in found if each is not None), None)


def parsed(data: bytes) -> Any:
    """The value of a section; None if it isn't JSON."""
    text = data[1:] if data[:1] in VERSIONS else data
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def inner(value: Any, kind: str, name: str) -> Any:
    return mapping(mapping(value).get(kind)).get(name)


def text_of(value: Any) -> str:
    """A text, or the documentation of an item, as printable lines."""
    text = mapping(value).get("docs") if isinstance(value, dict) else value
    if not isinstance(text, str):
        return ""
    lines = text.strip().split("\n", MOST_LINES)
    shown = [printable(line.rstrip().expandtabs(4), LONGEST_LINE) for line in lines[:MOST_LINES]]
    return "\n".join([*shown, *["..."] * (len(lines) > MOST_LINES)])
