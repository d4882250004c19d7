"""Further facts about a component's types: their Python classes, documentation and WIT text.

What is here: `About`, which all instances of a component share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cached_property
from typing import Any

from .canonical.faces import HOME, attribute
from .catalogue import Catalogue, Definition, Exports, called_in, short
from .documents import Documents
from .syntax import Custom
from .typed import given_classes
from .types import ComponentType, Compound, FuncType
from .wit import Signatures


def nothing(definition: Definition) -> None:
    """Returns no class."""


class About:
    """Names and documentation of a component's types, computed on first use."""

    def __init__(self, type_: ComponentType, customs: Iterable[Custom] = ()) -> None:
        self.type = type_
        self._customs = customs
        self._names: dict[str, dict[str, str]] = {}
        self.given: Callable[[Definition], Any] = nothing
        """Returns the class that a program provides for a type, or None."""

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.type)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self._customs)

    @cached_property
    def signatures(self) -> Signatures:
        return Signatures(self.type)

    def names(self, interface: str, externs: Exports) -> Mapping[str, str]:
        """The names in WIT of an interface's exports by their Python names, computed once."""
        found = self._names.get(interface)
        if found is None:
            found = self._names[interface] = called_in(externs)
        return found

    def face(self, type_: Compound) -> Any:
        """The Python class of a type."""
        definition = self.catalogue.definition(type_)
        given = None if definition is None else self.given(definition)
        if given is not None:
            return given
        made = self.catalogue.face(type_)
        if definition is not None and made.__module__ == HOME:
            made.__module__ = attribute(short(definition.interface)) or "exports"
            made.__doc__ = self.described(definition)
        return made

    def described(self, definition: Definition) -> str:
        """The documentation of a type: its author's text, and its definition in WIT."""
        interface, label = definition.interface, definition.label
        written = self.documents.type(interface, label)
        return "\n\n".join(filter(None, (written, self.signatures.type(interface, label, definition.type))))

    def typed(self, types: Any) -> About:
        """The same for a program that provides classes for types, see `typed.py`. Raises TypeError."""
        given = given_classes(types, self.catalogue)
        made = copy(self)  # with the catalogue
        made.given = given
        return made

    def text(self, interface: str, name: str, type_: FuncType) -> str:
        """The documentation of a function: its author's text, and its type in WIT."""
        written = self.documents.function(interface, name)
        return "\n\n".join(filter(None, (written, self.signatures.of(interface, name, type_))))
