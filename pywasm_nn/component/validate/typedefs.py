"""Type definitions: value types, functions, resources, and types of instances, components and core modules.

https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#type-definitions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...errors import InvalidError
from ...interpreter.defining import Reading, define
from ...interpreter.module import Import as CoreImport
from ...interpreter.module import Module
from ...interpreter.types import I32, I64, DefType, Exact, ExternKind, NumType, RecType, TypeIdx
from ...interpreter.types import FuncType as CoreFuncType
from ..names import is_label
from ..syntax import (
    ComponentTypeDef,
    CompoundDef,
    CoreExportDecl,
    CoreOuterAlias,
    CoreTypeDef,
    FuncDef,
    InstanceTypeDef,
    ModuleTypeDef,
    ResourceDef,
    TypeDef,
)
from ..types import (
    CHAR,
    KEYS,
    Compound,
    CoreExtern,
    FuncType,
    InstanceType,
    Kind,
    ModuleType,
    Origin,
    Prim,
    Resource,
    Sort,
)
from .scope import Scope, component_type

LARGEST = 1 << 28
"""The limit on the bytes of a value in memory, with i64 addresses: a type that reaches it is invalid."""
DEEPEST = 100
"""The deepest nesting of value types."""
MOST_LEAVES = 1_000_000
"""The most types and labels in a value type, counted at each occurrence."""
MOST_FLAGS = 32
EMPTY = {
    Kind.RECORD: "record type must have at least one field",
    Kind.VARIANT: "variant type must have at least one case",
    Kind.TUPLE: "tuple type must have at least one type",
    Kind.FLAGS: "flags must have at least one entry",
    Kind.ENUM: "enum type must have at least one variant",
}
KIND_SORTS = {
    ExternKind.FUNC: Sort.CORE_FUNC,
    ExternKind.TABLE: Sort.CORE_TABLE,
    ExternKind.MEMORY: Sort.CORE_MEMORY,
    ExternKind.GLOBAL: Sort.CORE_GLOBAL,
    ExternKind.TAG: Sort.CORE_TAG,
}


def check_labels(labels: Sequence[str], what: str) -> None:
    """Raise InvalidError unless all are valid labels, and differ except in case."""
    seen: dict[str, str] = {}
    for label in labels:
        if not is_label(label):
            raise InvalidError(f'{what} name "{label}" is not in kebab case')
        if label.lower() in seen:
            raise InvalidError(f'{what} name "{label}" conflicts with previous name "{seen[label.lower()]}"')
        seen[label.lower()] = label


# Value types


def compound(scope: Scope, given: CompoundDef) -> Compound:
    """A compound value type."""
    if given.kind in EMPTY and not (given.parts or given.labels):
        raise InvalidError(EMPTY[given.kind])
    if given.kind is Kind.FLAGS and len(given.labels) > MOST_FLAGS:
        raise InvalidError(f"cannot have more than {MOST_FLAGS} flags")
    if given.length == 0:
        raise InvalidError("Fixed length lists must have more than zero elements")
    check_labels(
        given.labels,
        {Kind.RECORD: "record field", Kind.VARIANT: "variant case"}.get(given.kind, given.kind.value),
    )
    made = Compound(given.kind, given.labels, tuple(parts(scope, given)), given.length)
    scope.budget.spend(1 + len(given.labels) + len(given.parts))
    if made.depth > DEEPEST:
        raise InvalidError(f"type nesting is too deep: more than {DEEPEST}")
    if made.leaves > MOST_LEAVES:
        raise InvalidError(f"effective type size exceeds the limit of {MOST_LEAVES}")
    if made.size(I64) >= LARGEST:
        raise InvalidError(f"type too large: values take {made.size(I64)} bytes, {LARGEST} or more")
    if check := CHECKS.get(given.kind):
        check(made)
    return made


def parts(scope: Scope, given: CompoundDef) -> list[Any]:
    """The types of its parts."""
    if given.kind in (Kind.OWN, Kind.BORROW):
        (index,) = given.parts
        assert isinstance(index, int)  # as decoded
        return [scope.typed(index, Resource, "a resource type")]
    return [None if part is None else scope.value_type(part) for part in given.parts]


def check_passed_later(made: Compound) -> None:
    if made.kind is Kind.STREAM and made.parts == (CHAR,):
        raise InvalidError("`stream<char>` is not valid at this time")
    if made.borrows:
        raise InvalidError(f"`{made.kind.value}` type cannot contain a `borrow` type")


def check_key(made: Compound) -> None:
    key = made.parts[0]
    if not isinstance(key, Prim) or key.name not in KEYS:
        raise InvalidError(f"map keys can't be {key!r}")


CHECKS: Mapping[Kind, Callable[[Compound], None]] = {
    Kind.STREAM: check_passed_later,
    Kind.FUTURE: check_passed_later,
    Kind.MAP: check_key,
}


# Other types


def func(scope: Scope, given: FuncDef) -> FuncType:
    check_labels(given.labels, "function parameter")
    scope.budget.spend(1 + len(given.params))
    result = None if given.result is None else scope.value_type(given.result)
    if result is not None and result.borrows:
        raise InvalidError("function result cannot contain a `borrow` type")
    return FuncType(given.labels, tuple(map(scope.value_type, given.params)), result, given.is_async)


def resource(scope: Scope, given: ResourceDef) -> Resource:
    if scope.is_type:
        raise InvalidError("resources can only be defined within a concrete component")
    if given.representation is not I32:
        raise InvalidError("resources can only be represented by `i32`")
    assert isinstance(given.representation, NumType)
    if given.destructor is not None:
        destructor = scope.get(Sort.CORE_FUNC, given.destructor)
        if destructor.composite != CoreFuncType((I32,)):
            raise InvalidError(f"wrong signature for a destructor: expected [i32] -> [], found {destructor}")
    made = Resource(Origin("", given.representation))
    scope.defined.add(made.origin)
    scope.made.add(made.origin)
    return made


def component(scope: Scope, given: ComponentTypeDef) -> Any:
    return component_type(scope.inner("component type", given.declarators))


def instance(scope: Scope, given: InstanceTypeDef) -> InstanceType:
    inner = scope.inner("instance type", given.declarators)
    return InstanceType(inner.exports.externs, frozenset(inner.made))


def prim(scope: Scope, given: Prim) -> Prim:
    return given


DEFINED: Mapping[type, Callable[[Scope, Any], Any]] = {
    Prim: prim,
    CompoundDef: compound,
    FuncDef: func,
    ResourceDef: resource,
    ComponentTypeDef: component,
    InstanceTypeDef: instance,
}


def define_type(scope: Scope, given: TypeDef) -> None:
    scope.add(Sort.TYPE, DEFINED[type(given.type)](scope, given.type))


# Core types


def define_core_type(scope: Scope, given: CoreTypeDef) -> None:
    if isinstance(given.type, ModuleTypeDef):
        scope.add(Sort.CORE_TYPE, module_type(scope, given.type))
    else:
        for type_ in core_types(scope.spaces[Sort.CORE_TYPE], given.type):
            scope.add(Sort.CORE_TYPE, type_)


def core_types(known: Sequence[Any], rectype: RecType) -> tuple[DefType, ...]:
    """The types of a group, closed over the known types, and validated as in a core module."""
    from ...interpreter.validate.clauses import check_group
    from ...interpreter.validate.types import MAX_DEPTH, check_super

    start, stop = len(known), len(known) + len(rectype.subtypes)

    for typeidx, subtype in enumerate(rectype.subtypes, start):
        if len(subtype.supers) > 1:
            raise InvalidError(f"sub type {typeidx} has more than one super type")
        if any(isinstance(one, TypeIdx) and one.index >= typeidx for one in subtype.supers):
            raise InvalidError(f"sub type {typeidx} comes before its super type")
    check_group(rectype.subtypes, start)
    made = define(rectype, Reading(partial(known_type, known), start, stop))
    for typeidx, (subtype, type_) in enumerate(zip(rectype.subtypes, made, strict=True), start):
        if type_.supers:
            check_super(typeidx, subtype, type_)
        if len(type_.supers) > MAX_DEPTH:
            raise InvalidError(f"sub type {typeidx} lies too deep: {MAX_DEPTH} super types are the most")
    return made


def module_type(scope: Scope, given: ModuleTypeDef) -> ModuleType:
    """A core module type; its declarators have their own index space of core types."""
    from ...interpreter.validate.module import check_memory, check_table

    known: list[DefType] = []
    imports: dict[tuple[str, str], CoreExtern] = {}
    exports: dict[str, CoreExtern] = {}

    def closed(sort: Sort, type_: Any) -> CoreExtern:
        scope.budget.spend(1)
        if sort in (Sort.CORE_FUNC, Sort.CORE_TAG):
            defined = known_type(known, type_)
            if not isinstance(defined.composite, CoreFuncType):
                raise InvalidError(f"core type {type_} is no function type")
            return CoreExtern(sort, defined)
        if sort is Sort.CORE_MEMORY:
            check_memory(type_)
            return CoreExtern(sort, type_)
        if sort is Sort.CORE_TABLE:
            check_table(type_)
        return CoreExtern(sort, type_.replaced(lambda heap: known_heap(known, heap)))

    for declarator in given.declarators:
        if isinstance(declarator, RecType):
            known += core_types(known, declarator)
        elif isinstance(declarator, ModuleTypeDef):
            raise InvalidError("core module types can't define core module types")
        elif isinstance(declarator, CoreOuterAlias):
            known.append(core_outer(scope, known, declarator))
        elif isinstance(declarator, CoreExportDecl):
            if declarator.name in exports:
                raise InvalidError(f'export name "{declarator.name}" already defined')
            exports[declarator.name] = closed(declarator.sort, declarator.type)
        else:
            check_new(imports, declarator)
            type_ = closed(KIND_SORTS[declarator.kind], declarator.type)
            imports[declarator.module, declarator.name] = type_
    return ModuleType(imports, exports)


def known_heap(known: Sequence[Any], heap: Any) -> Any:
    """The heap type with its index, if it has one, resolved."""
    if isinstance(heap, TypeIdx):
        return known_type(known, heap.index)
    return heap.replaced(partial(known_heap, known)) if isinstance(heap, Exact) else heap


def known_type(known: Sequence[Any], index: int) -> DefType:
    """The core type at this index. Raises InvalidError if it is a module type or doesn't exist."""
    if index >= len(known):
        raise InvalidError(f"unknown core type {index}: type index out of bounds")
    if not isinstance(known[index], DefType):
        raise InvalidError(f"core type {index} is a module type")
    type_: DefType = known[index]
    return type_


def check_new(imports: Mapping[tuple[str, str], CoreExtern], given: CoreImport) -> None:
    """Raise InvalidError if there is an import of the same names."""
    if (given.module, given.name) in imports:
        raise InvalidError(f'duplicate import name "{given.module}" "{given.name}"')


def core_outer(scope: Scope, known: Sequence[Any], alias: CoreOuterAlias) -> DefType:
    """A core type from a scope around a core module type, which counts as a scope itself."""
    if alias.count:
        *_, outer = scope.outer(alias.count - 1)
        known = outer.spaces[Sort.CORE_TYPE]
    return known_type(known, alias.index)


def type_of_module(scope: Scope, module: Module) -> ModuleType:
    """The type of a core module; its sections are validated here, unless stored code proves them valid."""
    if not module.code_cache.proves_valid:
        from ...interpreter.validate import validate_module

        validate_module(module, scope.budget.patience)
    shared: dict[tuple[ExternKind, int], CoreExtern] = {}
    """By the kind and the id of the type: of thousands of imports and exports few differ."""

    def extern(kind: ExternKind, type_: Any) -> CoreExtern:
        found = shared.get((kind, id(type_)))
        if found is None:
            found = shared[kind, id(type_)] = CoreExtern(KIND_SORTS[kind], type_)
        return found

    scope.budget.spend(len(module.imports) + len(module.exports))
    deftypes = module.deftypes
    imports: dict[tuple[str, str], CoreExtern] = {}
    for given in module.imports:
        check_new(imports, given)
        closed = deftypes[given.type] if isinstance(given.type, int) else module.import_type(given)
        imports[given.module, given.name] = extern(given.kind, closed)
    tags: list[Any] = [
        *(i.type for i in module.imported(ExternKind.TAG)),
        *(tag.typeidx for tag in module.tags),
    ]
    spaces: dict[ExternKind, Sequence[Any]] = {
        ExternKind.FUNC: [*map(deftypes.__getitem__, module.func_typeidxs)],
        ExternKind.TABLE: module.table_types,
        ExternKind.MEMORY: module.mem_types,
        ExternKind.GLOBAL: module.global_types,
        ExternKind.TAG: [*map(deftypes.__getitem__, tags)],
    }
    exports = {given.name: extern(given.kind, spaces[given.kind][given.index]) for given in module.exports}
    return ModuleType(imports, exports)
