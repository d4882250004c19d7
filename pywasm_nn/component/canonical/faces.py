"""The Python classes of component types, and the Python form of every type's values.

| type | Python |
|---|---|
| bool, integers, floats, char, string | bool, int, float, str |
| list of u8, any other list, map | bytes, list, dict |
| tuple, record | tuple, an object with the fields as attributes |
| variant | an object of a class for the case: `Payment.Card(x)` |
| enum, flags | a member of an `enum.Enum`, an `enum.Flag` |
| option | None or the value; `Some(value)` where the value may be None itself |
| result | `Ok(value)` or `Err(error)` |

What is not here: resources (`runtime.py`).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from ...printable import PrintableError
from ..types import Compound, Kind

LONGEST_REPR = 200
"""Characters of a value in messages."""
T = TypeVar("T")
HOME = __name__
"""The `__module__` of classes until their namespace is known."""


class Buffer(Protocol):
    """Values that may be passed for a list of numbers: bytes, an array, a memoryview, a numpy array."""

    def __buffer__(self, flags: int, /) -> memoryview: ...


class Face:
    """Base of values with a payload. They are equal if their classes and payloads are."""

    __slots__ = ("value",)
    __match_args__: tuple[str, ...] = ("value",)
    label = ""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Face | Err) or other.label != self.label:
            return NotImplemented
        same: bool = self.value == other.value
        return same

    def __hash__(self) -> int:
        return hash((self.label, self.value))

    def __repr__(self) -> str:
        return shortened(f"{type(self).__qualname__}({'' if self.value is None else repr(self.value)})")


class Some(Face, Generic[T]):
    """The value of an option whose value may be None."""

    __slots__ = ()
    label = "some"
    if TYPE_CHECKING:
        value: T

        def __init__(self, value: T) -> None: ...


class Ok(Face, Generic[T]):
    """A successful result."""

    __slots__ = ()
    label = "ok"
    if TYPE_CHECKING:
        value: T

        @overload
        def __init__(self: Ok[None]) -> None: ...
        @overload
        def __init__(self, value: T) -> None: ...
        def __init__(self, value: Any = None) -> None: ...


class Err(PrintableError, Generic[T]):
    """A failed result: a function whose type is a result raises it; elsewhere it is a value."""

    __match_args__ = ("value",)
    label = "error"
    value: T

    @overload
    def __init__(self: Err[None]) -> None: ...
    @overload
    def __init__(self, value: T) -> None: ...
    def __init__(self, value: Any = None) -> None:
        super().__init__(value)
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Err) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(("error", self.value))

    def __repr__(self) -> str:
        return shortened(f"Err({'' if self.value is None else repr(self.value)})")


class Record:
    """Base of all records: fields by position or name; records are equal if all fields are."""

    __slots__: tuple[str, ...] = ()
    __match_args__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or other.__match_args__ != self.__match_args__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__match_args__))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return shortened(f"{type(self).__qualname__}({fields})")


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_REPR else text[:LONGEST_REPR] + "..."


def attribute(label: str) -> str:
    """The Python name of a label: `is-XML` is `is_xml`, `class` is `class_`; `mro`, which all classes have
    already, is `mro_`."""
    name = label.replace("-", "_").lower()
    return name + "_" if iskeyword(name) or name.startswith("__") or name == "mro" else name


def class_name(label: str) -> str:
    """The class name for a label: `is-XML` is `IsXml`, `none` is `None_`."""
    name = "".join(part.capitalize() for part in label.split("-")) or "Anonymous"
    return name + "_" if iskeyword(name) else name


def class_names(labels: Sequence[str]) -> list[str]:
    """Distinct class names for labels: for `x1` and `x-1` the second is `X1_`."""
    found: dict[str, None] = {}
    for label in labels:
        name = class_name(label)
        while name in found:
            name += "_"
        found[name] = None
    return list(found)


def face(type_: Compound) -> Any:
    """The class of a record, variant, enum or flags type, created once."""
    made = type_.face
    if made is None:
        made = type_.face = MAKERS[type_.kind](type_, class_name(type_.name or type_.kind.value))
    return made


def record_class(type_: Compound, name: str) -> type[Record]:
    fields = tuple(map(attribute, type_.labels))
    parameters = ", ".join(fields)
    # No label begins with `_`, but one may be `self`.
    lines = [f"def __init__(_self, /, {parameters}):", *(f"    _self.{field} = {field}" for field in fields)]
    made: dict[str, Any] = {}
    exec("\n".join(lines), made)
    space = {
        "__slots__": fields,
        "__match_args__": fields,
        "__init__": made["__init__"],
        "__module__": HOME,
    }
    return type(name, (Record,), space)


def variant_class(type_: Compound, name: str) -> type[Face]:
    """A class that contains a class for each case."""
    base = type(name, (Face,), {"__slots__": (), "__module__": HOME})
    cases = []
    for label, own in zip(type_.labels, class_names(type_.labels), strict=True):
        case: Any = type(own, (base,), {"__slots__": (), "label": label, "__module__": HOME})
        case.__qualname__ = f"{name}.{case.__name__}"
        setattr(base, case.__name__, case)
        cases.append(case)
    base.cases = tuple(cases)  # type: ignore[attr-defined] # the cases in order, for generated code
    return base


def enum_class(type_: Compound, name: str) -> type[enum.Enum]:
    members = [(attribute(label).upper(), label) for label in type_.labels]
    return enum.Enum(name, members, module=HOME)  # type: ignore[return-value] # made of what isn't literal


def flags_class(type_: Compound, name: str) -> type[enum.Flag]:
    members = [(attribute(label).upper(), 1 << bit) for bit, label in enumerate(type_.labels)]
    return enum.Flag(name, members, module=HOME)  # type: ignore[return-value] # made of what isn't literal


MAKERS = {
    Kind.RECORD: record_class,
    Kind.VARIANT: variant_class,
    Kind.ENUM: enum_class,
    Kind.FLAGS: flags_class,
}
