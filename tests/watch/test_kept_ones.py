"""Words that become zeros and ones: ones that stay, and words that are compared with others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from pywasm_nn import Module
from pywasm_nn.interpreter.encode import encode
from pywasm_nn.watch.origin.constants import Constants
from pywasm_nn.watch.sheets.kept_ones import never_equal, never_reset, one_never_equal
from pywasm_nn.watch.sheets.sheet import sheet_of

FUELS = ["petrol", "diesel", "petrol", "electric", "diesel", "petrol", "electric", "diesel"]
OWNED = ["no", "yes", "no", "no", "yes", "yes", "no", "no"]
NUMBERS = numpy.round(numpy.random.default_rng(7).uniform(5, 90, (8, 2)), 1)
LINES = [f"{a},{fuel},{owned},{b}" for (a, b), fuel, owned in zip(NUMBERS, FUELS, OWNED, strict=True)]
SHEET = sheet_of("cars.csv", "\n".join(["power,fuel,owned,age", *LINES]).encode())
KINDS = ["diesel", "electric", "petrol"]


def rows_of(fuels: Sequence[str], words: Sequence[str], *, keep: bool = False) -> Any:
    ones = numpy.array(
        [[one == kind for kind in fuels] + [two == word for word in words] for one, two in PAIRS]
    )
    ones = numpy.logical_or.accumulate(ones) if keep else ones
    return numpy.concatenate([NUMBERS[:, :1], ones, (NUMBERS[:, 1:] - 40) / 25], axis=1)


PAIRS = [*zip(FUELS, OWNED, strict=True)]


@pytest.mark.parametrize("count", [5, 8])
@pytest.mark.parametrize(("keep", "words"), [(True, ["yes"]), (False, ["yes"]), (True, []), (False, [])])
def test_ones_that_stay(count: int, keep: bool, words: Sequence[str]) -> None:
    assert SHEET is not None
    said = never_reset(SHEET, rows_of(KINDS, words, keep=keep)[:count], range(count))
    assert ('is 1 since the first line whose column 2 ("fuel") is "diesel"' in said) is keep is bool(said)


def test_numbers_of_kinds_stay() -> None:
    codes = [f"{a},{KINDS.index(fuel) + 1},{b}" for (a, b), fuel in zip(NUMBERS, FUELS, strict=True)]
    sheet = sheet_of("cars.csv", "\n".join(["power,fuel,age", *codes]).encode())
    assert sheet is not None
    said = never_reset(sheet, rows_of(KINDS, [], keep=True), range(8))
    assert 'whose column 2 ("fuel") is "1", and stays 1 in input 3, which has "3"' in said
    assert never_reset(sheet, rows_of(KINDS, []), range(8)) == ""


def test_steps_of_grades_in_a_sorted_table() -> None:
    """An element for each grade that is reached, as some models want it."""
    grades = ["low", "low", "mid", "mid", "high", "high", "top", "top"]
    sheet = sheet_of(
        "a.csv", "\n".join(["a,grade", *(f"{at * at},{one}" for at, one in enumerate(grades))]).encode()
    )
    assert sheet is not None
    steps = numpy.array([[at * at, at > 1, at > 3, at > 5] for at in range(8)], "f8")
    assert never_reset(sheet, steps, range(8)) == ""


def test_the_last_letter_of_a_text_in_data() -> None:
    """An optimiser cuts off the zero behind it."""
    init = "xPetrol".encode("utf-16-le")[:-1]
    module: Any = SimpleNamespace(datas=[SimpleNamespace(init=init)], data=b"")
    assert Constants(module).has("Petrol") and not Constants(module).has("petrol")


@pytest.mark.parametrize(
    ("text", "type_", "size"),
    [("red", "i32", 4), ("white", "i32", 4), ("brown", "i32", 4), ("gr\u00fcn", "i32", 4),
     ("harbour", "i64", 8), ("lighthouse", "i64", 8)],
)  # fmt: skip
def test_a_text_that_is_compared_as_a_number(text: str, type_: str, size: int) -> None:
    """clang makes `i32.load; i32.const; i32.ne` of a strcmp with a short text, or the same of i64."""
    number = int.from_bytes((text.encode() + b"\0")[:size], "little")
    compared = f"({type_}.load (i32.const 8)) ({type_}.const {number})"
    source = f"(module (memory 1) (func (drop ({type_}.ne {compared}))))"
    constants = Constants(Module.from_bytes(encode(Module.from_text(source))))
    assert constants.has(text)
    assert not any(constants.has(other) for other in ("blue", "re", "r", "bred"))


@pytest.mark.parametrize(
    ("fuels", "words", "said"),
    [
        (KINDS, ["yes"], ""),
        (KINDS, ["Yes"], 'element 4 is 0 in all 8 inputs, and no element depends on column 3 ("owned")'),
        (KINDS, ["yes\r"], "or with an end of the line behind them?"),
        ([one.title() for one in KINDS], ["no", "yes"], 'the program has "Petrol", which is never equal to'),
        (["Diesel", "Petrol"], ["YES"], "elements 1, 2, 3 are 0 in all 8 inputs"),
        (KINDS[1:], ["yes"], ""),
        (KINDS, [], ""),
        ([], [], ""),
        ([*KINDS, "gas"], ["yes"], ""),
        ([], ["other"] * 6, ""),
    ],
)
def test_words_that_are_never_equal(fuels: Sequence[str], words: Sequence[str], said: str) -> None:
    assert SHEET is not None
    known: Callable[[str], bool] = "Petrol".__eq__
    found = never_equal(SHEET, rows_of(fuels, words), range(8), known)
    assert said in found and bool(found) == bool(said)


def test_two_columns_apart() -> None:
    """Each of two columns of words has an element that is always 0."""
    lines = [
        f"{a},{fuel[:1] == 'p'},{b},{two}" for (a, b), fuel, two in zip(NUMBERS, FUELS, OWNED, strict=True)
    ]
    sheet = sheet_of("cars.csv", "\n".join(["power,petrol,age,owned", *lines]).encode())
    assert sheet is not None
    zeros = numpy.zeros((8, 1))
    rows = numpy.concatenate([NUMBERS[:, :1], zeros, NUMBERS[:, 1:], zeros], axis=1)
    found = never_equal(sheet, rows, range(8), "true".__eq__)
    assert "elements 1, 3 are 0 in all 8 inputs" in found and 'which is never equal to "True"' in found


@pytest.mark.parametrize(
    ("fuels", "known", "is_said"),
    [
        (["Diesel", "electric", "petrol"], ["Diesel"], True),
        (["diesel", "electric", "Petrol"], ["Petrol", "diesel"], True),
        (["Diesel", "electric", "petrol"], ["Diesel", "diesel"], False),
        (["Diesel", "Electric", "petrol"], ["Diesel"], False),
        (["electric", "petrol"], ["Diesel"], False),
        (KINDS, ["Diesel"], False),
    ],
)
def test_one_word_that_is_never_equal(fuels: Sequence[str], known: Sequence[str], is_said: bool) -> None:
    assert SHEET is not None
    found = one_never_equal(SHEET, rows_of(fuels, ["yes"]), range(8), known.__contains__)
    assert ("no element is 1 for" in found) is is_said is bool(found)
