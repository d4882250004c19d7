"""The exports of a component instance for Python: namespaces, functions with signatures, classes.

What is here: `Exports`. What is not: how calls pass values (`canonical`).

A namespace is a module object, so that `help()` lists its contents. A function is a Python function, made on
first access.
"""

from __future__ import annotations

import re
from abc import update_abstractmethods
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from ..brief import listed, named
from .about import About
from .annotations import Annotations, evaluated, parameters
from .canonical.context import INDENT, code_of
from .canonical.faces import Err, Ok, Some, attribute, class_names
from .catalogue import Definition, inner_name, member_name, short
from .handles import Owned, ResourceType
from .imports import Item
from .names import extern_name
from .runtime import ComponentFunc, LiftedFunc, Tree
from .types import NAMED, Compound, Extern, FuncType, InstanceType, Kind, Sort

PLAIN: Mapping[str, Any] = {
    **{class_.__name__: class_ for class_ in (bool, int, float, str, bytes, list, tuple, dict, object)},
    **{"None": None, "Ok": Ok, "Err": Err, "Some": Some},
}
"""Names in annotations that don't come from a component."""


class Exports(ModuleType):
    """The exports of an instance: `exports.name`, or `exports["any:name/of-it@1.0.0"]`. An exported interface
    is again such a namespace, with functions, and classes for resources and other types."""

    def __init__(
        self, items: Mapping[str, Item], types: Mapping[str, Extern], about: About, tree: Tree, name: str = ""
    ) -> None:
        super().__init__(attribute(short(name)) or "exports")
        self._items, self._about, self._tree = items, about, tree
        self._types: Mapping[str, Any] = types
        self._name = name
        self._made: dict[str, Any] = {}
        self._attributes = about.names(name, types)
        self.__doc__ = self._described()
        for label in self._attributes:
            if hasattr(Exports, label):  # an export named `items` hides the method
                self.__dict__[label] = self[self._attributes[label]]
        for label, item in items.items():
            if isinstance(item.value, ResourceType) and is_own(item.value, tree):
                item.value.name = item.value.name or label
                item.value.describe = partial(self._resource_class, label)
            elif item.sort is Sort.INSTANCE:
                self[label]

    def _described(self) -> str | None:
        """The author's documentation, and a list of the inner interfaces."""
        documents = self._about.documents
        written = documents.interface(self._name) if self._name else documents.world
        inner = [
            f"{spelled}: the interface {name}"
            for spelled, name in self._attributes.items()
            if self._types[name].sort is Sort.INSTANCE
        ]
        return "\n\n".join(filter(None, (written, "\n".join(inner)))) or None

    # Names

    def __getitem__(self, name: str) -> Any:
        if name not in self._items:
            name = next((full for full in self._items if full.partition("@")[0] == name), name)
        if name not in self._made:
            self._made[name] = self._make(name, self._items[name])
        return self._made[name]

    def __getattr__(self, name: str) -> Any:
        found = None if name.startswith("_") else self._attributes.get(name)
        if found is None:
            known = listed(list(self._attributes)) or "none"
            raise AttributeError(f"there is no export {name!r}; there are {known}")
        value = self.__dict__[name] = self[found]
        return value

    @property
    def __all__(self) -> list[str]:
        return list(self._attributes)

    def __dir__(self) -> list[str]:
        return sorted(self._attributes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def keys(self) -> KeysView[str]:
        return KeysView(self)

    def values(self) -> ValuesView[Any]:
        return ValuesView(self)

    def items(self) -> ItemsView[str, Any]:
        return ItemsView(self)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __repr__(self) -> str:
        return named("exports", listed(list(self._attributes)))

    def for_type(self, type_: InstanceType) -> Mapping[str, Item]:
        """The items for a component that imports this instance."""
        items: Mapping[str, Item] = self._items
        return items

    # Python objects for exports

    def _make(self, name: str, item: Item) -> Any:
        extern = self._types.get(name)
        if isinstance(item.value, ComponentFunc) and extern is not None:
            return self._function(name, item.value, attribute(re.split(r"[\].]", name)[-1]))
        if item.sort is Sort.INSTANCE and extern is not None:
            inner = inner_name(self._name, name)
            return Exports(item.value, extern.type.exports, self._about, self._tree, inner)
        if isinstance(item.value, ResourceType):
            return item.value.shown_as
        if extern is not None and isinstance(extern.type, Compound) and extern.type.kind in NAMED:
            return self._about.face(extern.type)
        return item.value

    def _function(self, name: str, func: ComponentFunc, called: str, owner: str = "") -> Any:
        """The Python function for an export; `owner` is the class of a method."""
        type_: FuncType = self._types[name].type
        names = list(parameters(type_, method="[method]" in name))
        instance = func.instance
        if isinstance(func, LiftedFunc) and instance is not None and instance.tree is self._tree:
            func = func.seen_as(type_)
            ways = func.ways(instance)
        else:
            assert self._tree.root is not None  # as it is linked
            ways = func.ways_through(self._tree.root)
        made = python_function(func, called, names, ways)
        made.__module__ = self.__name__
        made.__qualname__ = f"{owner}.{called}" if owner else called
        made.__doc__ = self._about.text(self._name, name, type_)
        made.__annotations__ = self._annotations(type_, names)
        if "[method]" in name:
            del made.__annotations__["self"]
        return made

    def _annotations(self, type_: FuncType, names: list[str]) -> dict[str, Any]:
        known = dict(PLAIN)

        def called(definition: Definition) -> str:
            name = f"c{len(known)}"
            known[name] = self._class_of(definition)
            return name

        texts = Annotations(self._about.catalogue, called)
        found = {name: texts.got(part) for name, part in zip(names, type_.params, strict=True)}
        found["return"] = texts.returned(type_)
        return {name: evaluated(text, known) for name, text in found.items()}

    def _class_of(self, definition: Definition) -> Any:
        if isinstance(definition.type, Compound):
            return self._about.face(definition.type)
        return self._tree.resource(definition.type).shown_as

    def _resource_class(self, label: str, resource: ResourceType) -> None:
        """Create the class of a resource with its constructor, methods and static functions, whose
        annotations may contain the class."""
        (called,) = class_names([label])
        definition = self._about.catalogue.definition(self._types[label].type)
        base = None if definition is None else self._about.given(definition)
        written = self._about.documents.type(self._name, label) or f"The resource {label}."
        space = {"__slots__": (), "__module__": self.__name__, "__doc__": written, "_resource": resource}
        class_ = resource.class_ = type(called, (base or Owned,), space)
        for name, extern in self._types.items():
            said = extern_name(name)
            if said is None or said.resource != label or extern.sort is not Sort.FUNC:
                continue
            member = "__init__" if said.role == "constructor" else member_name(name.rpartition(".")[2])
            made = self._function(name, self._items[name].value, member, called)
            setattr(class_, member, BOUND[said.role](made))
        update_abstractmethods(class_)


Mapping.register(Exports)


def is_own(resource: ResourceType, tree: Tree) -> bool:
    """Whether a resource type belongs to a component instance within this tree."""
    return resource.owner is not None and resource.owner.tree is tree


def python_function(
    func: ComponentFunc, called: str, names: list[str], ways: tuple[Callable[..., Any], ...]
) -> FunctionType:
    """A Python function for a component's function, whose `ways` enter, run and check. Its attribute `call`
    does the same, but returns results as `Ok` or `Err`."""
    given = ", ".join(names)
    head = f"def {called}({given}):\n{INDENT}"
    enter, run, check = ways
    call = f"_enter(_run, _check({given}))"
    result = func.type.result
    text = f"{head}return {call}\n"
    if isinstance(result, Compound) and result.kind is Kind.RESULT:
        text = (
            f"{head}_got = {call}\n{INDENT}if _got.label == 'error': raise _got\n{INDENT}return _got.value\n"
        )
    made = FunctionType(code_of(text), {"_enter": enter, "_run": run, "_check": check}, called)
    made.__dict__.update(
        call=lambda *arguments: enter(run, check(*arguments)), type=func.type, component_func=func
    )
    return made


def method(made: Any) -> Any:
    return made


def constructor(make: Any) -> Any:
    """The `__init__` that takes over the resource from the component's constructor."""
    names = list(make.__annotations__)[:-1]
    given = ", ".join(names)
    text = f"def __init__({', '.join(['_self', '/', *names])}):\n{INDENT}_self._adopt(_make({given}))\n"
    made = FunctionType(code_of(text), {"_make": make}, "__init__")
    made.__module__, made.__qualname__, made.__doc__ = make.__module__, make.__qualname__, make.__doc__
    made.__annotations__ = make.__annotations__ | {"return": None}
    return made


BOUND: Mapping[str, Callable[[Any], Any]] = {
    "constructor": constructor, "method": method, "static": staticmethod,
}  # fmt: skip
"""How a class binds functions, by role."""
