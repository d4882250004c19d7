"""Interfaces of the host, written as typed Python: functions, and classes as resources.

What is here: `Interface`, and the types for annotations:

| annotation | type |
|---|---|
| `bool`, `U8` to `S64`, `F32`, `F64`, `str` | bool, integers, floats, string |
| `bytes`, `memoryview` | list of u8; if one parameter is a view, all lists of u8 are views |
| `list[T]`, `tuple[T, U]`, `T | None` | list, tuple, option |
| a record, an `Enum` whose values are labels, a `Flag`, a `Variant` | record, enum, flags, variant |
| a class, `Borrow[Class]` | own of its resource, borrow of it |

What is not: the interfaces, and which guest gets them.
"""

from __future__ import annotations

import enum
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .canonical.faces import Err
from .handles import resource_type
from .runtime import HostFunction
from .types import PRIM_BY_NAME, Compound, FuncType, Kind, Origin, Part, Prim, Resource, ValType

T = TypeVar("T")
C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

U8 = Annotated[int, PRIM_BY_NAME["u8"]]
U16 = Annotated[int, PRIM_BY_NAME["u16"]]
U32 = Annotated[int, PRIM_BY_NAME["u32"]]
U64 = Annotated[int, PRIM_BY_NAME["u64"]]
S32 = Annotated[int, PRIM_BY_NAME["s32"]]
S64 = Annotated[int, PRIM_BY_NAME["s64"]]
F32 = Annotated[float, PRIM_BY_NAME["f32"]]
F64 = Annotated[float, PRIM_BY_NAME["f64"]]
Borrow = Annotated[T, Kind.BORROW]
"""A resource that is borrowed during the call."""


class Variant:
    """Base of variants: the annotations of a class are its cases, None for a case without a value."""

    __slots__ = ("label", "value")

    def __init__(self, label: str, value: Any = None) -> None:
        self.label = label
        self.value = value


class Status:
    """Annotation for a parameter of type `result` without values: an object with the label "ok" or
    "error"."""

    label: str


def label_of(name: str) -> str:
    """The label for a Python name: `is_open` is `is-open`, `in_` is `in`."""
    return name.rstrip("_").replace("_", "-")


def prim(name: str) -> ValType:
    return PRIM_BY_NAME[name]


# Types from annotations


class HostOrigin(Origin):
    """The identity of a class's resource type."""

    def __init__(self, class_: type) -> None:
        super().__init__(resource_type(class_).name)
        self.class_ = class_


@cache
def resource_of(class_: type) -> Resource:
    """The resource for a class, one object for each class of this package's interfaces."""
    return Resource(HostOrigin(class_))


def resolved(resource: Resource) -> Any:
    """The runtime's resource type for a resource of a class."""
    assert isinstance(resource.origin, HostOrigin)  # as all resources in types made here
    return resource_type(resource.origin.class_)


def of_list(annotation: Any) -> Compound:
    return Compound(Kind.LIST, (), tuple(map(type_of, get_args(annotation))))


def of_tuple(annotation: Any) -> Compound:
    return Compound(Kind.TUPLE, (), tuple(map(type_of, get_args(annotation))))


def of_option(annotation: Any) -> Compound:
    (inner,) = (part for part in get_args(annotation) if part is not NoneType)
    return Compound(Kind.OPTION, (), (type_of(inner),))


def of_note(annotation: Any) -> ValType:
    """The type in an annotation's metadata, beside the annotation for Python's own tools."""
    base, note = get_args(annotation)
    if note is Kind.BORROW:
        return Compound(Kind.BORROW, (), (resource_of(base),))
    assert isinstance(note, Prim)
    return note


def of_enum(class_: type[enum.Enum]) -> Compound:
    return Compound(Kind.ENUM, tuple(member.value for member in class_), name=class_.__name__)


def of_flags(class_: type[enum.Flag]) -> Compound:
    return Compound(
        Kind.FLAGS, tuple(label_of(str(flag.name).lower()) for flag in class_), name=class_.__name__
    )


def of_variant(class_: type[Variant]) -> Compound:
    cases = get_type_hints(class_, include_extras=True)
    parts = tuple(None if case is NoneType else type_of(case) for case in cases.values())
    return Compound(Kind.VARIANT, tuple(map(label_of, cases)), parts, name=class_.__name__)


def of_record(class_: Any) -> Compound:
    hints, fields = get_type_hints(class_, include_extras=True), class_.__match_args__
    parts = tuple(type_of(hints[name]) for name in fields)
    return Compound(Kind.RECORD, tuple(map(label_of, fields)), parts, name=class_.__name__)


def of_resource(class_: type) -> Compound:
    return Compound(Kind.OWN, (), (resource_of(class_),))


GENERIC: Mapping[Any, Callable[[Any], ValType]] = {
    list: of_list,
    tuple: of_tuple,
    Union: of_option,
    UnionType: of_option,
    Annotated: of_note,
}
PLAIN: Mapping[Any, ValType] = {
    bool: prim("bool"),
    str: prim("string"),
    **dict.fromkeys((bytes, memoryview), Compound(Kind.LIST, (), (prim("u8"),))),
    Status: Compound(Kind.RESULT, (), (None, None)),
}
OF_CLASSES: tuple[tuple[Callable[[type], bool], Callable[[Any], ValType]], ...] = (
    (lambda class_: issubclass(class_, enum.Flag), of_flags),
    (lambda class_: issubclass(class_, enum.Enum), of_enum),
    (lambda class_: issubclass(class_, Variant), of_variant),
    (lambda class_: hasattr(class_, "__match_args__"), of_record),
    (lambda class_: True, of_resource),
)


@cache
def type_of(annotation: Any) -> ValType:
    """The type for an annotation."""
    if annotation in PLAIN:
        return PLAIN[annotation]
    if generic := GENERIC.get(get_origin(annotation)):
        return generic(annotation)
    return next(make(annotation) for suits, make in OF_CLASSES if suits(annotation))


# Functions


GUEST = "guest"
"""The name of the parameter for the host's data about the guest: the first one, or the one after `self`. It
isn't part of the function's type."""


def fails(errors: Any) -> Callable[[F], F]:
    """Mark a function whose type is a result: `errors` is the class of its errors, and `errors.of(exception)`
    returns the error for the guest, or None for an exception that isn't meant for the guest."""

    def mark(function: F) -> F:
        function.__dict__["errors"] = errors
        return function

    return mark


@cache
def declared(function: Callable[..., Any]) -> tuple[Mapping[str, Any], Any]:
    """The annotation of each parameter, None where there is none, and that of the result."""
    home, code = function.__module__, function.__code__
    hints = {name: meaning(text, home) for name, text in function.__annotations__.items()}
    params = {name: hints.get(name) for name in code.co_varnames[: code.co_argcount]}
    return params, hints.get("return", NoneType)


@cache
def meaning(annotation: str, module: str) -> Any:
    """What an annotation in a module stands for. It is evaluated once for all functions that have it: as
    `typing.get_type_hints` does it, it would be compiled for each."""
    found = eval(annotation, vars(sys.modules[module]))
    return NoneType if found is None else found


@cache
def function_type(function: Callable[..., Any], owner: type | None) -> FuncType:
    """The type of a function, or of a method of the class `owner`."""
    annotated, result = declared(function)
    labels: list[str] = []
    params: list[ValType] = []
    for name, annotation in annotated.items():
        if name == GUEST:
            continue
        labels.append(label_of(name))
        params.append(
            Compound(Kind.BORROW, (), (resource_of(owner),))
            if owner and name == "self"
            else type_of(annotation)
        )
    result_type: Part = None if result is NoneType else type_of(result)
    if errors := getattr(function, "errors", None):
        result_type = Compound(Kind.RESULT, (), (result_type, type_of(errors)))
    assert not isinstance(result_type, Resource)
    return FuncType(tuple(labels), tuple(params), result_type)


def takes_views(function: Callable[..., Any]) -> bool:
    """Whether a function takes lists of u8 as views of memory, which are valid during the call."""
    return any(map(mentions_views, declared(function)[0].values()))


def mentions_views(annotation: Any) -> bool:
    return annotation is memoryview or any(map(mentions_views, get_args(annotation)))


def converters(function: Callable[..., Any]) -> list[Callable[[Any], Any] | None]:
    """For each parameter the function that converts a guest's flag or enum member to ours; None for other
    parameters."""
    return [converter(given) for name, given in declared(function)[0].items() if name != GUEST]


def converter(annotation: Any) -> Callable[[Any], Any] | None:
    if not inspect.isclass(annotation) or not issubclass(annotation, enum.Enum):
        return None
    if issubclass(annotation, enum.Flag):
        return lambda value: annotation(value.value)
    members = {member.value: member for member in annotation}
    return lambda value: members[value.value]


def callable_of(function: Callable[..., Any], guest: Any) -> Callable[..., Any]:
    """The function for a component's calls: it passes `guest` if necessary, and turns exceptions into
    errors."""
    first, second, *_ = *declared(function)[0], "", ""
    called = function
    if first == GUEST:
        called = partial(function, guest)
    elif second == GUEST:
        called = with_second(function, guest)
    converts = converters(function)
    if any(converts):
        called = converting(called, converts)
    errors = getattr(function, "errors", None)
    return called if errors is None else failing(called, errors.of)


def with_second(function: Callable[..., Any], value: Any) -> Callable[..., Any]:
    """A function with a fixed second argument."""
    return lambda first, *others: function(first, value, *others)


def converting(
    function: Callable[..., Any], converts: Sequence[Callable[[Any], Any] | None]
) -> Callable[..., Any]:
    """A function whose arguments are converted first."""
    changes = [(index, convert) for index, convert in enumerate(converts) if convert]

    def call(*given: Any) -> Any:
        arguments = [*given]
        for index, convert in changes:
            arguments[index] = convert(arguments[index])
        return function(*arguments)

    return call


def failing(function: Callable[..., Any], of: Callable[[Exception], Any]) -> Callable[..., Any]:
    """A function whose exceptions become errors for the guest if `of` returns one."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Err:
            raise
        except Exception as error:
            value = of(error)
            if value is None:
                raise
            raise Err(value) from error

    return call


class Interface:
    """One interface of the host, named as in WIT without its version: `wasi:io/streams`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.functions: dict[str, tuple[Callable[..., Any], type | None]] = {}
        """Functions by their names in WIT, each with the class of a method."""
        self.resources: dict[str, type] = {}

    def function(self, function: F, name: str = "") -> F:
        """Add a function, under its own or another name."""
        self.functions[name or label_of(function.__name__)] = function, None
        return function

    def resource(self, class_: C, label: str = "") -> C:
        """Add a class and its public methods, under its own or another name. `close` is called when the last
        handle is dropped; a static method `constructor` is the resource's constructor."""
        label = label or kebab(class_.__name__)
        self.resources[label] = class_
        resource_type(class_, label)
        for name, member in inspect.getmembers_static(class_):
            if isinstance(member, staticmethod) and name == "constructor":
                self.functions[f"[constructor]{label}"] = member.__func__, None
            elif inspect.isfunction(member) and not name.startswith("_") and name != "close":
                self.functions[f"[method]{label}.{label_of(name)}"] = member, class_
        return class_

    def type(self, name: str) -> FuncType:
        """The type of a function."""
        return function_type(*self.functions[name])

    def bound(self, guest: Any) -> Mapping[str, Any]:
        """The mapping in which a component's import is looked up."""
        return Bound(self, guest)


def kebab(name: str) -> str:
    """The label of a class: `InputStream` is `input-stream`."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


class Bound(Mapping[str, Any]):
    """An interface for one guest: functions and resource types by name, created on access."""

    def __init__(self, interface: Interface, guest: Any) -> None:
        self.interface = interface
        self.guest = guest
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Any:
        if name in self.interface.resources:
            return resource_type(self.interface.resources[name])  # no class, of which guests could get more
        function, _ = self.interface.functions[name]
        called = callable_of(function, self.guest)
        type_, whole = self.interface.type(name), f"{self.interface.name} {name}"
        return HostFunction(type_, called, whole, resolved, views=takes_views(function))

    def __iter__(self) -> Iterator[str]:
        yield from self.interface.resources
        yield from self.interface.functions

    def __len__(self) -> int:
        return len(self.interface.resources) + len(self.interface.functions)
