"""Index spaces and names of one component, component type or instance type while it is validated.

What is here: `Scope`, and `Budget`, what validating a component may cost. What is not: what definitions mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from ...errors import InvalidError
from ..names import ExternName, extern_name
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

WORK = 1_000_000
"""Types that may be looked at for one component. An 18 MB one needs 40,000, and a million take
one to two seconds."""


class Budget:
    """How many types may still be looked at: a component can name a type that is as large as all of it in
    every line."""

    def __init__(self, work: int = WORK) -> None:
        self.left = work

    def spend(self, count: int) -> None:
        """Take so many. Raises InvalidError if there aren't as many."""
        self.left -= count
        if self.left < 0:
            raise InvalidError(f"types are too large: more than {WORK} would have to be compared")


class Scope:
    """What has been defined so far. `kind` is "component", "component type" or "instance type"."""

    def __init__(self, kind: str, parent: Scope | None, budget: Budget) -> None:
        self.kind = kind
        self.parent = parent
        self.budget = budget
        self.spaces: dict[Sort, list[Any]] = {sort: [] for sort in Sort}
        self.wanted: set[Origin] = set()
        """Resource types that came with imports."""
        self.made: set[Origin] = set()
        """Resource types that are new in each instance."""
        self.defined: set[Origin] = set()
        """Resource types that are defined right here."""
        self.imports = Names("import")
        self.exports = Names("export")
        self.steps: list[Step] = []
        """What was defined, for whoever links."""
        self.added: Any = None
        """What was added last."""
        self.note: Any = None
        """What the definition under way tells the linker beside what it adds."""

    @property
    def is_type(self) -> bool:
        return self.kind != "component"

    def get(self, sort: Sort, index: int) -> Any:
        """What has this index. Raises InvalidError if nothing has."""
        space = self.spaces[sort]
        if index >= len(space):
            raise InvalidError(f"unknown {sort.value} {index}: {sort.value} index out of bounds")
        return space[index]

    def add(self, sort: Sort, entity: Any) -> None:
        self.spaces[sort].append(entity)
        self.added = entity

    def done(self, content: Any) -> None:
        """A definition was valid."""
        self.steps.append(Step(content, self.added, self.note))
        self.note = None

    def typed(self, index: int, class_: type[T], what: str) -> T:
        """The type with this index, which must be of a class."""
        type_ = self.get(Sort.TYPE, index)
        if not isinstance(type_, class_):
            raise InvalidError(f"type index {index} is not {what}")
        return type_

    def value_type(self, reference: Prim | int) -> Prim | Compound:
        """A value type, by its index if it is one."""
        if isinstance(reference, Prim):
            return reference
        type_ = self.get(Sort.TYPE, reference)
        if not isinstance(type_, Prim | Compound):
            raise InvalidError(f"type index {reference} is not a defined type")
        return type_

    def outer(self, count: int) -> Iterator[Scope]:
        """This scope and those around it, the last one so many out. Raises InvalidError if there is none."""
        scope: Scope | None = self
        for _ in range(count + 1):
            if scope is None:
                raise InvalidError(f"invalid outer alias count of {count}")
            yield scope
            scope = scope.parent


class Names:
    """Imports or exports of a scope, by name, with all that names say."""

    def __init__(self, what: str, *, scoped: bool = True) -> None:
        self.what = what
        self.scoped = scoped
        """Whether resources in it have names that annotated functions may refer to."""
        self.externs: dict[str, Extern] = {}
        self.resources: dict[str, Origin] = {}
        """Resource types by their labels."""
        self._unique: dict[str, str] = {}
        self._named: dict[int, Any] = {}
        """Types that have a name outside, by their ids."""

    def add(self, text: str, extern: Extern) -> ExternName:
        """Let something have a name. Raises InvalidError if it can't have this one."""
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
        """Raise InvalidError unless the type is what the name's annotation says."""
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
        """Note the types that have a name from now on, those of an instance with it."""
        if extern.sort is Sort.TYPE:
            self._named[id(extern.type)] = extern.type
        elif isinstance(extern.type, InstanceType):
            for inner in extern.type.exports.values():
                self.register(inner)

    def has(self, type_: object) -> bool:
        """Whether this very type has a name."""
        return id(type_) in self._named


def is_handle(type_: Any, kind: str, origin: Origin | None) -> bool:
    """Whether a type is a handle of this kind for this resource type."""
    if not isinstance(type_, Compound) or type_.kind.value != kind or origin is None:
        return False
    (resource,) = type_.parts
    return isinstance(resource, Resource) and resource.origin is origin


class Visibility:
    """Whether all that a type refers to has a name outside of the component.

    https://github.com/WebAssembly/component-model/blob/main/design/mvp/Explainer.md#external-visibility-of-types
    """

    def __init__(self, budget: Budget, names: tuple[Names, ...]) -> None:
        self.budget = budget
        self.names = names

    def has(self, type_: object) -> bool:
        return any(names.has(type_) for names in self.names)

    def shows(self, extern: Extern, register: Names) -> bool:
        """Whether something can be imported or exported; its types have names from then on."""
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
        """A type that gets a name itself: what it is made of must have names."""
        if isinstance(type_, Compound):
            return all(map(self.shows_part, type_.parts))
        if isinstance(type_, InstanceType):
            # A type of instances names nothing here; what it names is only looked at inside of it.
            inner = Names("export")
            return all(
                Visibility(self.budget, (*self.names, inner)).shows(extern, inner)
                for extern in type_.exports.values()
            )
        return not isinstance(type_, FuncType) or self.shows_func(type_)

    def shows_func(self, func: FuncType) -> bool:
        return all(map(self.shows_part, (*func.params, func.result)))

    def shows_part(self, part: Any) -> bool:
        """A type where it is used."""
        if part is None or isinstance(part, Prim):
            return True
        self.budget.spend(1)
        if isinstance(part, Resource) or (isinstance(part, Compound) and part.kind in NAMED):
            return self.has(part)
        return isinstance(part, Compound) and all(map(self.shows_part, part.parts))


def component_type(scope: Scope) -> ComponentType:
    """The type of all that was defined."""
    return ComponentType(
        scope.imports.externs,
        scope.exports.externs,
        frozenset(scope.wanted),
        frozenset(scope.made),
        tuple(scope.steps) if scope.kind == "component" else (),
    )
