"""The classes for a component's types: dataclasses, enums, flags, and classes of resources.

What is here: `classes_of`. What is not: interfaces (`module.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from keyword import iskeyword

from ..canonical.faces import attribute, class_names
from ..catalogue import Definition
from ..types import Compound, FuncType, Kind, Resource
from .scope import Scope, class_lines, joined, spelled
from .source import STEP, WIDTH, assignment, broken, docstring

Lines = list[str]


def classes_of(definition: Definition, scope: Scope) -> Iterator[Lines]:
    """The classes for a type, each as lines."""
    type_ = definition.type
    if isinstance(type_, Resource):
        return hosted(definition, scope) if definition.imported else resource(definition, scope)
    return CLASSES[type_.kind](definition, type_, scope)


def text_of(definition: Definition, scope: Scope) -> str:
    """The documentation of a type."""
    type_ = definition.type
    kind = "resource" if isinstance(type_, Resource) else type_.kind.value
    where = f" of `{definition.interface}`" if definition.interface else ""
    written = scope.about.documents.type(definition.interface, definition.label)
    return joined(written, f"The {kind} `{definition.label}`{where}.")


def item_text(definition: Definition, label: str, scope: Scope) -> Lines:
    """The documentation of a field, case or flag, if there is one."""
    written = scope.about.documents.item(definition.interface, definition.label, label)
    return docstring(written) if written else []


def dataclass(name: str, text: str, lines: Lines, scope: Scope) -> Lines:
    return [f"@{scope.plain('dataclass')}(slots=True)", *class_lines(f"class {name}:", text, [lines])]


def record(definition: Definition, type_: Compound, scope: Scope) -> Iterator[Lines]:
    name, lines = scope.called(definition), list[str]()
    fields = list(map(attribute, type_.labels))
    with scope.hiding(fields):
        for field, label, part in zip(fields, type_.labels, type_.parts, strict=True):
            lines += broken(f"{field}: {scope.annotations.got(part)}", "", WIDTH - len(STEP))
            lines += item_text(definition, label, scope)
    yield dataclass(name, text_of(definition, scope), lines, scope)


def variant(definition: Definition, type_: Compound, scope: Scope) -> Iterator[Lines]:
    """A dataclass for each case, and their union."""
    name = scope.called(definition)
    cases = []
    for own, label, part in zip(class_names(type_.labels), type_.labels, type_.parts, strict=True):
        own = own.removesuffix("_") if iskeyword(own.removesuffix("_")) else own
        called = scope.free((id(definition), label), f"{name}{own}")
        lines = [f'label: {scope.plain("ClassVar")}[str] = "{label}"']
        if part is not None:
            lines += broken(f"value: {scope.annotations.got(part)}", "", WIDTH - len(STEP))
        written = scope.about.documents.item(definition.interface, definition.label, label)
        yield dataclass(called, joined(written, f"The case `{label}` of `{name}`."), lines, scope)
        cases.append(called)
    alias = assignment(f"{name}: {scope.plain('TypeAlias')}", cases, "|")
    yield [*alias, *docstring(text_of(definition, scope))]


def enum(definition: Definition, type_: Compound, scope: Scope) -> Iterator[Lines]:
    yield members(definition, "Enum", [f'"{label}"' for label in type_.labels], scope)


def flags(definition: Definition, type_: Compound, scope: Scope) -> Iterator[Lines]:
    yield members(definition, "Flag", [str(1 << bit) for bit in range(len(type_.labels))], scope)


def members(definition: Definition, base: str, values: Sequence[str], scope: Scope) -> Lines:
    lines: Lines = []
    assert isinstance(definition.type, Compound)  # as its kind says
    for label, value in zip(definition.type.labels, values, strict=True):
        lines += [f"{attribute(label).upper()} = {value}", *item_text(definition, label, scope)]
    head = f"class {scope.called(definition)}({scope.plain(base)}):"
    return class_lines(head, text_of(definition, scope), [lines])


def resource(definition: Definition, scope: Scope) -> Iterator[Lines]:
    """A resource of the component. Its methods are abstract: an instance derives a class with its
    functions."""
    functions = [(name, type_, spelled(role, name)) for role, name, type_ in scope.functions_of(definition)]
    bases = f"{scope.plain('Owned')}, {scope.plain('ABC')}" if functions else scope.plain("Owned")
    head = f"class {scope.called(definition)}({bases}):"
    yield class_lines(head, text_of(definition, scope), methods(definition, functions, scope, False))


def hosted(definition: Definition, scope: Scope) -> Iterator[Lines]:
    """A resource of the host: a protocol for its objects, and one for its class if the class has
    functions."""
    name = scope.called(definition)
    objects: list[tuple[str, FuncType, str]] = []
    class_: list[tuple[str, FuncType, str]] = []
    for role, full, type_ in scope.functions_of(definition):
        called = "__call__" if role == "constructor" else spelled(role, full)
        (objects if role == "method" else class_).append((full, type_, called))
    head = f"class {name}({scope.plain('Protocol')}):"
    yield class_lines(head, text_of(definition, scope), methods(definition, objects, scope, True))
    if class_:
        own = scope.free(id(definition), f"{name}Class")
        texts = methods(definition, class_, scope, True)
        yield class_lines(f"class {own}({scope.plain('Protocol')}):", f"A class of `{name}`.", texts)


def methods(
    definition: Definition, functions: Sequence[tuple[str, FuncType, str]], scope: Scope, is_hosts: bool
) -> list[Lines]:
    with scope.hiding(called for _, _, called in functions):
        return [
            scope.method(definition.interface, name, type_, called, hosted=is_hosts)
            for name, type_, called in functions
        ]


CLASSES: Mapping[Kind, Callable[[Definition, Compound, Scope], Iterator[Lines]]] = {
    Kind.RECORD: record,
    Kind.VARIANT: variant,
    Kind.ENUM: enum,
    Kind.FLAGS: flags,
}
