"""Instances of components and of core modules.

https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#instance-definitions
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import InvalidError
from ..syntax import (
    ComponentDef,
    CoreInlineExports,
    CoreInstantiate,
    CoreModuleDef,
    InlineExports,
    Instantiate,
)
from ..types import (
    ComponentType,
    CoreExtern,
    Extern,
    InstanceType,
    ModuleType,
    Sort,
)
from .externs import EXPORTED, check_attributes
from .rewrite import Rewriter
from .scope import Names, Scope, component_type
from .subtype import Matching, MismatchError, match_core
from .typedefs import type_of_module

CORE_EXPORTED = (Sort.CORE_FUNC, Sort.CORE_TABLE, Sort.CORE_MEMORY, Sort.CORE_GLOBAL, Sort.CORE_TAG)


def define_core_module(scope: Scope, given: CoreModuleDef) -> None:
    scope.add(Sort.CORE_MODULE, type_of_module(scope, given.module))


def define_core_instance(scope: Scope, given: CoreInstantiate) -> None:
    module: ModuleType = scope.get(Sort.CORE_MODULE, given.module)
    scope.budget.spend(1 + len(module.imports) + len(module.exports))
    arguments: dict[str, Mapping[str, CoreExtern]] = {}
    for name, index in given.arguments:
        if name in arguments:
            raise InvalidError(f'duplicate module instantiation argument named "{name}"')
        arguments[name] = scope.get(Sort.CORE_INSTANCE, index)
    for (first, second), wanted in module.imports.items():
        if first not in arguments:
            raise InvalidError(f'missing module instantiation argument named "{first}"')
        found = arguments[first].get(second)
        if found is None:
            raise InvalidError(
                f'module instantiation argument "{first}" does not export an item named "{second}"'
            )
        if found.sort is wanted.sort and found.type is wanted.type:
            continue
        try:
            match_core(found, wanted, f'import "{first}" "{second}"')
        except MismatchError as error:
            raise InvalidError(f"type mismatch: {error}") from None
    scope.add(Sort.CORE_INSTANCE, module.exports)


def define_core_exports(scope: Scope, given: CoreInlineExports) -> None:
    exports: dict[str, CoreExtern] = {}
    for name, item in given.exports:
        if item.sort not in CORE_EXPORTED:
            raise InvalidError(f"a core instance can't export a {item.sort.value}")
        if name in exports:
            raise InvalidError(f'duplicate instantiation export name "{name}" already defined')
        exports[name] = CoreExtern(item.sort, scope.get(item.sort, item.index))
    scope.add(Sort.CORE_INSTANCE, exports)


def define_component(scope: Scope, given: ComponentDef) -> None:
    scope.add(Sort.COMPONENT, component_type(scope.inner("component", given.component.definitions)))


def define_instance(scope: Scope, given: Instantiate) -> None:
    """The resource types that a component creates are new in each instance."""
    component: ComponentType = scope.get(Sort.COMPONENT, given.component)
    arguments: dict[str, Extern] = {}
    for name, item in given.arguments:
        if item.sort is Sort.VALUE or item.sort not in EXPORTED:
            raise InvalidError(f"a {item.sort.value} can't be an argument of an instantiation")
        if name in arguments:
            raise InvalidError(f'instantiation argument "{name}" conflicts with previous argument "{name}"')
        arguments[name] = Extern(item.sort, scope.get(item.sort, item.index))
    matching = Matching(scope.budget.spend, component.wanted)
    for name, wanted in component.imports.items():
        if name not in arguments:
            raise InvalidError(f'missing import named "{name}": missing argument')
        try:
            matching.extern(arguments[name], wanted)
        except MismatchError as error:
            raise InvalidError(f'type mismatch for import "{name}": {error}') from None
    rewriter = Rewriter(scope.budget.spend, matching.bound, matching.renames)
    scope.made |= rewriter.fresh(component.made)
    scope.add(Sort.INSTANCE, InstanceType(rewriter.externs(component.exports)))


def define_exports(scope: Scope, given: InlineExports) -> None:
    names = Names("export", scoped=False)
    for name, item in given.exports:
        if item.sort is Sort.VALUE or item.sort not in EXPORTED:
            raise InvalidError(f"an instance can't export a {item.sort.value}")
        extern = Extern(item.sort, scope.get(item.sort, item.index))
        names.add(name.text, extern)
        check_attributes(name, extern)
    scope.add(Sort.INSTANCE, InstanceType(names.externs))
