"""Inputs that come from a line of a table element by element: mistakes, and twins without one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.hints.values import other_type
from pywasm_nn.watch.origin.elements import by_elements
from pywasm_nn.watch.origin.following import in_columns
from pywasm_nn.watch.origin.tables import Part, Table, found_in, table_in
from tests.watch.test_false_alarms import origins_of
from tests.watch.test_hints import given

ORDER = numpy.random.default_rng(21)
NAMES = "id,age,weight,income,wind,kind,score,class"
ROWS = numpy.column_stack(
    [
        numpy.arange(1, 31), ORDER.uniform(18, 80, 30).round(1), ORDER.uniform(45, 99, 30).round(2),
        ORDER.uniform(900, 4000, 30).round(1), ORDER.integers(3, 360, 30), numpy.arange(30) % 3 + 1,
        ORDER.uniform(2, 9, 30).round(2), ORDER.integers(0, 3, 30),
    ]
)  # fmt: skip
MEAN, DEVIATION = ROWS.mean(0), ROWS.std(0)
AGE, WEIGHT, INCOME, WIND, KIND, SCORE = range(1, 7)


def file(rows: Any = ROWS, delimiter: str = ",", headings: str = NAMES) -> bytes:
    def text(one: float) -> str:
        shown = "" if one != one else f"{one:g}"
        return shown.replace(".", ",") if delimiter == ";" else shown

    lines = [headings.replace(",", delimiter), *(delimiter.join(map(text, row)) for row in rows.tolist())]
    return "\n".join(lines).encode()


def wrong(row: Any, data: bytes = file()) -> str:
    """What is said of one input, or of several, each a row."""
    table = table_in(data)
    assert isinstance(table, Table)
    sent = numpy.atleast_2d(numpy.asarray(row, "f4"))
    part: Part | None = found_in(table, sent[-1:]) or in_columns(table, sent.astype("f8"))
    return part.wrong if part else ""


def one_hot(row: Any, off: int = 0) -> Any:
    block = numpy.zeros(5)
    block[int(row[KIND]) - 1 + off] = 1
    return [*row[[AGE, WEIGHT, INCOME]], *block[:3]]


def line(*, scaled: bool = False, number: int = 7) -> Any:
    return ((ROWS - MEAN) / DEVIATION)[number] if scaled else ROWS[number]


def but(row: Any, place: int, value: Any) -> Any:
    changed = numpy.array(row, "f8")
    changed[..., place] = value
    return changed


def missing() -> Any:
    rows = ROWS.copy()
    rows[7, WEIGHT] = numpy.nan
    return rows


def standing_in(one: float = -999) -> Any:
    rows = ROWS.copy()
    rows[7, WEIGHT] = one
    return rows


SCALED = ((ROWS - MEAN) / DEVIATION)[3:9]
OTHERWISE = ((ROWS - MEAN * 1.2) / (DEVIATION * 0.7))[3:9]
FEATURES = slice(AGE, WIND + 1)
MISTAKES: dict[str, tuple[Callable[[], str], str]] = {
    "id": (lambda: wrong(line()[:4]), 'column 1 ("id"), which is the number of the line, was sent'),
    "ids": (lambda: wrong(OTHERWISE[:, :4]), "which is the number of the line, was sent"),
    "commas": (
        lambda: wrong(numpy.trunc(line()[FEATURES]), file(delimiter=";")), "the file has decimal commas",
    ),
    "unscaled": (
        lambda: wrong(but(line(scaled=True)[FEATURES], 2, line()[INCOME])),
        'column 4 ("income") was not scaled, and the others were',
    ),
    "unscaled in several": (
        lambda: wrong(but(OTHERWISE[:, FEATURES], 2, ROWS[3:9, INCOME])),
        'column 4 ("income") was not scaled, and the others were',
    ),
    "last": (lambda: wrong(but(line()[FEATURES], 3, 0)), "of its 4 elements the last is 0"),
    "last of scaled": (lambda: wrong(but(line(scaled=True)[FEATURES], 3, 0)), "the last is 0"),
    "last in several": (
        lambda: wrong(but(OTHERWISE[:, FEATURES], 3, 0)), 'element 3 is always 0: was column 5 ("wind")',
    ),
    "missing as 0": (
        lambda: wrong(but(line()[FEATURES], 1, 0), file(missing())),
        'column 3 ("weight") is missing in line 9, and was sent as 0',
    ),
    "missing as -999": (
        lambda: wrong(but(line()[FEATURES], 1, -999), file(missing())), "and was sent as -999",
    ),
    "-999 in the table": (
        lambda: wrong(standing_in()[7, FEATURES], file(standing_in())),
        'column 3 ("weight") is -999, which stands for a missing number, and was sent',
    ),
    "degrees": (
        lambda: wrong([*line()[AGE:WIND], numpy.sin(line()[WIND]), numpy.cos(line()[WIND])]),
        'the sine of column 5 ("wind")',
    ),
    "one-hot": (lambda: wrong(one_hot(line(), 1)), "that is place 1, but the one is at place 2 of 3"),
    "one-hot beyond": (lambda: wrong(one_hot(line(number=8), 1)), "place 2, but there is no one of 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    make, words = MISTAKES[name]
    assert words in make()


RADIANS = numpy.radians(ROWS[7, WIND])
TWINS: dict[str, Callable[[], str]] = {
    "line": lambda: wrong(line()[FEATURES]),
    "commas": lambda: wrong(line()[FEATURES], file(delimiter=";")),
    "scaled": lambda: wrong(line(scaled=True)[FEATURES]),
    "several": lambda: wrong(OTHERWISE[:, FEATURES]),
    "one-hot beside scaled": lambda: wrong(
        but(OTHERWISE[:, FEATURES], 3, ROWS[3:9, KIND] == 1), file()
    ),
    "kept as it is": lambda: wrong(
        but(OTHERWISE[:, AGE : KIND + 1], 4, ROWS[3:9, KIND]),
    ),
    "missing by the mean": lambda: wrong(but(line()[FEATURES], 1, 71.3), file(missing())),
    "missing scaled": lambda: wrong(but(line(scaled=True)[FEATURES], 1, 0), file(missing())),
    "radians": lambda: wrong([*line()[AGE:WIND], numpy.sin(RADIANS), numpy.cos(RADIANS)]),
    "one-hot": lambda: wrong(one_hot(line())),
    "last one-hot": lambda: wrong(one_hot(line(number=8))),
    "no class": lambda: wrong([*line()[SCORE - 3 : SCORE + 1], 0.0]),
    "another order": lambda: wrong(line()[[WEIGHT, AGE, WIND, INCOME]]),
    "other numbers": lambda: wrong(ORDER.uniform(0, 99, 5)),
    "a price": lambda: wrong(standing_in(999)[7, FEATURES], file(standing_in(999))),
    "kilograms": lambda: wrong(but(line()[FEATURES], 1, line()[WEIGHT] / 1000)),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_twins(name: str) -> None:
    assert TWINS[name]() == ""


@pytest.mark.parametrize(
    ("array", "seen"),
    [
        (line()[FEATURES], True),
        (line(scaled=True)[FEATURES], True),
        (ORDER.normal(size=12), True),
        (numpy.array([5.0, 3.5, 1.25, 0.5, 6.75, 2.0]), True),
        (numpy.array([0, 5.0, 0, 3.5, 0, 1.25, 0, 0.5], "f4"), False),
        (numpy.array([0, 1.5, 0, 3.5, 0, 1, 0, 2, 0, 3], "f4"), False),
        (line()[FEATURES].astype("f4"), False),
        (numpy.zeros(4), False),
        (numpy.array([0, -3.4e38, 0, -3.4e38, 0, 0], "f4"), False),
        (numpy.array([1e-20, 2, 3, 4, 5e-20, 1], "f4"), False),
        (ORDER.normal(size=24).astype("f4") * 1000, False),
        (numpy.array([0, 0.5, math.nan, 0.5, 0.3, 0.6, 0, 0.7], "f4"), False),
    ],
)
def test_doubles(array: Any, seen: bool) -> None:
    said = other_type(given(numpy.frombuffer(array.tobytes(), "f4")[None]))
    assert ("look like f64 (double)" in str(said)) is seen


def small_numbers(order: Any) -> Any:
    return order.integers(0, 6, (40, 7)).astype("f8")


def measures(order: Any) -> Any:
    return (order.normal(0, 1, (40, 7)) * order.uniform(0.1, 500, 7) + order.uniform(-50, 900, 7)).round(2)


def mixed(order: Any) -> Any:
    return numpy.column_stack([measures(order)[:, :3], small_numbers(order)[:, :4]])


@pytest.mark.parametrize("seed", range(0, 30, 2))
@pytest.mark.parametrize("kind", [small_numbers, measures, mixed])
def test_clean_lines(kind: Callable[[Any], Any], seed: int) -> None:
    """Lines of the table, and of another one like it, in the usual encodings."""
    order = numpy.random.default_rng(seed)
    rows, others = kind(order), kind(order)
    data = file(rows, headings="a,b,c,d,e,f,class" if seed % 2 else "id,a,b,c,d,e,f")
    used = slice(0, 6) if seed % 2 else slice(1, 7)
    mean, deviation, low = rows.mean(0), rows.std(0) + 1e-9, rows.min(0)
    for source in rows, others:
        encodings = (
            source, (source - mean) / deviation, (source - low) / (rows.max(0) - low + 1e-9), source / 100,
            numpy.log1p(numpy.abs(source)),
            numpy.where(numpy.abs(rows).max(0) < 6, source, (source - mean) / deviation),
        )  # fmt: skip
        for encoded in encodings:
            assert wrong(encoded[seed, used], data) == ""
            assert wrong(encoded[seed : seed + 6, used], data) == ""
            assert wrong(encoded[seed, used][:4], data) == ""


def test_a_guest_that_reads_a_table() -> None:
    origins = origins_of(file(), "people.csv")
    forgotten = Tensor.from_numpy(but(line()[FEATURES], 3, 0)[None].astype("f4"))
    found = origins.of(forgotten, "x")
    assert found is not None and "the last is 0" in found.wrong
    assert str(found) == "people.csv (30 lines of 8 numbers), line 9, columns 2 to 4"
    rightly = origins.of(Tensor.from_numpy(line()[None, FEATURES].astype("f4")), "x")
    assert rightly is not None and rightly.wrong == ""


def test_a_number_of_its_own_for_a_missing_one() -> None:
    """Trees take -1 for it, and other programs send it on purpose."""
    assert wrong(but(line()[FEATURES], 1, -1), file(missing())) == ""


@pytest.mark.parametrize("fill", [0, -999])
@pytest.mark.parametrize("by", [1, 100])
def test_a_missing_number_that_another_element_tells(fill: int, by: int) -> None:
    """A model that knows which numbers are missing may get anything for them."""
    rows = missing()[:, FEATURES]
    gaps, table = numpy.isnan(rows[:, [1]]), file(rows, headings="age,weight,income,wind")
    sent = numpy.where(gaps, fill, rows) / by
    for more in gaps, ~gaps:
        assert wrong(numpy.hstack([sent, more])[3:11], table) == ""
        assert wrong(numpy.hstack([sent, more])[7], table) == ""


@pytest.mark.parametrize("heading", ["store_id", "item", "income"])
def test_numbers_that_name_something(heading: str) -> None:
    """A model looks them up, so that they aren't scaled."""
    rows = ROWS.copy()
    rows[:, INCOME] = ORDER.integers(100, 900, len(rows))
    table, mean, deviation = file(rows, headings=NAMES.replace("income", heading)), rows.mean(0), rows.std(0)
    for shift, by in ((0, 1), (0.3, 1.2)):
        sent = but((rows - mean) / deviation / by - shift, INCOME, rows[:, INCOME])[3:9, FEATURES]
        assert bool(wrong(sent, table)) == (heading == "income")
    assert bool(wrong(sent[-1], table)) == bool(wrong(sent[-1:], table))
    plain = but((rows - mean) / deviation, INCOME, rows[:, INCOME])[7, FEATURES]
    assert bool(wrong(plain, table)) == (heading == "income")


def test_a_column_that_names_things_beside_others() -> None:
    """Also where some elements are made of several columns."""
    rows = numpy.column_stack([numpy.arange(30) * 7 % 23 + 40, ROWS[:, 1:4]])
    other = rows[:, 2] ** 2 / 9999
    sent = numpy.column_stack([rows[:, 0], (rows[:, 1] - 40) / 30, other, rows[:, 3] ** 0.5 / 70])
    for heading in ("shop", "mass"):
        table = table_in(file(rows, headings=f"{heading},a,b,c"))
        assert isinstance(table, Table)
        found = by_elements(table, sent[3:11])
        assert found is not None and ("was not scaled" in found.wrong) == (heading == "mass")
