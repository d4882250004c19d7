"""What Python calls the types and interfaces of a component: one class for a type, wherever it is used.

What is here: `Catalogue`, and names for interfaces that stand side by side. What is not: types as annotations
(`annotations.py`), and the classes themselves (`canonical.faces`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..records import record
from .canonical.faces import attribute, face
from .types import NAMED, ComponentType, Compound, Extern, InstanceType, Origin, Part, Resource, Sort

Exports = Mapping[str, Extern]


class Shapes:
    """A number for each type that is built in another way: of its kind, labels and parts."""

    def __init__(self) -> None:
        self._shapes: dict[Any, int] = {}
        self._known: dict[int, int] = {}
        """Shapes of types by id."""
        self._kept: list[Part] = []
        """Types whose ids are known, which therefore must stay."""

    def of(self, type_: Part) -> int:
        """The same number for all types that are built alike."""
        shape = self._known.get(id(type_))
        if shape is None:
            key: Any = type_
            if isinstance(type_, Resource):
                key = type_.origin
            elif isinstance(type_, Compound):
                key = type_.kind, type_.labels, type_.length, *map(self.of, type_.parts)
            shape = self._known[id(type_)] = self._shapes.setdefault(key, len(self._shapes))
            self._kept.append(type_)
        return shape


@record
class Definition:
    """A type with a class: a record, variant, enum, flags or resource. `interface` is where it is defined,
    empty for the world itself, and `imported` says whose it is."""

    interface: str
    label: str
    type: Compound | Resource
    imported: bool


class Catalogue:
    """The types of a component that have names. Types of one name that are built alike are one: an interface
    uses those of another one, and tools write each down again."""

    def __init__(self, type_: ComponentType) -> None:
        self.definitions: list[Definition] = []
        self._shapes = Shapes()
        self._by_shape: dict[tuple[str, int], Definition] = {}
        self._by_id: dict[int, Definition] = {}
        self._by_origin: dict[Origin, Definition] = {}
        self._learn("", type_.imports, True)
        self._learn("", type_.exports, False)

    def _learn(self, interface: str, externs: Exports, imported: bool) -> None:
        for label, extern in externs.items():
            type_ = extern.type
            if isinstance(type_, InstanceType):
                self._learn(inner_name(interface, label), type_.exports, imported)
            elif extern.sort is Sort.TYPE and isinstance(type_, Resource):
                if type_.origin not in self._by_origin:
                    self._by_origin[type_.origin] = self._add(Definition(interface, label, type_, imported))
            elif extern.sort is Sort.TYPE and isinstance(type_, Compound) and type_.kind in NAMED:
                key = label, self._shapes.of(type_)
                if key not in self._by_shape:
                    self._by_shape[key] = self._add(Definition(interface, label, type_, imported))
                self._by_id[id(type_)] = self._by_shape[key]

    def _add(self, definition: Definition) -> Definition:
        self.definitions.append(definition)
        return definition

    def definition(self, type_: Part) -> Definition | None:
        """Where a type is defined; None for one that has no name."""
        if isinstance(type_, Resource):
            return self._by_origin.get(type_.origin)
        return self._by_id.get(id(type_))

    def face(self, type_: Compound) -> Any:
        """The class of a type, see `canonical.faces`."""
        found = self._by_id.get(id(type_))
        if found is None:
            return face(type_)
        assert isinstance(found.type, Compound)  # resources have no id here
        return named_face(found.type, found.label)


def named_face(type_: Compound, label: str) -> Any:
    """The class of a type that is called so."""
    type_.name = type_.name or label
    return face(type_)


def member_name(label: str) -> str:
    """What a method of a resource is called in Python, where `close` lets go of any resource."""
    name = attribute(label)
    return name + "_" * (name == "close")


def inner_name(interface: str, label: str) -> str:
    """The name of an instance in another one."""
    return f"{interface}/{label}" if interface else label


def short(name: str) -> str:
    """The last label of a name: `money` of `shop:orders/money@1.2.0`."""
    return name.partition("@")[0].rpartition("/")[2]


def spellings(name: str) -> Iterator[str]:
    """What an export may be called in Python, the shortest first: `money`, `orders_money`,
    `shop_orders_money`, `shop_orders_money_1_2_0`."""
    path = name.partition("@")[0]
    words = [word for word in re.split("[:/]", path) if word]
    for count in range(1, len(words) + 1):
        yield attribute("-".join(words[-count:]))
    yield attribute(re.sub("[^0-9A-Za-z]+", "-", name))


def attributes(names: Iterable[str]) -> dict[str, str]:
    """Names of exports or imports by what they are called in Python: each as short as it can be without being
    another one's."""
    open_ = {name: list(spellings(name)) for name in names}
    found: dict[str, str] = {}
    while open_:
        counts = Counter(spelled[0] for spelled in open_.values())
        for name, spelled in list(open_.items()):
            if counts[spelled[0]] == 1 and spelled[0] not in found:
                found[spelled[0]] = name
                del open_[name]
            elif len(spelled) > 1:
                spelled.pop(0)
            else:
                spelled[0] += "_"
    return found
