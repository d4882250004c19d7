"""Whatever Python gives for a value of any type is taken or refused: the part is named, nothing has run, and
the instance goes on. A host function's result of that sort is the host's error."""

from __future__ import annotations

import array
import collections
import collections.abc
import ctypes
import decimal
import enum
import fractions
import random
from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn import Component, Err, HostError, Ok, Some, Trap
from tests.component.components import assembled
from tests.component.echo import echo_text
from tests.component.shapes import PRIMS, Shape, ours, value


def failing(*names: str) -> Any:
    """An object of a class with these methods, each of which fails."""

    def fail(self: Any, *arguments: Any) -> Any:
        raise ZeroDivisionError("of the caller's own")

    return type("Failing", (), dict.fromkeys(names, fail))()


def answering(name: str, result: Any) -> Any:
    return type("Answering", (), {name: lambda self: result})()


class Changing:
    """Another value each time that it is asked."""

    def __init__(self, *values: Any) -> None:
        self.values = list(values)

    @property
    def a(self) -> Any:
        return self.values.pop(0) if self.values else None

    label = b = value = a


class Text(str):
    __slots__ = ()

    def encode(self, *_: Any) -> Any:
        return 5

    def isascii(self) -> bool:
        return True

    def __str__(self) -> str:
        return "another"


class Number(int):
    def __le__(self, other: object) -> bool:
        return True

    __ge__ = __lt__ = __gt__ = __le__

    def __int__(self) -> int:
        return 1 << 80


class Real(float):
    def __float__(self) -> float:
        raise ZeroDivisionError


class Longer(list[Any]):
    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Any:
        return iter(["x", "y", "z"])


class Pair(tuple[Any, ...]):
    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        return object()


class Odd(enum.Enum):
    LIST = []  # noqa: RUF012 - what can't be hashed is the case
    A = "a"
    NUMBER = 1


class Wide(enum.IntFlag):
    A = 1
    B = 1 << 40


class Small(enum.IntEnum):
    X = 300


class Words(enum.StrEnum):
    X = "x"


def released() -> memoryview:
    view = memoryview(bytearray(3))
    view.release()
    return view


NUMPY = ["int8(3)", "float16(2)", "bool_(1)", "str_('x')", "complex64(1)", "array(3)", "array(3, 'u1')",
    "array([1, 2])", "array([[1, 2]], 'u1')", "array([1, 'x'], 'O')", "zeros(3, '>i4')", "zeros(3, 'M8[s]')",
    "zeros(0)", "array([1, 300], 'u2')", "arange(6, dtype='u1')[::2]"]  # fmt: skip


def zoo() -> list[Any]:
    numpy = pytest.importorskip("numpy")
    attributes = SimpleNamespace
    of_numpy = [eval(f"numpy.{each}", {"numpy": numpy}) for each in NUMPY]
    return [
        None, True, 0, -1, 1 << 70, -(1 << 70), 10**5000, 1.5, float("nan"), -float("inf"), 1e300, 1j, "",
        "x", "ab", "\ud800", "\0", "😀", b"", b"ab", bytearray(b"ab"), memoryview(b"abcd")[::2], released(),
        memoryview(b"ab"), memoryview(b"abcd").cast("B", (2, 2)), memoryview(b"ab").cast("c"),
        array.array("i", [1, 2]), array.array("d", [1]), array.array("f", [1, 2, 3]), array.array("u",
        "ab"), array.array("H", [1, 2, 3]), *of_numpy, [], [1], ["x"], [None], (1,), (), (1, 2), (1, 2, 3),
        [[]], [1, "x"], [1.5, 2], [True, 300], {}, {1: 2}, {"a": 1}, {"a": []}, set(), frozenset([1]),
        range(3), iter([1]), (i for i in (1, 2)), [("a", 1)], [(1, 2)], [(1,)], [[1, 2]], [("a", "b")],
        [(1, 2, 3)], int, str, float, object, list, type, Odd, Err, Some, Exception, Odd.LIST, Odd.A,
        Odd.NUMBER, Wide.A, Wide.B, Wide(-1), Small.X, Words.X, print, object(), ..., failing("__index__"),
        failing("__float__"), failing("__getattr__"), failing("__len__", "__getitem__"), failing("__le__",
        "__ge__"), answering("__index__", 3), answering("__index__", 1 << 70), answering("__index__", "x"),
        answering("__float__", "x"), Changing("a", "zz", 5), Changing(3, 4, object()), Changing(),
        Text("x"), Text("\ud800é"), Number(5), Number(-300), Real(2), Longer([1, 2, 3]), Pair((1, 2)),
        attributes(), attributes(a=1, b="x"), attributes(a=1), attributes(a=300, b="x"),
        attributes(label=[]), attributes(label="a"), attributes(label="a", value=1), attributes(label="a",
        value="x"), attributes(label="c", value=1), attributes(label="ok"), Ok(), Ok(1), Err(), Err("x"),
        Err(1), Some(None), Some(1), Some("x"), Ok(Ok(1)), decimal.Decimal("1.5"), decimal.Decimal("sNaN"),
        decimal.Decimal("1e999"), fractions.Fraction(1, 3), ValueError("x"), ctypes.c_int(3),
        (ctypes.c_ubyte * 3)(1, 2, 3), collections.UserList([1, 2]), collections.UserDict({"a": 1}),
        collections.Counter("ab"), type("Lost", (collections.abc.Mapping,), {"__getitem__": lambda s,
        k: {}[k], "__iter__": lambda s: iter([1]), "__len__": lambda s: 1})(),
    ]  # fmt: skip


PRIM = {name: Shape(name) for name in PRIMS}
SOME = [PRIM[name] for name in ("bool", "u8", "s64", "f32", "char", "string")]
U8, TEXT, F32 = PRIM["u8"], PRIM["string"], PRIM["f32"]
SHAPES = [
    *SOME,
    *(Shape("list", (), (of,)) for of in SOME),
    Shape("record", ("a", "b"), (U8, TEXT)),
    Shape("record", ("a",), (Shape("record", ("a", "b"), (PRIM["s64"], F32)),)),
    Shape("variant", ("a", "b", "c"), (PRIM["u32"], TEXT, None)),
    Shape("enum", ("a", "b")),
    Shape("flags", ("a", "b")),
    Shape("option", (), (U8,)),
    Shape("option", (), (Shape("option", (), (TEXT,)),)),
    Shape("result", (), (U8, TEXT)),
    Shape("result", (), (None, None)),
    Shape("tuple", (), (U8, F32)),
    Shape("list", (), (Shape("tuple", (), (U8, PRIM["u32"])),)),
    Shape("list", (), (Shape("record", ("a", "b"), (PRIM["s64"], TEXT)),)),
    Shape("list", (), (Shape("list", (), (U8,)),)),
    Shape("list", (), (Shape("variant", ("a", "b"), (F32, None)),)),
    Shape("fixed", (), (PRIM["u16"],), 2),
    Shape("fixed", (), (TEXT,), 2),
    Shape("fixed", (), (U8,), 2),
    Shape("map", (), (TEXT, PRIM["u32"])),
    Shape("map", (), (PRIM["s8"], Shape("option", (), (U8,)))),
]


class Echo:
    """A host function that gives back what it gets, or something else once."""

    def __init__(self) -> None:
        self.calls = 0
        self.instead: list[Any] = []

    def __call__(self, given: Any) -> Any:
        self.calls += 1
        return self.instead.pop() if self.instead else given


@pytest.mark.parametrize(
    "of", SHAPES, ids=lambda of: "-".join(each.kind for each in reversed(of.everything()))
)
def test_anything_is_taken_or_refused(of: Shape) -> None:
    component = Component(assembled(echo_text(of, "utf8", "utf16")))
    host = Echo()
    instance = component.instantiate({"echo": host})
    good = ours(of, value(random.Random(3), of))
    refused = 0
    for given in zoo():
        host.calls = 0
        try:
            instance.exports.far.call(given)
        except (TypeError, OverflowError, ValueError) as error:
            refused += 1
            assert str(error).startswith("x")
            assert host.calls == 0
            assert len(str(error)) < 600 and str(error).isprintable()
        instance.exports.far.call(good)  # it goes on
    for given in zoo()[::4]:
        host.instead = [given]
        try:
            instance.exports.far.call(good)
        except HostError as error:
            assert "the result" in str(error)
            with pytest.raises(Trap, match="cannot enter"):
                instance.exports.far.call(good)
            instance = component.instantiate({"echo": host})
    assert refused > len(NUMPY)


def test_value_is_asked_once() -> None:
    """What a property answers the first time is what the guest gets."""
    of = Shape("record", ("a", "b"), (U8, TEXT))
    with Component(assembled(echo_text(of, "utf8", "utf16"))).instantiate({"echo": Echo()}) as instance:
        got = instance.exports.near(Changing(7, "seven", "later", object()))
        assert (got.a, got.b) == (7, "seven")


def test_part_that_fails_in_the_callers_code_is_named() -> None:
    inner = Shape("record", ("a",), (Shape("list", (), (U8,)),))
    of = Shape("list", (), (inner,))
    with Component(assembled(echo_text(of, "utf8", "utf16"))).instantiate({"echo": Echo()}) as instance:
        good = SimpleNamespace(a=[1])
        for bad, said in [
            (
                SimpleNamespace(a=[1, failing("__index__")]),
                r"^x\[1\]\.a\[1\]: ZeroDivisionError: of the caller's",
            ),
            (failing("__getattr__"), r"^x\[1\]\.a: ZeroDivisionError: of the caller's own$"),
            (SimpleNamespace(a=released()), r"^x\[1\]\.a: ValueError: operation forbidden on released"),
        ]:
            with pytest.raises(TypeError, match=said) as caught:
                instance.exports.far([good, bad])
            assert isinstance(caught.value.__cause__, ZeroDivisionError | ValueError)
        assert [each.a for each in instance.exports.far([good, good])] == [b"\1", b"\1"]


def test_too_many_elements_are_refused_before_anything_runs() -> None:
    of = Shape("list", (), (U8,))
    host = Echo()
    with Component(assembled(echo_text(of, "utf8", "utf16"))).instantiate({"echo": host}) as instance:
        with pytest.raises(OverflowError, match=r"^x: 268435456 elements are too many"):
            instance.exports.near(bytes(1 << 28))
        assert host.calls == 0
        assert instance.exports.near(b"ab") == b"ab"


def endless(*_: Any) -> Any:
    while True:
        yield ("a", 1)


ENDLESS = [
    type("EndlessList", (list,), {"__iter__": endless})([("b", 2)]),
    type("EndlessTuple", (tuple,), {"__iter__": endless, "__slots__": ()})([("b", 2)]),
    type("EndlessMap", (dict,), {"items": endless})(b=2),
    type("EndlessSequence", (collections.UserList,), {"__iter__": endless})([("b", 2)]),
]


@pytest.mark.parametrize("given", ENDLESS, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("kind", ["list", "tuple", "map"])
def test_what_goes_on_without_end_is_not_asked_without_end(kind: str, given: Any) -> None:
    pair = Shape("tuple", (), (TEXT, U8))
    of = {
        "list": Shape("list", (), (pair,)),
        "tuple": Shape("tuple", (), (pair,)),
        "map": Shape("map", (), (TEXT, U8)),
    }[kind]
    with Component(assembled(echo_text(of, "utf8", "utf16"))).instantiate({"echo": Echo()}) as instance:
        try:
            got = instance.exports.near(given)
        except TypeError as error:
            assert str(error).startswith("x: Endless")
        else:
            assert list(got) in (["a"], ["b"], [("b", 2)])
