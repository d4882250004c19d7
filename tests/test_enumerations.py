"""Cheap enumerations do what those of `enum` do."""

from __future__ import annotations

import copy
import enum
import operator
import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pywasm_nn import enumerations

KINDS = ("Enum", "IntEnum", "IntFlag", "StrEnum")
VALUES: dict[str, tuple[Any, Any, Any]] = {
    "Enum": ("one", 2, None),
    "IntEnum": (0, 1, 28),
    "IntFlag": (1, 2, 8),
    "StrEnum": ("", "two words", "c"),
}


def made(module: Any, kind: str) -> Any:
    """An enumeration of three members, with a method, a property and a class method."""
    first, second, third = VALUES[kind]

    class Made(getattr(module, kind)):  # type: ignore[misc] # a base that is chosen at run time
        """Documented."""

        FIRST = first
        SECOND = second
        THIRD = third

        @property
        def lower(self) -> str:
            return str(self.name).lower()

        def named(self) -> str:
            return str(self.name)

        @classmethod
        def default(cls) -> Any:
            return cls.SECOND

    return Made


LOOKS: dict[str, Callable[[Any, Any], Any]] = {
    "names": lambda made, value: [one.name for one in made],
    "values": lambda made, value: [one.value for one in made],
    "count": lambda made, value: len(made),
    "by name": lambda made, value: made["SECOND"] is made.SECOND,
    "by value": lambda made, value: made(value) is made.THIRD,
    "by member": lambda made, value: made(made.THIRD) is made.THIRD,
    "members": lambda made, value: [isinstance(one, made) for one in made],
    "is a member": lambda made, value: made.FIRST in made,
    "repr": lambda made, value: [repr(one) for one in made],
    "str": lambda made, value: [str(one) for one in made],
    "formatted": lambda made, value: [f"{one}" for one in made],
    "equals its value": lambda made, value: [value == made.THIRD, value == made.THIRD, made.THIRD == 8],
    "in a table": lambda made, value: {made.FIRST: 1, made.SECOND: 2}[made.SECOND],
    "property": lambda made, value: made.FIRST.lower,
    "method": lambda made, value: made.FIRST.named(),
    "class method": lambda made, value: made.default() is made.SECOND,
    "documentation": lambda made, value: made.__doc__,
    "copied": lambda made, value: copy.deepcopy([made.FIRST])[0] is made.FIRST,
    "truth": lambda made, value: [bool(one) for one in made],
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_members_are_as_those_of_enum(kind: str, look: str) -> None:
    ours, theirs = (LOOKS[look](made(module, kind), VALUES[kind][2]) for module in (enumerations, enum))
    assert ours == theirs


@pytest.mark.parametrize("kind", ["Enum", "IntEnum", "StrEnum"])
@pytest.mark.parametrize("value", [77, "other", [], {}])
def test_a_value_without_a_member_is_refused_as_by_enum(kind: str, value: object) -> None:
    said = []
    for module in (enumerations, enum):
        with pytest.raises(ValueError, match="is not a valid") as caught:
            made(module, kind)(value)
        said.append(str(caught.value).replace("test_", ""))
    assert said[0] == said[1]


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_name_is_refused_as_by_enum(kind: str) -> None:
    for module in (enumerations, enum):
        with pytest.raises(KeyError, match="FOURTH"):
            made(module, kind)["FOURTH"]


@pytest.mark.parametrize("operation", [operator.or_, operator.and_, operator.contains, operator.eq])
@pytest.mark.parametrize("left", range(12))
def test_flags_combine_as_those_of_enum(operation: Callable[[Any, Any], Any], left: int) -> None:
    ours, theirs = made(enumerations, "IntFlag"), made(enum, "IntFlag")
    for right in (0, 1, 2, 3, 8, 9, 11):
        one, other = (operation(flags(left & 11), flags(right)) for flags in (ours, theirs))
        assert one == other
        if isinstance(other, theirs):
            assert isinstance(one, ours)
            assert (int(one), str(one), repr(one), list(one)) == (
                int(other),
                str(other),
                repr(other),
                list(other),
            )


def test_values_that_do_not_matter_count_up() -> None:
    class Automatic(enumerations.Enum):
        FIRST = enumerations.auto()
        SECOND = enumerations.auto()

    assert [one.value for one in Automatic] == [1, 2]


def test_combinations_of_flags_are_not_kept() -> None:
    """A guest can ask for 2^30 combinations of rights."""
    codes = import_module("pywasm_nn.wasi.codes")
    before = len(codes.Rights._by_value)
    for value in range(0, 1 << 30, 1 << 20):
        assert codes.Rights(value) == value
    assert len(codes.Rights._by_value) == before == 30


@pytest.mark.parametrize("name", ["errors.TrapKind", "wasi.errors.Errno", "wasi.codes.Rights"])
def test_members_can_be_pickled(name: str) -> None:
    module, _, class_ = f"pywasm_nn.{name}".rpartition(".")
    for member in getattr(import_module(module), class_):
        assert pickle.loads(pickle.dumps(member)) is member
