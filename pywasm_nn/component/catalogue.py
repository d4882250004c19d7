"""Python names for the types and interfaces of a component: one class for each type, wherever it is used.

What is here: `Catalogue`, and names for interfaces in one namespace. What is not: types as annotations
(`annotations.py`), and the classes themselves (`canonical.faces`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ..records import Frozen
from .canonical.faces import attribute, class_names, face
from .names import extern_name
from .types import NAMED, ComponentType, Compound, Extern, InstanceType, Origin, Part, Resource, Sort

K = TypeVar("K")
Exports = Mapping[str, Extern]


class Shapes:
    """A number for each structurally different type, from its kind, labels and parts."""

    def __init__(self) -> None:
        self._shapes: dict[Any, int] = {}
        self._known: dict[int, int] = {}
        """Shapes of types by id."""
        self._kept: list[Part] = []
        """Types whose ids are known, kept alive so that the ids stay theirs."""

    def of(self, type_: Part) -> int:
        """The type's number; structurally equal types have the same one."""
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


class Definition(Frozen):
    """A type with a class: a record, variant, enum, flags or resource. `interface` is the interface that
    defines it (empty for the world itself), which is imported or exported (`imported`)."""

    interface: str
    label: str
    type: Compound | Resource
    imported: bool


class Catalogue:
    """The named types of a component. Structurally equal types with the same name are one type, because tools
    repeat the definition of a type in each interface that uses it from another."""

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
        """The definition of a type; None for a type without a name."""
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
    """The class of a type with this name."""
    type_.name = type_.name or label
    return face(type_)


def member_name(label: str) -> str:
    """The Python name of a resource's method; `close` is reserved for releasing the resource."""
    name = attribute(label)
    return name + "_" * (name == "close")


def inner_name(interface: str, label: str) -> str:
    """The name of an instance inside another one."""
    return f"{interface}/{label}" if interface else label


def short(name: str) -> str:
    """The last label of a name: `money` of `shop:orders/money@1.2.0`."""
    return name.partition("@")[0].rpartition("/")[2]


def spellings(name: str) -> Iterator[str]:
    """Possible Python names for an export, the shortest first: `money`, `orders_money`, `shop_orders_money`,
    `shop_orders_money_1_2_0`."""
    path = name.partition("@")[0]
    words = [word for word in re.split("[:/]", path) if word]
    for count in range(1, len(words) + 1):
        yield attribute("-".join(words[-count:]))
    yield attribute(re.sub("[^0-9A-Za-z]+", "-", name))


def attributes(names: Iterable[str]) -> dict[str, str]:
    """Names of exports or imports by their Python names. Each Python name is the shortest one that means no
    other export."""
    found = unique({name: list(spellings(name)) for name in names})
    return {spelled: name for name, spelled in found.items()}


def unique(spelled: Mapping[K, list[str]], taken: Iterable[str] = ()) -> dict[K, str]:
    """For each key the first of its spellings that is unique and not taken; `_` is appended if there is
    none."""
    open_ = {key: list(each) for key, each in spelled.items()}
    found: dict[K, str] = {}
    used = set(taken)
    while open_:
        counts = Counter(each[0] for each in open_.values())
        for key, each in list(open_.items()):
            if each[0] not in used and (len(each) == 1 or counts[each[0]] == 1):
                found[key] = open_.pop(key)[0]
                used.add(found[key])
            elif len(each) > 1:
                each.pop(0)
            else:
                each[0] += "_"
    return {key: found[key] for key in spelled}


def called_in(externs: Exports) -> dict[str, str]:
    """The names in WIT of an instance's members, by their Python names: classes for types, functions, inner
    instances. Functions of resources belong to their classes."""
    classes = [label for label, extern in externs.items() if has_class(extern)]
    plain = [
        label
        for label, extern in externs.items()
        if extern.sort is not Sort.TYPE and not ((said := extern_name(label)) and said.resource)
    ]
    return dict(zip(class_names(classes), classes, strict=True)) | attributes(plain)


def has_class(extern: Extern) -> bool:
    """Whether an export is a type with a Python class."""
    type_ = extern.type
    return extern.sort is Sort.TYPE and (
        isinstance(type_, Resource) or (isinstance(type_, Compound) and type_.kind in NAMED)
    )
