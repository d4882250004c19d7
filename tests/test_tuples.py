"""Cheap named tuples do what those of `typing` do."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from typing import Any

import pytest

from pywasm_nn import tuples
from pywasm_nn.interpreter.module import BlockType, MemArg


class Cheap(tuples.NamedTuple):
    """A place."""

    x: int
    y: int = 2
    name: str | None = None

    @property
    def sum(self) -> int:
        return self.x + self.y


class Usual(typing.NamedTuple):
    """A place."""

    x: int
    y: int = 2
    name: str | None = None

    @property
    def sum(self) -> int:
        return self.x + self.y


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}), ((1, 3), {}), ((1, 3, "a"), {}), ((), {"x": 1}), ((1,), {"name": "a"}),
    ((), {}), ((1, 2, 3, 4), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((), {"y": 1}),
]  # fmt: skip


def seen(class_: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """All that can be seen of a named tuple that is made in this way, or the error."""
    try:
        made = class_(*values, **named)
    except TypeError as error:
        return type(error)
    x, y, name = made
    match made:
        case Cheap(first, second) | Usual(first, second):
            matched = first, second
    with pytest.raises(AttributeError):
        made.x = 5
    with pytest.raises(AttributeError):
        made.other = 5
    others = [(1,), (1, 2, None), (1, 3, "a"), (3,)]
    return (
        (x, y, name), matched, made.x, made.y, made.name, made.sum, made[1], len(made), hash(made),
        type(made).__doc__, [made == other for other in others], made < (1, 1), made._replace(y=7),
        isinstance(made, tuple),
    )  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_named_tuples_are_as_those_of_typing(call: tuple[Any, Any]) -> None:
    assert seen(Cheap, *call) == seen(Usual, *call)


def test_named_tuples_are_copied_and_pickled() -> None:
    made = Cheap(1, name="a")
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other == made
        assert type(other) is Cheap


def test_named_tuples_tell_their_fields() -> None:
    assert list(inspect.signature(Cheap).parameters) == ["x", "y", "name"]
    assert typing.get_type_hints(Cheap) == typing.get_type_hints(Usual)
    assert repr(Cheap(1)) == "Cheap(x=1, y=2, name=None)"


def test_classes_with_as_many_fields_have_their_own_names() -> None:
    assert (MemArg(align=1, offset=2).memidx, BlockType(result=None).typeidx) == (0, None)
    with pytest.raises(TypeError, match="align"):
        MemArg(offset=2)  # type: ignore[call-arg] # what is tested
