"""Frozen classes that are cheap to define, for modules that nearly every run imports.

A subclass of `Frozen` is what `dataclass(frozen=True, slots=True)` makes, in a thirtieth of the time: 8 us
per class instead of 260, and a hello world defines seventy of them. The first few records of a class are
filled field by field; then its `__init__` is compiled, with code that classes with the same number of fields
share. `dataclasses`, whose functions also accept records, is imported only by their callers.

The rule: frozen data is a record. A dataclass is for what changes, and for frozen data with fields that need
`field` (a factory, no comparison) or that is compared by identity.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache, partial
from operator import attrgetter
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

from .brief import show_fields

T = TypeVar("T")

put = object.__setattr__
FEW = 12
"""So many records of a class are filled without compiling its `__init__`."""
MANY = 12
"""Records with more fields set them in a loop: a line per field would take longer to compile than most
programs spend in the loop."""


class Fields:
    """The `__dataclass_fields__` of a record, computed when `dataclasses` first reads it."""

    def __get__(self, _instance: object, class_: type[Frozen]) -> Any:
        if (known := class_.__dict__.get("_fields")) is not None:  # not those of a base
            return known
        from dataclasses import field, make_dataclass

        names, init = class_.__match_args__, class_.__init__
        given = zip(reversed(names), reversed(getattr(init, "__defaults__", None) or ()), strict=False)
        optional = {name: field(default=value) for name, value in given}
        types = inherited(class_)
        twin: Any = make_dataclass(
            class_.__name__, [(name, types[name], optional.get(name, field())) for name in names]
        )
        class_._fields = twin.__dataclass_fields__
        return class_._fields


class Slots(dict[str, str]):
    """The slots of a record, with what `help` shows of each: the text below the field in the source, which is
    read when it is asked for."""

    def __init__(self, names: Iterable[str], module: str, class_name: str) -> None:
        super().__init__(dict.fromkeys(names, ""))
        self._class = module, class_name

    def __getitem__(self, name: str) -> str:
        from .field_texts import texts

        return texts(*self._class).get(name, "")


class RecordClass(type):
    """The class of records."""

    def __new__(meta, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> RecordClass:
        own = body.get("__annotations__")
        if not bases or not own:  # Frozen, or a class that adds no fields to those of a record
            return super().__new__(meta, name, bases, body)
        types = {field: type_ for base in bases for field, type_ in inherited(base).items()} | own
        defaults = tuple([body.pop(field) for field in own if field in body])
        body.setdefault("_values", attrgetter(*types))
        slots = Slots(own, body.get("__module__", ""), body.get("__qualname__", name))
        body |= {"__slots__": slots, "__match_args__": tuple(types)}
        body |= {"_types": types, "_defaults": defaults, "__init__": Later()}
        return super().__new__(meta, name, bases, body)


@dataclass_transform(frozen_default=True)
class Frozen(metaclass=RecordClass):
    """The base of all records.

    A subclass has slots for its annotations, and an `__init__` that takes their values in this order, after
    the fields of a base that is a record (the base's defaults don't apply). If the class has these methods,
    `__init__` calls `check_field` with name and value of each field that isn't the default, and
    `__post_init__` at the end. Records are equal if they have the same class and equal values.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    __dataclass_fields__: Any = Fields()
    _fields: ClassVar[dict[str, Any]]
    """What `dataclasses` knows of the fields, once it has asked."""
    _types: ClassVar[dict[str, Any]] = {}
    """Types by the names of fields."""
    _defaults: tuple[Any, ...]
    """Default values of the last fields."""
    _values: Any
    """Returns the contents of a record: a tuple, or the value itself if there is only one field."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frozen) or other.__class__ is not self.__class__:
            return NotImplemented
        same: bool = self._values(self) == other._values(other)
        return same

    def __hash__(self) -> int:
        return hash(self._values(self))

    __repr__ = show_fields

    def __reduce__(self) -> tuple[Any, ...]:
        return self.__class__, tuple([getattr(self, name) for name in self.__match_args__])

    def __replace__(self, /, **values: Any) -> Any:
        return changed(self, **values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"{self.__class__.__qualname__} is frozen: its {name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"{self.__class__.__qualname__} is frozen: its {name!r} can't be deleted")


def inherited(base: type) -> dict[str, Any]:
    """The fields of a base, with their types."""
    return base._types if issubclass(base, Frozen) else {}


class Later:
    """Stands for the `__init__` of a record until several were made: compiling one takes as long as filling a
    hundred records, and most runs make few of each kind."""

    __slots__ = ("_left", "_owner")

    def __init__(self) -> None:
        self._left = FEW

    def __set_name__(self, owner: type[Frozen], name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, class_: type | None = None) -> Any:
        self._left -= 1
        if instance is not None and self._left >= 0:
            return partial(fill, self._owner, instance)
        made = initialiser(self._owner)
        self._owner.__init__ = made  # type: ignore[method-assign] # replaces itself by the method
        return made if instance is None else MethodType(made, instance)


def fill(class_: type[Frozen], made: Any, *values: Any, **named: Any) -> None:
    """Do what the `__init__` of a record class does, without its code."""
    names, defaults = class_.__match_args__, class_._defaults
    usual = dict(zip(reversed(names), reversed(defaults), strict=False))
    given = dict(zip(names, values, strict=False))
    whole = usual | given | named
    if len(values) > len(names) or given.keys() & named.keys() or whole.keys() != set(names):
        initialiser(class_)(made, *values, **named)  # raises TypeError in Python's words
    check = getattr(made, "check_field", None)
    for name in names:
        put(made, name, whole[name])
        if check and not (name in usual and whole[name] is usual[name]):
            check(name, whole[name])
    if ends := getattr(made, "__post_init__", None):
        ends()


def changed(one: T, **values: Any) -> T:
    """A copy of a record with some values changed."""
    kept = {name: getattr(one, name) for name in getattr(one, "__match_args__", ())}
    return type(one)(**(kept | values))


def initialiser(made: type[Frozen]) -> FunctionType:
    """An `__init__` that sets a record's fields."""
    types, defaults = made._types, made._defaults
    required = len(types) - len(defaults) if hasattr(made, "check_field") else None
    code = setting(len(types), required, hasattr(made, "__post_init__"))
    setters = tuple([getattr(made, name).__set__ for name in types])
    closure = {"usual": defaults, "setters": setters} | {f"set{n}": set_ for n, set_ in enumerate(setters)}
    called = dict(zip(code.co_varnames[1:], types, strict=False))
    code = code.replace(
        co_qualname=f"{made.__qualname__}.__init__",
        co_varnames=tuple([called.get(name, name) for name in code.co_varnames]),
        co_consts=tuple([called.get(const, const) for const in code.co_consts]),
    )
    cells = [CellType(closure[name]) for name in code.co_freevars]
    function = FunctionType(code, vars(sys.modules[made.__module__]), "__init__", defaults, tuple(cells))
    function.__annotations__ = types
    return function


@cache
def setting(count: int, required: int | None, ends: bool) -> CodeType:
    """The code of an `__init__` that sets `count` fields, under names that are replaced later, by the
    functions `set0`, `set1` ... of its closure. If `required` is given it checks the values; the fields after
    the required ones have defaults, `usual`, which it doesn't check. If `ends`, it calls `__post_init__` at
    the end."""
    names = [f"field{n}" for n in range(count)]
    lines = [f"def __init__(self, {', '.join(names)}):"]
    for n, name in enumerate(names):
        lines.append(f" set{n}(self, {name})")
        if required is not None:
            given = f"if {name} is not usual[{n - required}]: " if n >= required else ""
            lines.append(f" {given}self.check_field({name!r}, {name})")
    if count > MANY and required is None:
        lines[1:] = [f" for set_, given in zip(setters, ({', '.join(names)})):", "  set_(self, given)"]
    lines += [" self.__post_init__()"] * ends
    closure = ", ".join(["usual", "setters", *(f"set{n}" for n in range(count))])
    made: dict[str, Any] = {}
    exec("\n".join([f"def with_({closure}):", *(f" {line}" for line in lines), " return __init__"]), made)
    code: CodeType = made["with_"](*[None] * (count + 2)).__code__
    return code
