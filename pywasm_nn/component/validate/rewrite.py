"""Types made from other types: with other resources, or with their own names.

What is here: `Rewriter`. All uses of one type object become uses of one new object, so named types stay
identical.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..types import (
    ComponentType,
    Compound,
    Extern,
    FuncType,
    InstanceType,
    ModuleType,
    Origin,
    Prim,
    Resource,
    Sort,
)

INSTANCE = 10
"""The cost of an instance type in value types, by time and memory."""


class Rewriter:
    """Replaces resource types by their origins, and whole types by their objects.

    `spend` is called with the number of types visited, and may raise.
    """

    def __init__(
        self,
        spend: Callable[[int], None],
        origins: Mapping[Origin, Origin] | None = None,
        types: Mapping[int, Any] | None = None,
        *,
        names: bool = False,
    ) -> None:
        self.spend = spend
        self.origins = dict(origins or {})
        self.names = names
        """Whether types that instances export become separate objects."""
        self._made: dict[int, Any] = dict(types or {})
        self._kept: list[Any] = []
        """Visited types, kept alive so that their ids aren't reused."""

    def type(self, type_: Any) -> Any:
        """The type with all replacements; the same object if there are none."""
        if type_ is None or isinstance(type_, Prim | ModuleType):
            return type_
        made = self._made.get(id(type_))
        if made is None:
            self.spend(1)
            made = self._made[id(type_)] = REWRITES[type(type_)](self, type_)
            self._kept.append(type_)
        return made

    def fresh(self, origins: frozenset[Origin]) -> frozenset[Origin]:
        """Create a new resource type for each of these."""
        self.spend(len(origins))
        made = {origin: Origin(origin.name) for origin in origins}
        self.origins |= made
        return frozenset(made.values())

    def compound(self, compound: Compound) -> Compound:
        parts = tuple([self.type(part) for part in compound.parts])
        if all(map(same, parts, compound.parts)):
            return compound
        return Compound(compound.kind, compound.labels, parts, compound.length, compound.name)

    def func(self, func: FuncType) -> FuncType:
        params, result = tuple([self.type(param) for param in func.params]), self.type(func.result)
        if result is func.result and all(map(same, params, func.params)):
            return func
        return FuncType(func.labels, params, result, func.is_async)

    def resource(self, resource: Resource) -> Resource:
        origin = self.origins.get(resource.origin)
        return resource if origin is None else Resource(origin)

    def externs(self, externs: Mapping[str, Extern]) -> Mapping[str, Extern]:
        """Rewrite externs in order: an exported type gets its new object before later externs use it."""
        return {name: self.extern(extern) for name, extern in externs.items()}

    def extern(self, extern: Extern) -> Extern:
        if extern.sort is Sort.TYPE and self.names:
            made = renamed(self.type(extern.type))
            self._made[id(extern.type)] = made
            self._kept.append(extern.type)
            return Extern(extern.sort, made)
        return Extern(extern.sort, self.type(extern.type))

    def instance(self, instance: InstanceType) -> InstanceType:
        self.spend(INSTANCE + len(instance.exports))
        return InstanceType(self.externs(instance.exports), instance.origins)

    def component(self, component: ComponentType) -> ComponentType:
        self.spend(INSTANCE + len(component.imports) + len(component.exports))
        # Types inside a component type are named inside it.
        names, self.names = self.names, False
        made = ComponentType(
            self.externs(component.imports), self.externs(component.exports), component.wanted, component.made
        )
        self.names = names
        return made


REWRITES: dict[type, Callable[[Rewriter, Any], Any]] = {
    Compound: Rewriter.compound,
    FuncType: Rewriter.func,
    Resource: Rewriter.resource,
    InstanceType: Rewriter.instance,
    ComponentType: Rewriter.component,
}


def same(one: object, other: object) -> bool:
    return one is other


def renamed(type_: Any) -> Any:
    """The same type under another name: a separate object."""
    if isinstance(type_, Resource):
        return Resource(type_.origin)
    if isinstance(type_, Compound):
        return Compound(type_.kind, type_.labels, type_.parts, type_.length)
    return type_


def opened(instance: InstanceType, spend: Callable[[int], None]) -> tuple[InstanceType, frozenset[Origin]]:
    """A new instance of this type: its resource types are new, and its types are separate objects."""
    rewriter = Rewriter(spend, names=True)
    origins = rewriter.fresh(instance.origins)
    return InstanceType(rewriter.externs(instance.exports)), origins


def free_origins(type_: Any, spend: Callable[[int], None]) -> Iterator[Origin]:
    """The resource types that a type refers to but doesn't define."""
    seen: set[int] = set()
    open_: list[tuple[Any, frozenset[Origin]]] = [(type_, frozenset())]
    while open_:
        one, bound = open_.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        spend(1)
        if isinstance(one, Resource):
            if one.origin not in bound:
                yield one.origin
        elif isinstance(one, Compound):
            open_ += [(part, bound) for part in one.parts]
        elif isinstance(one, FuncType):
            open_ += [(part, bound) for part in (*one.params, one.result)]
        elif isinstance(one, InstanceType):
            open_ += [(extern.type, bound | one.origins) for extern in one.exports.values()]
        elif isinstance(one, ComponentType):
            inner = bound | one.wanted | one.made
            open_ += [(extern.type, inner) for extern in (*one.imports.values(), *one.exports.values())]
