"""The whole module: imports, types, interfaces, and the function that instantiates the component.

What is here: `generated`. What is not: the classes of types (`classes.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...printable import printable
from ..about import About
from ..canonical.faces import class_name
from ..catalogue import Definition, called_in, inner_name, short
from ..types import ComponentType, Compound, Extern, FuncType, Kind, Resource, Sort
from .classes import Lines, classes_of
from .scope import HOMES, Scope, class_lines, joined
from .source import STEP, WIDTH, docstring, entry, function, imported, indented

SIDES = {True: "Imported", False: "Exported"}


def generated(type_: ComponentType, about: About, name: str) -> str:
    """The text of the module for a component of this name."""
    scope = Scope(type_, about)
    blocks = [block for definition in scope.definitions for block in classes_of(definition, scope)]
    later: list[Lines] = []
    for is_import in (True, False):
        later += inner_interfaces("", is_import, scope)
    later += functions_of(scope)
    wanted = imports_of(scope)
    if wanted:
        later.append(wanted)
    later += [exports_of(scope), instance_of(scope)]
    types = table(scope)
    make = maker(scope, bool(wanted))
    own = [f"_{each} = {each}" for each in sorted(scope.aliases) if not each.islower()]
    return text_of([*blocks, *[own] * bool(own), *later, types, make], scope, name, about.documents.world)


def text_of(blocks: Sequence[Lines], scope: Scope, name: str, written: str) -> str:
    shown = printable(name, 60) or "a component"
    head = docstring(joined(f"The component {shown}, with types: written by `pywasm-nn bindgen`.", written))
    lines = [*head, "", "from __future__ import annotations", ""]
    # An assignment would do for `list`, but mypy takes `_tuple = tuple` for a type with arguments.
    builtins = [f"from builtins import {each} as _{each}" for each in sorted(scope.aliases) if each.islower()]
    groups = [[home for home in HOMES if home.startswith("pywasm_nn") is ours] for ours in (False, True)]
    for group in groups:
        used = {home: sorted(scope.used & {*HOMES[home]}, key=order) for home in group}
        found = {home: imported(home, used[home]) for home in group if used[home]}
        found |= {"builtins": builtins} if builtins and group is groups[0] else {}
        lines += [line for home in sorted(found) for line in found[home]] + [""] * bool(found)
    for block in blocks:
        lines += ["", *block, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def order(name: str) -> tuple[bool, bool, str]:
    """The sort key for imported names: constants, classes, functions."""
    return not name.isupper(), not name[0].isupper(), name


# Interfaces


def inner_interfaces(name: str, is_import: bool, scope: Scope) -> Iterator[Lines]:
    """The classes of interfaces within a world or an interface."""
    for label, extern in scope.places[is_import, name].items():
        if extern.sort is Sort.INSTANCE:
            inner = inner_name(name, label)
            yield from inner_interfaces(inner, is_import, scope)
            found = members_of(inner, is_import, scope)
            if found:
                yield interface(inner, is_import, found, scope)


def interface(name: str, is_import: bool, found: dict[str, str], scope: Scope) -> Lines:
    """The class of an interface: its functions, and the classes of its resources."""
    label = class_name(short(name))
    own = scope.free((is_import, name), label, f"{label}Interface", f"{SIDES[is_import]}{label}")
    with scope.hiding(found):
        members = [member(called, of, name, is_import, scope) for called, of in found.items()]
    verb = "imports" if is_import else "exports"
    text = joined(
        scope.about.documents.interface(name), f"The interface `{name}`, which the component {verb}."
    )
    return class_lines(f"class {own}({scope.plain('Protocol')}):", text, members)


def members_of(name: str, is_import: bool, scope: Scope) -> dict[str, str]:
    """The Python names of an interface's members, with their names in WIT."""
    externs = scope.places[is_import, name]
    found = called_in(externs)
    return {called: of for called, of in found.items() if is_written(of, externs[of], name, is_import, scope)}


def is_written(label: str, extern: Extern, name: str, is_import: bool, scope: Scope) -> bool:
    """Whether an import or export has a member in the class of its interface or world. Types that aren't
    resources have none, as they are in the module itself."""
    if extern.sort is Sort.INSTANCE:
        return (is_import, inner_name(name, label)) in scope.classes
    definition = resource_of(extern, scope)
    if definition is not None:
        return (definition.imported, definition.interface, definition.label) == (is_import, name, label)
    return extern.sort is Sort.FUNC or (extern.sort is Sort.CORE_MODULE and is_import)


def resource_of(extern: Extern, scope: Scope) -> Definition | None:
    is_resource = extern.sort is Sort.TYPE and isinstance(extern.type, Resource)
    return scope.about.catalogue.definition(extern.type) if is_resource else None  # type: ignore[arg-type] # as it is


def member(called: str, label: str, name: str, is_import: bool, scope: Scope) -> Lines:
    extern = scope.places[is_import, name][label]
    if isinstance(extern.type, FuncType):
        return scope.method(name, label, extern.type, called, hosted=is_import)
    text = annotation(label, name, is_import, scope)
    return ["@property", f"def {called}(self) -> {text}: ..."]


def annotation(label: str, name: str, is_import: bool, scope: Scope) -> str:
    """The annotation of a member other than a function: the class of an interface, or a resource's class."""
    extern = scope.places[is_import, name][label]
    definition = resource_of(extern, scope)
    if extern.sort is Sort.CORE_MODULE:
        return scope.plain("Module")
    if definition is None:
        return scope.visible(scope.classes[is_import, inner_name(name, label)])
    if id(definition) in scope.classes:
        return scope.visible(scope.classes[id(definition)])
    return f"{scope.plain('type')}[{scope.called(definition)}]"


# The world


def functions_of(scope: Scope) -> Iterator[Lines]:
    """Protocols for imported functions of the world whose types are too long for one line."""
    for called, label in members_of("", True, scope).items():
        type_ = scope.places[True, ""][label].type
        used = set(scope.used)
        if isinstance(type_, FuncType) and len(f"{called}: {callable_of(type_, scope)}") > WIDTH - len(STEP):
            scope.used = used
            own = scope.free(label, f"{class_name(label)}Function")
            head = f"class {own}({scope.plain('Protocol')}):"
            call = scope.method("", label, type_, "__call__", hosted=True)
            yield class_lines(head, f"The function `{label}`, which the component imports.", [call])


def callable_of(type_: FuncType, scope: Scope) -> str:
    """The annotation of a function."""
    params = ", ".join(map(scope.annotations.got, type_.params))
    return f"{scope.plain('Callable')}[[{params}], {scope.annotations.returned(type_, given=True)}]"


def imports_of(scope: Scope) -> Lines:
    """The class of the imports that must be given; empty if there are none."""
    found = members_of("", True, scope)
    if not found:
        return []
    externs = scope.places[True, ""]
    fields: Lines = []
    with scope.hiding(found):
        for called, label in found.items():
            type_ = externs[label].type
            if isinstance(type_, FuncType):
                fields.append(f"{called}: {scope.classes.get(label) or callable_of(type_, scope)}")
                fields += docstring(scope.told("", label, type_))
            else:
                fields.append(f"{called}: {annotation(label, '', True, scope)}")
                fields += docstring(f"`{label}`")
    mark = f"@{scope.plain('dataclass')}(kw_only=True)"
    return [mark, *class_lines("class Imports:", "What the component imports beside WASI.", [fields])]


def exports_of(scope: Scope) -> Lines:
    found = members_of("", False, scope)
    with scope.hiding(found):
        members = [member(called, label, "", False, scope) for called, label in found.items()]
    return class_lines(f"class Exports({scope.plain('Protocol')}):", "What the component exports.", members)


def instance_of(scope: Scope) -> Lines:
    head = f"class Instance({scope.plain('ComponentInstance')}):"
    return class_lines(head, "An instance of the component.", [["exports: Exports"]])


def table(scope: Scope) -> Lines:
    """The table of classes by interface and label."""
    places: dict[str, Lines] = {}
    for definition in scope.definitions:
        if isinstance(definition.type, Resource) and definition.imported:
            continue
        lines = places.setdefault(definition.interface, [])
        if isinstance(definition.type, Compound) and definition.type.kind is Kind.VARIANT:
            lines += entry(
                definition.label, [scope.classes[id(definition), label] for label in definition.type.labels]
            )
        else:
            lines.append(f'"{definition.label}": {scope.names[id(definition)]},')
    lines = [line for place, inner in places.items() for line in (f'"{place}": {{', *indented(inner), "},")]
    text = docstring("The classes of types, by interface and name.")
    return (
        ["TYPES = {", *indented(lines), "}", *text]
        if lines
        else ["TYPES: dict[str, dict[str, object]] = {}", *text]
    )


def maker(scope: Scope, has_imports: bool) -> Lines:
    """The function that instantiates the component."""
    params = [f"component: {scope.plain('Component')}"]
    given = "{}"
    before: Lines = []
    if has_imports:
        params.append("imports: Imports")
        found = members_of("", True, scope)
        lines = [f'"{label}": imports.{called},' for called, label in found.items()]
        before, given = ["given = {", *indented(lines), "}"], "given"
    params.append(f"**settings: {scope.plain('Unpack')}[{scope.plain('Settings')}]")
    head = function("instantiate", params, "Instance", 0)
    body = docstring("Instantiate the component, with types: see `Component.instantiate`.")
    body += [
        *before,
        f"made = component.instantiate({given}, types=TYPES, **settings)",
        f'return {scope.plain("cast")}("Instance", made)',
    ]
    return [*head, *indented(body)]
