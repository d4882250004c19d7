"""Names in a generated module, and functions in its classes.

What is here: `Scope`. Every class has a unique name in the module. If a member of a class hides a name, it is
written there with a leading `_`, and the module defines it with this spelling, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..about import About
from ..annotations import Annotations, parameters
from ..canonical.faces import class_name
from ..catalogue import Definition, inner_name, member_name, spellings, unique
from ..names import extern_name
from ..types import ComponentType, Compound, Extern, FuncType, InstanceType, Kind, Part, Resource
from .source import docstring, function, indented

Exports = Mapping[str, Extern]
HOMES: Mapping[str, tuple[str, ...]] = {
    "abc": ("ABC", "abstractmethod"),
    "collections.abc": ("Callable", "Mapping", "Sequence"),
    "dataclasses": ("dataclass",),
    "enum": ("Enum", "Flag"),
    "typing": ("ClassVar", "Protocol", "TypeAlias", "Unpack", "cast"),
    "pywasm_nn": ("Buffer", "Component", "ComponentInstance", "Err", "Module", "Ok", "Owned", "Some"),
    "pywasm_nn.components": ("Settings",),
}
"""Names that the text may use, by the modules that define them."""
KNOWN = frozenset(name for names in HOMES.values() for name in names)
OWN = frozenset({"Imports", "Exports", "Instance", "TYPES"})
"""Names that every generated module defines."""
PROVIDED = "wasi:"
"""The prefix of interfaces that `wasi` and `nn` provide: the text has no classes for their imports."""


class Scope:
    """The parts of a component that the text describes, and their names."""

    def __init__(self, type_: ComponentType, about: About) -> None:
        self.about = about
        self.used: set[str] = set()
        """Names of `HOMES` that the text uses."""
        self.aliases: set[str] = set()
        """Names that the module also defines with a leading `_`."""
        self.places: dict[tuple[bool, str], Exports] = {}
        """Items of interfaces, by whether they are imported and by name; the world has the empty name."""
        self.classes: dict[Any, str] = {}
        """Names of classes for anything other than types."""
        wanted = {name: extern for name, extern in type_.imports.items() if not name.startswith(PROVIDED)}
        self._collect("", wanted, True)
        self._collect("", type_.exports, False)
        written = list(self.places)
        for name, extern in type_.imports.items():
            if name not in wanted and isinstance(extern.type, InstanceType):
                self._collect(name, extern.type.exports, True)
        self.definitions = self._reached(written)
        self.names: dict[int, str] = unique(
            {id(each): spellings_of(each) for each in self.definitions}, {*KNOWN, *OWN}
        )
        self.annotations = Annotations(about.catalogue, self.called, self.plain)
        self._hidden: frozenset[str] = frozenset()

    def _collect(self, interface: str, externs: Exports, imported: bool) -> None:
        self.places[imported, interface] = externs
        for label, extern in externs.items():
            if isinstance(extern.type, InstanceType):
                self._collect(inner_name(interface, label), extern.type.exports, imported)

    def _reached(self, places: Iterable[tuple[bool, str]]) -> list[Definition]:
        """The types in these interfaces, and all types that they use."""
        found: set[int] = set()
        for place in places:
            for extern in self.places[place].values():
                self._reach(extern.type, found)
        return [each for each in self.about.catalogue.definitions if id(each) in found]

    def _reach(self, type_: Any, found: set[int]) -> None:
        parts: list[Any] = []
        if isinstance(type_, FuncType):
            parts = [*type_.params, type_.result]
        elif isinstance(type_, Compound | Resource) and id(type_) not in found:
            found.add(id(type_))
            parts = list(type_.parts)
            definition = self.about.catalogue.definition(type_)
            if definition is not None and id(definition) not in found:
                found.add(id(definition))
                parts += [func for _, _, func in self.functions_of(definition)]
        for part in parts:
            self._reach(part, found)

    # Names

    def free(self, key: Any, *spelled: str) -> str:
        """A new unique name for a class, the first possible one of these."""
        taken = {*KNOWN, *OWN, *self.names.values(), *self.classes.values()}
        self.classes[key] = unique({key: list(spelled)}, taken)[key]
        return self.classes[key]

    def called(self, definition: Definition) -> str:
        return self.visible(self.names[id(definition)])

    def plain(self, name: str) -> str:
        """A name of Python's or of `HOMES`, as it is written here."""
        if name in KNOWN:
            self.used.add(name)
        return self.visible(name)

    def visible(self, name: str) -> str:
        """The spelling of a name, which a member of the current class may hide."""
        if name not in self._hidden:
            return name
        self.aliases.add(name)
        return f"_{name}"

    @contextmanager
    def hiding(self, names: Iterable[str]) -> Iterator[None]:
        """A block in which a class with these members is written."""
        self._hidden = frozenset(names)
        yield
        self._hidden = frozenset()

    # Functions

    def functions_of(self, definition: Definition) -> Iterator[tuple[str, str, FuncType]]:
        """The functions of a resource: role, full name and type."""
        for name, extern in self.places[definition.imported, definition.interface].items():
            said = extern_name(name)
            if said and said.resource == definition.label and isinstance(extern.type, FuncType):
                yield said.role, name, extern.type

    def params(self, type_: FuncType, role: str, hosted: bool) -> list[str]:
        """Parameters with annotations. The host's functions have positional parameters, because the host
        chooses their names."""
        write = self.annotations.got if hosted else self.annotations.given
        method = role == "method"
        texts = [
            f"{name}: {write(part)}"
            for name, part in zip(parameters(type_, method), type_.params, strict=True)
        ][method:]
        own = [] if role == "static" and not hosted else ["self"]
        return [*own, *texts, *["/"] * (hosted and bool(texts))]

    def method(self, interface: str, name: str, type_: FuncType, called: str, *, hosted: bool) -> list[str]:
        """A function within a class; functions of the component's resources are abstract, because only an
        instance has them."""
        said = extern_name(name)
        role = said.role if said else ""
        result = self.annotations.returned(type_, given=hosted)
        if role == "constructor" and not hosted:
            result = "None"
        marks = ["@staticmethod"] if role == "static" and not hosted else []
        if role not in ("", "interface") and not hosted:
            marks.append(f"@{self.plain('abstractmethod')}")
        head = function(called, self.params(type_, role, hosted), result, 1)
        return [*marks, *head, *indented(docstring(self.told(interface, name, type_)))]

    def told(self, interface: str, name: str, type_: FuncType) -> str:
        """The documentation of a function."""
        written = self.about.documents.function(interface, name)
        text = f"`{self.about.signatures.of(interface, name, type_)}`"
        part: Part = type_.result
        if isinstance(part, Compound) and part.kind is Kind.RESULT:
            text += f"; raises `Err[{self.annotations.got(part.parts[1])}]`"
        return joined(written, text)


def spellings_of(definition: Definition) -> list[str]:
    """Possible names for a type, the shortest first: `Entry`, `ShelfEntry`, `LibraryShelfEntry`."""
    places = (
        [place.replace("_", "-") for place in spellings(definition.interface)] if definition.interface else []
    )
    side = "imported" if definition.imported else "exported"
    labels = [definition.label, *(f"{place}-{definition.label}" for place in places)]
    return [*map(class_name, labels), class_name(f"{side}-{labels[-1]}")]


def spelled(role: str, name: str) -> str:
    """The Python name of a resource's function in its class."""
    return "__init__" if role == "constructor" else member_name(name.rpartition(".")[2])


def joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def class_lines(head: str, text: str, members: Sequence[Sequence[str]]) -> list[str]:
    """A class with documentation and members."""
    lines = [head, *indented(docstring(text))]
    for member in members:
        lines += ["", *indented(member)]
    return lines
