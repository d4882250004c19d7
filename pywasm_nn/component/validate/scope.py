"""Index spaces and names of one component, component type or instance type during validation.

What is here: `Scope`, and `Budget`, the limit on the work. What is not: the rules for definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ...errors import InvalidError
from ...interpreter.pace import STRIDE, Patience
from ..names import ExternName, extern_name
from ..syntax import Definition
from ..types import (
    NAMED,
    ComponentType,
    Compound,
    Extern,
    FuncType,
    InstanceType,
    Origin,
    Prim,
    Resource,
    Sort,
    Step,
)

T = TypeVar("T")
Rules = Mapping[type, Callable[["Scope", Any], None]]
"""For each kind of definition the function that adds it to a scope. Raises InvalidError."""

WORK = 1_000_000
"""The most types that may be visited for one component. A component of 18 MB needs 40,000, and a million take
one to two seconds."""


class Budget:
    """The number of types that may still be visited. It is limited because every line of a component can use
    a type that is as large as the rest of the component."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        self.left = WORK
        self._look = WORK

    def spend(self, count: int) -> None:
        """Use up `count`. Raises InvalidError if not enough is left, or what `patience` raises."""
        self.left -= count
        if self.left > self._look:
            return
        self._look = self.left - STRIDE
        self.patience()
        if self.left < 0:
            raise InvalidError(f"types are too large: more than {WORK} would have to be compared")


class Scope:
    """The definitions so far. `kind` is "component", "component type" or "instance type"."""

    def __init__(self, kind: str, parent: Scope | None, budget: Budget, rules: Rules) -> None:
        self.kind = kind
        self.parent = parent
        self.budget = budget
        self.rules = rules
        self.spaces: dict[Sort, list[Any]] = {sort: [] for sort in Sort}
        self.wanted: set[Origin] = set()
        """Resource types from imports."""
        self.made: set[Origin] = set()
        """Resource types that each instance creates."""
        self.defined: set[Origin] = set()
        """Resource types that are defined in this scope."""
        self.imports = Names("import")
        self.exports = Names("export")
        self.steps: list[Step] = []
        """The valid definitions, for the linker."""
        self.added: Any = None
        """The type that was added last."""
        self.note: Any = None
        """Further data from the current definition for the linker."""

    @property
    def is_type(self) -> bool:
        return self.kind != "component"

    def inner(self, kind: str, definitions: Iterable[Definition]) -> Scope:
        """A scope in this one, with these definitions."""
        scope = Scope(kind, self, self.budget, self.rules)
        scope.define_all(definitions)
        return scope

    def define_all(self, definitions: Iterable[Definition]) -> None:
        """Process definitions in order; each may refer to those before it."""
        for definition in definitions:
            try:
                self.budget.spend(1)
                self.rules[type(definition.content)](self, definition.content)
                self.done(definition.content)
            except InvalidError as error:
                if error.offset >= 0:
                    raise
                raise InvalidError(error.message, func=error.func, offset=definition.offset) from error

    def get(self, sort: Sort, index: int) -> Any:
        """The type at this index. Raises InvalidError if there is none."""
        space = self.spaces[sort]
        if index >= len(space):
            raise InvalidError(f"unknown {sort.value} {index}: {sort.value} index out of bounds")
        return space[index]

    def add(self, sort: Sort, entity: Any) -> None:
        self.spaces[sort].append(entity)
        self.added = entity

    def done(self, content: Any) -> None:
        """Record a valid definition."""
        self.steps.append(Step(content, self.added, self.note))
        self.note = None

    def typed(self, index: int, class_: type[T], what: str) -> T:
        """The type at this index, which must be of this class."""
        type_ = self.get(Sort.TYPE, index)
        if not isinstance(type_, class_):
            raise InvalidError(f"type index {index} is not {what}")
        return type_

    def value_type(self, reference: Prim | int) -> Prim | Compound:
        """A value type, given directly or by its index."""
        if isinstance(reference, Prim):
            return reference
        type_ = self.get(Sort.TYPE, reference)
        if not isinstance(type_, Prim | Compound):
            raise InvalidError(f"type index {reference} is not a defined type")
        return type_

    def outer(self, count: int) -> Iterator[Scope]:
        """This scope and `count` scopes around it, from the inside. Raises InvalidError if there are
        fewer."""
        scope: Scope | None = self
        for _ in range(count + 1):
            if scope is None:
                raise InvalidError(f"invalid outer alias count of {count}")
            yield scope
            scope = scope.parent


class Names:
    """The imports or exports of a scope by name, and the facts that names state."""

    def __init__(self, what: str, *, scoped: bool = True) -> None:
        self.what = what
        self.scoped = scoped
        """Whether its resources can be referred to by the names of methods, constructors and static
        functions."""
        self.externs: dict[str, Extern] = {}
        self.resources: dict[str, Origin] = {}
        """Resource types by their labels."""
        self._unique: dict[str, str] = {}
        self._named: dict[int, Any] = {}
        """Types that have a name outside, by their ids."""

    def add(self, text: str, extern: Extern) -> ExternName:
        """Name an extern. Raises InvalidError if the name is invalid or conflicts with another."""
        name = extern_name(text)
        if name is None:
            raise InvalidError(f'{self.what} name "{text}" is not in kebab case, and no valid extern name')
        if name.unique in self._unique:
            taken = self._unique[name.unique]
            raise InvalidError(f'{self.what} name "{text}" conflicts with previous name "{taken}"')
        self._unique[name.unique] = text
        self.check_role(name, extern)
        self.externs[text] = extern
        if extern.sort is Sort.TYPE and isinstance(extern.type, Compound):
            extern.type.name = extern.type.name or text
        if self.scoped and extern.sort is Sort.TYPE and isinstance(extern.type, Resource):
            self.resources[text] = extern.type.origin
            extern.type.origin.name = extern.type.origin.name or text
        return name

    def check_role(self, name: ExternName, extern: Extern) -> None:
        """Raise InvalidError unless the type fits the name's annotation (method, constructor or static)."""
        if name.role in ("", "interface"):
            return
        func = extern.type
        if not isinstance(func, FuncType):
            raise InvalidError(f'"{name.text}" is not a func: only functions have annotations')
        origin = self.resources.get(name.resource)
        if name.role == "static":
            fits = origin is not None
        elif name.role == "method":
            first = func.params[0] if func.params else None
            fits = func.labels[:1] == ("self",) and is_handle(first, "borrow", origin)
        else:
            result: Any = func.result
            if isinstance(result, Compound) and result.kind.value == "result":
                result = result.parts[0]
            fits = is_handle(result, "own", origin)
        if not fits:
            raise InvalidError(
                f'"{name.text}": no resource "{name.resource}" is {self.what}ed before, or {func!r}'
                f" is not the type of a {name.role} of it"
            )

    def register(self, extern: Extern) -> None:
        """Record the types that are named by this extern; those of an instance, too."""
        if extern.sort is Sort.TYPE:
            self._named[id(extern.type)] = extern.type
        elif isinstance(extern.type, InstanceType):
            for inner in extern.type.exports.values():
                self.register(inner)

    def has(self, type_: object) -> bool:
        """Whether this type object has a name."""
        return id(type_) in self._named


def is_handle(type_: Any, kind: str, origin: Origin | None) -> bool:
    """Whether a type is a handle of this kind for this resource type."""
    if not isinstance(type_, Compound) or type_.kind.value != kind or origin is None:
        return False
    (resource,) = type_.parts
    return isinstance(resource, Resource) and resource.origin is origin


class Visibility:
    """Checks whether all types that a type refers to have a name outside the component.

    https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#external-visibility-of-types
    """

    def __init__(self, budget: Budget, names: tuple[Names, ...]) -> None:
        self.budget = budget
        self.names = names

    def has(self, type_: object) -> bool:
        return any(names.has(type_) for names in self.names)

    def shows(self, extern: Extern, register: Names) -> bool:
        """Whether an extern can be imported or exported; if so, its types are named by it."""
        self.budget.spend(1)
        if extern.sort is Sort.TYPE:
            if not self.shows_type(extern.type):
                return False
            register.register(extern)
            return True
        if isinstance(extern.type, InstanceType):
            return all(self.shows(inner, register) for inner in extern.type.exports.values())
        return not isinstance(extern.type, FuncType) or self.shows_func(extern.type)

    def shows_type(self, type_: Any) -> bool:
        """Whether a type that gets a name itself refers only to named types."""
        if isinstance(type_, Compound):
            return all(map(self.shows_part, type_.parts))
        if isinstance(type_, InstanceType):
            # Names in an instance type are valid only inside it.
            inner = Names("export")
            return all(
                Visibility(self.budget, (*self.names, inner)).shows(extern, inner)
                for extern in type_.exports.values()
            )
        return not isinstance(type_, FuncType) or self.shows_func(type_)

    def shows_func(self, func: FuncType) -> bool:
        return all(map(self.shows_part, (*func.params, func.result)))

    def shows_part(self, part: Any) -> bool:
        """Whether a type that is used in another has a name, or needs none."""
        if part is None or isinstance(part, Prim):
            return True
        self.budget.spend(1)
        if isinstance(part, Resource) or (isinstance(part, Compound) and part.kind in NAMED):
            return self.has(part)
        return isinstance(part, Compound) and all(map(self.shows_part, part.parts))


def component_type(scope: Scope) -> ComponentType:
    """The type of the component or component type of this scope."""
    return ComponentType(
        scope.imports.externs,
        scope.exports.externs,
        frozenset(scope.wanted),
        frozenset(scope.made),
        tuple(scope.steps) if scope.kind == "component" else (),
    )
