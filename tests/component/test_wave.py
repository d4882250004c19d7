"""WAVE: values as text, by the examples of its README, by what is wrong, and there and back by chance."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.component.canonical.faces import Err, Ok, Some, face
from pywasm_nn.component.types import PRIM_BY_NAME, Compound, Kind, Part
from pywasm_nn.component.wave import WaveError, arguments, function_name, read, written

PRIM = PRIM_BY_NAME


def of(kind: Kind, *parts: Part, labels: str = "") -> Compound:
    return Compound(kind, tuple(labels.split()), parts)


U8, S32, F32, F64, STRING, CHAR, BOOL = (
    PRIM[name] for name in ("u8", "s32", "f32", "f64", "string", "char", "bool")
)
POINT = of(Kind.RECORD, S32, of(Kind.OPTION, S32), labels="x y")
SHAPE = of(Kind.VARIANT, None, F64, labels="none circle")
COLOR = of(Kind.ENUM, labels="red true")
RIGHTS = of(Kind.FLAGS, labels="read write some-more")
TWICE = of(Kind.OPTION, of(Kind.OPTION, S32))
ANSWER = of(Kind.RESULT, S32, STRING)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (BOOL, "true", True),
        (S32, " -5 // five\n", -5),
        (F64, "6.022e+23", 6.022e23),
        (F64, "-inf", -math.inf),
        (F32, "3", 3.0),
        (CHAR, r"'\u{1F44B}'", "👋"),
        (CHAR, r"'\''", "'"),
        (CHAR, "'\"'", '"'),
        (STRING, r'"a\tb\n\"c\" \u{e9} ☃"', 'a\tb\n"c" é ☃'),
        (STRING, '"""\n    one\n      two\n    """', "one\n  two"),
        (of(Kind.TUPLE, S32, STRING), '(1, "a",)', (1, "a")),
        (of(Kind.LIST, U8), "[]", []),
        (of(Kind.LIST, STRING), '["a", "b", ]', ["a", "b"]),
        (of(Kind.MAP, STRING, S32), '[("a", 1)]', {"a": 1}),
        (POINT, "{ y: some(2), x: 1 }", face(POINT)(1, 2)),
        (POINT, "{x: 1, y: 2}", face(POINT)(1, 2)),
        (POINT, "{x: 1}", face(POINT)(1, None)),
        (of(Kind.RECORD, of(Kind.OPTION, S32), labels="a"), "{:}", None),
        (SHAPE, "%none", face(SHAPE).cases[0]()),
        (SHAPE, "circle(2)", face(SHAPE).cases[1](2.0)),
        (COLOR, "%true", face(COLOR)("true")),
        (COLOR, "red", face(COLOR)("red")),
        (RIGHTS, "{read, some-more}", face(RIGHTS)(5)),
        (RIGHTS, "{}", face(RIGHTS)(0)),
        (of(Kind.OPTION, S32), "1", 1),
        (of(Kind.OPTION, S32), "none", None),
        (TWICE, "some(none)", Some(None)),
        (TWICE, "some(some(3))", Some(3)),
        (ANSWER, "4", Ok(4)),
        (ANSWER, 'err("no")', Err("no")),
        (of(Kind.RESULT, None, None), "ok", Ok()),
    ],
)
def test_texts_are_values(type_: Any, text: str, value: Any) -> None:
    found = read(text, type_)
    if value is not None or type_.kind is Kind.OPTION:
        assert found == value
    assert read(written(found, type_), type_) == found


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (BOOL, "1"), (BOOL, ""), (S32, "1.5"), (S32, "1 2"), (S32, "0x10"), (S32, "five"), (S32, "-"),
        (F64, "1."), (F64, "infinite"), (CHAR, "''"), (CHAR, "'ab'"), (CHAR, r"'\u{d800}'"),
        (CHAR, r"'\u{110000}'"), (STRING, '"a'), (STRING, r'"\q"'), (STRING, "a"),
        (STRING, '"""\n  a\n b\n  """'),
        (of(Kind.LIST, U8), "[1"), (of(Kind.LIST, U8), "[1 2]"), (of(Kind.LIST, U8), "[,]"),
        (of(Kind.TUPLE, S32, S32), "(1)"), (of(Kind.TUPLE, S32), "(1, 2)"), (POINT, "{y: 1}"),
        (POINT, "{x: 1, x: 2}"), (POINT, "{x: 1, z: 2}"), (POINT, "{x 1}"), (SHAPE, "circle"),
        (SHAPE, "square(1)"), (SHAPE, "none(1)"), (COLOR, "blue"), (RIGHTS, "{all}"), (TWICE, "1"),
        (of(Kind.RESULT, None, None), "1"), (ANSWER, "ok"), (of(Kind.OWN), "1"),
        (S32, "9" * 5000), (of(Kind.LIST, U8), "[" * 5000),
    ],
)  # fmt: skip
def test_what_is_no_value_is_said(type_: Any, text: str) -> None:
    with pytest.raises(WaveError) as caught:
        read(text, type_)
    assert 0 < len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (3.0, F64, "3"), (1e21, F64, "1000000000000000000000"), (-0.0, F64, "-0"), (0.1, F64, "0.1"),
        (1e-7, F64, "0.0000001"), (0.10000000149011612, F32, "0.1"),
        (3.4028234663852886e38, F32, "34028235" + "0" * 31),
        (math.nan, F32, "nan"), ("a\x1b\u202e\n", STRING, r'"a\u{1b}\u{202e}\n"'), ("'", CHAR, r"'\''"),
        (b"\x01\x02", of(Kind.LIST, U8), "[1, 2]"), (True, BOOL, "true"),
        (face(POINT)(1, None), POINT, "{x: 1}"), (face(SHAPE).cases[0](), SHAPE, "%none"),
        (Some(None), TWICE, "some(none)"), (Ok(), of(Kind.RESULT, None, S32), "ok"),
        (Err(3), of(Kind.RESULT, None, S32), "err(3)"),
    ],
)  # fmt: skip
def test_values_are_texts(value: Any, type_: Any, text: str) -> None:
    assert written(value, type_) == text


def test_calls() -> None:
    assert function_name(' scale([1.5, 2], "x")') == "scale"
    assert function_name("geo:shapes/shapes@1.0.0#big") == "geo:shapes/shapes@1.0.0#big"
    assert arguments('scale([1.5, 2], "x",)', [of(Kind.LIST, F64), STRING]) == [[1.5, 2.0], "x"]
    for text in ("scale", "scale(1)", 'scale([1], "x"', 'scale([1], "x") y', 'scale([1], "x", 3)'):
        with pytest.raises(WaveError):
            arguments(text, [of(Kind.LIST, F64), STRING])
    with pytest.raises(WaveError):
        function_name("(1)")


# There and back

LABELS = st.lists(
    st.from_regex(r"[a-z][a-z0-9]{0,3}(-[a-z][a-z0-9]{0,3})?", fullmatch=True),
    min_size=1,
    max_size=4,
    unique=True,
).filter(lambda labels: len({label.replace("-", "_") for label in labels}) == len(labels))
CHARACTERS = st.characters(codec="utf-8")


def pairs(depth: int) -> st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]]:
    """Types, each with its values."""
    plain: list[tuple[Any, st.SearchStrategy[Any]]] = [
        (BOOL, st.booleans()),
        (S32, st.integers(-(2**31), 2**31 - 1)),
        (F64, st.floats(allow_nan=False)),
        (F32, st.floats(width=32, allow_nan=False)),
        (STRING, st.text(CHARACTERS)),
        (CHAR, CHARACTERS),
    ]
    simple = st.sampled_from(plain) | LABELS.map(enum) | LABELS.map(flags)
    if not depth:
        return simple
    inner = pairs(depth - 1)
    several = st.lists(inner, min_size=1, max_size=3)
    return (
        simple
        | inner.map(lambda pair: (of(Kind.LIST, pair[0]), st.lists(pair[1], max_size=3)))
        | several.map(lambda all_: (of(Kind.TUPLE, *(p[0] for p in all_)), st.tuples(*(p[1] for p in all_))))
        | inner.map(option)
        | st.tuples(inner, inner).map(result)
        | st.tuples(LABELS, st.lists(inner, min_size=4, max_size=4)).map(record)
        | st.tuples(LABELS, st.lists(inner, min_size=4, max_size=4)).map(variant)
    )


def enum(labels: list[str]) -> tuple[Any, st.SearchStrategy[Any]]:
    type_ = Compound(Kind.ENUM, tuple(labels))
    return type_, st.sampled_from(labels).map(face(type_))


def flags(labels: list[str]) -> tuple[Any, st.SearchStrategy[Any]]:
    type_ = Compound(Kind.FLAGS, tuple(labels))
    return type_, st.integers(0, (1 << len(labels)) - 1).map(face(type_))


def option(pair: tuple[Any, st.SearchStrategy[Any]]) -> tuple[Any, st.SearchStrategy[Any]]:
    wraps = isinstance(pair[0], Compound) and pair[0].kind is Kind.OPTION
    return of(Kind.OPTION, pair[0]), st.none() | (pair[1].map(Some) if wraps else pair[1])


def result(both: Any) -> tuple[Any, st.SearchStrategy[Any]]:
    (ok, good), (error, bad) = both
    return of(Kind.RESULT, ok, error), good.map(Ok) | bad.map(Err)


def record(given_: Any) -> tuple[Any, st.SearchStrategy[Any]]:
    labels, parts = given_
    parts = parts[: len(labels)]
    type_ = Compound(Kind.RECORD, tuple(labels), tuple(part[0] for part in parts))
    return type_, st.tuples(*(part[1] for part in parts)).map(lambda values: face(type_)(*values))


def variant(given_: Any) -> tuple[Any, st.SearchStrategy[Any]]:
    labels, parts = given_
    parts = [*parts[: len(labels) - 1], (None, st.none())]
    type_ = Compound(Kind.VARIANT, tuple(labels), tuple(part[0] for part in parts))
    cases = [values.map(case) for case, (_, values) in zip(face(type_).cases, parts, strict=True)]
    return type_, st.one_of(cases)


@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    type_, values = data.draw(pairs(2))
    value = data.draw(values)
    text = written(value, type_)
    assert text.isprintable()
    assert read(text, type_) == value
