"""Finds the imports of a component, by name, in the embedder's values.

What is here: `found`. An import is a function, a resource type, or an instance: a mapping of names, an object
with attributes, or the exports of another component. Names of interfaces match by version: 1.x by the major
version, 0.x by the minor one, prereleases exactly; a given name without a version matches all. Missing
imports are collected, not raised.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..interpreter.module import Module
from ..interpreter.runtime.observe import Observer
from ..printable import printable
from ..records import Frozen
from .canonical.faces import attribute, class_name
from .catalogue import member_name
from .handles import ResourceType, resource_type
from .names import compatible, extern_name
from .runtime import ComponentFunc, ComponentInstance, HostFunction
from .types import Compound, Extern, FuncType, InstanceType, Resource, Sort


class Item(Frozen):
    """An export of an instance, or a value for an import."""

    sort: Sort
    value: Any


class Missing(Frozen):
    """A missing or unsuitable import: its name, and what it should be."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name} ({self.why})"


LONGEST_NAME = 100
"""Characters of a function's name or signature in messages."""
MOST_LISTED = 40
"""The most missing imports that a message lists."""


def missing_text(missing: list[Missing]) -> str:
    """All missing imports, one per line."""
    lines = [str(each) for each in missing[:MOST_LISTED]]
    if len(missing) > MOST_LISTED:
        lines.append(f"and {len(missing) - MOST_LISTED} more")
    return "the component's imports aren't all given:\n  " + "\n  ".join(lines)


class Host(Protocol):
    """The host's interfaces for one component, for example WASI's."""

    def lookup(self, name: str) -> Any:
        """The object with the functions of an interface; None for an unknown interface."""


class Running(Protocol):
    """The running component, as its hosts see it."""

    observer: Observer

    def patience(self) -> float | None:
        """Seconds that the guest has left; None without a limit. Raises DeadlineError if none are left."""

    def when_halted(self, halt: Callable[[Any], None], model: Any) -> None:
        """Call `halt(model)`, from another thread, when the guest's time runs out."""


class Finder:
    """Finds imports for one instance, and records its resource types."""

    def __init__(self, instance: ComponentInstance, missing: list[Missing]) -> None:
        self.instance = instance
        self.missing = missing

    def found(self, given: Any, name: str, extern: Extern, path: str = "") -> Item:
        """The item for one import. `given` has the items, `path` is the names of the enclosing instances."""
        value = member(given, name)
        where = f"{path} {name}" if path else name
        if isinstance(value, Item):
            if value.sort is not extern.sort:
                self.miss(where, f"a {extern.sort.value} is wanted, a {value.sort.value} given")
                return value
            value = value.value
        return FOUND[extern.sort](self, value, where, extern.type)

    def miss(self, where: str, why: str) -> None:
        self.missing.append(Missing(where, why))

    def func(self, value: Any, where: str, type_: FuncType) -> Item:
        if isinstance(inner := getattr(value, "component_func", None), ComponentFunc):
            value = inner
        if isinstance(value, ComponentFunc):
            if value.instance is not None:
                self.instance.tree.join(value.instance.tree)
            if not same_func(value, type_, self.instance):
                self.miss(where, f"{type_!r} is wanted, {value.type!r} given")
        elif callable(value):
            if why := misfit(value, type_):
                self.miss(where, f"{type_!r} is wanted, {why}")
            value = HostFunction(type_, value, where, self.instance.resolve, is_given=True)
        else:
            self.miss(
                where, f"{type_!r}" if value is None else f"{type_!r} is wanted, {type(value).__name__} given"
            )
        return Item(Sort.FUNC, value)

    def type(self, value: Any, where: str, type_: Any) -> Item:
        """A type; only a resource type must be given."""
        if not isinstance(type_, Resource):
            return Item(Sort.TYPE, type_)
        if value is None and type_.origin in self.instance.resources:  # another name of a given type
            return Item(Sort.TYPE, self.instance.resources[type_.origin])
        if isinstance(value, type):
            value = getattr(value, "_resource", None) or resource_type(value)
        if not isinstance(value, ResourceType):
            self.miss(where, "resource")
            value = ResourceType(where, None, None)
        if value.owner is not None:
            self.instance.tree.join(value.owner.tree)
        self.instance.resources.setdefault(type_.origin, value)
        self.instance.places.setdefault(value, where)
        return Item(Sort.TYPE, self.instance.resources[type_.origin])

    def instance_(self, value: Any, where: str, type_: InstanceType) -> Item:
        if hasattr(value, "for_type"):  # it makes the functions that the component imports
            value = value.for_type(type_)
        exports = {name: self.found(value, name, extern, where) for name, extern in type_.exports.items()}
        return Item(Sort.INSTANCE, exports)

    def module(self, value: Any, where: str, type_: Any) -> Item:
        if not isinstance(value, Module):
            self.miss(where, "core module")
        return Item(Sort.CORE_MODULE, value)

    def component(self, value: Any, where: str, type_: Any) -> Item:
        self.miss(where, "component: components can't be given yet")
        return Item(Sort.COMPONENT, value)


FOUND: Mapping[Sort, Callable[[Finder, Any, str, Any], Item]] = {
    Sort.FUNC: Finder.func,
    Sort.TYPE: Finder.type,
    Sort.INSTANCE: Finder.instance_,
    Sort.CORE_MODULE: Finder.module,
    Sort.COMPONENT: Finder.component,
}


def misfit(function: Callable[..., Any], type_: FuncType) -> str:
    """Why a Python function can't be called with the parameters of a type; empty if it can."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function in C without a signature
        return ""
    try:
        signature.bind(*type_.labels)
    except TypeError as error:
        name: str = getattr(function, "__qualname__", type(function).__qualname__)
        shown = printable(f"{name.rpartition('<locals>.')[2]}{signature}", LONGEST_NAME)
        return f"{shown} given: {error}"
    return ""


def member(given: Any, name: str) -> Any:
    """The member of this name; None if there is none. Functions of a resource may be methods of its class."""
    found = entry(given, name)
    said = extern_name(name)
    if found is not None or said is None or not said.resource:
        return found
    class_ = entry(given, said.resource)
    return OF_CLASSES[said.role](class_, name.rpartition(".")[2]) if isinstance(class_, type) else None


def method(class_: type, label: str) -> Any:
    """A function that calls an object's method, which a subclass may override."""
    name = member_name(label)
    function = getattr(class_, name, None)
    if not callable(function):
        return None

    @functools.wraps(function)
    def call(self: Any, *arguments: Any) -> Any:
        return getattr(self, name)(*arguments)

    return call


OF_CLASSES: Mapping[str, Callable[[type, str], Any]] = {
    "constructor": lambda class_, label: class_,
    "method": method,
    "static": lambda class_, label: getattr(class_, member_name(label), None),
}
"""How functions of a resource are found in a host class, by role."""


def entry(given: Any, name: str) -> Any:
    """The member of exactly this name, also in the Python spellings for attributes and classes."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return getattr(given, attribute(name), getattr(given, class_name(name), None))
    for key in (name, attribute(name), class_name(name)):
        if key in given:
            return given[key]
    interface, at, version = name.partition("@")
    if not at:
        return None
    for other, value in given.items():
        first, _, second = other.partition("@")
        if first == interface and (not second or compatible(second) == compatible(version)):
            return value
    return None


def same_func(given: ComponentFunc, wanted: FuncType, instance: ComponentInstance) -> bool:
    """Whether another component's function has this type, after resolving resource types in both
    instances."""
    func = given.type
    return (func.labels, func.is_async) == (wanted.labels, wanted.is_async) and all(
        same_part(one, other, given.resolve_resource, instance.resolve)
        for one, other in zip((*func.params, func.result), (*wanted.params, wanted.result), strict=True)
    )


def same_part(
    one: Any, other: Any, resolve_one: Callable[[Resource], Any], resolve_other: Callable[[Resource], Any]
) -> bool:
    if isinstance(one, Resource) and isinstance(other, Resource):
        return resolve_one(one) is resolve_other(other)
    if not (isinstance(one, Compound) and isinstance(other, Compound)):
        return one is other
    return (one.kind, one.labels, one.length, len(one.parts)) == (
        other.kind,
        other.labels,
        other.length,
        len(other.parts),
    ) and all(
        same_part(a, b, resolve_one, resolve_other) for a, b in zip(one.parts, other.parts, strict=True)
    )
