"""Numbers of Python's and of NumPy's kinds become core values of the type, or are refused with a path."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pywasm_nn import Component
from tests.component.components import assembled
from tests.component.echo import echo_text
from tests.component.shapes import Shape

ENGINES = ("compile", "interpret")
NUMBERS = Shape("record", ("a", "b", "c", "d"), tuple(map(Shape, ("s32", "u64", "s64", "f64"))))


def echo(engine: str, host: Any = lambda given: given) -> Any:
    component = Component(assembled(echo_text(NUMBERS, "utf8", "utf16")))
    return component.instantiate({"echo": host}, engine=engine).exports


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_of_numpy_become_ints(engine: str) -> None:
    numpy = pytest.importorskip("numpy")
    given = SimpleNamespace(a=numpy.int32(-7), b=numpy.uint64(2**63), c=numpy.int64(-9), d=numpy.float32(1.5))
    for host in (lambda got: got, lambda got: given):
        got = echo(engine, host).far(given)
        assert [got.a, got.b, got.c, got.d] == [-7, 2**63, -9, 1.5]
        assert [type(each) for each in (got.a, got.b, got.c, got.d)] == [int, int, int, float]


@pytest.mark.parametrize(
    ("field", "value", "error", "text"),
    [
        ("a", 2**31, OverflowError, r"x\.a: 2147483648 is no s32"),
        ("b", -1, OverflowError, r"x\.b: -1 is no u64"),
        ("c", 1.5, TypeError, r"x\.c: 1\.5 is no s64"),
        ("d", 10**400, OverflowError, r"x\.d: .* is no f64"),
        pytest.param("a", 10**5000, OverflowError, r"x\.a: <integer of 16610 bits> is no s32", id="huge"),
        ("d", "1", TypeError, r"x\.d: '1' is no f64"),
    ],
)
def test_number_that_does_not_fit_is_named_and_the_instance_goes_on(
    field: str, value: Any, error: type[Exception], text: str
) -> None:
    exports = echo("compile")
    good = {"a": 1, "b": 2, "c": 3, "d": 4.0}
    with pytest.raises(error, match=text):
        exports.far(SimpleNamespace(**good | {field: value}))
    assert exports.far(SimpleNamespace(**good)).d == 4.0
