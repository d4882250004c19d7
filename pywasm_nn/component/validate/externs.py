"""Imports, exports and aliases.

https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#import-and-export-definitions
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InvalidError
from ..names import extern_name, is_canonical_version, is_interface_name, is_semver
from ..syntax import (
    CoreExportAlias,
    Export,
    ExportAlias,
    ExportDecl,
    ExternDef,
    ExternName,
    Import,
    OuterAlias,
)
from ..types import (
    ComponentType,
    CoreExtern,
    Extern,
    FuncType,
    InstanceType,
    ModuleType,
    Origin,
    Resource,
    Sort,
)
from .rewrite import free_origins, opened, renamed
from .scope import Scope, Visibility
from .subtype import Matching, MismatchError

EXPORTED = (Sort.CORE_MODULE, Sort.FUNC, Sort.VALUE, Sort.TYPE, Sort.COMPONENT, Sort.INSTANCE)
"""The sorts that a component may import and export."""
IN_TYPES = {"alias": (Sort.INSTANCE, Sort.TYPE), "outer": (Sort.CORE_TYPE, Sort.TYPE)}
"""The sorts that may be aliased in types of components and instances."""


def extern_of(scope: Scope, given: ExternDef) -> tuple[Extern, frozenset[Origin]]:
    """The extern for a declared type, and its new resource types."""
    if given.sort is Sort.VALUE:
        raise InvalidError("values are a gated feature (🪙) that isn't supported")
    if given.sort is Sort.CORE_MODULE:
        assert isinstance(given.type, int)  # as decoded
        module = scope.get(Sort.CORE_TYPE, given.type)
        if not isinstance(module, ModuleType):
            raise InvalidError(f"core type index {given.type} is not a module type")
        return Extern(given.sort, module), frozenset()
    if given.type is None:
        origin = Origin()
        return Extern(Sort.TYPE, Resource(origin)), frozenset({origin})
    assert isinstance(given.type, int)  # as decoded
    if given.sort is Sort.TYPE:
        return Extern(Sort.TYPE, renamed(scope.get(Sort.TYPE, given.type))), frozenset()
    if given.sort is Sort.INSTANCE:
        instance = scope.typed(given.type, InstanceType, "an instance type")
        made, origins = opened(instance, scope.budget.spend)
        return Extern(given.sort, made), origins
    if given.sort is Sort.FUNC:
        return Extern(given.sort, scope.typed(given.type, FuncType, "a function type")), frozenset()
    return Extern(given.sort, scope.typed(given.type, ComponentType, "a component type")), frozenset()


def check_attributes(name: ExternName, extern: Extern) -> None:
    """Raise InvalidError unless the attributes suit the name."""
    if name.repeated:
        raise InvalidError(f'an attribute of "{name.text}" is given more than once')
    said = extern_name(name.text)
    assert said is not None  # as it was added
    if name.implements is not None:
        if not is_interface_name(name.implements):
            raise InvalidError(f'"{name.implements}" is not a valid interface name to implement')
        if extern.sort is not Sort.INSTANCE or said.role:
            raise InvalidError(f'only an instance with a plain name implements something, not "{name.text}"')
    if name.version_suffix is not None:
        version = said.version
        if not (is_canonical_version(version) and is_semver(version + name.version_suffix)):
            raise InvalidError(f'version suffix "{name.version_suffix}" doesn\'t suit the name "{name.text}"')


def visible(scope: Scope, extern: Extern, what: str) -> None:
    """Raise InvalidError if an extern refers to types that have no name outside.

    Types of instances are checked where they are used.
    """
    if scope.kind == "instance type":
        return
    importing = what == "import"
    names = (scope.imports,) if importing else (scope.imports, scope.exports)
    if not Visibility(scope.budget, names).shows(extern, scope.imports if importing else scope.exports):
        raise InvalidError(
            f"{extern.sort.value} not valid to be used as {what}: it has a type without a name outside"
        )


def define_import(scope: Scope, given: Import) -> None:
    extern, origins = extern_of(scope, given.type)
    scope.wanted |= origins
    scope.imports.add(given.name.text, extern)
    check_attributes(given.name, extern)
    visible(scope, extern, "import")
    check_from_outside(scope, extern)
    scope.add(extern.sort, extern.type)


def check_from_outside(scope: Scope, extern: Extern) -> None:
    """Raise InvalidError if an import refers to a resource type that each instance creates: it doesn't exist
    before the instance. A name for it in the import makes no difference."""
    if scope.made and any(origin in scope.made for origin in free_origins(extern.type, scope.budget.spend)):
        raise InvalidError(f"local resource type found in imports: {extern.sort.value} refers to it")


def define_export_declaration(scope: Scope, given: ExportDecl) -> None:
    extern, origins = extern_of(scope, given.type)
    scope.made |= origins
    add_export(scope, given.name, extern)


def define_export(scope: Scope, given: Export) -> None:
    """An export also adds a definition that later definitions may use."""
    if given.item.sort not in EXPORTED:
        raise InvalidError(f"a component can't export a {given.item.sort.value}")
    if given.item.sort is Sort.VALUE:
        raise InvalidError("values are a gated feature (🪙) that isn't supported")
    extern = Extern(given.item.sort, scope.get(given.item.sort, given.item.index))
    if given.type is not None:
        extern = ascribed(scope, extern, given.type)
    elif extern.sort is Sort.TYPE:
        extern = Extern(extern.sort, renamed(extern.type))
    add_export(scope, given.name, extern)


def ascribed(scope: Scope, extern: Extern, given: ExternDef) -> Extern:
    """The exported item with its more general ascribed type."""
    wanted, origins = extern_of(scope, given)
    scope.made |= origins
    try:
        Matching(scope.budget.spend, origins).extern(extern, wanted)
    except MismatchError as error:
        raise InvalidError(f"ascribed type of export is not compatible with item's type: {error}") from None
    return wanted


def add_export(scope: Scope, name: ExternName, extern: Extern) -> None:
    scope.exports.add(name.text, extern)
    check_attributes(name, extern)
    visible(scope, extern, "export")
    scope.add(extern.sort, extern.type)


# Aliases


def define_export_alias(scope: Scope, given: ExportAlias) -> None:
    if scope.is_type and given.sort not in IN_TYPES["alias"]:
        raise InvalidError(f"types can't alias a {given.sort.value}")
    instance: InstanceType = scope.get(Sort.INSTANCE, given.instance)
    extern = instance.exports.get(given.name)
    if extern is None:
        raise InvalidError(f'instance {given.instance} has no export named "{given.name}"')
    if extern.sort is not given.sort:
        raise InvalidError(f'export "{given.name}" of instance {given.instance} is not a {given.sort.value}')
    scope.add(given.sort, extern.type)


def define_core_export_alias(scope: Scope, given: CoreExportAlias) -> None:
    exports: Mapping[str, CoreExtern] = scope.get(Sort.CORE_INSTANCE, given.instance)
    extern = exports.get(given.name)
    if extern is None:
        raise InvalidError(f'core instance {given.instance} has no export named "{given.name}"')
    if extern.sort is not given.sort:
        raise InvalidError(
            f'export "{given.name}" of core instance {given.instance} is not a {given.sort.value}'
        )
    scope.add(given.sort, extern.type)


def define_outer_alias(scope: Scope, given: OuterAlias) -> None:
    """Resource types can't be aliased out of their component, because each of its instances creates its
    own."""
    if scope.is_type and given.sort not in IN_TYPES["outer"]:
        raise InvalidError(f"types can't alias a {given.sort.value} from outside")
    *crossed, target = scope.outer(given.count)
    entity: Any = target.get(given.sort, given.index)
    leaves = given.sort is Sort.TYPE and any(one.kind == "component" for one in crossed)
    if leaves and next(free_origins(entity, scope.budget.spend), None) is not None:
        raise InvalidError(
            "cannot alias outer type which transitively refers to resources not defined in this component"
        )
    scope.add(given.sort, entity)
