"""The types of a component as WIT: its world, and the interfaces that it imports and exports.

What is here: `wit`. What is not: parsing WIT, and documentation from WIT files (`documents.py`).
https://github.com/WebAssembly/component-model/blob/main/design/mvp/WIT.md

A name for a type that needs none (`type filesize = u64`) is written where it is exported; elsewhere the type
itself is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .catalogue import Shapes, inner_name
from .names import ExternName, extern_name
from .types import ComponentType, Compound, Extern, InstanceType, Kind, Part, Resource, Sort

KEYWORDS = frozenset(
    {
        *("as", "async", "bool", "borrow", "char", "constructor", "enum", "export", "f32", "f64", "flags"),
        *(
            "from",
            "func",
            "future",
            "import",
            "include",
            "interface",
            "list",
            "map",
            "option",
            "own",
            "package",
        ),
        *("record", "resource", "result", "s16", "s32", "s64", "s8", "static", "stream", "string", "tuple"),
        *("type", "u16", "u32", "u64", "u8", "use", "variant", "with", "world"),
    }
)
"""Keywords: as names they need a `%` in front."""
MOST_CHARACTERS = 1 << 20
"""The most characters for types: a few bytes can describe a type with millions of parts."""
STEP = "  "

Exports = Mapping[str, Extern]


def name(label: str) -> str:
    return f"%{label}" if label in KEYWORDS else label


class Names:
    """Names of types, in the interface that is being written and in earlier ones."""

    def __init__(self) -> None:
        self.left = MOST_CHARACTERS
        self.uses: dict[str, list[str]] = {}
        """Names that this interface uses, by the interface that defines them."""
        self.interface = ""
        """The interface that is being written."""
        self._here: dict[int, str] = {}
        """Names of types in this interface, by shape."""
        self._elsewhere: dict[int, tuple[str, str]] = {}
        """The interface that defines a type, and the type's name there, by shape."""
        self._shapes = Shapes()

    def begin(self, interface: str) -> None:
        """Start another interface, in which no names are known yet."""
        self.interface, self._here, self.uses = interface, {}, {}

    def define(self, label: str, type_: Any) -> bool:
        """Name a type in this interface. Returns whether to write its definition, not a use of another
        interface."""
        shape = self._shapes.of(type_)
        known = self._here.setdefault(shape, name(label)) != name(label)
        source = self._elsewhere.get(shape)
        if known or not needs_name(type_) or source is None or source[0] == self.interface:
            if needs_name(type_):
                self._elsewhere.setdefault(shape, (self.interface, label))
            return True
        if source[1] != label and not isinstance(type_, Resource):
            return True  # structurally equal, but with another name
        self.use(source, label)
        return False

    def use(self, source: tuple[str, str], label: str) -> None:
        """Use a type of another interface, under the same name or an alias."""
        alias = f" as {name(label)}" if source[1] != label else ""
        self.uses.setdefault(source[0], []).append(name(source[1]) + alias)

    def text(self, type_: Part) -> str:
        """A type as it is written in other types."""
        if self.left <= 0:
            return "..."
        made = self.named(type_) or self.inner(type_)
        self.left -= len(made)
        return made

    def named(self, type_: Part) -> str | None:
        """The name of a type here, if necessary by a use of another interface."""
        if not isinstance(type_, Compound | Resource):
            return None
        shape = self._shapes.of(type_)
        found = self._here.get(shape)
        if found is None and needs_name(type_) and shape in self._elsewhere:
            source = self._elsewhere[shape]
            found = self._here[shape] = name(source[1])
            self.use(source, source[1])
        return found

    def inner(self, type_: Part) -> str:
        """A type itself, without its name."""
        if isinstance(type_, Compound):
            return WRITTEN[type_.kind](self, type_)
        if isinstance(type_, Resource):
            return type_.origin.name or "resource"
        return "_" if type_ is None else type_.name

    def generic(self, type_: Compound) -> str:
        parts = [self.text(part) for part in type_.parts if part is not None]
        if type_.length is not None:
            parts.append(str(type_.length))
        return type_.kind.value + (f"<{', '.join(parts)}>" if parts else "")

    def result(self, type_: Compound) -> str:
        ok, error = type_.parts
        if error is not None:
            return f"result<{self.text(ok)}, {self.text(error)}>"
        return "result" if ok is None else f"result<{self.text(ok)}>"

    def owned(self, type_: Compound) -> str:
        return self.text(type_.parts[0])

    def unnamed(self, type_: Compound) -> str:
        """A type for which WIT has no syntax except its definition."""
        return " ".join(definition("", type_, self)).removesuffix(";")


WRITTEN: Mapping[Kind, Callable[[Names, Compound], str]] = {
    **dict.fromkeys(Kind, Names.generic),
    **dict.fromkeys((Kind.RECORD, Kind.VARIANT, Kind.ENUM, Kind.FLAGS), Names.unnamed),
    Kind.RESULT: Names.result,
    Kind.OWN: Names.owned,
}


def needs_name(type_: Part) -> bool:
    """Whether a type must be written by its name."""
    return isinstance(type_, Resource) or (isinstance(type_, Compound) and type_.kind in NAMED)


def function(type_: Any, names: Names, method: bool = False) -> str:
    """The type of a function; for a method without `self`."""
    params = [
        f"{name(label)}: {names.text(part)}" for label, part in zip(type_.labels, type_.params, strict=True)
    ]
    result = "" if type_.result is None else f" -> {names.text(type_.result)}"
    return f"{'async ' * type_.is_async}func({', '.join(params[method:])}){result}"


def definition(label: str, type_: Any, names: Names) -> Iterator[str]:
    """The definition of a named type, as one or several lines."""
    if not isinstance(type_, Compound) or type_.kind not in NAMED:
        yield f"type {name(label)} = {names.inner(type_)};"
        return
    yield f"{type_.kind.value} {name(label)}".rstrip() + " {"
    for one, part in zip(type_.labels, type_.parts or (None,) * len(type_.labels), strict=True):
        yield STEP + NAMED[type_.kind](name(one), None if part is None else names.text(part)) + ","
    yield "}"


NAMED: Mapping[Kind, Callable[[str, str | None], str]] = {
    Kind.RECORD: lambda label, part: f"{label}: {part}",
    Kind.VARIANT: lambda label, part: label if part is None else f"{label}({part})",
    Kind.ENUM: lambda label, part: label,
    Kind.FLAGS: lambda label, part: label,
}


Member = tuple[ExternName, Any]
"""A function of a resource: its name, and its type."""


def members_of(exports: Exports) -> Mapping[str, Sequence[Member]]:
    """The functions of resources, by the resource's label."""
    members: dict[str, list[Member]] = {}
    for full, extern in exports.items():
        said = extern_name(full) if extern.sort is Sort.FUNC else None
        if said is not None and said.resource:
            members.setdefault(said.resource, []).append((said, extern.type))
    return members


def resource(label: str, members: Sequence[Member], names: Names) -> Iterator[str]:
    """A resource with its functions."""
    lines = []
    for said, type_ in members:
        if said.role == "constructor":
            lines.append(function(type_, names).removeprefix("func").partition(" -> ")[0])
            lines[-1] = f"constructor{lines[-1]};"
            continue
        static = "static " if said.role == "static" else ""
        text = function(type_, names, method=not static)
        lines.append(f"{name(said.text.rpartition('.')[2])}: {static}{text};")
    if not lines:
        yield f"resource {name(label)};"
        return
    yield f"resource {name(label)} {{"
    yield from (STEP + line for line in lines)
    yield "}"


def items(exports: Exports, names: Names, interface: str) -> Iterator[str]:
    """The lines between the braces of an interface."""
    names.begin(interface)
    own = {
        label
        for label, extern in exports.items()
        if extern.sort is Sort.TYPE and names.define(label, extern.type)
    }
    lines: list[str] = []
    members = members_of(exports)
    for label, extern in exports.items():
        said = extern_name(label)
        if label in own:
            lines += defined(label, extern.type, members, names)
        elif extern.sort is Sort.FUNC and not (said and said.resource):
            lines.append(f"{name(label)}: {function(extern.type, names)};")
    yield from uses(names)
    yield from lines


def package_of(interface: str) -> tuple[str, str]:
    """The package of an interface, with its version, and the interface's name in it."""
    path, at, version = interface.partition("@")
    package, _, label = path.rpartition("/")
    return package + at + version, label


def uses(names: Names) -> Iterator[str]:
    """One line for each other interface that is used; interfaces of the same package by label only."""
    for source, labels in names.uses.items():
        package, label = package_of(source)
        place = name(label) if package == package_of(names.interface)[0] else source
        yield f"use {place}.{{{', '.join(labels)}}};"


def defined(label: str, type_: Any, members: Mapping[str, Sequence[Member]], names: Names) -> Iterator[str]:
    """The definition of a named type; for a resource with its functions, if they are among the members."""
    if isinstance(type_, Resource):
        return resource(label, members.get(label, ()), names)
    return definition(label, type_, names)


def exports_of(instance: Extern) -> Exports:
    """The exports of an instance."""
    assert isinstance(instance.type, InstanceType)  # as its sort says
    return instance.type.exports


def interfaces(type_: ComponentType) -> Mapping[str, Exports]:
    """Interfaces with a global name, and all items that are imported or exported from each."""
    found: dict[str, dict[str, Extern]] = {}
    for externs in (type_.imports, type_.exports):
        for full, extern in externs.items():
            if extern.sort is Sort.INSTANCE and ":" in full:
                found.setdefault(full, {}).update(exports_of(extern))
    return found


def world(type_: ComponentType, names: Names) -> Iterator[str]:
    """The lines between the braces of a world."""
    names.begin("")
    sides = (("import", type_.imports), ("export", type_.exports))
    lines: list[str] = []
    for verb, externs in sides:
        members = members_of(externs)
        own = {
            label
            for label, extern in externs.items()
            if extern.sort is Sort.TYPE and names.define(label, extern.type)
        }
        for full, extern in externs.items():
            if extern.sort is Sort.FUNC:
                lines.append(f"{verb} {name(full)}: {function(extern.type, names)};")
            elif full in own:
                lines += defined(full, extern.type, members, names)
            elif extern.sort is Sort.INSTANCE and ":" in full:
                lines.append(f"{verb} {full};")
            elif extern.sort in (Sort.CORE_MODULE, Sort.COMPONENT):
                lines.append(f"// {verb} {name(full)}: {extern.sort.value}")
    yield from uses(names)
    yield from lines
    for verb, externs in sides:
        for full, extern in externs.items():
            if extern.sort is Sort.INSTANCE and ":" not in full:
                yield f"{verb} {name(full)}: interface {{"
                yield from (STEP + line for line in items(exports_of(extern), names, full))
                yield "}"


def wit(type_: ComponentType) -> str:
    """The component's world, named `root`, and the packages that it needs, as WIT text."""
    names = Names()
    packages: dict[str, list[str]] = {}
    for full, exports in interfaces(type_).items():
        package, label = package_of(full)
        lines = packages.setdefault(package, [])
        lines += [f"interface {name(label)} {{", *(STEP + line for line in items(exports, names, full)), "}"]
    text = [
        "package root:component;",
        "",
        "world root {",
        *(STEP + line for line in world(type_, names)),
        "}",
    ]
    for package, lines in packages.items():
        text += ["", f"package {package} {{", *(STEP + line for line in lines), "}"]
    return "\n".join(text) + "\n"


class Signatures:
    """Functions of a component in WIT, with the names of types."""

    def __init__(self, type_: ComponentType) -> None:
        self._names = Names()
        self._interfaces: dict[str, Exports] = {"": {**type_.imports, **type_.exports}}
        self._learn("", type_.imports)
        self._learn("", type_.exports)

    def _learn(self, interface: str, externs: Exports) -> None:
        self._begin(interface, externs)
        for label, extern in externs.items():
            if extern.sort is Sort.INSTANCE:
                inner = inner_name(interface, label)
                self._interfaces.setdefault(inner, exports_of(extern))
                self._learn(inner, exports_of(extern))

    def _begin(self, interface: str, externs: Exports) -> None:
        self._names.begin(interface)
        for label, extern in externs.items():
            if extern.sort is Sort.TYPE:
                self._names.define(label, extern.type)

    def type(self, interface: str, label: str, type_: Any) -> str:
        """The definition of a type; for a resource without its functions."""
        self._begin(interface, self._interfaces[interface])
        self._names.left = MOST_CHARACTERS
        return "\n".join(defined(label, type_, {}, self._names))

    def of(self, interface: str, full: str, type_: Any) -> str:
        """A function of an interface: `add: func(line: string) -> u32`."""
        self._begin(interface, self._interfaces[interface])
        self._names.left = MOST_CHARACTERS
        said = extern_name(full)
        role = said.role if said else ""
        text = function(type_, self._names, method=role == "method")
        if role == "constructor":
            return f"constructor{text.removeprefix('func').partition(' -> ')[0]}"
        return f"{name(full.rpartition('.')[2])}: {'static ' * (role == 'static')}{text}"
