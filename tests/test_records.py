"""Records: what they share with frozen dataclasses."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import pydoc
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pywasm_nn import Limits
from pywasm_nn.interpreter.types import FieldType, NumType, SizeRange
from pywasm_nn.nn.formats import Format
from pywasm_nn.records import Frozen, changed

from .source import parsed


class Point(Frozen):
    """A place."""

    x: int
    y: int = 0

    @property
    def sum(self) -> int:
        return self.x + self.y


class Pair(Frozen):
    x: int
    y: int = 0


class Base:
    def hello(self) -> str:
        return "hello"


class One(Base, Frozen):
    value: tuple[int, ...]


def test_made_of_values_in_order_or_by_name() -> None:
    assert (Point(1, 2).x, Point(y=2, x=1).y, Point(1).y, Point(1, 2).sum) == (1, 2, 0, 3)
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg] # what is tested
    assert Point.__doc__ == "A place."
    assert str(inspect.signature(Place)) == "(x: 'int', y: 'int', name: 'str', visited: 'bool' = False)"


def test_equal_only_within_a_class() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != Pair(1, 2)
    assert Point(1, 2) != (1, 2)
    assert len({Point(1, 2), Point(1, 2), Point(2, 1), Pair(1, 2)}) == 3
    assert One((1,)) == One((1,)) != One(())
    assert SizeRange(0) != FieldType(NumType("i", 0, 0), False)


def test_frozen() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x' can't be set"):
        point.x = 2  # type: ignore[misc] # what is tested
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x' can't be deleted"):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 2  # type: ignore[attr-defined] # what is tested
    assert not hasattr(point, "__dict__")


def test_shown_copied_and_matched() -> None:
    point = Point(1, 2)
    assert repr(point) == "Point(x=1, y=2)"
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_with_a_base_of_its_own() -> None:
    assert One((3,)).hello() == "hello"
    assert One((3,)).value == (3,)
    assert repr(One((3,))) == "One(value=(3,))"


class Place(Point):
    name: str
    visited: bool = False


def test_with_a_base_that_is_a_record() -> None:
    place = Place(1, 2, "home")
    assert (place.x, place.y, place.name, place.visited, place.sum) == (1, 2, "home", False, 3)
    assert place == Place(name="home", x=1, y=2) != Point(1, 2)
    assert repr(place) == "Place(x=1, y=2, name='home', visited=False)"
    assert not hasattr(place, "__dict__")


def test_changed() -> None:
    assert changed(Place(1, 2, "home"), y=5, visited=True) == Place(1, 5, "home", True)
    with pytest.raises(TypeError, match="z"):
        changed(Point(1), z=3)


def test_dataclasses_know_them() -> None:
    place = Place(1, 2, "home")
    assert dataclasses.is_dataclass(Place)
    assert [(f.name, f.type, f.default) for f in dataclasses.fields(Place)] == [
        ("x", "int", dataclasses.MISSING),
        ("y", "int", dataclasses.MISSING),
        ("name", "str", dataclasses.MISSING),
        ("visited", "bool", False),
    ]
    assert dataclasses.asdict(One((1, 2))) == {"value": (1, 2)}
    assert dataclasses.replace(place, y=5) == Place(1, 5, "home")
    with pytest.raises(TypeError, match="z"):
        dataclasses.replace(place, z=5)


def test_dataclasses_know_those_with_a_class_below() -> None:
    class Home(Place):
        def visit(self) -> str:
            return self.name

    home = dataclasses.replace(Home(1, 2, "ours"), x=3)
    assert (home.x, home.visit(), type(home)) == (3, "ours", Home)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace is there since Python 3.13")
def test_copied_with_other_values() -> None:
    assert copy.replace(Point(1, 2), y=3) == Point(1, 3)  # type: ignore[attr-defined] # newer than what is checked


def test_values_that_are_not_the_default_are_checked_one_by_one() -> None:
    seen = []

    class Checked(Frozen):
        needed: int
        usual: float = 256
        other: int = 0

        def check_field(self, name: str, value: object) -> None:
            seen.append((name, value, getattr(self, name)))

    Checked(1)
    Checked(2, 256.0)
    Checked(needed=3, other=True)
    assert seen == [
        ("needed", 1, 1), ("needed", 2, 2), ("usual", 256.0, 256.0), ("needed", 3, 3), ("other", True, True),
    ]  # fmt: skip


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1, 2), {}), ((1,), {"z": 3}), ((), {"x": 1, "y": 2, "z": 4}), ((1, 2, 3), {}),
    ((), {}), ((1,), {}), ((1, 2, 3, 4), {}), ((1, 2), {"x": 1}), ((1, 2), {"w": 1}), ((), {"y": 1}),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_the_first_records_are_made_as_the_later_ones(call: tuple[Any, Any]) -> None:
    """The first ones are filled before there is code for it."""
    values, named = call
    ends: list[int] = []

    def make(class_: Any) -> Any:
        try:
            made = class_(*values, **named)
        except TypeError as error:
            return str(error).replace(class_.__qualname__, "Three")
        return made.x, made.y, made.z, ends.pop()

    class Three(Frozen):
        x: int
        y: int
        z: int = 5

        def __post_init__(self) -> None:
            ends.append(self.z)

    @dataclasses.dataclass(frozen=True)
    class Twin:
        x: int
        y: int
        z: int = 5

        def __post_init__(self) -> None:
            ends.append(self.z)

    assert [make(Three) for _ in range(40)] == [make(Twin)] * 40


def frozen_dataclasses() -> Iterator[str]:
    """Frozen dataclasses that could be records: no field needs `field`, and they compare by value."""
    for file, tree in parsed("dataclass"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            called = next((text for text in decorators if text.startswith("dataclass(")), "")
            fields = [ast.unparse(part) for part in node.body if isinstance(part, ast.AnnAssign)]
            needs = "eq=False" in called or any("field(" in text for text in fields)
            if "frozen=True" in called and not needs:
                yield f"{file}: {node.name}"


def test_frozen_data_is_a_record() -> None:
    assert not [*frozen_dataclasses()]


class Documented(Point):
    z: int = 0
    """The height."""
    plain: int = 0


def test_help_says_what_each_field_is() -> None:
    assert inspect.getdoc(Documented.z) == "The height."
    assert not inspect.getdoc(Documented.plain) and not inspect.getdoc(Documented.x)
    assert " |  z\n |      The height.\n" in pydoc.plain(pydoc.render_doc(Documented))


def test_fields_of_a_base_are_not_those_of_a_record() -> None:
    """Also if they were looked at first, as `help` does."""
    for record, names in ((Frozen, []), (Point, ["x", "y"]), (Documented, ["x", "y", "z", "plain"])):
        assert list(record.__dataclass_fields__) == names
    assert dataclasses.replace(Documented(1, 0), z=3) == Documented(1, 0, 3)


@pytest.mark.parametrize("record", [Limits, Format])
def test_help_of_what_people_fill_in_is_whole(record: type[Frozen]) -> None:
    """Of limits, each says what happens beyond it."""
    for name in record.__match_args__:
        said = inspect.getdoc(getattr(record, name)) or ""
        assert said, name
        if record is Limits:
            assert any(word in said for word in ("eyond", "more", "longer")), name
