"""Which type may replace which (https://github.com/WebAssembly/component-model/blob/main/design/mvp/Subtyping.md).

What is here: `Matching`, which compares given types with wanted ones, and records which resource types were
given for which wanted ones. The linker uses it for the host's values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...interpreter.matching import matches_global, matches_table
from ...interpreter.types import DefType
from ..types import (
    ComponentType,
    Compound,
    CoreExtern,
    Extern,
    FuncType,
    InstanceType,
    ModuleType,
    Origin,
    Resource,
    Sort,
)
from .rewrite import Rewriter


class MismatchError(Exception):
    """The given type can't replace the wanted one; the text says why."""


class Matching:
    """`bound` are the resource types that were given for wanted ones, `renames` the types that were given for
    wanted ones, by the ids of the wanted ones."""

    def __init__(
        self,
        spend: Callable[[int], None],
        variables: Collection[Origin] = (),
        bound: Mapping[Origin, Origin] | None = None,
    ) -> None:
        self.spend = spend
        self.variables = set(variables)
        """Wanted resource types for which any resource type may be given."""
        self.bound = dict(bound or {})
        self.renames: dict[int, Any] = {}
        self._alike: set[tuple[int, int]] = set()
        self._kept: list[Any] = []

    def extern(self, given: Extern, wanted: Extern) -> None:
        """Raise MismatchError unless `given` may replace `wanted`."""
        self.spend(1)
        if given.sort is not wanted.sort:
            raise MismatchError(f"expected {wanted.sort.value}, found {given.sort.value}")
        COMPARISONS[given.sort](self, given.type, wanted.type)

    def any_type(self, given: Any, wanted: Any) -> None:
        """Compare exported types: they must be equal, or a resource type for a wanted one."""
        if isinstance(wanted, Resource):
            self.resource_type(given, wanted)
        else:
            if type(given) is not type(wanted):
                raise MismatchError(f"expected {wanted!r}, found {given!r}")
            compare = COMPARED.get(type(given), Matching.value)
            compare(self, given, wanted)
            compare(self, wanted, given)
        self.renames[id(wanted)] = given
        self._kept.append(wanted)

    def resource_type(self, given: Any, wanted: Resource) -> None:
        if not isinstance(given, Resource):
            raise MismatchError(f"expected resource, found {given!r}")
        if wanted.origin in self.variables and wanted.origin not in self.bound:
            self.bound[wanted.origin] = self.bound.get(given.origin, given.origin)
        elif not self.same_resource(given, wanted):
            raise MismatchError(f"resource types are not the same: expected {wanted!r}, found {given!r}")

    def same_resource(self, one: Resource, other: Resource) -> bool:
        return self.bound.get(one.origin, one.origin) is self.bound.get(other.origin, other.origin)

    def value(self, given: Any, wanted: Any) -> None:
        if not self.alike(given, wanted):
            raise MismatchError(f"expected {wanted!r}, found {given!r}")

    def alike(self, one: Any, other: Any) -> bool:
        """Whether two value types, or parts of them, are structurally equal."""
        if one is other:
            # This includes a component's exported type that is compared with itself while its resources
            # differ.
            return True
        if isinstance(one, Resource) and isinstance(other, Resource):
            return self.same_resource(one, other)
        if not (isinstance(one, Compound) and isinstance(other, Compound)):
            return False
        if (id(one), id(other)) in self._alike:
            return True
        self.spend(1 + len(one.labels))
        same = (
            (one.kind, one.labels, one.length) == (other.kind, other.labels, other.length)
            and len(one.parts) == len(other.parts)
            and all(map(self.alike, one.parts, other.parts))
        )
        if same:
            self._alike.add((id(one), id(other)))
            self._kept += (one, other)
        return same

    def func(self, given: FuncType, wanted: FuncType) -> None:
        """Function types match if they are equal, labels included."""
        if given.is_async != wanted.is_async:
            raise MismatchError(f"expected {wanted!r}, found {given!r}: one is async")
        if len(given.params) != len(wanted.params):
            raise MismatchError(f"expected {len(wanted.params)} parameters, found {len(given.params)}")
        for label, other, param, expected in zip(
            given.labels, wanted.labels, given.params, wanted.params, strict=True
        ):
            if label != other:
                raise MismatchError(f'expected a parameter named "{other}", found "{label}"')
            if not self.alike(param, expected):
                raise MismatchError(
                    f'type mismatch in parameter "{label}": expected {expected!r}, found {param!r}'
                )
        if (given.result is None) != (wanted.result is None) or not self.alike(given.result, wanted.result):
            raise MismatchError(
                f"type mismatch in the result: expected {wanted.result!r}, found {given.result!r}"
            )

    def instance(self, given: InstanceType, wanted: InstanceType) -> None:
        """The given instance may have more exports, in any order."""
        self.variables |= wanted.origins
        for name, extern in wanted.exports.items():
            found = given.exports.get(name)
            if found is None:
                raise MismatchError(f'missing expected export "{name}"')
            try:
                self.extern(found, extern)
            except MismatchError as error:
                raise MismatchError(f'export "{name}": {error}') from None

    def component(self, given: ComponentType, wanted: ComponentType) -> None:
        """The given component may have fewer imports and more exports."""
        inner = Matching(self.spend, given.wanted, self.bound)
        for name, extern in given.imports.items():
            found = wanted.imports.get(name)
            if found is None:
                raise MismatchError(f'missing expected import "{name}"')
            try:
                inner.extern(found, extern)
            except MismatchError as error:
                raise MismatchError(f'import "{name}": {error}') from None
        rewriter = Rewriter(self.spend, inner.bound)
        exports = rewriter.externs(given.exports)
        outer = Matching(self.spend, wanted.made, self.bound)
        outer.instance(InstanceType(exports), InstanceType(wanted.exports))

    def module(self, given: ModuleType, wanted: ModuleType) -> None:
        """The given core module may have fewer imports and more exports."""
        self.spend(len(given.imports) + len(wanted.exports))
        for key, core in given.imports.items():
            found = wanted.imports.get(key)
            if found is None:
                raise MismatchError(f'missing expected import "{key[0]}" "{key[1]}"')
            match_core(found, core, f'import "{key[0]}" "{key[1]}"')
        for name, core in wanted.exports.items():
            exported = given.exports.get(name)
            if exported is None:
                raise MismatchError(f'missing expected export "{name}"')
            match_core(exported, core, f'export "{name}"')


COMPARED: Mapping[type, Callable[[Matching, Any, Any], None]] = {
    FuncType: Matching.func,
    InstanceType: Matching.instance,
    ComponentType: Matching.component,
}
"""Comparisons for types other than value types."""
COMPARISONS: Mapping[Sort, Callable[[Matching, Any, Any], None]] = {
    Sort.CORE_MODULE: Matching.module,
    Sort.FUNC: Matching.func,
    Sort.VALUE: Matching.value,
    Sort.TYPE: Matching.any_type,
    Sort.COMPONENT: Matching.component,
    Sort.INSTANCE: Matching.instance,
}


def match_core(given: CoreExtern, wanted: CoreExtern, where: str) -> None:
    """Raise MismatchError unless `given` may be imported as `wanted`.

    https://webassembly.github.io/spec/core/valid/matching.html
    """
    if given.sort is not wanted.sort:
        raise MismatchError(f"{where}: expected {wanted.sort.value}, found {given.sort.value}")
    if not CORE_MATCHES[given.sort](given.type, wanted.type):
        raise MismatchError(f"{where}: expected {wanted.type}, found {given.type}")


def matches_defined(given: DefType, wanted: DefType) -> bool:
    return given is wanted or wanted in given.supers


def matches_memory(given: Any, wanted: Any) -> bool:
    return (given.addrtype, given.shared) == (wanted.addrtype, wanted.shared) and bool(
        wanted.size.accepts(given.size.minimum, given.size.maximum)
    )


CORE_MATCHES: Mapping[Sort, Callable[[Any, Any], bool]] = {
    Sort.CORE_FUNC: matches_defined,
    Sort.CORE_TAG: lambda given, wanted: given is wanted,
    Sort.CORE_TABLE: lambda given, wanted: matches_table(given, given.size.minimum, wanted),
    Sort.CORE_MEMORY: matches_memory,
    Sort.CORE_GLOBAL: matches_global,
}
