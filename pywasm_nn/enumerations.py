"""Enumerations that are cheap to define, for modules that nearly every run imports.

`enum` takes 30 us for a class and 10 for each member, and a hello world defines twenty enumerations with 300
members: a tenth of its time. The classes here take a fifteenth of that. They do what the package uses of
`enum`: names and values, `Errno(44)`, `Errno["NOENT"]`, iteration, and the operators of flags. Type checkers
take them for the classes of `enum`.

The rule: modules that a hello world imports define their enumerations with this file, others with `enum`.
What is not here: aliases, values that are computed, the functional interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any


class Auto:
    """A value that doesn't matter: the member gets its position, counted from 1."""


class Members(type):
    """The class of an enumeration. Public attributes of its body that aren't functions, methods or properties
    become members."""

    _data: Any
    """The class of the values: int, str, or object if members aren't equal to their values."""
    _by_name: dict[str, Any]
    _by_value: dict[Any, Any]

    def __new__(meta, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Members:
        public = [(key, value) for key, value in body.items() if key[0] != "_"]
        values = {key: value for key, value in public if not hasattr(value, "__get__")}
        rest = {key: value for key, value in body.items() if key not in values}
        made = super().__new__(meta, name, bases, {**rest, "_by_name": {}, "_by_value": {}})
        for key, value in values.items():
            made._add(key, len(made._by_name) + 1 if isinstance(value, Auto) else value)
        return made

    def _add(cls, name: str, value: Any) -> None:
        member = cls._made(value)
        member.name, member.value = name, value
        cls._by_name[name] = cls._by_value[value] = member
        setattr(cls, name, member)

    def _made(cls, value: Any) -> Any:
        """A member with this value, still without a name."""
        arguments = () if cls._data is object else (value,)
        return cls._data.__new__(cls, *arguments)

    def __iter__(cls) -> Iterator[Any]:
        return iter(cls._by_name.values())

    def __len__(cls) -> int:
        return len(cls._by_name)

    def __getitem__(cls, name: str) -> Any:
        return cls._by_name[name]

    def __contains__(cls, value: object) -> bool:
        return any(member is value for member in cls)


class Member:
    """A member of an enumeration. Calling the class finds a member by its value: ValueError if there is
    none."""

    _data = object
    name: str
    value: Any

    def __new__(cls, value: Any) -> Any:
        if value.__class__ is cls:
            return value
        try:
            return cls._by_value[value]  # type: ignore[attr-defined] # its class is Members
        except (KeyError, TypeError):
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return self.__class__, (self.value,)

    def __str__(self) -> str:
        return f"{self.__class__.__name__}.{self.name}"

    def __repr__(self) -> str:
        label = ".".join(filter(None, [self.__class__.__name__, self.name]))
        return f"<{label}: {self.value!r}>"


class Flags(Member, int):
    """Single flags are members. Combinations are made when asked for and not kept: guests can ask for any
    number of them."""

    _data = int

    def __new__(cls, value: int) -> Any:
        member = cls._by_value.get(value)  # type: ignore[attr-defined] # its class is Members
        return int.__new__(cls, value) if member is None else member

    @cached_property
    def name(self) -> str:  # type: ignore[override] # _add sets it for members
        return "|".join([one.name for one in self])

    @cached_property
    def value(self) -> int:
        return int(self)

    def __iter__(self) -> Iterator[Any]:
        return (one for one in self.__class__ if one in self)  # type: ignore[attr-defined] # as above

    def __contains__(self, other: int) -> bool:
        return int(self) & other == other

    def __or__(self, other: int) -> Any:
        return self.__class__(int(self) | other)

    def __and__(self, other: int) -> Any:
        return self.__class__(int(self) & other)


if TYPE_CHECKING:
    from enum import Enum, IntEnum, IntFlag, StrEnum, auto
else:
    auto = Auto

    class Enum(Member, metaclass=Members):
        """As `enum.Enum`."""

    class IntEnum(Member, int, metaclass=Members):
        """As `enum.IntEnum`."""

        _data = int
        __str__ = int.__repr__

    class IntFlag(Flags, metaclass=Members):
        """As `enum.IntFlag`."""

        __str__ = int.__repr__

    class StrEnum(Member, str, metaclass=Members):
        """As `enum.StrEnum`."""

        _data = str
        __str__ = str.__str__


__all__ = ["Enum", "IntEnum", "IntFlag", "StrEnum", "auto"]
