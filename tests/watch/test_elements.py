"""Inputs of which some elements are columns of a table, some kinds, sines and cosines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from pywasm_nn.nn.tensor import Tensor
from pywasm_nn.watch.origin.elements import by_elements
from pywasm_nn.watch.origin.tables import Table
from tests.watch.test_false_alarms import origins_of

ORDER = numpy.random.default_rng(17)
SEASON, HEAT, DAMP, HOUR = (
    ORDER.integers(1, 5, 40), ORDER.uniform(-5, 34, 40).round(1), ORDER.integers(30, 96, 40),
    ORDER.integers(0, 24, 40),
)  # fmt: skip
NUMBERS = numpy.column_stack([SEASON, HEAT, DAMP, HOUR]).astype("f8")
NUMBERS[5, 1] = numpy.nan
TABLE = Table(NUMBERS, tuple(range(2, 42)), ("season", "temperature", "humidity", "hour"))
PART = slice(3, 10)
TURN = 2 * numpy.pi / 24


def rows(
    *, off: int = 0, heat: Callable[[Any], Any] = lambda one: one / 40, gap: float = 0.4,
    damp: Callable[[Any], Any] = lambda one: one / 100, turn: float = TURN, wraps: bool = True,
) -> Any:  # fmt: skip
    places = (SEASON - 1 + off) % 4 if wraps else SEASON - 1 + off
    block = numpy.eye(6)[places][:, :4]
    warm = heat(NUMBERS[:, 1].copy())
    warm[5] = gap
    made = [block, warm, damp(DAMP), numpy.sin(HOUR * turn), numpy.cos(HOUR * turn)]
    return numpy.column_stack(made)[PART].astype("f4").astype("f8")


def wrong(array: Any, table: Table = TABLE) -> str:
    found = by_elements(table, array)
    assert found is not None and found.said.startswith("lines 5 to 11, elements 4 from column 2")
    return found.wrong


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (rows(off=1), 'column 1 ("season") is sent as zeros and a one (one-hot), off by one'),
        (rows(off=1, wraps=False), "off by one"),
        (rows(off=-1), "off by one"),
        (rows(gap=-999), 'column 2 ("temperature") is missing in line 7, and was sent as -999'),
        (rows(gap=-999 / 40), "is missing in line 7, and was sent as -24.975"),
        (rows(damp=lambda one: one), 'column 3 ("humidity") was not scaled'),
        (rows(turn=15), 'element 6 is the sine of column 4 ("hour") in degrees'),
        (rows(turn=1 / 24), 'element 6 is the sine of column 4 ("hour") / 24'),
        (rows(heat=lambda one: (one * 1.8 + 32) / 40), "degrees Celsius were made Fahrenheit"),
        (rows(heat=lambda one: (one + 273.15) / 40), "273.15 was added (kelvins)"),
    ],
)
def test_mistakes(array: Any, words: str) -> None:
    assert words in wrong(array)


@pytest.mark.parametrize(
    "array",
    [
        rows(), rows(gap=0), rows(heat=lambda one: (one - 12) / 9), rows(turn=2 * numpy.pi / 12),
        rows(heat=lambda one: (one * 1.8 + 32) / 110), rows(heat=lambda one: (one + 273.15) / 300),
        rows(heat=lambda one: one, damp=lambda one: one, gap=14.0), rows()[:, [3, 1, 0, 2, 4, 5, 6, 7]],
        numpy.column_stack([rows()[:, 1:4], numpy.zeros(7), rows()[:, 4:]])[:, [3, 0, 1, 2, 4, 5]],
    ],
)  # fmt: skip
def test_what_somebody_means(array: Any) -> None:
    assert wrong(array) == ""


def test_kinds_of_a_column_that_is_named_as_an_answer() -> None:
    named = Table(NUMBERS, TABLE.lines, ("class", "temperature", "humidity", "hour"))
    assert "(one-hot), off by one" in wrong(rows(off=1, wraps=False), named)
    assert wrong(rows(), named) == ""


def test_a_mark_that_several_columns_have_is_meant() -> None:
    """Sent as it is in two columns that were not scaled, for a forest that was trained with it."""
    numbers = NUMBERS.copy()
    numbers[7, 2] = numpy.nan
    table = Table(numbers, TABLE.lines, TABLE.headings)
    found = by_elements(table, numpy.where(numpy.isnan(numbers), -999.0, numbers)[PART])
    assert found is not None and found.wrong == ""
    once = numpy.where(numpy.isnan(numbers), [0, -999.0, 61.0, 0], numbers)[PART]
    found = by_elements(table, once)
    assert found is not None and "was sent as -999" in found.wrong


def test_lines_that_are_not_found() -> None:
    assert by_elements(TABLE, ORDER.normal(size=(8, 5))) is None
    assert by_elements(TABLE, rows()[:4]) is None
    ramp = Table(numpy.column_stack([numpy.arange(40) * 0.5] * 2), tuple(range(40)))
    assert by_elements(ramp, numpy.column_stack([numpy.arange(8), numpy.zeros(8)])) is None


def test_a_guest_that_reads_a_table() -> None:
    text = "season,temperature,humidity,hour\n" + "\n".join(
        ",".join("" if one != one else f"{one:g}" for one in line) for line in NUMBERS.tolist()
    )
    for array, words in ((rows(), ""), (rows(turn=15), "in degrees")):
        origins = origins_of(text.encode(), "bikes.csv")
        sent = [origins.of(Tensor.from_numpy(row[None].astype("f4")), "x") for row in array]
        found = sent[-1]
        assert found is not None and words in found.wrong and bool(found.wrong) == bool(words)


@pytest.mark.parametrize("seed", range(6))
def test_an_empty_field_that_is_zero_and_scaled(seed: int) -> None:
    """0 is within the width of all lines from the least one, but far by the deviation of the scaler."""
    order = numpy.random.default_rng(seed)
    income, age = order.uniform(1500, 3400, 30).round(), order.integers(20, 70, 30).astype("f8")
    income[4], income[20] = numpy.nan, 1500
    numbers = numpy.column_stack([age, income])
    table = Table(numbers, tuple(range(2, 32)), ("age", "income"))
    for filled, is_wrong in ((0.0, True), (2600.0, False), (900.0, False)):
        own = numpy.where(numpy.isfinite(numbers), numbers, filled)
        sent = ((own - [44, 2600]) / [14, 1000])[:8].astype("f4").astype("f8")
        found = by_elements(table, sent)
        assert found is not None
        assert ('"income") is missing in line 6, and was sent as -2.6' in found.wrong) == is_wrong
        assert "(0 before" in found.wrong or not is_wrong
    counted = numpy.column_stack([age, order.integers(0, 5, 30).astype("f8")])
    counted[4, 1] = numpy.nan
    own = (numpy.where(numpy.isfinite(counted), counted, 0) - [44, 2]) / [14, 0.7]
    found = by_elements(Table(counted, table.lines, ("age", "claims")), own[:8])
    assert found is not None and not found.wrong, "other lines have 0, too"


@pytest.mark.parametrize("least", [0, 900])
def test_an_empty_field_that_is_zero_below_a_range(least: int) -> None:
    """Ends of ranges come from the training: it had no number below them."""
    order = numpy.random.default_rng(least)
    numbers = numpy.column_stack([order.integers(20, 70, 30), order.uniform(1300, 3400, 30).round()])
    numbers = numbers.astype("f8")
    numbers[4, 1] = numpy.nan
    table, low = Table(numbers, tuple(range(2, 32)), ("age", "income")), numpy.array([18, least])
    for filled, is_wrong in ((0.0, least > 0), (float(least), False), (2500.0, False)):
        sent = (numpy.where(numpy.isfinite(numbers), numbers, filled) - low) / (numpy.array([75, 4000]) - low)
        found = by_elements(table, sent[:9].astype("f4").astype("f8"))
        assert found is not None
        assert ('"income") is missing in line 6, and was sent as -0.29' in found.wrong) == is_wrong


LOGARITHMS = {"ln": numpy.log, "log10": numpy.log10, "log2": numpy.log2}


@pytest.mark.parametrize("taken", LOGARITHMS)
@pytest.mark.parametrize("meant", LOGARITHMS)
@pytest.mark.parametrize("by", [1, 1000])
def test_logarithms_to_another_base(taken: str, meant: str, by: int) -> None:
    if "ln" not in (taken, meant):
        return
    order = numpy.random.default_rng(by)
    numbers = (10 ** order.normal([3.7, 4.3, 2.9], 0.4, (24, 3))).round(2)
    table = Table(numbers, tuple(range(2, 26)), ("r1", "r2", "r3"))
    known = LOGARITHMS[meant](10 ** order.normal([3.7, 4.3, 2.9], 0.4, (500, 3)))
    sent = (LOGARITHMS[taken](numbers * by) - known.mean(axis=0)) / known.std(axis=0)
    found = by_elements(table, sent[:9].astype("f4").astype("f8"))
    assert found is not None and found.said.startswith("lines 2 to 10, elements 0 from the logarithm")
    is_wrong = taken != meant and by == 1  # another unit moves logarithms alone
    assert bool(found.wrong) == is_wrong or (not found.wrong and "log2" in (taken, meant))
    names = {"ln": "natural logarithms (ln)"}
    words = f"{names.get(taken, taken)} were taken", f"deviations of {names.get(meant, meant)}: "
    assert not found.wrong or all(one in found.wrong for one in words)


@pytest.mark.parametrize("heading", ["t", "phase", "azimuth"])
@pytest.mark.parametrize("count", [1, 12])
def test_sines_of_a_number_that_goes_up(heading: str, count: int) -> None:
    """Positions, and phases in radians; the directions of a scan go up as well, and are named so."""
    order = numpy.random.default_rng(4)
    place = numpy.arange(200) * 1.5
    values = order.uniform([-5, 0, 3], [30, 1, 8], (200, 3)).round(3)
    lines = [
        heading + ",v,w,u",
        *(f"{at:g},{v:g},{w:g},{u:g}" for at, (v, w, u) in zip(place, values, strict=True)),
    ]
    origins = origins_of("\n".join(lines).encode(), "s.csv")
    sent = numpy.column_stack([values, numpy.sin(place), numpy.cos(place)])[60 : 60 + count].astype("f4")
    found = [origins.of(Tensor.from_numpy(row[None]), "x") for row in sent]
    wrong = [one.wrong for one in found if one is not None and one.wrong]
    assert bool(wrong) == (heading == "azimuth") and all("sine" in one for one in wrong)
